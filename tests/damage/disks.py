"""Simulate full disks and read-only folders."""

import os
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

PAGE, PAGES = 4096, 4096
NOBODY = 65534


def pages(folder):
    """Compute the disk space of the files in a folder, in pages."""
    sizes = [path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()]
    return sum(-(-size // PAGE) for size in sizes)


@lru_cache
def can_mount():
    """Whether disks can be mounted here; otherwise only the size of files is limited."""
    with tempfile.TemporaryDirectory() as folder:
        mounted = bool(shutil.which("mount")) and not _mount(folder).returncode
        if mounted:
            subprocess.run(["umount", folder], check=True)
    return mounted


def _mount(folder):
    command = ["mount", "-t", "tmpfs", "-o", f"size={PAGES * PAGE}", "none", folder]
    return subprocess.run(command, capture_output=True)


@contextmanager
def small_disk(folder):
    """Mount a disk over a folder; yield a function that fills it except for some pages."""
    shutil.rmtree(folder, ignore_errors=True)
    _mount(folder.parent).check_returncode()

    @contextmanager
    def fill(free):
        ballast = folder.with_name("ballast")
        with ballast.open("wb") as file:
            space = os.statvfs(folder)
            os.posix_fallocate(file.fileno(), 0, (space.f_bavail - free) * space.f_frsize)
            try:
                yield
            finally:
                ballast.unlink()

    try:
        yield fill
    finally:
        subprocess.run(["umount", folder.parent], check=True)


@contextmanager
def read_only(folder):
    """Make a folder and its content read-only, also for the owner; see `as_owner`."""
    paths = [folder, *folder.rglob("*")]
    modes = {path: path.stat().st_mode for path in paths}
    for path in paths:
        path.chmod(modes[path] & 0o555)
        if os.geteuid() == 0:
            os.chown(path, NOBODY, NOBODY)
    try:
        yield
    finally:
        for path in paths:
            path.chmod(modes[path])


def as_owner(function, *arguments):
    """Call a function without root's right to write everywhere."""
    if os.geteuid() == 0:
        os.setegid(NOBODY)
        os.seteuid(NOBODY)
    return function(*arguments)

"""Run the short test suite on installations as a user makes them.

Install the wheel in an empty environment, then an editable version instead, and the wheel on
another Python version if the machine has one. Usage: ``python tests/installed/run.py``.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[2]
SUITE = Path(__file__).with_name("test_installed.py")
PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check")
OTHERS = (11, 12, 13, 14)  # minor versions, from `python_requires` on


def run(*command, **options):
    """Print and run a command, without Python's environment variables; raise its failure."""
    print("$", *command, flush=True)
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    return subprocess.run([str(c) for c in command], check=True, env=clean, **options)


def other_python():
    """Return the oldest other Python of this machine; None if there is none."""
    pyenv = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions"
    for minor in OTHERS:
        named = f"python3.{minor}"
        for path in [shutil.which(named), *pyenv.glob(f"3.{minor}.*/bin/{named}")]:
            if minor != sys.version_info.minor and path and starts(path):
                return path
    return None


def starts(python):
    """Check that `python` runs: pyenv has shims for disabled versions, too."""
    return subprocess.run([python, "--version"], capture_output=True).returncode == 0


def check(base, python, *installed):
    """For each target: install in an empty environment, run the suite elsewhere, uninstall."""
    base = Path(tempfile.mkdtemp(dir=base))
    env, away = base / "env", base / "away"
    run(python, "-m", "venv", env)
    inside = env / "bin" / "python"
    away.mkdir()
    shutil.copy(SUITE, away)
    for what in installed:
        run(inside, *PIP, "install", "--no-compile", *what, "pytest", "pytest-xdist")
        run(inside, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", SUITE.name, cwd=away)
        run(inside, *PIP, "uninstall", "--yes", "pyterrier-scholarly")
        listen(inside, away)


def listen(python, folder):
    """Check that nothing is left after uninstalling, and no message appears."""
    done = run(python, "-m", "ir_datasets", "list", cwd=folder, capture_output=True, text=True)
    assert "csfcube" not in done.stdout.split()
    assert not done.stderr, f"noise after uninstalling: {done.stderr}"


def main():
    """Build the wheel and check each kind of installation, on two Pythons at once."""
    with tempfile.TemporaryDirectory() as base, ThreadPoolExecutor() as pool:
        # Use a copy, so that a build folder of the source tree cannot hide a missing file.
        source = Path(base, "source")
        run("git", "clone", "--quiet", ROOT, source)
        run(sys.executable, "-m", "build", "--quiet", "--outdir", base, source)
        (wheel,) = Path(base).glob("*.whl")
        kinds = {sys.executable: [(wheel,), ("--editable", source)]}
        if other := other_python():
            kinds[other] = [(wheel,)]
        list(pool.map(lambda python: check(base, python, *kinds[python]), kinds))


if __name__ == "__main__":
    main()

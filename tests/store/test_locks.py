"""A lock is for one at a time; only who waits for another process is told."""

import os
import subprocess
import sys
from threading import Barrier, Event, Semaphore, Thread, current_thread

import pytest

from ir_datasets_ext.store.atomic_files import lock_folder, remove_at_once
from ir_datasets_ext.store.locks import locked

HOLD = """
import sys
from ir_datasets_ext.store.locks import locked
with locked(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_threads_take_turns_without_a_word(tmp_path, capfd):
    """Eight threads that wait for one another never hold the lock together, and say nothing."""
    inside, most = [], []
    together = Barrier(8)

    def work():
        together.wait()
        for _ in range(20):
            with locked(tmp_path) as held, open(tmp_path / "shared", "w") as file:
                inside.append(held)
                file.write("something")
                os.fsync(file.fileno())  # lets other threads run
                most.append(len(inside))
                inside.pop()

    threads = [Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 160
    assert capfd.readouterr().err == ""


def test_another_process_is_told_about(tmp_path, capfd):
    """Who waits for it says so; who does not wait gets no lock."""
    command = [sys.executable, "-c", HOLD, tmp_path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"held\n"
        with locked(tmp_path, wait=False) as held:
            assert not held
        waiting = Thread(target=lambda: locked(tmp_path).__enter__())
        waiting.start()
        said = ""
        while "waiting for another process" not in said:
            said += capfd.readouterr().err
        process.stdin.close()
        waiting.join()
    assert said.count("waiting for another process") == 1


def test_a_thread_that_does_not_wait_gets_no_lock(tmp_path):
    """A lock that another thread holds is not held twice."""
    holds, done = Event(), Event()

    def hold():
        with locked(tmp_path):
            holds.set()
            done.wait()

    thread = Thread(target=hold)
    thread.start()
    holds.wait()
    with locked(tmp_path, wait=False) as held:
        assert not held
    done.set()
    thread.join()
    with locked(tmp_path, wait=False) as held:
        assert held


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_a_forked_process_waits_for_no_thread_of_its_parent(tmp_path):
    """A thread holds the lock while the process forks: the child gets it after the parent."""
    code = """
import os, sys, threading
from ir_datasets_ext.store.locks import locked
holds, done = threading.Event(), threading.Event()
def hold():
    with locked(sys.argv[1]):
        holds.set()
        done.wait()
thread = threading.Thread(target=hold)
thread.start()
holds.wait()
child = os.fork()
if not child:
    with locked(sys.argv[1]):
        print("the child has it", flush=True)
    os._exit(0)
done.set()
thread.join()
os.waitpid(child, 0)
"""
    command = [sys.executable, "-W", "ignore", "-c", code, tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stdout == "the child has it\n", done.stderr


def test_a_folder_that_was_removed_while_others_wait(tmp_path, monkeypatch):
    """Two threads wait for its lock: they hold that of the new folder, one after the other."""
    folder = tmp_path / "folder"
    folder.mkdir()
    waiting = Semaphore(0)
    open_handle = os.open

    def noted_open(path, flags, *how, **more):
        handle = open_handle(path, flags, *how, **more)
        if path == folder and current_thread() in threads:
            waiting.release()
        return handle

    inside: list[str] = []
    most_inside = 0

    def write(name):
        nonlocal most_inside
        with lock_folder(folder):
            inside.append(name)
            most_inside = max(most_inside, len(inside))
            (folder / name).write_text("content")
            inside.remove(name)

    threads = [Thread(target=write, args=[name]) for name in ("a", "b")]
    with lock_folder(folder):
        monkeypatch.setattr(os, "open", noted_open)
        for thread in threads:
            thread.start()
            waiting.acquire()  # until it has the folder open
        remove_at_once(folder)
    for thread in threads:
        thread.join()
    assert {path.name for path in folder.iterdir()} == {"a", "b"}
    assert most_inside == 1

"""Processes that are killed in the middle of their work, for the scripts beside this file."""

import os
import signal
import sys

#: audit events of what changes files
OPERATIONS = ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "shutil.rmtree")


def forked(work):
    """Run `work` in a forked process and return its id."""
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    return child


def was_killed(child):
    """Wait for the process and say whether a signal ended it."""
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def die_at(step):
    """Let this process kill itself right before its file operation number `step`."""
    done = 0

    def watch(event, _):
        nonlocal done
        if event in OPERATIONS:
            done += 1
            if done == step:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)

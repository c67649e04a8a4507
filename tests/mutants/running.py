"""Run pytest in forked processes, which share the loaded libraries of the parent."""

import importlib
import io
import multiprocessing
import os
import signal
import sys
import threading
from collections import defaultdict
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path

import pytest

HERE = str(Path(__file__).resolve().parents[2])
SLOW_TO_LOAD = ("pandas", "scipy.stats", "sklearn.decomposition", "sentence_transformers")


def load():
    """Import the libraries of the tests, but no code under test."""
    for name in SLOW_TO_LOAD:
        with suppress(ImportError):
            importlib.import_module(name)


def apart(function, *arguments, limit):
    """Return a function's result from a forked process; None after `limit` seconds."""
    fork = multiprocessing.get_context("fork")
    mine, its = fork.Pipe(duplex=False)

    def work():
        os.setsid()
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            its.send(function(*arguments))
        os._exit(0)

    process = fork.Process(target=work)
    process.start()
    its.close()
    try:
        return mine.recv() if mine.poll(limit) else None
    except EOFError:  # the process crashed
        return None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.join()


def observed(root, paths, marked):
    """Run tests; return seconds per file, the files that call each function, and failed tests."""
    seen = _Observed(str(root))
    pytest.main([*_options(root, marked), *paths], plugins=[seen])
    return dict(seen.seconds), dict(seen.callers), seen.failed


def killed(root, files, marked, but):
    """Return the first failing test of these files, if any; skip those in `but`."""
    first = _First(but)
    code = pytest.main([*_options(root, marked), "-x", *files], plugins=[first])
    return first.failed or ("all" if code not in (0, 5) else "")


def _options(root, marked):
    os.chdir(root)
    sys.path[:] = [str(root), *(path for path in sys.path if path not in ("", HERE))]
    for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
        del sys.modules[name]
    return ["-q", "--tb=no", "-p", "no:cacheprovider", "-p", "no:randomly", "-m", marked]


class _Observed:
    def __init__(self, root):
        self.root, self.file, self.failed = root, "", set()
        self.seconds, self.callers = defaultdict(float), defaultdict(set)

    def _called(self, frame, event, _):
        code = frame.f_code
        if code.co_filename.startswith(self.root):
            self.callers[code.co_filename, code.co_firstlineno].add(self.file)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        self.file = item.nodeid.partition("::")[0]
        threading.settrace(self._called)
        sys.settrace(self._called)
        try:
            return (yield)
        finally:
            sys.settrace(None)

    def pytest_runtest_logreport(self, report):
        self.seconds[report.nodeid.partition("::")[0]] += report.duration
        if report.failed:
            self.failed.add(report.nodeid)

    def pytest_collectreport(self, report):
        if report.failed:
            self.failed.add(report.nodeid)


class _First:
    def __init__(self, but):
        self.but, self.failed = but, ""

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if item.nodeid not in self.but]

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed = self.failed or report.nodeid

    def pytest_collectreport(self, report):
        if report.failed:
            self.failed = self.failed or report.nodeid

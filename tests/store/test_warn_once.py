"""Warnings that name the user's line, or none, and that are said once per process."""

import inspect
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd

from ir_datasets_ext.warn_once import warn_once


def record(act):
    """Return the warnings of a call."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        act()
    return said


def warn_while_read(text):
    """Yield a row, and warn, as a dataset does whose file is read by another package."""
    warn_once(text)
    yield (1,)


def test_the_line_of_the_user_is_named_behind_other_packages():
    """Pandas asks for the rows, and its line is not what led to the warning."""
    line = inspect.currentframe().f_lineno + 1
    (said,) = record(lambda: pd.DataFrame(warn_while_read("by pandas")))
    assert (said.filename, str(said.message)) == (__file__, "by pandas")
    assert said.lineno in (line, inspect.getsourcelines(warn_while_read)[1] + 2)


def test_the_user_s_file_may_be_in_the_environment_s_folder():
    """A project may be an environment itself, and Python's own folder may be /usr."""
    study = str(Path(sys.prefix, "study.py"))
    code = compile("warn_once('by a study')", study, "exec")
    (said,) = record(lambda: exec(code, {"warn_once": warn_once}))
    assert (said.filename, said.lineno) == (study, 1)


def test_a_thread_has_no_line_of_the_user():
    """Then the package is named, and no line of Python's own."""
    with ThreadPoolExecutor(1) as pool:
        (said,) = record(lambda: pool.submit(warn_once, "in a thread").result())
    assert (said.filename, said.lineno) == ("pyterrier-scholarly", 0)
    text = warnings.formatwarning(said.message, said.category, said.filename, said.lineno)
    assert text == "pyterrier-scholarly:0: UserWarning: in a thread\n"


def test_it_is_said_once():
    """In a process, from wherever it is called; with a subject, the first text about it alone."""
    assert len(record(lambda: [warn_once("again") for _ in range(2)])) == 1
    assert record(lambda: warn_once("again")) == []
    said = record(lambda: [warn_once(f"text {n}", about="one thing") for n in range(2)])
    assert [str(one.message) for one in said] == ["text 0"]

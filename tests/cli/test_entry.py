"""The command line: help, errors as sentences, and subcommands from the table."""

import io
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from pyterrier_scholarly.cli import COMMANDS, main

HEAVY = ["torch", "jnius", "pandas", "numpy", "pyterrier", "ir_datasets"]


def trying(run, *options):
    """Run the function as a command `try`."""
    module = SimpleNamespace(__doc__="Try.\n", add_arguments=lambda parser: None, run=run)
    return main([*options, "try"], {"try": module})


def failing(error):
    """Return a function that raises the error."""

    def run(options):
        raise error

    return run


def test_help_names_every_command_and_loads_nothing_heavy():
    """`--help` lists the table's commands with a line each, without pandas, PyTorch or Java."""
    code = f"""
import sys
from pyterrier_scholarly.cli import main
try:
    main(["--help"])
finally:
    assert not [name for name in {HEAVY} if name in sys.modules]
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    for name, module in COMMANDS.items():
        assert f"\n    {name}" in done.stdout
        assert " ".join(module.__doc__.split(".")[0].split())[:30] in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_page_of_help(name, capsys):
    """`COMMAND --help` has an example."""
    with pytest.raises(SystemExit) as end:
        main([name, "--help"])
    assert end.value.code == 0
    assert f"pyterrier-scholarly {name} " in capsys.readouterr().out.split("\n\n", 1)[1]


@pytest.mark.parametrize("arguments", [[], ["no-such-command"]])
def test_a_wrong_command_line_is_code_2(arguments, capsys):
    """Without a command, or with an unknown one, stderr shows the usage."""
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert "usage: pyterrier-scholarly" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("no such\n  dataset"), "no such dataset"),
        (KeyError("no system 'x'"), "no system 'x'"),
        (
            FileNotFoundError(2, "No such file", "a.csv"),
            "a.csv cannot be used: No such file. Check the path.",
        ),
        (
            subprocess.CalledProcessError(255, ["perl", "gdeval.pl"]),
            "The program perl failed with exit code 255. ir_measures runs perl for ERR@k, which "
            "takes only query ids that are numbers: choose another measure, such as nDCG@10 "
            "(--traceback shows where).",
        ),
        (TypeError("odd"), "TypeError: odd (--traceback shows where)"),
        (ValueError(), "ValueError: no message (--traceback shows where)"),
    ],
)
def test_an_error_is_one_sentence(capsys, error, said):
    """An error is one line on stderr and code 2; an error not meant for users shows its type."""
    assert trying(failing(error)) == 2
    assert capsys.readouterr().err == f"pyterrier-scholarly try: {said}\n"


def test_a_warning_is_a_sentence_in_the_shells_words():
    """A warning shows no line of code, and names the option instead of the argument."""
    code = """
import sys, warnings
from types import SimpleNamespace
from pyterrier_scholarly.cli import main

def add_arguments(parser):
    parser.add_argument("--missing")

def run(options):
    warnings.warn("Pass missing='zero'.")

module = SimpleNamespace(__doc__="Try.", add_arguments=add_arguments, run=run)
sys.exit(main(["try"], {"try": module}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr == "pyterrier-scholarly try: warning: Pass --missing 'zero'.\n"


def test_an_option_shows_the_traceback():
    """With `--traceback` the error itself is raised."""
    with pytest.raises(ValueError, match="odd"):
        trying(failing(ValueError("odd")), "--traceback")


def test_an_interruption_is_quiet(capsys):
    """Ctrl-C returns 130, without output."""
    assert trying(failing(KeyboardInterrupt())) == 130
    assert capsys.readouterr().err == ""


def test_a_closed_pipe_is_quiet():
    """A reader that stops early (`head`) causes no message."""
    code = """
import sys
from types import SimpleNamespace
from pyterrier_scholarly.cli import main

def run(options):
    for line in range(100_000):
        print(line)

module = SimpleNamespace(__doc__="Try.", add_arguments=lambda parser: None, run=run)
sys.exit(main(["try"], {"try": module}))
"""
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], text=True, **pipe) as process:
        assert process.stdout.readline() == "0\n"
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141


def test_success_is_code_0(capsys):
    """A successful command returns 0."""
    assert trying(lambda options: print("done")) == 0
    assert capsys.readouterr().out == "done\n"


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_a_terminal_shows_what_it_can(encoding, monkeypatch):
    """What its encoding lacks is replaced: half a surrogate pair, too, which UTF-8 lacks."""
    shown = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(shown, encoding))
    assert trying(lambda options: print("a – é α 中 \ud800.")) == 0
    in_encoding = {"ascii": "a ? ? ? ? ?.", "cp1252": "a – é ? ? ?.", "utf-8": "a – é α 中 ?."}
    assert shown.getvalue().decode(encoding).strip() == in_encoding[encoding]


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_an_error_is_shown_by_a_terminal_that_is_not_utf8(stream):
    """Its sentence stays readable, and so does the help; nothing ends in an error of encoding."""
    words = ["--help"] if stream == "stdout" else ["check-run", "α", "no-such-file"]
    code = f"import sys; from pyterrier_scholarly.cli import main; sys.exit(main({words}))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert b"pyterrier-scholarly" in getattr(done, stream)
    assert b"codec" not in done.stderr

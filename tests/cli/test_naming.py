"""Errors in the shell advise the shell's options, whichever function raised them."""

from argparse import ArgumentParser

import pytest

from pyterrier_scholarly.cli import COMMANDS, main
from pyterrier_scholarly.cli.naming import list_actions, name_options


@pytest.fixture
def parser():
    """A subcommand's parser with each kind of argument."""
    parser = ArgumentParser()
    parser.add_argument("dataset")
    parser.add_argument("--save-dir")
    parser.add_argument("--overwrite", action="store_true")
    parser.add_argument("--measures", nargs="+", metavar="MEASURE")
    parser.add_argument("--model", metavar="NAME=MODEL")
    return parser


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("Pass overwrite=True.", "Pass --overwrite."),
        ("Pass `overwrite=True`.", "Pass `--overwrite`."),
        ("Pass another `save_dir`.", "Pass another `--save-dir`."),
        ("save_dir='runs' is a file.", "--save-dir 'runs' is a file."),
        ("Pass save_dir=, a folder.", "Pass --save-dir, a folder."),
        ("dataset='x' is unknown.", "dataset 'x' is unknown."),
        ("Pass measures=['R@5', 'AP'].", "Pass --measures 'R@5' 'AP'."),
        ("Pass models={'ours': folder}.", "Pass --model NAME=MODEL."),
        ("Pass `candidates=`: a retriever.", "Pass `candidates=` (in Python alone): a retriever."),
        ("Unknown key 'a=b'; x == y, other=1.", "Unknown key 'a=b'; x == y, other=1."),
    ],
)
def test_an_argument_is_said_as_its_option(parser, message, said):
    """Switches lose their value, dicts are the option's own form, other texts stay as they are."""
    assert name_options(message, parser, {"models": "--model", "candidates": ""}) == said


def test_a_call_is_said_as_its_command():
    """Calls and options are those of the action's parser, below the subcommand's."""
    parser = ArgumentParser()
    build = parser.add_subparsers().add_parser("build")
    build.add_argument("--encoder")
    calls = {r"build\(([^()]+)\)": r"`ours build \1`"}
    said = name_options("Run build('a b') with encoder='x'.", parser, {}, calls)
    assert said == "Run `ours build 'a b'` with --encoder 'x'."


@pytest.mark.parametrize("name", COMMANDS)
def test_other_names_are_options_that_exist(name):
    """What a subcommand's module maps to an option is one that its parser has."""
    module, parser = COMMANDS[name], ArgumentParser()
    module.add_arguments(parser)
    options = {option for action in list_actions(parser) for option in action.option_strings}
    assert {*getattr(module, "PYTHON_NAMES", {}).values()} <= {*options, ""}


def test_a_model_with_a_systems_name_advises_the_option(capsys):
    """`reproduce` raises in Python's words, the command speaks of ``--model NAME=MODEL``."""
    words = ["reproduce", "scholarly-mini", "--model", "fabs_tfidf=cross-encoder:folder"]
    assert main(words) == 2
    said = capsys.readouterr().err
    assert "--model NAME=MODEL" in said
    assert "models=" not in said


def test_an_existing_collection_advises_the_switch(capsys, monkeypatch, tmp_path):
    """The existing collection is named with ``--overwrite``, not with `overwrite=True`."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    (tmp_path / "download-log" / "ours").mkdir(parents=True)
    (tmp_path / "log.csv").write_text("user,time,doc\n")
    assert main(["mine-log", str(tmp_path / "log.csv"), "ours", "--quiet"]) == 2
    assert "--overwrite" in capsys.readouterr().err

"""Test that every command of the page runs, with stand-ins for weights, APIs and whole releases."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from pyterrier_scholarly.cli import main
from pyterrier_scholarly.verification import Promise, Status, list_rows, read_report

from ..conftest import completion
from ..recipes.stand_ins import stand_ins
from .page import PATH

TESTS = Path(__file__).parents[1]
MINI = TESTS.parent / "ir_datasets_ext" / "data" / "mini"
COMMANDS = re.findall(r"``(pyterrier-scholarly verify [^`]+)``", PATH.read_text(encoding="utf-8"))
pytestmark = [
    pytest.mark.slow,
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore"),
]
#: why a system does not run here, although a stand-in is passed for its weights
LACKING = ("present", "got none", "hub", "PaddlePaddle", "ranking is not here", "never published")


@pytest.fixture
def releases(made_litsearch):
    """A home with a small release of each collection, in its layout."""
    home = made_litsearch(90)
    (home / "csfcube").mkdir()
    for file in MINI.glob("*-mini-*"):
        shutil.copyfile(file, home / "csfcube" / file.name.replace("mini", "csfcube"))
    for file in MINI.glob("*-mini.json"):
        shutil.copyfile(file, home / "csfcube" / file.name.replace("mini", "csfcube"))
    for name in ("evaluation_splits.json", "queries-release.csv"):
        shutil.copyfile(MINI / name, home / "csfcube" / name)
    (home / "doris-mae").mkdir()
    small = TESTS / "ir_datasets_ext" / "doris-mae-small.json"
    shutil.copyfile(small, home / "doris-mae" / "DORIS-MAE_dataset_v1.json")
    return home


def answer(body):
    """An API of both kinds: it turns the order of papers round, and counts letters."""
    if "messages" in body:
        numbers = range((len(body["messages"]) - 4) // 2, 0, -1)
        return 200, completion(" > ".join(f"[{number}]" for number in numbers))
    vectors = [
        {"index": n, "object": "embedding", "embedding": [text.count(one) + 0.1 for one in "abcde"]}
        for n, text in enumerate(body["input"])
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return 200, {"object": "list", "data": vectors, "model": body["model"], "usage": usage}


@pytest.fixture
def api(api_server, monkeypatch):
    """A server in the place of the papers' APIs."""
    server = api_server(answer)
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    return server


def test_each_row_that_can_be_run_has_its_command():
    """And no other command of that kind is shown."""
    rows = [
        row for name in ("csfcube", "litsearch", "doris-mae", "rhsa") for row in list_rows(name)
    ]
    expected = {row.shell_command for row in rows}
    assert set(COMMANDS) <= expected
    assert len(COMMANDS) == len(set(COMMANDS)) > 100


@pytest.mark.parametrize("collection", ["csfcube", "litsearch", "doris-mae", "rhsa"])
def test_every_command_runs(collection, releases, api, tiny, tmp_path, unreachable, capsys):
    """Exit code 0, and a report of the row that was asked for. Every system with a stand-in runs,
    unless the small release lacks its queries or texts; and none is called verified.
    """
    models = stand_ins(collection, tiny, tmp_path / "adapter") if collection != "rhsa" else {}
    folders = {key: model for key, model in models.items() if isinstance(model, str)}
    path = tmp_path / "report.json"
    options = ["--save-dir", str(tmp_path / "saved"), "--ask-apis", "--report", str(path)]
    for key, folder in folders.items():
        options += ["--model", f"{key}={folder}"]

    systems = []
    for command in [one for one in COMMANDS if one.split()[3] == collection]:
        words = shlex.split(command)
        assert main([*words[1:], *options]) == 0, command
        assert words[-1] in capsys.readouterr().out
        outcomes = read_report(path).outcomes
        assert {f"{one.table}:{one.row}".removeprefix(":") for one in outcomes} == {words[-1]}
        systems += [one for one in outcomes if one.promise is Promise.SYSTEM]

    not_run = [one.reason for one in systems if one.status is Status.NOT_RUN]
    assert [why for why in not_run if not any(word in why for word in LACKING)] == []
    assert len(not_run) <= len(systems) / 2
    assert not any(one.is_verified for one in systems)

"""Every command that the README, a page or a docstring shows runs, on data that stand in."""

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from itertools import chain, pairwise
from pathlib import Path
from textwrap import dedent, indent

import ir_datasets
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import LSA, FacetQuery, PaperLoader, Papers, Pool, one_encoding
from pyterrier_scholarly.collect import write_collection
from pyterrier_scholarly.logs import mine_log, synthetic_log

ROOT = Path(__file__).parents[1]
TEXTS = ["*.md", "pyterrier_scholarly/pt_docs/*.rst", "pyterrier_scholarly/cli/*.py"]
TEXTS += ["examples/*.py", "benchmarks/*.py", "tests/*/__main__.py"]
#: pages that are left out -> why
OTHER_PAGES = {
    "CHANGELOG.md": "names commands without what they need",
    "fidelity.rst": "tests/fidelity runs its commands",
}
PAGES = [
    path
    for pattern in ("README.md", "pyterrier_scholarly/pt_docs/*.rst")
    for path in sorted(ROOT.glob(pattern))
    if path.name not in OTHER_PAGES
]
#: programs whose commands are run as shown
RUN = ("pyterrier-scholarly", "ir_datasets", "ir_measures")
#: other programs -> why their commands are not run; what is tested of them is below
NOT_RUN = {
    "make": "sets up environments, or runs all tests: its targets are there",
    "pip": "installs: its extras are there",
    "python": "measures for minutes, or asks a model: its options are there",
}
PROGRAMS = "|".join([*RUN, *NOT_RUN])
SHOWN = re.compile(rf"(?:^ +[$!]? ?|^[$!] ?|`)((?:{PROGRAMS}) [^`\n]+?)(?: +#.*)?(?:`|$)", re.M)
LITERAL_BLOCK = re.compile(
    r"^(?:(?! *\.\. ).*::|\.\. code-block:: console)\n\n((?:(?: {4}.*)?\n)+)", re.M
)


def text_of(path):
    """A page, its blocks of code indented in Markdown too, or the docstring of a module."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return ast.get_docstring(ast.parse(text)) or ""
    return re.sub(r"(?ms)^```\w*\n(.*?)^```", lambda code: indent(code[1], "    "), text)


def find_commands():
    """Every command that is shown -> the texts that show it."""
    texts_of_command = {}
    for path in chain.from_iterable(ROOT.glob(pattern) for pattern in TEXTS):
        if path.name not in OTHER_PAGES:
            for command in SHOWN.findall(text_of(path)):
                texts_of_command.setdefault(command, []).append(path)
    return texts_of_command


EVERY = find_commands()


def shown(*programs):
    """The commands of these programs, each once."""
    return sorted(command for command in EVERY if command.split()[0] in programs)


#: what texts offer where a command would download a model
OFFERED = "--encoder lsa"
#: matches commands that would
DOWNLOADS = re.compile(r"\bone_encoding\b(?!.* --encoder )")
#: matches commands that take the option, and need no model without it
BY_WORDS = re.compile(r"scholarly (?:search|papers build|papers search) ")
#: where collections and files are
HOMES = {"csfcube": "csfcube_home", "doris-mae": "real_home", "litsearch": "small_litsearch"}
HOMES |= {"papers.jsonl": "own_papers", "my-library 117": "numbered_library"}
HOMES |= {"papers build my-library": "own_exports", "my-library": "own_library"}
HOMES |= {"mine-log": "logs", "download-log": "mined"}
#: models for which a tiny one stands: that of a system, and folders
NEURAL = ("e5_large_v2", "my-model", "all-mpnet-base-v2")


@pytest.fixture
def small_litsearch(made_litsearch):
    """A release of 90 papers."""
    return made_litsearch(90)


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A home with a collection that the pages make."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    judged = [{"query_id": "q", "doc_id": "a", "relevance": 1}]
    tables = {"queries": [{"query_id": "q", "query": "?"}], "qrels": judged}
    docs = [{"doc_id": "a", "text": "Cats and dogs."}]
    write_collection("animals", docs, **tables, description="D", licence="CC0-1.0")


@pytest.fixture
def own_papers(own):
    """A file of papers, written as the README writes it."""
    papers = pd.DataFrame(ir_datasets.load("scholarly-mini").docs_iter())
    papers.to_json("papers.jsonl", orient="records", lines=True)


@pytest.fixture
def numbered_library(own_papers):
    """A library of the file."""
    Papers.build("my-library", "papers.jsonl", verbose=False)


@pytest.fixture
def own_exports(own):
    """Exports of Zotero: three papers, and another one."""
    words = {"smith2019": "trees", "lee2020": "graphs", "park2021": "queues"}
    entries = [
        f"@article{{{key}, title = {{On {word}}}, abstract = {{We sort {word}. It is fast.}}}}"
        for key, word in words.items()
    ]
    Path("export.bib").write_text("\n".join(entries))
    Path("new.ris").write_text("TY  - JOUR\nTI  - On heaps\nAB  - We sort heaps.\nER  - \n")


@pytest.fixture
def own_library(own_exports):
    """A library of these papers."""
    Papers.build("my-library", "export.bib", verbose=False)


@pytest.fixture
def logs(own):
    """Logs of downloads under the names that commands give them."""
    pytest.importorskip("ibis")
    log = synthetic_log(60, 4, 40, 400, seed=3)
    log.write("downloads.csv.gz")
    for name in ("2024.parquet", "2025.parquet"):
        named = log.table().rename_columns({"user": "session"})
        named.to_pandas().to_parquet(name)


@pytest.fixture
def mined(logs):
    """A collection that is mined from one."""
    mine_log("downloads.csv.gz", "ours", pairs=50, successors=8, relevant=3, verbose=False)


def run(words):
    """Run an installed program in this process; returns its exit code."""
    (program,) = entry_points(group="console_scripts", name=words[0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", words)
        try:
            return program.load()() or 0
        except SystemExit as end:
            return end.code or 0


def typed_commands():
    """Each command as it is typed: as shown, or with the option that its text offers, or both."""
    for command in shown(*RUN):
        marks = [pytest.mark.torch] if any(model in command for model in NEURAL) else []
        with_offer = f"{command} {OFFERED}"
        if not DOWNLOADS.search(command):
            yield pytest.param(command, id=command, marks=marks)
        if DOWNLOADS.search(command) or BY_WORDS.search(command):
            yield pytest.param(with_offer, id=with_offer, marks=marks)


@pytest.mark.slow
@pytest.mark.parametrize("command", [*typed_commands()])
def test_a_program_does_as_shown(command, request, tmp_path, monkeypatch, capfd):
    """It ends well, says something, and writes the files that it is to write."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCHOLARLY_CACHE", str(tmp_path / "cache"))
    words = shlex.split(command.partition(" | ")[0])
    request.getfixturevalue(next((HOMES[part] for part in HOMES if part in command), "own"))
    if "my-run.trec" in words:  # which pages make, or stands for the reader's own
        dataset = words[1] if words[0] == "ir_measures" else words[2]
        pool = ir_datasets.load(dataset).scoreddocs_iter()
        lines = [f"{query} Q0 {doc} 0 {n} run\n" for n, (query, doc, _) in enumerate(pool)]
        Path("my-run.trec").write_text("".join(lines))
    if "--run" in words:
        rankings = request.getfixturevalue("data")("doris-mae", "rankings")
        shutil.copy(min(rankings.glob("*.json")), "e5.json")
    if "e5_large_v2" in words:
        words += ["--model", f"e5_large_v2={request.getfixturevalue('tiny')('bert')}"]
    if "my-model" in command:  # a tiny model takes a minute for CSFCube
        words = ["scholarly-mini" if word == "csfcube" else word for word in words]
    for name in [name for name in NEURAL[1:] if name in command]:
        shutil.copytree(request.getfixturevalue("tiny")("bert"), name)
    assert run(words) == 0
    said = capfd.readouterr().out
    assert said
    if words[1] == "explain":  # an explanation of a good match is shown
        rank, candidates = re.search(r"rank (\d+) of (\d+)", said).groups()
        assert int(rank) <= int(candidates) / 10
    written = [after for word, after in pairwise(words) if word in OUTPUTS]
    assert [path for path in written if not os.path.exists(path)] == []
    if "wc -l" in command:
        page = ROOT / "pyterrier_scholarly" / "pt_docs" / "collections.rst"
        assert f"{said.count(chr(10)):,}" in page.read_text().split("csfcube/method")[1][:200]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_no_line_for_a_shell_is_skipped(path):
    """Each is a command that is run, or of a program with a reason why not."""
    assert {*shell_lines(path)} <= {*EVERY}


def shell_lines(path):
    """The lines that a page's blocks for a shell show, without comments.

    A block of code that is no Python is one for a shell. In one with prompts, the other lines are
    what a program prints.
    """
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        blocks = re.findall(r"(?ms)^```sh\n(.*?)^```", text)
    else:
        blocks = [dedent(block) for block in LITERAL_BLOCK.findall(text)]
        blocks = [block for block in blocks if not is_python(block)]

    for block in blocks:
        lines = [line.partition(" #")[0].rstrip() for line in block.splitlines() if line]
        prompted = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        yield from prompted or lines


def is_python(code):
    """Whether code can be parsed."""
    try:
        ast.parse(code)
    except SyntaxError:
        return False
    return True


def test_lines_for_a_shell_are_found():
    """In the README, in a block without a language, and behind prompts."""
    pages = {path.name: [*shell_lines(path)] for path in PAGES}
    assert "make demo" in pages["README.md"]
    assert "pip install ." in pages["quickstart.rst"]
    assert 'pip install "pyterrier-scholarly[logs]"' in pages["download_logs.rst"]
    assert pages["csfcube.rst"] == []  # Python alone


@pytest.mark.parametrize("command", [*filter(DOWNLOADS.search, EVERY)])
def test_a_text_offers_what_needs_no_model(command):
    """Beside a command that downloads one, it names the option with which the command is tested."""
    for path in EVERY[command]:
        assert OFFERED in text_of(path), path.name


#: pages for people who have nothing yet
FIRST_PAGES = [
    "README.md",
    *(f"pyterrier_scholarly/pt_docs/{name}.rst" for name in ("quickstart", "own_papers")),
]


@pytest.mark.parametrize("page", FIRST_PAGES)
def test_a_file_is_made_before_a_command_reads_it(page):
    """Code above a command writes each file that it reads."""
    text, commands = text_of(ROOT / page), 0
    for shown_command in SHOWN.finditer(text):
        words = shlex.split(shown_command[1].partition(" | ")[0])
        written = [after for word, after in pairwise(words) if word in OUTPUTS]
        for word in words:
            if word.endswith((".trec", ".jsonl", ".json", ".csv")) and word not in written:
                commands += 1
                assert f'"{word}"' in text[: shown_command.start()], word
    assert commands


def test_the_pair_that_the_readme_explains_is_a_good_match():
    """Its score is above the mean of the query's candidates."""
    path = ROOT / "README.md"
    code = "\n".join(re.findall(r"(?ms)^```python\n(.*?)^```", path.read_text(encoding="utf-8")))
    qid, docno = re.search(r'explain\(faceted, "(\w+)", "(\w+)"\)', code).groups()
    dataset = pt.get_dataset("irds:scholarly-mini/all")
    candidates = Pool(dataset) >> FacetQuery(dataset) >> PaperLoader(dataset)
    ranking = (candidates >> one_encoding(dataset, LSA(dataset))).search("", qid=qid)
    scores = ranking.set_index("docno")["score"]
    assert scores[docno] > scores.mean()


@pytest.mark.slow
def test_the_demo_says_what_to_try_next(tmp_path, monkeypatch, capfd):
    """The command that its last lines name runs, and the page that they name is there."""
    done = subprocess.run(["make", "-n", "demo"], cwd=ROOT, capture_output=True, text=True)
    echoed = re.findall(r'^echo "(.*)"$', done.stdout, re.M)
    command, page = echoed[0].removeprefix("Next: "), re.search(r"\S+\.rst", echoed[-1])
    assert (ROOT / page[0]).exists()
    monkeypatch.chdir(tmp_path)
    _, *words = shlex.split(command)
    assert run(["pyterrier-scholarly", *words]) == 0
    assert Path("table.html").exists()


OUTPUTS = ("--html", "--latex", "--csv", "--save-dir", "--report")
HELP = """
import contextlib, io, json, os, runpy, sys
os.execve = lambda *_: None  # benchmarks start themselves again in a clean environment
found = {}
for script in json.loads(sys.argv[1]):
    sys.argv = [script, "--help"]
    started = runpy.run_module if not script.endswith(".py") else runpy.run_path
    with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.suppress(SystemExit):
        started(script, run_name="__main__")
    found[script] = said.getvalue()
print(json.dumps(found))
"""


@pytest.mark.torch
def test_scripts_have_the_options_that_are_shown():
    """Those of examples, benchmarks and tools beside the tests are in their `--help`."""
    commands = [command.replace("-m ", "") for command in shown("python") if " -S" not in command]
    options = {}
    for _, script, *rest in map(str.split, commands):
        path = ROOT / (script if script.endswith(".py") else script.replace(".", "/"))
        assert path.exists() or path.with_suffix(".py").exists(), script
        options.setdefault(script, set()).update(re.findall(r"--[a-z-]+", " ".join(rest)))
    asked = json.dumps([script for script, named in options.items() if named])
    places = os.pathsep.join([str(ROOT), str(ROOT / "benchmarks")])
    done = subprocess.run(
        [sys.executable, "-c", HELP, asked],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": places},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    for script, said in json.loads(done.stdout.splitlines()[-1]).items():
        assert options[script] <= set(re.findall(r"--[a-z-]+", said)), script


@pytest.mark.parametrize("command", shown("make"))
def test_make_has_the_targets_that_are_shown(command):
    """None is unknown to the Makefile."""
    target = command.split()[1]
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.M)


def test_extras_that_are_shown_are_there():
    """In `pip install` and where a text says which extra is needed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    texts = "\n".join(path.read_text() for one in TEXTS for path in ROOT.glob(one))
    named = re.findall(r"[Ee]xtra `+(\w+)`", texts)
    for command in shown("pip"):
        named += [one for group in re.findall(r"\[(.*)\]", command) for one in group.split(",")]
    assert {"dense", "logs", "spark"} <= {*named} <= extras.keys()

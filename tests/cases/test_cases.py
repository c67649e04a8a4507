"""Cases from public reports: each gives what its comment says.

A case is a folder with `run.py`, beside the shared data or where SCHOLARLY_CASES says.
"""

import contextlib
import io
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pyterrier_scholarly import Papers
from pyterrier_scholarly.cli import main

from ..conftest import DATA, lacking

CASES = Path(os.environ.get("SCHOLARLY_CASES") or DATA.parent / "cases").resolve()
ROOT = Path(__file__).parents[2]

#: case -> patterns, of which its output has each, in this order; "!" before what it must not have
EXPECTED = {
    "01-bibtex-bare-percent": [
        "12% in spring. Roots are not harmed, and",
        "100%'",
        "A 50% cut in half",
    ],
    "02-bibtex-url-percent": [r"url 'https://a.org/find\?q=x%20y&z=1'"],
    "03-bibtex-sici-doi": [
        "15<1661::aid-a1>3.0.co;2-2'",
        "15<1685::aid-b2>3.0.co;2-t'",
        "info: 2 papers",
    ],
    "04-csv-index-column": [
        "id '' .*On oaks",
        "On elms' . abstract ''",
        "on-elms-2020",
        "abstract='', .*venue=''",
    ],
    "06-na-abstract": [
        "!'NA'",
        "3 .0, 1, 2.",
        "1     3         Fish in rivers",
        "On elms' . abstract '' . year 2019 .* authors .. . venue ''",
    ],
    "07-no-abstract-available": ["!No abstract", "2 .2-s2.0-1, 2-s2.0-2."],
    "08-scopus-duplicate-keys": [
        "info: 2 papers",
        "line 2: its id Li2025",
        "On deep sea fish",
        "10.1000/two On deep sea fish",
    ],
    "10-generic-titles-merged": ["info: 5 papers", r"\('d', 'Introduction', ''\)"],
    "11-ovid-stray-lines": [
        "Pruning of trees",
        "Digging of roots",
        "line 1: .* lines outside",
        "1    11 Pruning of trees",
    ],
    "12-cochrane-preamble": [
        "On oaks' . abstract 'We prune oaks.'",
        "On elms",
        "6 lines outside of records",
    ],
    "13-ris-without-TY-first": ["On oaks' .* 2019", "On elms' .* 2020", "2 papers"],
    "15-ris-empty-tag": ["'We prune oaks and elms.' .*10.1000/oak'"],
    "16-ris-repeated-abstract": ["!Copyright", "abstract 'We prune oaks. They grow.'"],
    "17-ris-dates-and-titles": [
        r"'Leaves for shade\?' . abstract '\?Leaves\? give shade to roots.' .* 2016"
    ],
    "18-ris-doi-from-address": [
        "10.1080/oak'",
        "10.1007/elm'",
        "10.1000/fig'",
        "added=0, changed=2",
        "info: 3 papers",
    ],
    "20-bibtex-href-loses-entry": ["Groups and algorithms", "'Code is at our site. We prune.'"],
    "21-bibtex-concatenation": [
        "'Trees and roots' . abstract 'We prune.' . year 2019",
        "venue 'Proc. Trees 2019'",
    ],
    "22-bibtex-missing-comma": [
        "line 1: a comma is missing before year",
        "'On oaks' .* 2019",
        "'We dig elms.' . year 2020 . doi '10.1000/elm'",
    ],
    "24-bibtex-months": [
        "On oaks' .* 2019",
        "On elms' .* 2019",
        "On figs' .* 2019",
        "On ash' .* 2019",
    ],
    "25-bibtex-quotes": ["'Bent \"Q . leaf\" branches'"],
    "26-bibtex-braces-and-markup": [
        "'Strange Leaves of γ Mosses in Sphagnum palustre CO2'",
        "'Émile Oak', 'Łukasz Elmö'\\)",
    ],
    "27-inequality-as-markup": [
        "'If a <b and c> d we stop'",
        "'For 0 <p and q> 1 the .* Let x <i and j> x. And a<c and d>e.'",
    ],
    "28-csl-null-date": ["year 2019"],
    "29-csl-date-forms": [
        "year 2005",
        "year 2018",
        "year 2018",
        "year 2017",
        "year 2018",
        "year None",
    ],
    "30-crossref-rest": [
        "'On oaks' . abstract 'We prune.' . year 2019 . doi '10.1000/oak' .*J. Trees",
        "On oaks",
    ],
    "31-openalex": ["'We prune & dig. We stop.'", "'On elms' . abstract ''"],
    "32-semantic-scholar-nulls": ["paper 1: null", "p1", "10.1000/elm", "1          p1 On oaks"],
    "34-csv-quotes-and-semicolons": [
        "We prune, and dig",
        "line 3: quotes",
        "On elms",
        "On figs",
        "info: 4 papers",
        "line 3: quotes",
    ],
    "35-csv-line-separators": [
        "We prune. Then we plant.",
        "We dig elms.",
        "We eat figs and sleep.",
        "!UNREAD",
        "We prune. Then",
    ],
    "37-bom-and-utf16": [
        "On oaks' . abstract 'We prune.'",
        "'Bäume' . abstract 'Wir schneiden.'",
        "On oaks",
    ],
    "38-duplicate-keeps-abstract": [
        "info: 1 papers",
        "paper 2: b is the same paper as a, by its DOI",
        "We prune oaks.",
    ],
    "40-run-ranks-against-scores": [
        r"^good, [^\n]*judged\.\n +\{NDCG%20: 1\.0\}",
        r"^- 103 of 103 results share their score [^\n]* NDCG%20 is 0\.2244, between 0\.0000 and "
        r"1\.0000 in other orders; by the run's ranks it would be 1\.0000\. For 5 of 5 queries",
        r"^- scores and ranks contradict each other for 5 of 5 queries [^\n]* NDCG%20 is 0\.0000; "
        r"by the run's ranks it would be 1\.0000",
        r"ties\.trec: 103 of 103 results share their score",
        r"^No p-value for [^\n]*distances\.trec all \(all 5 differences are -1\)",
    ],
    "41-run-lines": [
        r"# tabs\n +\[\{'qid': 'q1', 'docno': 'd1'",
        r"# commas\n +\[\{'qid': 'q1', 'docno': 'A_report,_1992#0'",
        r"# ranks 0\n +\[\{'qid': 'q1', 'docno': 'd1', 'rank': 0",
        r"# five columns\n +ValueError: [^\n]*r\.trec, line 1: ",
        r"# tag with a blank\n +ValueError: [^\n]*r\.trec, line 1: ",
        r"# NaN\n +ValueError: [^\n]*r\.trec, line 1: ",
        r"# twice\n +ValueError: [^\n]*line 2: duplicate",
        r"# BOM, CRLF\n +\[\{'qid': 'q1'",
    ],
    "43-qrels-twice": [
        r"# once\n[^#]* 0\.849048  0\.809807",
        r"# twice\n[^#]* 0\.849048  0\.809807",
        r"# a run with documents twice\n +ValueError: run: Duplicate qid docno",
    ],
    "44-no-overlap-and-id-types": [
        r"# leading zeros\n[^\n]*0110[^\n]*expected are 110",
        r"# numbers\n[^\n]*must hold texts; [^\n]* Found: 110 \(int\)",
        r"# floats as text\n[^\n]*110\.0[^\n]*expected are 110",
        r"# docno numbers\n[^\n]*must hold texts",
    ],
    "46-batches-order-correction": [
        r"name [^\n]*rHSA[^\n]*\n((?:\d[^\n]*\n)+) +name [^\n]*rHSA[^\n]*\n\1",
        r"rHSA p-value +NaN +0\.\d+",
        r"1 +b +NDCG%20 +all [^\n]* 1\.000000 ",
    ],
    "48-save-dir-after-a-change": [
        r"second, same save_dir +bm25 +([\d. ]+)\n +second, none saved +bm25 +\1",
    ],
    "49-collection-written-again": [
        r"(?:^ +\S+ +same as a new process\n){7}",
        r"finds (\[[^]]*\]) \| opened anew \1",
    ],
    "51-bm25-no-match": [
        r"^- 4 of 8 results share their score [^\n]* For 1 of 2 queries \(110\) all results have",
    ],
    "52-encoder-nan": [
        r"# NaN\n +ValueError: The encoder [^\n]* returned NaN or infinity",
        r"# infinity\n +ValueError: The encoder [^\n]* returned NaN or infinity",
        r"# zeros\n +0\n",
    ],
    "60-log-ids": [
        r"\['007', '10', '11\.0\.1', '12345678901234567890', '12345678901234567891', '1e1', '7', "
        r"'7\.0'\]",
    ],
    "70-judge-without-content": [
        r"whole: graded \[\[1, 'AGREE'\]\], unclear \[\]",
        r"null: graded \[\], unclear \['no content'\]",
        r"""null, length: graded \[\], unclear \["cut off: finish_reason 'length'"\]""",
        r"filtered: graded \[\], unclear \['content_filter'\]",
        r"empty: graded \[\], unclear \['no label'\]",
        r"""CUT OFF: graded \[\], unclear \["cut off: finish_reason 'length'"\]""",
    ],
    "72-sheet-from-excel": [
        rf"# {name}[^\n]*\n +\[\['73928e05', 1\], \['007', 1\], \['9912140633506421', 1\]\]"
        for name in ("as written", "ids as Excel", "semicolons")
    ],
    "80-stdout-not-utf8": [
        r"\('papers', 'build'\) status 0 ",
        r"\('papers', 'search'\) status 0 ",
        r"page written: True",
    ],
    "81-own-paper-first": [r"own paper is among the results of 16 queries, first for 16"],
    "82-folder-with-hidden-files": [
        "info: 1 papers",
        "not read from the last source: 0",
        "a On oaks",
    ],
    "83-encoder-offline": [
        r"The model 'sentence-transformers/all-MiniLM-L6-v2' cannot be loaded",
        r"FileNotFoundError: There is no folder '/no/such/folder'",
        r"The model 'all-MiniLM' cannot be loaded",
    ],
}
NAMES = sorted({*EXPECTED, *(script.parent.name for script in CASES.glob("*/run.py"))})
READING = [name for name in NAMES if name < "40"]  # they write nothing, and change no settings
SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in NAMES if name not in READING]
PARAMETERS = [*READING, *SLOW]


def require_case(name):
    """A test without the case is skipped, or fails where data are required."""
    if not (CASES / name).is_dir():
        lacking(f"no {CASES / name}: set SCHOLARLY_CASES to the folder of the cases")


def run_here(name, monkeypatch):
    """What a case prints, which is run in this process, because it is quick so."""
    script = str(CASES / name / "run.py")
    monkeypatch.setattr(sys, "argv", [script])
    monkeypatch.setattr(sys, "path", [*sys.path])
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        runpy.run_path(script)
    del sys.modules["show"]  # it has the folder of this case
    return printed.getvalue()


def run_apart(name, folder):
    """What a copy of a case prints in a process of its own, because it writes files."""
    shutil.copy(CASES / "show.py", folder)
    copy = Path(shutil.copytree(CASES / name, folder / name))
    for path in (copy, *copy.iterdir()):  # the cases may be read-only
        path.chmod(0o755)
    script = copy / "run.py"
    # the cases were written when `PaperLoader` had another name
    script.write_text(re.sub(r"\bSentences\b", "PaperLoader", script.read_text()))
    path_of_commands = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [sys.executable, script],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PATH": path_of_commands},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_case(name, monkeypatch, tmp_path):
    """It prints what its comment asks for."""
    require_case(name)
    assert name in EXPECTED, f"{name} is new: say in EXPECTED what it has to print"
    rest = run_here(name, monkeypatch) if name in READING else run_apart(name, tmp_path)
    for pattern in EXPECTED[name]:
        found = re.search(pattern.removeprefix("!"), rest, re.MULTILINE)
        assert (found is None) == pattern.startswith("!"), f"{pattern}, in:\n{rest}"
        rest = rest[found.end() :] if found else rest


def test_all_cases_in_one_folder(tmp_path, capsys):
    """A library is built; what was not read is named with its place, once."""
    require_case("01-bibtex-bare-percent")
    source = tmp_path / "source"
    source.mkdir()
    for path in CASES.glob("*/*"):
        if path.suffix != ".py" and path.is_file():
            (source / f"{path.parent.name[:2]}-{path.name}").write_bytes(path.read_bytes())
    main(["papers", "build", str(tmp_path / "library"), str(source), "--quiet"])
    printed = capsys.readouterr().out
    unread = Papers(tmp_path / "library").info().unread
    for record in unread:
        assert printed.count(f"  {record.place}: {record.reason}") == 1
    assert len({record.place for record in unread}) == len(unread)
    assert "32-a.json, paper 1: null" in printed
    assert "82-" not in printed  # hidden files

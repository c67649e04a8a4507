"""Cases from public reports, beside those of reading papers: each gives what its comment says.

A case is a folder with `run.py`, beside the shared data or where SCHOLARLY_CASES says. It is copied
before it runs, because it writes files.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ..conftest import DATA

CASES = Path(os.environ.get("SCHOLARLY_CASES") or DATA.parent / "cases")
ROOT = Path(__file__).parents[2]

#: case -> patterns, of which its output has each, in this order
EXPECTED = {
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
        r"# numbers\n[^\n]*must hold texts; it holds 110 \(int\)",
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
        r"# NaN\n +ValueError: The encoder returned NaN",
        r"# infinity\n +ValueError: The encoder returned NaN or infinity",
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
    "83-encoder-offline": [
        r"The model 'sentence-transformers/all-MiniLM-L6-v2' cannot be loaded",
        r"FileNotFoundError: There is no folder '/no/such/folder'",
        r"The model 'all-MiniLM' cannot be loaded",
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPECTED)
def test_a_case_gives_what_it_should(name, tmp_path):
    """Its output, of a process of its own, says what the case's comment asks for."""
    if not (CASES / name).is_dir():
        pytest.skip(f"{CASES} has no {name}")
    shutil.copy(CASES / "show.py", tmp_path)
    folder = Path(shutil.copytree(CASES / name, tmp_path / name))
    for path in (folder, *folder.iterdir()):  # the cases may be read-only
        path.chmod(0o755)

    path_of_commands = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [sys.executable, folder / "run.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PATH": path_of_commands},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout
    rest = done.stdout
    for pattern in EXPECTED[name]:
        found = re.search(pattern, rest, re.MULTILINE)
        assert found, f"{pattern} is not in:\n{rest}"
        rest = rest[found.end() :]

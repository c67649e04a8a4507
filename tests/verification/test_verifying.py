"""`verify_papers`: what runs, what is resumed, what a report says."""

import json
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from pyterrier_scholarly.verification import (
    Promise,
    Status,
    list_rows,
    read_report,
    verify_papers,
)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
RUN = """
import sys
from pyterrier_scholarly.verification import verify_papers
rows = ["11:SPECTER", "11:E5-L-v2", "11:ColBERT-v2", "11:TF-IDF"]
report = verify_papers("doris-mae", rows, load_weights=False, save_dir=sys.argv[1])
for outcome in report.outcomes:
    if outcome.cells:
        print(outcome.row, outcome.promise.value, *[cell.found for cell in outcome.cells])
"""


def start(folder):
    """Verify four rows of DORIS-MAE in another process."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [sys.executable, "-W", "ignore", "-c", RUN, str(folder)]
    return subprocess.Popen(command, text=True, **pipes)


@pytest.mark.slow
def test_a_killed_call_resumes(real_home, tmp_path):
    """What was finished is not run again, and the result is that of a call without a kill."""
    with start(tmp_path / "killed") as killed:
        for line in killed.stderr:
            if line.startswith("[2/"):
                break
        killed.kill()
    with start(tmp_path / "killed") as resumed, start(tmp_path / "whole") as whole:
        found, said = resumed.communicate()
        expected, said_of_all = whole.communicate()
    assert found == expected != ""
    jobs, all_jobs = (
        int(text.partition(" checks to run")[0].rpartition(" ")[2]) for text in (said, said_of_all)
    )
    assert 0 < jobs <= all_jobs - 2


@pytest.mark.slow
def test_two_processes_share_a_folder(real_home, tmp_path):
    """Both end with the same figures, and a third one has nothing left to run."""
    with start(tmp_path) as one, start(tmp_path) as other:
        assert one.communicate()[0] == other.communicate()[0] != ""
    with start(tmp_path) as third:
        assert "no check is left to run" in third.communicate()[1]


def test_csfcubes_rows(csfcube_home, data, tmp_path, unreachable, capfd):
    """SPECTER's measure is verified; its system needs weights, which are named with the reason."""
    rankings = data("csfcube", "sample_ranked_pools")
    path = tmp_path / "report.json"
    report = verify_papers("csfcube", report=path, rankings=rankings, save_dir=tmp_path / "saved")
    assert "csfcube: 1 checks to run" in capfd.readouterr().err
    measure, order, system = (one for one in report.outcomes if one.row == "SPECTER")
    assert (measure.promise, measure.status) == (Promise.MEASURE, Status.EQUAL)
    assert len(measure.cells) == 12 and measure.printed_cells == 24
    assert len(measure.files) == 2
    assert (order.promise, order.status) == (Promise.RANKING, Status.NOT_RUN)
    assert (system.promise, system.status) == (Promise.SYSTEM, Status.NOT_RUN)
    assert "allenai/specter" in system.reason
    assert {(one.table, one.row) for one in report.outcomes} == {
        (row.table, row.name) for row in list_rows("csfcube")
    }
    assert read_report(path) == report
    text = path.read_text()
    assert str(tmp_path) not in text and str(rankings) not in text
    assert {file["name"] for file in json.loads(text)["data"]} >= {"queries-release.csv"}
    assert report.machine.cores > 0 and report.versions["ir-measures"]
    assert "SPECTER (measure" in str(report)


def test_a_budget_and_rows(real_home, tmp_path):
    """Rows by id or table; beyond the budget nothing starts, nor is it saved as finished."""
    rows = ["11:TF-IDF", "3"]
    with pytest.raises(ValueError, match="Unknown row '3'"):
        verify_papers("doris-mae", rows, save_dir=tmp_path)
    outcomes = verify_papers("doris-mae", rows[:1], budget=0, save_dir=tmp_path).outcomes
    promises = {Promise.MEASURE, Promise.RANKING, Promise.SYSTEM}
    assert {one.promise for one in outcomes} == promises
    assert all("0.0 s of the budget are left" in one.reason for one in outcomes)
    outcomes = verify_papers("doris-mae", rows[:1], save_dir=tmp_path).outcomes
    assert [one.status for one in outcomes] == [Status.EQUAL, Status.DIFFERS, Status.PART]
    with pytest.raises(ValueError, match="budget=-1"):
        verify_papers("doris-mae", budget=-1, save_dir=tmp_path)
    with pytest.raises(ValueError, match="Unknown collection 'csfcub'"):
        verify_papers("csfcub", save_dir=tmp_path)


@pytest.mark.slow
def test_released_pickles_verify_a_measure(real_home, data, tmp_path):
    """The published rankings in their released form, without query ids, have the same figures."""
    folder = tmp_path / "query"  # as in the authors' folder, which has files of aspects, too
    folder.mkdir()
    for path in data("doris-mae", "rankings").glob("*.json"):
        rankings = json.loads(path.read_text())
        entries = [{"index_rank": [int(one) for one in ids]} for ids in rankings.values()]
        name = f"ranking_{path.stem.replace('.', '_')}_mean_max.pickle"
        (folder / name).write_bytes(pickle.dumps(entries))
    rows = ["11:SPECTER", "11:TF-IDF", "11:E5-L-v2", "11:ColBERT-v2", "12:SentBERT", "12:TSAspire"]
    report = verify_papers(
        "doris-mae", rows, rankings=tmp_path, load_weights=False, save_dir=tmp_path / "saved"
    )
    measures = [one for one in report.outcomes if one.promise is Promise.MEASURE]
    assert [one.status for one in measures] == [Status.EQUAL] * 6
    assert {Path(name).suffix for one in measures for name in one.files} == {".pickle"}


def test_without_a_release(tmp_path, monkeypatch, unreachable):
    """Nothing is downloaded: the reason says that the release is missing."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path))
    report = verify_papers("litsearch", ["3"], save_dir=tmp_path / "saved", verbose=False)
    assert read_report(report.write(tmp_path / "report.json")) == report  # also with zeros
    assert {one.status for one in report.outcomes} == {Status.NOT_RUN}
    assert all("not on this machine" in one.reason for one in report.outcomes)
    assert not Path(tmp_path, "litsearch").exists()


@pytest.mark.slow
def test_a_file_without_some_queries_is_part_of_the_release(data, tmp_path, monkeypatch):
    """A release with fewer queries verifies nothing, although all that are present are answered."""
    home = tmp_path / "home"
    shutil.copytree(data("litsearch"), home / "litsearch")
    (path,) = (home / "litsearch" / "query").glob("*.parquet")
    questions = pd.read_parquet(path)
    path.chmod(0o644)
    questions.iloc[:560].to_parquet(path)
    monkeypatch.setenv("IR_DATASETS_HOME", str(home))

    rows = ["7:GritLM-7B", "2:Author-written Questions"]
    report = verify_papers("litsearch", rows, save_dir=tmp_path / "saved", load_weights=False)
    compared = [outcome for outcome in report.outcomes if outcome.cells]
    assert {outcome.row for outcome in compared} == {"GritLM-7B", "Author-written Questions"}
    assert {outcome.status for outcome in compared} == {Status.PART}

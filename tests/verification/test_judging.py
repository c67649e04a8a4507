"""Reports of others: refused, doubted, or shown."""

import json

import pytest
from msgspec.structs import replace

from pyterrier_scholarly.verification import (
    Promise,
    Report,
    Status,
    judge_reports,
    read_report,
    verify_papers,
)

ROW = "3:LDA 1M"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A report of a row that every machine can check."""
    return verify_papers("rhsa", [ROW], save_dir=tmp_path_factory.mktemp("s"), verbose=False)


def forge(report, cell=None, **changes):
    """Change a report's outcome, or a cell of it, and sign it anew."""
    (outcome,) = report.outcomes
    if cell:
        first, *others = outcome.cells
        changes["cells"] = (replace(first, **cell), *others)
    return sign(replace(report, outcomes=(replace(outcome, **changes),)))


def sign(report: Report) -> Report:
    """Compute the digest anew, as a forger would."""
    return replace(report, digest=report.compute_digest())


def test_an_honest_report_is_shown(report):
    """It has no doubt."""
    (row,) = judge_reports([report], report.outcomes)
    assert (row.outcome.status, row.doubt) == (Status.EQUAL, "")


def test_a_changed_file_is_refused(report, tmp_path):
    """By its digest, and by its layout."""
    path = report.write(tmp_path / "report.json")
    assert read_report(path) == report
    path.write_text(path.read_text().replace("LDA 1M", "LDA 1m"))
    with pytest.raises(ValueError, match="was changed after"):
        read_report(path)
    content = json.loads(report.write(path).read_text())
    content["outcomes"][0]["cells"][0]["found"] = float("nan")
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match="NaN or infinite"):
        read_report(path)
    path.write_text(path.read_text().replace('"rhsa"', '"rhsa", "more": 1', 1))
    with pytest.raises(ValueError, match="more"):
        read_report(path)


@pytest.mark.parametrize(
    ("forged", "said"),
    [
        (dict(row="LDA 2M"), "not printed: '3:LDA 2M'"),
        (dict(collection="csfcube"), "not printed"),
        (dict(cell=dict(expected=0.5, found=0.5)), "is said to be printed as 0.5"),
        (dict(cell=dict(found=0.5)), "called 'equal', against its own figures"),
        (dict(cell=dict(found=0.5), status=Status.DIFFERS), None),
        (dict(cell=dict(found="0.97")), "'0.97', which is no figure"),
        (dict(cell=dict(found=0.5, margin=9.0), status=Status.RESAMPLED), "more than resampling"),
        (dict(cell=dict(label="ρ")), "has a column twice"),
        (dict(promise=Promise.SYSTEM), "no such check"),
        (dict(cells=()), "against its own figures"),
    ],
)
def test_a_forged_report_is_refused(report, forged, said):
    """Whatever contradicts what is printed, or itself, is refused with the reason."""
    changed = forge(report, **forged)
    if said is None:  # honest about a difference, but not what we find
        (row,) = judge_reports([changed], report.outcomes)
        assert row.doubt == "contradicts our own check of the same row"
        return
    with pytest.raises(ValueError, match=said):
        judge_reports([changed])


def test_what_is_outdated_or_contradicted_is_shown_with_the_doubt(report):
    """Another version; two reports that differ; weights that are not the hub's."""
    versions = {**report.versions, "pyterrier-scholarly": "0.0.1"}
    (row,) = judge_reports([sign(replace(report, versions=versions))])
    assert row.doubt.startswith("outdated: by version 0.0.1, this is ")
    other = forge(report, cell=dict(found=0.5), status=Status.DIFFERS)
    doubts = [row.doubt for row in judge_reports([report, other])]
    assert doubts == ["contradicts another report of the same row"] * 2
    (row,) = judge_reports([forge(report, models={"allenai/specter": "f00"})])
    assert "other files than the hub's for allenai/specter" in row.doubt


def test_a_file_that_is_not_the_releases(report):
    """A name that the release does not have is refused."""
    from pyterrier_scholarly.verification.report import DataFile

    forged = sign(replace(report, data=(DataFile("more.csv", "0" * 64),)))
    with pytest.raises(ValueError, match=r"not the release's: 'more\.csv'"):
        judge_reports([forged])

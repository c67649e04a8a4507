"""`pyterrier-scholarly check-run`."""

import pyterrier as pt

from pyterrier_scholarly import check_run, write_ranked_pools
from pyterrier_scholarly.cli import main
from pyterrier_scholarly.evaluation import from_all


def command(*arguments):
    """Run the command."""
    return main(["check-run", *map(str, arguments)])


def test_it_prints_the_check(tmp_path, capsys):
    """What `check_run` finds, under the file's name."""
    run = pt.get_dataset("irds:scholarly-mini/method").get_results()
    run = pt.model.add_ranks(run.assign(score=run["docno"].astype(float)), single_query=False)
    part = run[run["qid"] != run["qid"].iloc[0]]
    pt.io.write_results(part, str(tmp_path / "run.trec"))
    capsys.readouterr()  # PyTerrier's notice about the topics
    assert command("scholarly-mini/method", tmp_path / "run.trec") == 0
    expected = check_run(part, "scholarly-mini/method", name="run.trec")
    assert capsys.readouterr().out == f"{expected}\n"
    assert len(expected.remarks) == 1


def test_files_of_facets_are_one_run(tmp_path, capsys):
    """Their names tell the facets, so that all queries are answered."""
    run = pt.get_dataset("irds:scholarly-mini/all").get_results()
    for facet, part in from_all(run).items():
        write_ranked_pools(part, tmp_path / f"{facet}.json")
    assert command("scholarly-mini/all", *sorted(tmp_path.iterdir())) == 0
    assert "16 of 16 judged queries answered" in capsys.readouterr().out


def test_a_run_that_fits_nothing_is_an_error(tmp_path, capsys):
    """One sentence, and exit code 2."""
    (tmp_path / "run.trec").write_text("q Q0 d 0 1.0 x\n")
    assert command("scholarly-mini/method", tmp_path / "run.trec") == 2
    error = capsys.readouterr().err
    assert error.startswith("pyterrier-scholarly check-run: run.trec has no query of")
    assert command("scholarly-mini/method", tmp_path / "nothing.trec") == 2
    assert "nothing.trec" in capsys.readouterr().err

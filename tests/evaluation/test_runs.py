"""Runs in the authors' format, and ids of facets and of `all`."""

import gzip
import json
import pickle
from collections import OrderedDict
from pathlib import Path

import ir_datasets
import numpy as np
import pandas as pd
import pytest

from pyterrier_scholarly import read_ranked_pools, write_ranked_pools
from pyterrier_scholarly.evaluation import from_all, read_run, read_runs, read_trec_run, to_all

RUN = pd.DataFrame(
    [["1", "a", 0.5], ["1", "b", 2.0], ["1", "c", 0.5], ["2", "a", -1.0]],
    columns=["qid", "docno", "score"],
)


def test_the_files_order_is_kept(tmp_path):
    """Equal and even rising distances keep the file's order: that is what the script goes by."""
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"7": [["x", 0.3], ["y", 0.3], ["z", 0.1]]}))
    run = read_ranked_pools(path)
    best_first = run.sort_values("score", ascending=False)
    assert best_first["docno"].tolist() == ["x", "y", "z"]
    assert run["rank"].tolist() == [0, 1, 2]
    assert run["distance"].tolist() == [0.3, 0.3, 0.1]


def test_a_query_paper_is_no_candidate_of_itself(tmp_path):
    """The self pair is left out, and the others move up."""
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"7": [["7", 0.0], ["x", 0.3]]}))
    run = read_ranked_pools(path)
    assert run[["docno", "rank"]].to_numpy().tolist() == [["x", 0]]


@pytest.mark.parametrize("score", [float("nan"), float("inf"), -float("inf"), None])
def test_a_score_that_is_no_number_is_not_written(tmp_path, score):
    """The script would rank it somewhere; the error names the query, and nothing is written."""
    run = RUN.assign(score=[0.5, score, 0.5, -1.0])
    with pytest.raises(ValueError, match=r"'score' must hold finite numbers.*qid 1.* drop rows"):
        write_ranked_pools(run, tmp_path / "run.json")
    assert not (tmp_path / "run.json").exists()


@pytest.mark.parametrize("distance", ["NaN", "Infinity", "-Infinity"])
def test_a_distance_that_is_no_number_is_not_read(tmp_path, distance):
    """The error names file, query and candidate, and what to do."""
    path = tmp_path / "run.json"
    path.write_text(f'{{"7": [["x", 0.3], ["y", {distance}]]}}')
    said = r"run\.json: query '7': the distance of candidate 'y' is .*expected a finite number"
    with pytest.raises(ValueError, match=rf"{said}.*Correct it, or write it again"):
        read_ranked_pools(path)


def test_rankings_of_ids_alone(tmp_path):
    """DORIS-MAE's form has no distances; a query's number is no abstract's."""
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"7": [30, 7, "5"], "8": []}))
    run = read_ranked_pools(path)
    assert run[["qid", "docno", "score", "rank"]].to_numpy().tolist() == [
        ["7", "30", 3.0, 0],
        ["7", "7", 2.0, 1],
        ["7", "5", 1.0, 2],
    ]


def test_a_trec_run_is_read_as_it_stands(tmp_path):
    """Ids such as "NA", "007" and quotes are kept as written."""
    rows = [("NA", "null", 0, 2.5, "None"), ("007", '"a', 1, -1.0, "b"), ("7", "nan", 0, 3.0, "b")]
    text = "".join(f"{q} Q0 {d}\t{rank} {score} {name}\n" for q, d, rank, score, name in rows)
    (tmp_path / "run.res").write_text(text + "\n")
    (tmp_path / "run.res.gz").write_bytes(gzip.compress(text.encode()))
    for name in ("run.res", "run.res.gz"):
        found = read_trec_run(tmp_path / name)
        assert list(found) == ["qid", "docno", "rank", "score", "name"]
        assert list(found.itertuples(index=False, name=None)) == rows


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("q Q0 d\n", r"line 1: not enough values .*, in 'q Q0 d'\. Expected a line"),
        ("\nq Q0 d x 1.0 n\n", "line 2: invalid literal .* in 'q Q0 d x 1.0 n'"),
        ("q Q0 d 1 high n\n", "line 1: .*'high'"),
        ("q Q0 d 1 nan n\n", "line 1: .*finite"),
        ("q Q0 d 1 2 n\nq Q0 d 2 1 n\n", "line 2: duplicate document 'd' of query 'q'"),
        (b"\xff\xfe", "is damaged, or no text: .* can't decode byte"),
    ],
)
def test_what_is_no_trec_run_is_named(tmp_path, text, said):
    """The error names the line and what was expected."""
    path = tmp_path / "run.res"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=rf"run\.res.*{said}"):
        read_trec_run(path)
    (tmp_path / "run.res.gz").write_bytes(gzip.compress(path.read_bytes())[:-9])
    with pytest.raises(ValueError, match=r"run\.res\.gz"):
        read_trec_run(tmp_path / "run.res.gz")


def test_writing_orders_by_score_and_reads_back(tmp_path):
    """Best first, ties by document id descending, distance = minus score, query order kept."""
    path = tmp_path / "run.json"
    write_ranked_pools(RUN, path)
    assert json.loads(path.read_text()) == {
        "1": [["b", -2.0], ["c", -0.5], ["a", -0.5]],
        "2": [["a", 1.0]],
    }
    assert read_ranked_pools(path)["docno"].tolist() == ["b", "c", "a", "a"]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ([], "Expected `object`, got `array`"),
        ("{", "Expected `object`, got `str`.* an object from query to candidates"),
        ({"7": [["x"]]}, r"query 7: Expected `array` of length 2, got 1 - at `\$\[0\]`"),
        ({"7": ["x", ["y", 1]]}, "'7'"),
        ({"7": "xyz"}, "query 7: Expected `array`, got `str`"),
        ({"7": [["x", "near"]]}, r"query 7: Expected `float`, got `str` - at `\$\[0\]\[1\]`"),
        ({"7": [["x", 1], ["x", 2]]}, "candidate 'x' is a duplicate"),
    ],
)
def test_other_files_are_refused(tmp_path, content, named):
    """A file of another form is an error that names the query or what was expected."""
    path = tmp_path / "run.json"
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match=named):
        read_ranked_pools(path)


def test_facets_join_and_come_apart_again():
    """`from_all` undoes `to_all`; ids are `<paper>_<facet>`."""
    other = RUN.assign(score=0.0)
    joined = to_all({"background": RUN, "result": other})
    assert joined["qid"].tolist()[::4] == ["1_background", "1_result"]
    parts = from_all(joined)
    assert list(parts) == ["background", "result"]
    pd.testing.assert_frame_equal(parts["background"], RUN)
    pd.testing.assert_frame_equal(parts["result"], other)
    assert list(from_all(joined.tail(1))) == ["result"]


def test_no_file_and_no_frame_are_refused():
    """The error names the argument."""
    with pytest.raises(ValueError, match=r"frame_by_facet=\{\}: expected a frame"):
        to_all({})
    with pytest.raises(ValueError, match=r"path=\[\]: expected one file"):
        read_run([])


def test_ids_without_a_facet_are_named():
    """An id without a facet is an error that names it."""
    with pytest.raises(ValueError, match="'1'"):
        from_all(RUN)


@pytest.mark.parametrize("name", ["run.json", "run.txt", "no-ending"])
def test_a_file_is_read_by_what_it_begins_with(tmp_path, name):
    """A JSON object is the authors' format and else the file is TREC's, whatever its name."""
    path = tmp_path / name
    path.write_text(' \n{"7": ["x", "y"]}')
    assert read_run(path).equals(read_ranked_pools(path))
    path.write_text("7 Q0 x 0 2.5 me\n")
    assert read_run(path).equals(read_trec_run(path))


def test_a_zipped_run_and_one_without_results(tmp_path):
    """Of TREC's format, by its ending; an empty file is an error."""
    (tmp_path / "run.res.gz").write_bytes(gzip.compress(b"7 Q0 x 0 2.5 me\n"))
    assert read_run(tmp_path / "run.res.gz")["docno"].tolist() == ["x"]
    (tmp_path / "empty.trec").touch()
    with pytest.raises(ValueError, match=r"empty\.trec has no results"):
        read_run(tmp_path / "empty.trec")


def test_a_files_name_says_which_facet_its_papers_are_of(tmp_path):
    """Only for a dataset whose query ids end in facets, and only if the ids then fit."""
    path = tmp_path / "ours-METHOD-ranked.json"
    path.write_text(json.dumps({"110": ["102", "104"]}))
    assert set(read_run(path, "scholarly-mini/all")["qid"]) == {"110_method"}
    assert set(read_run(path, "scholarly-mini/method")["qid"]) == {"110"}
    assert set(read_run(path)["qid"]) == {"110"}
    path.write_text(json.dumps({"no-such-paper": ["102"]}))
    assert set(read_run(path, "scholarly-mini/all")["qid"]) == {"no-such-paper"}
    both = path.rename(tmp_path / "method-and-result.json")
    both.write_text(json.dumps({"110": ["102"]}))
    assert set(read_run(both, "scholarly-mini/all")["qid"]) == {"110"}


def test_several_files_are_one_run_over_different_queries(tmp_path):
    """A query in two files is an error that names both."""
    for name, qid in {"a.trec": 1, "b.trec": 2, "c.trec": 2}.items():
        (tmp_path / name).write_text(f"{qid} Q0 x 0 2.5 me\n")
    assert read_run([tmp_path / "a.trec", tmp_path / "b.trec"])["qid"].tolist() == ["1", "2"]
    with pytest.raises(ValueError, match=r"c\.trec has results for 2, and so has .*b\.trec"):
        read_run([tmp_path / name for name in ("a.trec", "b.trec", "c.trec")])


def write_pickle(folder, entries, protocol=pickle.DEFAULT_PROTOCOL):
    """A file named as DORIS-MAE's authors name theirs."""
    path = folder / "ranking_bm25_abstract-paragraph_query-paragraph_mean_max.pickle"
    path.write_bytes(pickle.dumps(entries, protocol))
    return path


@pytest.fixture(scope="module")
def pools():
    """The pools of the embedded collection's method queries, reversed: from query to ids."""
    ids = {}
    for candidate in ir_datasets.load("scholarly-mini/method").scoreddocs_iter():
        ids.setdefault(candidate.query_id, []).insert(0, candidate.doc_id)
    return ids


def entries_of(rankings):
    """The released layout."""
    return [{"index_rank": [int(one) for one in ranking]} for ranking in rankings]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_released_pickles_are_read_in_order(tmp_path, pools, protocol):
    """Each entry is of the query whose pool it ranks, in any order of entries."""
    shuffled = [*pools][::-1]
    path = write_pickle(tmp_path, entries_of(pools[qid] for qid in shuffled), protocol)
    run = read_run(path, "scholarly-mini/method")
    assert run.groupby("qid", sort=False)["docno"].agg(list).to_dict() == pools
    assert run["qid"].unique().tolist() == shuffled
    assert run.groupby("qid")["score"].agg(lambda scores: scores.is_monotonic_decreasing).all()
    assert (
        run.groupby("qid")["rank"].agg(list).map(lambda ranks: ranks == [*range(len(ranks))]).all()
    )


class Trap:
    """An object whose pickle calls a function when it is loaded."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def test_a_pickle_that_names_anything_runs_nothing(tmp_path, pools):
    """A function, a class of Python's, NumPy's arrays: refused by name, and no file is written."""
    trap = tmp_path / "written"
    (first, *_) = entries_of(pools.values())
    named = {"open": [Trap(trap)], "OrderedDict": [OrderedDict(first)]}
    named["multiarray._reconstruct"] = [{"index_rank": np.arange(3)}]
    named["scalar"] = [{"index_rank": [np.int64(1)]}]
    for name, entries in named.items():
        path = write_pickle(tmp_path, entries)
        with pytest.raises(ValueError, match=f"nothing in it was run: it names .*{name}"):
            read_run(path, "scholarly-mini/method")
    assert not trap.exists()


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ({"index_rank": [1]}, "Expected `array`, .* Expected a pickle of a list"),
        ([], "no entries. Expected a pickle of a list"),
        ([{"rank": [1]}], r"missing required field `index_rank` - at `\$\[0\]`"),
        ([{"index_rank": [1, True]}], r"Expected `int`, got `bool` - at `\$\[0\]"),
        ([{"index_rank": ["1"]}], r"Expected `int`, got `str` - at `\$\[0\]"),
        ([{"index_rank": [1, 1]}], "entry 0: it has an abstract twice"),
        ([{"index_rank": [1, 2]}], "ranks the pool of no query in the files of"),
    ],
)
def test_pickles_of_another_layout(tmp_path, entries, said):
    """The error names the file, and the entry."""
    path = write_pickle(tmp_path, entries)
    with pytest.raises(ValueError, match=said):
        read_run(path, "scholarly-mini/method")


def test_entries_that_fit_two_pools_or_no_dataset(tmp_path, pools):
    """Which query an entry is of is never guessed."""
    both = [[*dict.fromkeys([one for ranking in pools.values() for one in ranking])]]
    with pytest.raises(ValueError, match=r"ranks the pools of 110, .* alike"):
        read_run(write_pickle(tmp_path, entries_of(both)), "scholarly-mini/method")
    twice = [pools["110"], pools["110"]]
    with pytest.raises(ValueError, match="2 entries rank the pool of 110, expected 1"):
        read_run(write_pickle(tmp_path, entries_of(twice)), "scholarly-mini/method")
    path = write_pickle(tmp_path, entries_of(pools.values()))
    with pytest.raises(ValueError, match="Pass the dataset"):
        read_run(path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ValueError, match="is refused"):
        read_run(path, "scholarly-mini/method")


def test_a_folder_has_runs_by_name(tmp_path, pools):
    """All released formats; files of one system's facets are one run."""
    write_pickle(tmp_path, entries_of(pools.values()))
    (tmp_path / "gritlm.title_abstract.trec.gz").write_bytes(gzip.compress(b"110 Q0 102 0 1 me\n"))
    for facet, paper in {"background": "104", "method": "110"}.items():
        content = json.dumps({paper: ["102"]})
        (tmp_path / f"pool-specter-{facet}-ranked.json").write_text(content)
    (pickled,) = tmp_path.glob("*.pickle")
    pickled.rename(tmp_path.parent / pickled.name)
    runs = read_runs(tmp_path, "scholarly-mini/all")
    assert list(runs) == ["gritlm.title_abstract", "pool-specter-ranked"]
    assert runs["pool-specter-ranked"]["qid"].tolist() == ["104_background", "110_method"]
    (name,) = read_runs(tmp_path.parent / pickled.name, "scholarly-mini/method")
    assert name == pickled.stem
    # a damaged file is named, and the others are read
    (tmp_path / "damaged.json").write_text("{")
    with pytest.warns(UserWarning, match=r"Left out, because it is refused: damaged\.json: "):
        assert list(read_runs(tmp_path, "scholarly-mini/all")) == list(runs)
    with pytest.raises(ValueError, match="has no files"):
        read_runs(tmp_path.parent.joinpath("empty").mkdir() or tmp_path.parent / "empty")


def test_a_folder_of_refused_files_alone_is_an_error(tmp_path):
    """The error has the reason of the first."""
    for name in ("a.trec", "b.trec"):
        (tmp_path / name).write_text("no run\n")
    with pytest.raises(ValueError, match=r"each file is refused, .*: a\.trec: .*line 1"):
        read_runs(tmp_path)


def test_a_part_takes_rankings_of_more_queries_than_it_has(tmp_path, pools):
    """Entries of other queries are left out and counted."""
    all_pools = {}
    for candidate in ir_datasets.load("scholarly-mini/all").scoreddocs_iter():
        all_pools.setdefault(candidate.query_id, []).append(candidate.doc_id)
    distinct_pools = {frozenset(pool): pool for pool in [*pools.values(), *all_pools.values()]}
    others = len(distinct_pools) - len(pools)
    assert others > 0

    path = write_pickle(tmp_path, entries_of(distinct_pools.values()))
    said = f"{others} of {len(distinct_pools)} entries .* are left out"
    with pytest.warns(UserWarning, match=said):
        run = read_run(path, "scholarly-mini/method")
    assert set(run["qid"]) == set(pools)


@pytest.fixture
def small_doris_mae(tmp_path, monkeypatch):
    """A small release of DORIS-MAE, whose queries map their sentences to aspects."""
    small = Path(__file__).parents[1] / "ir_datasets_ext" / "doris-mae-small.json"
    release = json.loads(small.read_text())
    query = release["Query"][0]
    query["sent2aspect_id"]["Second."] = ["10"]  # so each pair of its three aspects is a sub-query
    query["aspect_id2sent"]["13"] = ["Fourth."]
    folder = tmp_path / "home" / "doris-mae"
    folder.mkdir(parents=True)
    (folder / "DORIS-MAE_dataset_v1.json").write_text(json.dumps(release))
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_subqueries_are_told_apart_by_their_order(tmp_path, small_doris_mae):
    """Those of one query share its pool; the release's order says which one an entry is of."""
    subqueries = ir_datasets.load("doris-mae/subqueries-2")
    query_ids = [query.query_id for query in subqueries.queries_iter()]
    pools = {}
    for candidate in subqueries.scoreddocs_iter():
        pools.setdefault(candidate.query_id, []).append(candidate.doc_id)
    assert len({frozenset(pool) for pool in pools.values()}) < len(query_ids)

    turned = {qid: pools[qid] if n % 2 else pools[qid][::-1] for n, qid in enumerate(query_ids)}
    folder = tmp_path / "subquery_2"
    folder.mkdir()
    path = write_pickle(folder, entries_of(turned.values()))
    run = read_run(path)  # of a released file the dataset is known
    assert run.groupby("qid", sort=False)["docno"].agg(list).to_dict() == turned
    path = write_pickle(folder, entries_of([*turned.values()][1:]))
    with pytest.raises(ValueError, match=r"entries rank the pool of .*, expected \d+"):
        read_run(path, "doris-mae/subqueries-2")

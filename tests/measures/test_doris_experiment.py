"""DORIS-MAE's measures in every mode of pt.Experiment, and in the ir_measures command."""

from math import isnan

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import paired_t
from pyterrier_scholarly.measures import DorisAP, DorisR

from .conftest import command, results

#: query -> (|Q|, totals of documents a, b, c ...); in q2 no document is relevant
POOLS = {"q1": (4, "4071"), "q2": (9, "1380"), "q3": (2, "20210"), "q4": (3, "30")}
#: rankings; q4 has no results
GOOD = {"q1": "cabd", "q2": "cbad", "q3": "acbed"}
POOR = {"q1": "dbac", "q2": "dabc", "q3": "bdcae"}
METRICS = ["DorisR@2", "DorisRprec", DorisAP, "DorisRR@10", "P_2"]
NAMES = ["DorisR@2", "DorisRprec", "DorisAP", "DorisRR@10"]

#: by hand: relevant are a, c in q1 and in q3, a in q4; best is c in q1, c in q2, a and c in q3
POOR_AP = {"q1": (1 / 3 + 2 / 4) / 2, "q3": (1 / 3 + 2 / 4) / 2, "q4": 0}
POOR_R2 = {"q1": 0, "q3": 0, "q4": 0}
POOR_RR = {"q1": 1 / 4, "q2": 1 / 4, "q3": 1 / 3, "q4": 0}
EXPECTED = {
    "DorisR@2": [(1 + 1 + 0) / 3, sum(POOR_R2.values()) / 3],
    "DorisRprec": [(1 + 1 + 0) / 3, 0],
    "DorisAP": [(1 + 1 + 0) / 3, sum(POOR_AP.values()) / 3],
    "DorisRR@10": [(1 + 1 + 1 + 0) / 4, sum(POOR_RR.values()) / 4],
}


@pytest.fixture
def qrels():
    """The judgements with |Q|."""
    rows = [
        (q, d, int(total), str(aspects))
        for q, (aspects, totals) in POOLS.items()
        for d, total in zip("abcde", totals)
    ]
    return pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration"])


@pytest.fixture
def experiment(qrels):
    """pt.Experiment over the two systems."""
    topics = pd.DataFrame({"qid": list(POOLS), "query": "words"})

    def run(metrics=METRICS, **options):
        options.setdefault("verbose", False)
        systems = {"good": pt.Transformer.from_df(results(GOOD))}
        systems["poor"] = pt.Transformer.from_df(results(POOR))
        return pt.Experiment(systems, topics, qrels, metrics, **options)

    return run


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"batch_size": 2},
        {"plan": "tree"},
        {"plan": "tree", "batch_size": 2},
        {"save": True},
        {"perquery": "both"},
        {"validate": "error"},
        {"baseline": 0, "test": paired_t},
        {"dataframe": False},
    ],
    ids="+".join,
)
def test_every_mode_averages_over_the_queries_that_count(experiment, options, tmp_path):
    """q2 has no relevant document and counts for reciprocal rank alone."""
    if options.pop("save", False):
        options = {"save_dir": str(tmp_path), "save_mode": "overwrite"}
    found = experiment(**options)
    found = found[0] if options.get("perquery") else found
    table = found if isinstance(found, pd.DataFrame) else pd.DataFrame(found).T
    assert {name: table[name].tolist() for name in NAMES} == {
        name: pytest.approx(values) for name, values in EXPECTED.items()
    }


def test_queries_that_do_not_count_are_nan(experiment):
    """perquery=True: q2 is NaN for the binary measures, in both systems."""
    table = experiment(perquery=True)
    missing = table[table["value"].isna()]
    assert set(missing["qid"]) == {"q2"}
    assert sorted(missing["measure"].tolist()) == sorted(NAMES[:3] * 2)
    poor = table[(table["name"] == "poor") & (table["measure"] == "DorisAP")]
    values = poor.set_index("qid")["value"].dropna().to_dict()
    assert values == pytest.approx(POOR_AP)


def test_saved_qrels_are_enough(qrels, tmp_path):
    """The ir_measures command on files: averages over the queries that count, nan per query."""
    files = [str(tmp_path / name) for name in ("judged.qrels", "poor.run")]
    rows = qrels[["qid", "iteration", "docno", "label"]].itertuples(index=False)
    with open(files[0], "w") as file:
        file.writelines(" ".join(map(str, row)) + "\n" for row in rows)
    pt.io.write_results(results(POOR), files[1])
    done = command(*files, "DorisAP", "DorisR@2", "DorisRR@10")
    assert done.stdout.splitlines() == [
        f"DorisAP\t{EXPECTED['DorisAP'][1]:.4f}",
        f"DorisR@2\t{EXPECTED['DorisR@2'][1]:.4f}",
        f"DorisRR@10\t{EXPECTED['DorisRR@10'][1]:.4f}",
    ]
    lines = command("-q", *files, "DorisAP").stdout.splitlines()
    assert "q2\tDorisAP\tnan" in lines and f"all\tDorisAP\t{EXPECTED['DorisAP'][1]:.4f}" in lines
    found = ir_measures.calc(
        [DorisAP], ir_measures.read_trec_qrels(files[0]), ir_measures.read_trec_run(files[1])
    )
    assert found.aggregated[DorisAP] == pytest.approx(EXPECTED["DorisAP"][1])


def test_no_query_that_counts(experiment, qrels):
    """With |Q| above every total the mean is over no query: NaN, as ir_measures' own would be."""
    qrels["iteration"] = "99"
    assert experiment([DorisR @ 5])["DorisR@5"].isna().all()
    assert isnan(
        DorisAP.calc_aggregate(
            pt.model.to_ir_measures(qrels), pt.model.to_ir_measures(results(GOOD))
        )
    )


def test_the_built_in_tests_print_nan(experiment):
    """Why there is `paired_t`: NaN for q2 makes the p-value of the built-in test NaN."""
    builtin = experiment(["DorisAP"], baseline=0)["DorisAP p-value"]
    ours = experiment(["DorisAP"], baseline=0, test=paired_t)["DorisAP p-value"]
    assert builtin.isna().all() and ours.notna().tolist() == [False, True]

"""Check printed rows: run a command on named rankings, and compare every cell.

A reader can paste the command: it is evaluated as written, where `run` (or `runs`) has the
rankings.
"""

import json
from dataclasses import dataclass, field

import pandas as pd
import pyterrier as pt

from pyterrier_scholarly import published, read_ranked_pools, reproduce

from .statuses import EQUAL, RANKING

DORIS_NAMES = ["recall@5", "recall@20", "r_precision", "ndcg@0.1", "ndcg_exp@0.1", "mrr@10", "map"]


@dataclass(frozen=True)
class Outcome:
    """The result of a check of one printed row.

    cells: (column, expected, found), texts with the decimals of the comparison.
    known: column -> reason, for cells with a known difference.
    """

    collection: str
    table: str
    row: str
    status: str
    run: str
    command: str
    cells: tuple[tuple[str, str, str], ...]
    note: str = ""
    known: dict = field(default_factory=dict)


def outcomes(data):
    """Yield the outcome of every check.

    Args:
        data: function from the parts of a path to a file of real data.
    """
    yield from _litsearch(data)
    yield from _csfcube(data)
    yield from _doris_mae(data)


def _litsearch(data):
    run = pt.io.read_results(str(data("litsearch", "runs", "gritlm-7b.title_abstract.trec.gz")))
    known = {"8": {"broad nDCG@10": "its ranks cut at nine give 44.1; one cell cannot tell"}}
    for number, makes in {"3": 3, "4": 4, "6": 6, "7": 3, "8": 8}.items():  # 7 has cells of 3
        command = f'reproduce("litsearch", {{"GritLM-7B": run}}, table={makes})'
        figures = eval(command, {"reproduce": reproduce, "run": run}).figures
        cells = _cells("litsearch", number, "GritLM-7B", figures)
        about = "GritLM-7B's released run (title and abstract, 200 papers per question)"
        differs = known.get(number, {})
        place = ("litsearch", number, "GritLM-7B")
        yield Outcome(*place, EQUAL, about, command, cells, known=differs)


def _csfcube(data):
    facets = ("background", "result")
    name = "test-pid2pool-csfcube-specter-{}-ranked.json"
    parts = [
        (facet, read_ranked_pools(data("csfcube", "sample_ranked_pools", name.format(facet))))
        for facet in facets
    ]
    run = pd.concat(part.assign(qid=part["qid"] + f"_{facet}") for facet, part in parts)
    command = 'reproduce("csfcube", {"SPECTER": run})'
    figures = eval(command, {"reproduce": reproduce, "run": run}).figures
    cells = _cells("csfcube", "", "SPECTER", figures)
    note = "its ranking by method was compared from outside: 22.44 MAP and 37.41 NDCG%20 are equal"
    about = f"SPECTER's sample rankings of the release ({' and '.join(facets)})"
    yield Outcome("csfcube", "", "SPECTER", EQUAL, about, command, cells, note)


#: file of a published ranking -> the printed row, its table
RANKINGS = {
    "colbertv2.abstract-paragraph.query-paragraph": ("ColBERT-v2", "11"),
    "e5.abstract-paragraph.query-paragraph": ("E5-L-v2", "11"),
    "sentbert.abstract-sentence.query-sentence": ("SentBERT", "12"),
    "specter.abstract-paragraph.query-paragraph": ("SPECTER", "11"),
    "tfidf.abstract-paragraph.query-paragraph": ("TF-IDF", "11"),
    "ts_aspire.abstract-paragraph.query-paragraph": ("TSAspire", "12"),
}


def _doris_mae(data):
    computed = json.loads(data("doris-mae", "reference-metrics.json").read_text())
    labels = ["R@5", "R@20", "RP", "NDCG%10", "NDCGexp%10", "MRR@10", "MAP"]
    for stem, (row, number) in RANKINGS.items():
        run = read_ranked_pools(data("doris-mae", "rankings", f"{stem}.json"))
        command = f'reproduce("doris-mae/dev", {{"{row}": run}}, table={number})'
        figures = eval(command, {"reproduce": reproduce, "run": run}).figures
        own = figures[figures["source"] == "this run"].set_index("label")["value"]
        cells = tuple(
            (label, f"{computed[stem][name]:.4f}", f"{100 * own[label]:.4f}")
            for label, name in zip(labels, DORIS_NAMES)
        )
        about = "its published ranking, forty development queries on the pools at hand"
        note = "compared with what the authors' code computes, as the printed row has all queries"
        yield Outcome("doris-mae", number, row, RANKING, about, command, cells, note)


def _cells(collection, number, row, figures):
    """Return a printed row's cells with a figure of this run, both with the printed decimals."""
    printed = published(collection)
    printed = printed[(printed["table"] == number) & (printed["system"] == row)]
    own = figures[figures["source"] == "this run"]
    both = printed.merge(own, on=["subset", "measure"], suffixes=("", "_own"))
    decimals = 1 if collection == "litsearch" else 2
    return tuple(
        (
            f"{cell.subset} {cell.label}".strip(),
            f"{100 * cell.value:.{decimals}f}",
            f"{100 * cell.value_own:.{decimals}f}",
        )
        for cell in both.dropna(subset=["value_own"]).itertuples()
    )

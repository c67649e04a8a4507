"""What the tests of measures share."""

import os
import subprocess
import sys

import ir_measures
import pandas as pd
import pytest


def values_of(measure, totals, aspects, rankings, never=()):
    """Values by query, through ir_measures.

    Args:
        measure: a measure or a string.
        totals: ``{query: {document: total}}``.
        aspects: ``{query: |Q|}``.
        rankings: ``{query: documents, best first}``.
        never: documents that never count as relevant.
    """
    qrels = [
        (q, d, total, f"{'-' if d in never else ''}{aspects[q]}")
        for q, pool in totals.items()
        for d, total in pool.items()
    ]
    run = [(q, d, -place) for q, docs in rankings.items() for place, d in enumerate(docs)]
    found = ir_measures.parse_measure(measure).iter_calc(
        pd.DataFrame(qrels, columns=["query_id", "doc_id", "relevance", "iteration"]),
        pd.DataFrame(run, columns=["query_id", "doc_id", "score"]),
    )
    return {metric.query_id: metric.value for metric in found}


@pytest.fixture(name="values_of", scope="session")
def _values_of():
    """See the function."""
    return values_of


def results(rankings):
    """A result frame of ``{query: documents, best first}``."""
    rows = [(q, d, -float(r), r) for q, docs in rankings.items() for r, d in enumerate(docs)]
    return pd.DataFrame(rows, columns=["qid", "docno", "score", "rank"])


def command(*arguments):
    """The ``ir_measures`` command, with our measures registered."""
    code = (
        "import runpy, pyterrier_scholarly.measures; "
        "runpy.run_module('ir_measures', run_name='__main__')"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    run = [sys.executable, "-c", code, *arguments]
    return subprocess.run(run, env=env, capture_output=True, text=True)

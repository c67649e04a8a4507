"""OT-ASPIRE's row ranks by the cost of the plan, as its authors' code does."""

import ir_datasets
import numpy as np
import pytest

from pyterrier_scholarly import systems

from ..transformers.test_transport import by_loops


class Letters:
    """Numbers of letters, of the sentence and a little of the passage that it is read in."""

    def encode_passages(self, passages):
        """(1 + texts, 6) per passage, the whole first."""
        return [
            np.array([read(passage, text) for text in (" ".join(passage), *passage)])
            for passage in passages
        ]


def read(passage, text):
    """A vector of a text in its passage."""
    counts = [[part.count(letter) for letter in "aeinst"] for part in (text, " ".join(passage))]
    return np.array(counts[0], dtype=float) + 0.1 * np.array(counts[1])


def test_ot_aspire_is_minus_the_plans_cost():
    """Facet's sentences, read in their abstract, against all of the candidate: by plain loops."""
    name = "scholarly-mini/method"
    dataset = ir_datasets.load(name)
    query = next(dataset.queries_iter())
    named = systems(name, models={"ot_aspire": Letters()})
    run = named["ot_aspire"].search(query.query, qid=query.query_id)
    papers = dataset.docs_store()

    def vectors(paper):
        passage = (f"{paper.title} [SEP]", *paper.sentences)
        return [read(passage, sentence) for sentence in paper.sentences]

    paper = papers.get(query.paper_id)
    asked = [v for v, label in zip(vectors(paper), paper.labels) if label == "method"]
    assert 0 < len(asked) < len(paper.sentences)
    costs = [by_loops(asked, vectors(papers.get(docno)))[1] for docno in run["docno"]]
    assert len(costs) > 5
    assert run["score"].to_numpy() == pytest.approx(-np.array(costs), abs=1e-6)
    divergences = [by_loops(asked, vectors(papers.get(docno)))[0] for docno in run["docno"]]
    assert np.abs(np.subtract(costs, divergences)).max() > 1e-3  # which a blur tells apart

"""What the scorers of sentences in context share: papers from columns, vectors."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .. import frames
from ..encoders import as_passage_encoder, sentence_vectors
from ..text.contexts import Paper, context_named, places_of
from .step import Step

CANDIDATE = ["title", "sentences", "labels"]
QUERY = ["query_title", "query_paper_sentences", "query_paper_labels"]
ASKED = ["qid", "query_sentences", "query_labels", "facet", *QUERY]
REMEDY = "Put FacetQuery(…) and PaperContext(…) before it."


class Asked(NamedTuple):
    """A query: some sentences (their places) of a paper, and the facet that they are of, or ""."""

    paper: Paper
    places: list
    facet: str


def papers_of(results, step):
    """The frame, checked, and a Paper and an Asked for each of its rows.

    Raises:
        pt.validate.InputValidationError: a column is missing.
        ValueError: a query sentence that is not in the query's paper; names the query.
    """
    results = frames.check(results, step, ["docno", *ASKED, *CANDIDATE], remedy=REMEDY)
    return results, frames.per_key(results, CANDIDATE, _paper), asked_of(results)


def asked_of(frame):
    """An Asked for each row of a frame with the columns ASKED; errors as of `papers_of`.

    All rows of a query ask the same.
    """
    first = frame.drop_duplicates("qid")
    asked = dict(zip(first["qid"], map(_asked, *(first[column] for column in ASKED))))
    return [asked[qid] for qid in frame["qid"].tolist()]  # a column of str is slow to go through


def passage_pairs(papers, asked, passage):
    """What a candidate and its query are compared by, where that is one passage of each.

    Args:
        papers, asked: of n rows, as `papers_of` gives them.
        passage: a function of a paper, a facet and, of a query, its places.

    Returns:
        The m distinct passages, and an int array (n, 2): the numbers of the query's and of the
        candidate's for each row.
    """
    number, known = {}, {}

    def numbered(key, *given):
        if key not in known:
            known[key] = number.setdefault(passage(*given), len(number))
        return known[key]

    ours = [numbered(id(one), one.paper, one.facet, one.places) for one in asked]
    rows = zip(papers, (one.facet for one in asked))
    theirs = [numbered((id(paper), facet), paper, facet) for paper, facet in rows]
    return list(number), np.array([ours, theirs], dtype=np.intp).T


def of_facet_or_all(paper, facet) -> list:
    """Where the sentences of a facet are, or all places if it has none."""
    return paper.of_facet(facet) or list(range(len(paper.sentences)))


@dataclass(eq=False, repr=False)
class ContextScore(Step):
    """Scores candidates by sentence vectors; a scorer says how to `score` a query's pool."""

    encoder: object
    context: str = "title"

    def score(self, query, documents, papers, facet):
        """Scores (k,) of a pool.

        Args:
            query: (m, d), vectors of the query's sentences.
            documents: k arrays (n_i, d), all sentences of each candidate.
            papers: the k candidates.
            facet: of the query, "" for none.
        """
        raise NotImplementedError

    def vectors(self, encoder, papers):
        """One (n_i, d) array per paper, of length 1 here."""
        return sentence_vectors(encoder, papers, self.context)

    def transform(self, results):
        """Score and rank."""
        context_named(self.context)
        results, papers, asked = papers_of(results, self)
        distinct = list(dict.fromkeys([*papers, *(one.paper for one in asked)]))
        encoder = self.loaded(as_passage_encoder) if distinct else None
        made = self.vectors(encoder, distinct) if distinct else []
        vectors_of = dict(zip(distinct, made))
        scores = np.empty(len(results))
        for rows in frames.rows_by_query(results):
            query, candidates = asked[rows[0]], [papers[row] for row in rows]
            documents = [vectors_of[paper] for paper in candidates]
            own = vectors_of[query.paper][query.places]
            scores[rows] = self.score(own, documents, candidates, query.facet)
        return frames.ranked(results.assign(score=scores))


def _paper(title, sentences, labels):
    return Paper(title, tuple(sentences), tuple(labels))


def _asked(qid, sentences, labels, facet, *paper):
    paper = _paper(*paper)
    try:
        return Asked(paper, places_of(sentences, labels, paper), facet)
    except ValueError as error:
        raise ValueError(f"Query {qid}: {error}; its sentences must be its paper's.") from error

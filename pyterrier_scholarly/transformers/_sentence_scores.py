"""Scoring candidates by vectors of sentences: what SentenceMaxSim and its siblings share."""

import numpy as np

from .. import frames
from ..encoders import LSA, as_encoder, vectors


def check(results, step):
    """`results`, checked to have what sentences are scored from, for a transformer `step`.

    Raises:
        pt.validate.InputValidationError: a column is missing.
        ValueError: a query without sentences, sentences that are NaN or blank; names the rows.
    """
    needed = ["qid", "docno", "query_sentences", "sentences"]
    remedy = "Put FacetQuery(…) before it for query_sentences, Sentences(…) for sentences."
    return frames.check(results, step, needed, remedy=remedy)


def scored(results, step, score, score_many=None, sparse=False):
    """`results`, checked, with `score` and `rank`; zero rows need neither encoder nor dataset.

    Args:
        results: rows with `qid`, `query_sentences` and `sentences`.
        step: a transformer with the fields `encoder`, `dataset`, `batch_size` and `verbose`.
        score: from vectors of a query's sentences (m, d), of all its candidates' sentences, one
            candidate after the other (n, d), and their numbers of sentences (k,) to scores (k,);
            called once per query.
        score_many: the same from q queries (m_i, d) that share their candidates, to (q, k); called
            for them in the place of `score`.
        sparse: whether these take vectors in a sparse array, where the encoder gives such.

    Raises:
        ValueError: the step has neither an encoder nor a dataset.
    """
    scores = np.zeros(0)
    if len(results):
        scores = _scores(results, encoder_of(step), score, score_many, sparse)
    return frames.ranked(results.assign(score=scores))


def encoder_of(step):
    """The encoder that `step` asks for: its `encoder`, or `LSA` of its `dataset`."""
    if step.encoder is not None:
        return step.loaded(as_encoder, batch_size=step.batch_size, verbose=step.verbose)
    if step.dataset is None:
        name = type(step).__name__
        raise ValueError(
            f"{name} needs an encoder (a sentence-transformers model or its name, a pyterrier_dr "
            "bi-encoder, a function), or a dataset to fit the light default on: "
            f"{name}(dataset='csfcube')."
        )
    return LSA(step.dataset)


def _scores(results, encoder, score, score_many, sparse):
    """One score per row (n,); every distinct sentence is encoded once."""
    query_texts = _Texts()
    alike = getattr(encoder, "symmetric", False)
    document_texts = query_texts if alike else _Texts()
    queries = [query_texts.numbers(sentences) for sentences in results["query_sentences"]]
    documents = [document_texts.numbers(sentences) for sentences in results["sentences"]]

    query_vectors = vectors(encoder.encode_queries, query_texts.number, sparse)
    document_vectors = query_vectors
    if not alike:
        document_vectors = vectors(encoder.encode_documents, document_texts.number, sparse)
    scores = np.empty(len(results))
    for pools in _alike(results, documents):
        candidates = [documents[row] for row in pools[0]]
        rows = document_vectors[np.concatenate(candidates)]
        lengths = [len(candidate) for candidate in candidates]
        asked = [query_vectors[queries[pool[0]]] for pool in pools]
        if score_many is None or len(pools) == 1:
            found = [score(query, rows, lengths) for query in asked]
        else:
            found = score_many(asked, rows, lengths)
        for pool, own in zip(pools, found):
            scores[pool] = own
    return scores


def _alike(results, documents):
    """Groups of queries with the same candidates: for each query its rows, in one order."""
    code = {}
    codes = np.array([code.setdefault(own.tobytes(), len(code)) for own in documents])
    groups = {}
    for rows in frames.rows_by_query(results):
        rows = rows[np.argsort(codes[rows], kind="stable")]
        groups.setdefault(codes[rows].tobytes(), []).append(rows)
    return groups.values()


class _Texts:
    """Numbers distinct texts in the order in which they are first seen."""

    def __init__(self):
        self.number = {}
        self._known = {}

    def numbers(self, texts):
        """The numbers of `texts`; the same list object, shared by many rows, is read once."""
        if id(texts) not in self._known:
            found = [self.number.setdefault(text, len(self.number)) for text in texts]
            # with the list itself, so that no later one can get its id
            self._known[id(texts)] = texts, np.array(found, dtype=np.intp)
        return self._known[id(texts)][1]

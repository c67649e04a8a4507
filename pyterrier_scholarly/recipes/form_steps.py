"""The steps of a form: from a dataset to the transformers that add what its scorer reads.

::

    add_facet_sentences("csfcube/all")  # FacetQuery('csfcube/all') >> Sentences('csfcube/all')
"""

import pyterrier as pt

from ir_datasets_ext.doris_mae.records import TOO_LONG

from ..datasets import DatasetLike
from ..transformers import FacetQuery, PlainText, Sentences

#: abstracts that DORIS-MAE's embedding systems did not rank (its word-based systems did)
TOO_LONG_ABSTRACTS = tuple(sorted(TOO_LONG))
MOST_PAIRS = 100  # candidates of a question that a cross-encoder scores


def add_facet_sentences(dataset: DatasetLike) -> pt.Transformer:
    """Add the facet's sentences among those of the query's paper, and whole candidates."""
    return FacetQuery(dataset) >> Sentences(dataset)


def add_sentences(dataset: DatasetLike) -> pt.Transformer:
    """Add the sentences of the query's text, and of whole candidates."""
    return FacetQuery() >> Sentences(dataset)


def add_sentences_without_titles(dataset: DatasetLike) -> pt.Transformer:
    """Add the sentences of the query's text, and of abstracts without titles."""
    return FacetQuery() >> Sentences(dataset, titles=False)


def add_sentences_but_long(dataset: DatasetLike) -> pt.Transformer:
    """Add sentences as DORIS-MAE's code splits them, without candidates of too long abstracts.

    Queries are split by pySBD, which splits those of DORIS-MAE as NLTK does.
    """
    sentences = Sentences(dataset, splitter="nltk")
    return FacetQuery() >> sentences >> PlainText(without=TOO_LONG_ABSTRACTS)


def add_sentences_without_titles_but_long(dataset: DatasetLike) -> pt.Transformer:
    """Add sentences without titles, else as `add_sentences_but_long` does."""
    sentences = Sentences(dataset, titles=False, splitter="nltk")
    return FacetQuery() >> sentences >> PlainText(without=TOO_LONG_ABSTRACTS)


def add_texts_but_long(dataset: DatasetLike) -> pt.Transformer:
    """Add the texts of queries and candidates, and remove those with a too long abstract."""
    return PlainText(dataset, without=TOO_LONG_ABSTRACTS)


def add_candidate_texts(dataset: DatasetLike) -> pt.Transformer:
    """Add the texts of candidates."""
    return PlainText(dataset, queries=False)


def add_candidate_texts_and_query_sentences(dataset: DatasetLike) -> pt.Transformer:
    """Add the texts of candidates, and the sentences of the query's text."""
    return FacetQuery() >> PlainText(dataset, queries=False)


def add_texts_and_query_sentences(dataset: DatasetLike) -> pt.Transformer:
    """Add the texts of queries and candidates, and the sentences of the query's text."""
    return FacetQuery() >> PlainText(dataset)


def keep_first_candidates(dataset: DatasetLike) -> pt.Transformer:
    """Keep the first candidates of each query."""
    return pt.RankCutoff(MOST_PAIRS)

"""The documents of a synthetic log, and the topic that each is on.

chosen = choose_documents("csfcube", 20, np.random.default_rng(0))
print(chosen.ids[0], chosen.topics[0])
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any, TypeAlias

import ir_datasets
import numpy as np
import pyterrier as pt

from ..arguments import Count, Natural
from ..datasets import irds
from ..encoders import LSA, vectors

#: a number, a dataset's id or object, a dict from ids to texts, or ids
Documents: TypeAlias = (
    Natural | str | ir_datasets.Dataset | pt.datasets.Dataset | Mapping[str, str] | Sequence[str]
)

MOST_TOPICS_BY_DEFAULT = 20
WHOLE_NUMBER = (int, np.integer)


@dataclass(frozen=True)
class TopicalDocuments:
    """Ids of D documents (objects), and the topics of these (D numbers from 0, none left out)."""

    ids: np.ndarray
    topics: np.ndarray


@dataclass(frozen=True)
class _Texts:
    """Documents whose texts are known, and an encoder that is fitted on them."""

    ids: list[str]
    texts: list[str]
    encoder: LSA


def choose_documents(
    documents: Documents, topics: Count | Sequence[int] | None, random: np.random.Generator
) -> TopicalDocuments:
    """Return the documents and topics that the arguments of `synthetic_log` ask for.

    A list of `topics` has one for each document. Else texts are clustered, in so many clusters if
    `topics` is a number; and documents without texts are divided among topics at random.

    Raises ValueError if topics and documents differ in number, or ids come without topics.
    """
    texts = _read_texts(documents)
    ids = _list_ids(documents) if texts is None else texts.ids

    topic_of_each: Sequence[int] | np.ndarray
    if topics is not None and not isinstance(topics, WHOLE_NUMBER):
        topic_of_each = topics  # a list, one for each document
    elif texts is not None:
        topic_of_each = _cluster(texts, topics)
    else:
        has_made_up_ids = isinstance(documents, WHOLE_NUMBER)
        topic_count = _count_topics(topics, has_made_up_ids)
        topic_of_each = _divide_at_random(len(ids), topic_count, random)

    if len(topic_of_each) != len(ids):
        raise ValueError(
            f"{len(topic_of_each)} topics for {len(ids)} documents: expected a number of topics, "
            "or one topic for each document."
        )
    _, numbers_without_gaps = np.unique(topic_of_each, return_inverse=True)
    return TopicalDocuments(np.array(ids, dtype=object), numbers_without_gaps)


def _count_topics(wanted_count: int | None, has_made_up_ids: bool) -> int:
    """Return the number of topics of documents without texts.

    It is the number that was asked for, or the default for made-up documents. ValueError for a
    caller's ids without a number: these documents have topics, and nothing says which.
    """
    if wanted_count is not None:
        return wanted_count
    if has_made_up_ids:
        return MOST_TOPICS_BY_DEFAULT
    raise ValueError(
        "Ids alone do not say what the documents are on. Pass a dataset or a dict from ids to "
        "texts as `documents`: topics are then clusters of the texts. Or pass `topics`: one "
        "for each id, or a number of topics, among which the ids are divided at random."
    )


def _read_texts(documents: Documents) -> _Texts | None:
    """Return the documents of a dataset or a dict; None if there are no texts."""
    if isinstance(documents, Mapping):
        texts = list(documents.values())
        return _Texts(list(documents), texts, LSA(texts))

    is_dataset = isinstance(documents, (str, ir_datasets.Dataset))
    if is_dataset or hasattr(documents, "irds_ref"):  # an id, or PyTerrier's object
        records = list(irds(documents).docs_iter())
        ids = [record.doc_id for record in records]
        texts = [record.default_text() for record in records]
        return _Texts(ids, texts, LSA(documents))

    return None


def _list_ids(documents: Any) -> list[str]:
    """Return made-up ids for a number of documents, or the ids that were passed."""
    if isinstance(documents, WHOLE_NUMBER):
        return [f"d{number:06}" for number in range(documents)]
    return list(documents)


def _divide_at_random(
    document_count: int, topic_count: int, random: np.random.Generator
) -> np.ndarray:
    """Return the topic of each document; topics have equally many, or one more."""
    return random.permutation(np.arange(document_count) % topic_count)


def _cluster(source: _Texts, topic_count: int | None) -> np.ndarray:
    """Return the cluster of each text, by k-means of the directions of their embeddings."""
    from sklearn.cluster import KMeans

    if topic_count is None:
        topic_count = min(MOST_TOPICS_BY_DEFAULT, isqrt(len(source.texts)))
    embeddings = vectors(source.encoder, source.texts)
    lengths = np.linalg.norm(embeddings, axis=1, keepdims=True)
    directions = embeddings / np.maximum(lengths, 1e-9)  # zero vectors stay zero
    k_means = KMeans(min(topic_count, len(source.texts)), n_init=1, random_state=0)
    return k_means.fit_predict(directions)

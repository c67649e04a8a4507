"""From documents to their sentences, each with its vector: what a first stage indexes."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from .. import frames
from ..encoders import as_passage_encoder, sentence_vectors
from ..text.contexts import Paper, context_named
from .sentences import Sentences
from .step import Step

MARK = "#"  # between a document's id and the number of a sentence
COLUMNS = ["docno", "sentence", "doc_vec"]


@dataclass(eq=False, repr=False)
class SentenceVectors(Step):
    """Makes a row of every sentence of documents, to be indexed; `SentenceRetriever` searches them.

    ``(SentenceVectors(encoder) >> FlexIndex(path).indexer()).index(dataset.get_corpus_iter())``

    Columns in: `docno`, and `sentences` (with `labels`, where there are any) or a `text`, which is
    split; perhaps `title`. Columns out: `docno` (``<document>#<number>``, from 0), `sentence` (str)
    and `doc_vec` (float32, of length 1, so that inner products are cosines). A document without
    sentences has no row, and will not be found.

    Args:
        encoder: as for `SentenceMaxSim`.
        context: as for `SentenceMaxSim`.

    Raises:
        ValueError: an unknown context, blank or NaN sentences; names the documents.
    """

    encoder: object
    context: str = "title"

    def transform(self, documents):
        """Give each sentence a row."""
        context_named(self.context)
        documents = Sentences().transform(documents).drop_duplicates("docno")
        if documents.empty:
            return pd.DataFrame({name: pd.Series([], dtype=object) for name in COLUMNS})
        papers = [
            Paper(title, tuple(sentences), tuple(labels))
            for title, sentences, labels in zip(*map(documents.get, Paper._fields))
        ]
        vectors = sentence_vectors(self.loaded(as_passage_encoder), papers, self.context)
        rows = [
            (f"{docno}{MARK}{number}", sentence, np.ascontiguousarray(vector))
            for docno, paper, matrix in zip(documents["docno"], papers, vectors)
            for number, (sentence, vector) in enumerate(zip(paper.sentences, matrix))
        ]
        columns = zip(*rows) if rows else [()] * len(COLUMNS)
        return pd.DataFrame(dict(zip(COLUMNS, map(frames.column, columns))))


def documents_of(sentence_ids):
    """The documents (Series of str) that sentences with these `docno` are of."""
    return sentence_ids.str.rsplit(MARK, n=1).str[0]

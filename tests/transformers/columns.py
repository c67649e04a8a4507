"""Edit each input column of each step, and see whether the step notices.

    python -m tests.transformers.columns

prints a table of steps and columns. A cell says what edits of that column do: "changed" (the output
is another), "refused" (a ValueError says what is wrong), or both, for different edits; "." is a
column that the step does not read. IGNORED is a fault: an edit has no effect, though the step reads
the column, or the column says what the query asks with that the step reads. The column AGREEING is
another choice of the query's sentences, made as documented: new positions, then `FacetQuery()`.
"""

import zlib
from collections.abc import Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass
from functools import lru_cache
from io import StringIO

import numpy as np
import pandas as pd
import pyterrier as pt

from pyterrier_scholarly import LSA, TfIdfModel, one_encoding, six_parts, three_parts, transformers
from pyterrier_scholarly.similarity.maxsim import SCORINGS
from pyterrier_scholarly.text.contexts import CONTEXTS
from pyterrier_scholarly.transformers import (
    BM25Score,
    CrossEncoderScore,
    FacetQuery,
    ListwiseRerank,
    PaperTfIdf,
    PlainText,
    Pool,
    SentenceCentroid,
    SentenceMaxSim,
    SentenceRetriever,
    Sentences,
    SentenceTransport,
    SentenceVectors,
    TextSimilarity,
    TfIdfScore,
)

from .test_contract import EXAMPLES, MINI, common

DOCUMENT_COLUMNS = ("docno", "title", "text", "sentences", "labels", "sentence_ids")
RESULT_COLUMNS = ("score", "rank", "features")
#: columns that say what a query asks with; a step that reads one of its columns ignores none
ASKING = (
    *("query_sentences", "query_labels", "query_sentence_ids", "query_sentence_weights"),
    *("query_paper_sentences", "query_paper_labels"),
)
IDS = ("qid", "docno")  # they name rows
AGREEING = "ids >> FacetQuery()"
COLUMNS = ("query", "query_docno", "query_text", "facet", *ASKING, "query_title")
COLUMNS += (*DOCUMENT_COLUMNS[1:], "score", "features", AGREEING)
CHANGED, REFUSED, IGNORED, UNREAD = "changed", "refused", "IGNORED", "."


@dataclass
class Case:
    """A step, and the frame that it is tried with.

    Attributes:
        step: a transformer.
        inputs: the columns that it reads; None for those that inspection finds.
        drop: columns of the frame to leave out first, because others take precedence.
        passes: columns that are its output, too: an edit is noticed if it comes out.
    """

    step: pt.Transformer
    inputs: Sequence[str] | None = None
    drop: Sequence[str] = ()
    passes: Sequence[str] = ()


class Cited:
    """A corpus graph in which each document cites one of its own."""

    def neighbours(self, docid):
        """One id."""
        return [f"{docid}+"]


def in_some_order(messages):
    """A language model whose order depends on every character that it is shown."""
    shown = repr(messages)
    numbers = range(1, 1 + sum("Received passage" in message["content"] for message in messages))
    order = sorted(numbers, key=lambda number: zlib.crc32(f"{number} {shown}".encode()))
    return " > ".join(f"[{number}]" for number in order)


class ByVector(pt.Transformer):
    """A retriever of two sentences, with scores that depend on the vector."""

    def transform(self, rows):
        """Each vector's sentences."""
        sums = [float(np.abs(vector).sum()) for vector in rows["query_vec"]]
        found = rows[["qid"]].assign(score=sums)
        return pd.concat([found.assign(docno="d#0"), found.assign(docno="e#1", score=0.1)])


@lru_cache
def cases():
    """Return the cases by name: each exported step, with the settings that read other columns."""
    encoder = LSA(MINI)
    made = {name: Case(make()) for name, make in EXAMPLES.items()}
    of_both_papers = ["query_sentence_ids", "query_paper_sentences", "query_title"]
    of_both_papers += ["sentences", "title", "facet", "labels"]
    paper = ["query_title", "query_paper_sentences", "query_paper_labels", "query_sentence_ids"]
    derived = ["query_docno", "query", *ASKING]
    made |= {
        # templates, tables and sentences of one's own
        "TextSimilarity, texts": Case(TextSimilarity(encoder)),
        "CrossEncoderScore, sentences": Case(CrossEncoderScore(common, sentences=True)),
        "ListwiseRerank": Case(ListwiseRerank(in_some_order)),
        "TextSimilarity, of papers": Case(
            TextSimilarity(encoder, dataset=MINI, query="{query_title} {facet}"),
            ["query_docno", "facet"],
        ),
        "TextSimilarity, of one's own": Case(
            TextSimilarity(encoder, query="{query_title}", document="{text}")
        ),
        "BM25Score, own": Case(BM25Score(fitted_on="pool")),
        "BM25Score, own sentences": Case(BM25Score(fitted_on="pool", sentences=True)),
        "TfIdfScore, own": Case(TfIdfScore(fitted_on="pool")),
        "TfIdfScore, own sentences": Case(TfIdfScore(fitted_on="pool", sentences=True)),
        "OneHop": Case(transformers.OneHop(Cited())),
        "DocumentSimilarity, texts": Case(
            transformers.DocumentSimilarity(TfIdfModel(MINI), by="query")
        ),
        "Sentences, own": Case(
            Sentences(),
            ["sentences", "labels", "sentence_ids", "title"],
            passes=["sentences", "labels", "sentence_ids", "title"],
        ),
        "Sentences, own text": Case(
            Sentences(),
            ["text", "title"],
            drop=["sentences", "labels", "sentence_ids"],
            passes=["title"],
        ),
        "Sentences of the facet": Case(
            Sentences(facet_only=True), ["sentences", "labels", "facet", "sentence_ids"]
        ),
        "SentenceVectors": Case(
            SentenceVectors(WITH_TITLE, "facet"), ["title", "sentences", "labels", "sentence_ids"]
        ),
        "SentenceVectors, text": Case(
            SentenceVectors(WITH_TITLE, "facet"),
            ["title", "text"],
            drop=["sentences", "labels", "sentence_ids"],
        ),
        "FacetLabeller": Case(
            transformers.FacetLabeller(),
            ["sentences", "query_sentences", "query_paper_sentences", "query_sentence_ids"],
            drop=["labels", "query_labels", "query_paper_labels"],
        ),
        "PlainText": Case(
            PlainText(),
            ["query", "text", "sentences", "labels", "query_sentences", "query_labels"],
            passes=["labels", "query_labels"],
        ),
        "FacetQuery, paper": Case(
            FacetQuery(), paper, drop=[*derived[:4], "query_text"], passes=["query_title"]
        ),
        "FacetQuery, of a facet": Case(
            FacetQuery(facet="method"),
            paper[:3],
            drop=[*derived[:4], "query_text"],
            passes=["query_title"],
        ),
        "FacetQuery, sentences": Case(
            FacetQuery(),
            ["query_sentences", "query_labels", "query_title"],
            drop=paper[1:],
            passes=["query_title", "query_labels"],
        ),
        "FacetQuery, text": Case(
            FacetQuery(), ["query_text"], drop=["query_sentences", "query_labels", *paper]
        ),
        "FacetQuery, of a dataset": Case(
            FacetQuery("scholarly-mini"),
            ["query_docno", "query_sentence_ids"],
            drop=["query_sentences", "query_labels", *paper[:3]],
        ),
        "Pool": Case(Pool(MINI), []),
        "SentenceRetriever": Case(SentenceRetriever(ByVector(), WITH_TITLE)),
        "PaperTfIdf, of a facet": Case(PaperTfIdf(MINI, facet_only=True)),
        "PaperTfIdf, topics": Case(PaperTfIdf(MINI, dimensions=5)),
        # recipes: sums of these
        "one_encoding": Case(one_encoding(MINI, WITH_TITLE), of_both_papers),
        "six_parts": Case(six_parts(MINI, WITH_TITLE), [*of_both_papers, "query_paper_labels"]),
        "three_parts": Case(three_parts(MINI, WITH_TITLE), of_both_papers[:5]),
    }
    for context in CONTEXTS:
        alone_or_not = encoder if context == "sentence" else WITH_TITLE
        for aggregate in SCORINGS if context == "title" else ("max", "mean"):
            step = SentenceMaxSim(alone_or_not, context, aggregate=aggregate)
            made[f"SentenceMaxSim, {context}, {aggregate}"] = Case(step)
        for scorer in (SentenceCentroid, SentenceTransport):
            made[f"{scorer.__name__}, {context}"] = Case(scorer(alone_or_not, context))
        retriever = SentenceRetriever(ByVector(), WITH_TITLE, context)
        made[f"SentenceRetriever, {context}"] = Case(retriever)
    for context in ("facet", "abstract"):
        made[f"TextSimilarity, {context}"] = Case(TextSimilarity(WITH_TITLE, context=context))
    return made


class WithTitle:
    """An encoder of passages in which each part's vector depends on all parts."""

    def encode_passages(self, passages):
        """The whole, then the parts: counts of letters, and a share of the whole's."""
        arrays = []
        for passage in passages:
            parts = letters_of(("".join(passage), *passage))
            arrays.append((parts + 0.3 * parts[:1]).astype(np.float32))
        return arrays

    def __repr__(self):
        return "WITH_TITLE"


WITH_TITLE = WithTitle()


def letters_of(texts):
    """Count each letter in each text, (n, 26)."""
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    return np.array([[text.lower().count(letter) + 0.1 for letter in alphabet] for text in texts])


@lru_cache
def results():
    """Return candidates of two queries, whose papers have sentences that do not ask."""
    topics = pd.DataFrame({"qid": ["104_background", "108_background"]})
    found = (Pool(MINI) >> FacetQuery(MINI) >> Sentences(MINI))(topics)
    found = found.groupby("qid").head(4).reset_index(drop=True)
    numbers = np.arange(len(found))
    return found.assign(
        score=1.0 + numbers,
        text=[" ".join(own) for own in found["sentences"]],
        query_text=found["query"],
        features=[np.array([number, 1.0]) for number in numbers],
    )


def frame_of(case):
    """Return the frame for a case: results, or topics or documents for a step that takes these."""
    frame = results().drop(columns=list(case.drop), errors="ignore")
    if isinstance(case.step, SentenceVectors):
        return frame.drop_duplicates("docno")[[n for n in DOCUMENT_COLUMNS if n in frame]]
    try:
        pt.inspect.transformer_outputs(case.step, list(frame.columns))
    except pt.validate.InputValidationError:
        others = [name for name in (*DOCUMENT_COLUMNS, *RESULT_COLUMNS) if name in frame]
        return frame.drop_duplicates("qid").drop(columns=others)
    return frame


def inputs_of(case):
    """Return the columns that a case reads, without ids."""
    if case.inputs is None:
        needed = pt.inspect.transformer_inputs(case.step)
        present = set(frame_of(case).columns)
        inputs = next(columns for columns in needed if set(columns) <= present)
    else:
        inputs = case.inputs
    return [name for name in inputs if name not in IDS]


# how a value of a column is edited: functions from a value to another one of the same kind


def reword(text):
    """A text of other letters and words, with marks that `PlainText` removes."""
    return text.translate(str.maketrans("", "", "aeiou")) + " $zebra$"


def reword_all(texts):
    """Other sentences."""
    return [reword(text) for text in texts]


def shorten(items):
    """All but the last."""
    return items[:-1]


def move_on(positions):
    """The next positions."""
    return [1 + position for position in positions]


def relabel(labels):
    """Labels of no facet."""
    return ["other" for _ in labels]


TEXTS = ("query", "query_text", "title", "query_title", "text")
LISTS_OF_TEXTS = ("query_sentences", "query_paper_sentences", "sentences")
LISTS_OF_LABELS = ("query_labels", "query_paper_labels", "labels")
EDITS = {
    **{name: (reword,) for name in TEXTS},
    **{name: (reword_all, shorten) for name in LISTS_OF_TEXTS},
    **{name: (relabel,) for name in LISTS_OF_LABELS},
    "query_sentence_ids": (move_on, shorten),
    "sentence_ids": (move_on, shorten),
    "facet": (lambda facet: "objective",),
    "query_docno": (lambda docno: "110",),
    "score": (lambda score: -score,),
    "features": (lambda own: own * np.array([-1, 1]),),
}


def edited_frames(frame, column):
    """Yield edited frames: every row of them, and the last alone if the rows share their query."""
    if column == "query_sentence_weights":
        counts = frame["query_sentence_ids" if "query_sentence_ids" in frame else "qid"].map(len)
        weights = [[1.0 + number for number in range(count)] for count in counts]
        yield frame.assign(query_sentence_weights=pd.Series(weights, frame.index, dtype=object))
        return
    if column == AGREEING:
        yield FacetQuery()(edit_all(frame, "query_sentence_ids", move_on))
        return
    for edit in EDITS[column]:
        yield edit_all(frame, column, edit)
        if "qid" in frame and frame["qid"].duplicated().any():
            values = [*frame[column][:-1], edit(frame[column].iloc[-1])]
            yield frame.assign(**{column: pd.Series(values, frame.index, dtype=object)})


def edit_all(frame, column, edit):
    """Edit all values of a column; rows of a query or a document go on sharing theirs."""
    values = frame[column].tolist()
    edited = {id(value): edit(value) for value in values}
    values = [edited[id(value)] for value in values]
    return frame.assign(**{column: pd.Series(values, frame.index, dtype=object)})


def effect_of(case, frame, before, column):
    """Return what edits of a column do to a case: CHANGED, REFUSED, both, or IGNORED.

    frame, before: the case's frame, and what comes out of it.
    """
    effects = set()
    for edited in edited_frames(frame, column):
        try:
            after = case.step(edited)
        except ValueError:
            effects.add(REFUSED)
            continue
        passes = column in case.passes
        changed = (
            plain(before) != plain(after) if passes else differs(before, after, edited, column)
        )
        effects.add(CHANGED if changed else IGNORED)
    return IGNORED if IGNORED in effects else " or ".join(sorted(effects))


def differs(before, after, edited, column):
    """Whether a step's output is another, beside the edited column itself if that passes through.

    A step may also put another value into the edited column.
    """
    others = [name for name in before.columns if name != column]
    if plain(before[others]) != plain(after.drop(columns=column, errors="ignore")):
        return True
    keys = [name for name in IDS if name in after and name in edited]
    if column not in after or len(after) != len(edited) or column not in before:
        return False
    through = edited[[*keys, column]].sort_values(keys)
    return plain(after[[*keys, column]].sort_values(keys)) != plain(through)


def plain(frame):
    """The values of a frame, rounded, as plain lists."""
    return [[rounded(value) for value in row] for row in frame.itertuples(index=False)]


def rounded(value):
    """A value that can be compared."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [rounded(item) for item in value]
    return round(value, 6) if isinstance(value, float) else value


def must_notice(case):
    """Return the columns whose edits a case must notice: its inputs, and those of its query."""
    inputs = inputs_of(case)
    frame = frame_of(case)
    reads_query = any(name.startswith("query") for name in inputs)
    replaces_query = isinstance(case.step, FacetQuery)
    asking = [name for name in ASKING if name in frame or name.endswith("weights")]
    if not reads_query or replaces_query:
        asking = []
    if isinstance(case.step, (PlainText, transformers.FacetLabeller)):  # they pass weights on
        asking.remove("query_sentence_weights")
    asks = {"query", "query_sentences", "query_sentence_ids"} & set(inputs)
    if asks and "query_paper_sentences" in frame and not replaces_query:
        asking.append(AGREEING)
    added = ("query_sentence_weights", AGREEING)
    noticed = dict.fromkeys([*inputs, *asking])
    return [name for name in noticed if name in frame or name in added]


@lru_cache
def table():
    """Return a frame of the effect of edits, a row per case and a column per column."""
    rows = {}
    for name, case in cases().items():
        noticed = must_notice(case)
        frame = frame_of(case)
        before = case.step(frame)
        rows[name] = {
            column: effect_of(case, frame, before, column) if column in noticed else UNREAD
            for column in COLUMNS
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def main():
    """Print the table."""
    with redirect_stderr(StringIO()):  # ListwiseRerank's lines
        table()
    shown = table().rename(columns=lambda name: name.replace("query_", "q_"))
    shown = shown.replace({f"{CHANGED} or {REFUSED}": "both"})
    for start in range(0, shown.shape[1], 7):
        print(shown.iloc[:, start : start + 7].to_string(), end="\n\n")
    ignored = int((table() == IGNORED).sum().sum())
    print(f"{len(shown)} steps; {ignored} columns IGNORED")
    raise SystemExit(bool(ignored))


if __name__ == "__main__":
    main()

"""LitSearch's description: length of the questions, gold papers, overlap of words."""

from collections import defaultdict

import pandas as pd

from ir_datasets_ext.litsearch import SOURCES

from ..protocols import TITLE_LIMITS
from ..text.words import mean_overlap


def tables(dataset):
    """Return `questions` (Table 2), `sets` (Table 14), `filter` (2.1) and `corpus` (2.5).

    The first two have a row per source (or set) and `specificity`: `questions` (their number),
    `words` and `papers` (means per question), `overlap` (mean over questions of the mean over their
    gold papers, in 0..1), `overlap_questions` (how many questions that mean is over: those whose
    gold papers are all at hand). `filter` has a row per set that was filtered by overlap with
    titles: `limit`, `questions` (those whose gold papers are all at hand), `above` (how many of
    these exceed it all the same). `corpus` has a row for titles with abstracts and, of
    `litsearch/full-text` alone, whose texts are large, one for full texts: `text`, `papers` (those
    that have some), `words` (mean per such paper; NaN without any).
    """
    gold = defaultdict(list)
    for qrel in dataset.qrels_iter():
        gold[qrel.query_id].append(qrel.doc_id)
    wanted = sorted({doc_id for papers in gold.values() for doc_id in papers})
    papers = {doc.doc_id: doc for doc in dataset.docs_store().get_many_iter(wanted)}
    rows = pd.DataFrame(
        [_row(query, gold[query.query_id], papers) for query in dataset.queries_iter()]
    )
    described = {"questions": _described(rows, "source"), "sets": _described(rows, "set")}
    return {**described, "filter": _filtered(rows), "corpus": _corpus(dataset)}


def _text(doc):
    return f"Title: {doc.title}\nAbstract: {doc.text}"  # the authors' form


def _title(doc):
    return doc.title


def _corpus(dataset):
    """The words of the papers at hand, one paper in memory at a time."""
    words = defaultdict(list)
    for doc in dataset.docs_iter():
        words["titles and abstracts"].append(len(f"{doc.title} {doc.text}".split()))
        if hasattr(doc, "full_text"):
            words["full texts"].append(len(doc.full_text.split()))
    found = [(text, pd.Series(counts)) for text, counts in words.items()]
    found = [(text, (c > 0).sum(), c[c > 0].mean()) for text, c in found]
    return pd.DataFrame(found, columns=["text", "papers", "words"])


def _row(query, gold, papers):
    known = [papers[doc_id] for doc_id in gold if doc_id in papers]
    complete = len(known) == len(gold) > 0
    forms = {"overlap": _text, "title_overlap": _title}
    overlaps = {
        name: mean_overlap(query.query, [form(doc) for doc in known]) if complete else float("nan")
        for name, form in forms.items()
    }
    source, of_it = (name for name, sets in SOURCES.items() if query.query_set in sets)
    return {
        "source": source,
        "set": of_it,
        "specificity": query.specificity,
        "words": len(query.query.split()),
        "papers": len(gold),
        **overlaps,
    }


def _described(rows, by):
    """Means by `by` and specificity, in the tables' order."""
    grouped = rows.groupby([by, "specificity"], sort=False)
    described = grouped[["words", "papers", "overlap"]].mean()
    described.insert(0, "questions", grouped.size())
    described["overlap_questions"] = grouped["overlap"].count()
    return described.reset_index().sort_values(
        [by, "specificity"],
        key=lambda column: column.map(list(SOURCES).index) if column.name == by else column,
        ignore_index=True,
    )


def _filtered(rows):
    """How many questions of the sets that were filtered exceed the limit."""
    found = []
    for name, limit in TITLE_LIMITS.items():
        overlaps = rows["title_overlap"][rows["set"] == name].dropna()
        found.append((name, limit, len(overlaps), int((overlaps > limit).sum())))
    return pd.DataFrame(found, columns=["set", "limit", "questions", "above"])

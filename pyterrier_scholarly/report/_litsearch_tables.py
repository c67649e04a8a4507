"""LitSearch's description: length of the questions, gold papers, overlap of words."""

from collections import defaultdict

import pandas as pd

#: release's name of a set -> the table's (as in the datasets' ids)
SETS = {
    "inline_acl": "inline-acl",
    "inline_nonacl": "inline-nonacl",
    "manual_acl": "author-acl2023",
    "manual_iclr": "author-iclr2024",
}


def tables(dataset):
    """Return `questions` (Table 2) and `sets` (Table 14).

    Both have a row per source (or set) and `specificity`: `questions` (their number), `words` and
    `papers` (means per question), `overlap` (mean over questions of the mean over their gold
    papers, in 0..1), `overlap_questions` (how many questions that mean is over: those whose gold
    papers are all at hand).
    """
    gold = defaultdict(list)
    for qrel in dataset.qrels_iter():
        gold[qrel.query_id].append(qrel.doc_id)
    wanted = sorted({doc_id for papers in gold.values() for doc_id in papers})
    papers = {doc.doc_id: _text(doc) for doc in dataset.docs_store().get_many_iter(wanted)}
    rows = pd.DataFrame(
        [_row(query, gold[query.query_id], papers) for query in dataset.queries_iter()]
    )
    return {"questions": _described(rows, "source"), "sets": _described(rows, "set")}


def word_overlap(question, text):
    """The share of a question's distinct words that stand in a text, case and all; in 0..1.

    As the authors' code has it: words are what stands between blanks, punctuation included.
    """
    words = set(question.split())
    return len(words & set(text.split())) / len(words)


def _text(doc):
    return f"Title: {doc.title}\nAbstract: {doc.text}"  # the authors' form


def _row(query, gold, papers):
    known = [papers[doc_id] for doc_id in gold if doc_id in papers]
    overlaps = [word_overlap(query.query, text) for text in known]
    complete = len(known) == len(gold) > 0
    return {
        "source": query.query_set.split("_")[0].replace("manual", "author"),
        "set": SETS[query.query_set],
        "specificity": query.specificity,
        "words": len(query.query.split()),
        "papers": len(gold),
        "overlap": sum(overlaps) / len(overlaps) if complete else float("nan"),
    }


def _described(rows, by):
    """Means by `by` and specificity, in the tables' order."""
    order = ["inline", "author", *SETS.values()]
    grouped = rows.groupby([by, "specificity"], sort=False)
    described = grouped[["words", "papers", "overlap"]].mean()
    described.insert(0, "questions", grouped.size())
    described["overlap_questions"] = grouped["overlap"].count()
    return described.reset_index().sort_values(
        [by, "specificity"],
        key=lambda column: column.map(order.index) if column.name == by else column,
        ignore_index=True,
    )

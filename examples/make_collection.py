"""Make a small collection from papers: questions, filter, pools, judgements, agreement, a folder.

    python examples/make_collection.py made-here --model gpt-4o-2024-05-13
    python examples/make_collection.py made-here --model any --base-url http://localhost:8000/v1

The papers are 20 of the embedded collection; the paragraphs that cite them are below. A language
model writes questions and judges. In between, people grade the questions in `made-here/review.csv`:
fill it in, and run the same command again. Replies are stored, so nothing is asked twice, even
after an interruption. `--replay` makes the collection from stored replies only, without a model.
"""

import argparse
import sys
from pathlib import Path

import pandas as pd

from pyterrier_scholarly import BM25Score, OpenAIChat, Recorded, TfIdfScore
from pyterrier_scholarly.collect import (
    agreement,
    drop_overlapping,
    judge,
    make_pools,
    question_rows,
    questions_from_citations,
    read_review,
    write_collection,
    write_review,
)
from pyterrier_scholarly.datasets import irds
from pyterrier_scholarly.text import mark_citations

SOURCE = "scholarly-mini"
PAPERS = 20
JUDGES = ("first", "second")

#: paragraphs of a related-work section; [101] is a citation of paper 101
PARAGRAPHS = [
    "What people look for in recordings of their own work has been noted down [101], and students"
    " who cannot hear a lecture have been watched following its subtitles [112].",
    "Old letters are hard to search, as their writers spelled as they liked: noise made by machine"
    " can stand for training data [110], while hand-made rules remain hard to beat [105], and the"
    " habits of a hand can even tell the year [116].",
    "Reports of the same fault pile up in trackers and support desks. Simple matching of words does"
    " well there [103], hashing makes it quick [109], and those who get the suggestions do not"
    " always follow them [106].",
    "Which works are alike can be told from the terms they share [108], or part by part [115].",
    "Filters against abuse must run close to the reader [113], be renewed all the time [120], and"
    " should not hide that people differ in what offends them [114].",
]


def papers():
    """Return the documents as a frame."""
    records = [record._asdict() for record, _ in zip(irds(SOURCE).docs_iter(), range(PAPERS))]
    fields = ["doc_id", "title", "text", "sentences", "labels"]
    return pd.DataFrame(records)[fields]


def paragraphs():
    """Return the paragraphs, with keys for citations."""
    rows = []
    for number, text in enumerate(PARAGRAPHS, 1):
        places = [at for at in range(len(text)) if text[at] == "["]
        mentions = [(at, at + 5, text[at + 1 : at + 4]) for at in places]
        marked, citations = mark_citations(text, mentions)
        rows.append({"paragraph_id": f"p{number}", "text": marked, "citations": citations})
    return pd.DataFrame(rows)


def pooled(questions, docs):
    """Return each question's candidates: the cited papers, and three from each of two systems."""
    topics = questions[["query_id", "query"]].rename(columns={"query_id": "qid"})
    every = topics.merge(docs.rename(columns={"doc_id": "docno"})[["docno", "text"]], how="cross")
    runs = {"tfidf": TfIdfScore(SOURCE)(every), "bm25": BM25Score(SOURCE)(every)}
    cited = questions[["query_id", "doc_ids"]].explode("doc_ids").set_axis(["qid", "docno"], axis=1)
    return every, make_pools(runs, 3, first=cited)


def judged(every, candidates, ask):
    """Return the judgements of candidates that both judges could judge; print the others."""
    pairs = candidates[["qid", "docno"]].merge(every, on=["qid", "docno"])
    found = {name: judge(pairs, ask(name)) for name in JUDGES}
    for name, (_, unclear) in found.items():
        print(f"{name}: {len(unclear)} for a person to judge", *unclear["reason"].unique())
    return {name: frame[["qid", "docno", "label"]] for name, (frame, _) in found.items()}


def main(arguments=None):
    """Make the collection; see the module."""
    parser = argparse.ArgumentParser(description="Make a small collection.")
    parser.add_argument("folder", type=Path, help="for the replies and the review")
    parser.add_argument("--name", default="twenty", help="of the collection (default: twenty)")
    parser.add_argument("--model", required=True)
    parser.add_argument("--base-url", help="of the endpoint (default: OpenAI's)")
    parser.add_argument("--replay", action="store_true", help="use stored replies only")
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)

    def ask(role):
        client = OpenAIChat(options.model, options.base_url, options={"user": role})
        replies = str(options.folder / "replies")
        return Recorded(client, replies, mode="replay" if options.replay else "record")

    docs, review = papers(), options.folder / "review.csv"
    asked = questions_from_citations(paragraphs(), docs, ask("questions"))
    for fault in asked.faults.itertuples():
        print(f"{fault.paragraph_id}: {fault.fault}")
    questions = drop_overlapping(asked.frame, docs, limit=0.3)
    if not review.exists():
        write_review(questions, docs, review)
        sys.exit(f"{len(questions)} questions are in {review}: fill it in, then run this again")
    questions = read_review(review, questions)
    every, candidates = pooled(questions, docs)
    annotators = judged(every, candidates, ask)
    rows = [frame.assign(annotator=name) for name, frame in annotators.items()]
    print(agreement(pd.concat(rows).rename(columns={"label": "rating"}), scale=(0, 1, 2)))
    both = annotators["first"].merge(annotators["second"], on=["qid", "docno"])
    labels = both[["label_x", "label_y"]].min(axis=1)  # the lower of both grades
    path = write_collection(
        options.name,
        docs,
        question_rows(questions)["queries"],
        candidates,
        both[["qid", "docno"]].assign(label=labels),
        annotators=annotators,
        description="Questions about 20 papers, judged by a language model, to show how it is made",
        licence="MIT",
        definitions={0: "disagree", 1: "dispute or agree", 2: "concur"},
        overwrite=True,
    )
    print(f"made/{options.name} is in {path}")


if __name__ == "__main__":
    main()

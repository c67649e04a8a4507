"""Questions in a table that people fill in: how good, and how specific [Ajith2024, Table 1]."""

import csv
from io import StringIO
from pathlib import Path

import pandas as pd

from ir_datasets_ext._files import temporary

from .. import frames

#: LitSearch's rubric: of a question, by its grade
QUALITY = {
    "0": "discarded: wrong, unrealistic, too broad or too specific, or too easy",
    "1": "acceptable: somewhat unlike what researchers ask, or rather easy by its words",
    "2": "good: challenging and meaningful",
}
#: how many papers at most may fit it
SPECIFICITY = {"0": "broad", "1": "specific"}
SHOWN = ["query_id", "query", "titles"]
FILLED = ["quality", "specificity", "rewritten"]
GRADES = FILLED[:2]
COLUMNS = [*SHOWN, *FILLED]


def write_review(questions, papers, path):
    """Write questions to a CSV file for people to fill in: `quality`, `specificity`, `rewritten`.

    LitSearch's rubric: quality 0 (discarded), 1 (acceptable), 2 (good); specificity 0 (broad: no
    more than 20 papers of the collection fit), 1 (specific: no more than 5; a question that more
    than 20 fit is of quality 0). A minor mistake is put right in `rewritten`, a whole question.

    Args:
        questions: a frame with `query_id`, `query`, `doc_ids` (a list).
        papers: a frame with `doc_id` and `title`, which are shown beside the question.
        path: of the new file: UTF-8, with commas, as spreadsheets read and write it.

    Returns:
        Path of the file.

    Raises:
        FileExistsError: something is there: what people have filled in is never written over.
        ValueError: a question twice, without text, or with an id that is no text.
    """
    frames.require(questions, "write_review", ["query_id", "query", "doc_ids"])
    frames.no_duplicates(questions, ["query_id"])
    for column in ("query_id", "query"):  # a file has no numbers: those of ids would not come back
        frames.texts_only(questions, column, by="query_id")
    titles = dict(zip(papers["doc_id"], papers["title"]))
    rows = zip(questions["query_id"], questions["query"], questions["doc_ids"])
    path = Path(path)
    if path.exists():
        raise FileExistsError(f"{path} exists: move it away, or give another path.")
    with temporary(path) as part:
        with open(part, "w", encoding="utf-8-sig", newline="") as file:
            table = csv.writer(file)
            table.writerow(COLUMNS)
            for query_id, query, doc_ids in rows:
                shown = "; ".join(str(titles.get(doc_id, doc_id)) for doc_id in doc_ids)
                table.writerow([query_id, query, shown, "", "", ""])
        part.replace(path)
    return path


def read_review(path, questions):
    """The questions that people let pass, from the file of `write_review` when it is filled in.

    Args:
        path: of the file; its rows may be in any order, its columns too, others may be added.
        questions: the frame that was written.

    Returns:
        The questions of quality 1 and 2, in their order: all columns, `query` as rewritten, and
        `quality` (int) and `specificity` (``"broad"`` or ``"specific"``).

    Raises:
        ValueError: a column is missing, a question is missing, unknown or there twice, its text was
            changed in place, a grade is empty or none of the rubric's; names the lines. A
            file that is no longer UTF-8.
    """
    filled = _read(Path(path), questions)
    kept = questions["query_id"].map(lambda query_id: filled[query_id]["quality"] != "0")
    out = questions[kept.astype(bool)].reset_index(drop=True)
    rows = [filled[query_id] for query_id in out["query_id"]]
    return out.assign(
        query=[row["rewritten"] or query for row, query in zip(rows, out["query"])],
        quality=pd.Series([int(row["quality"]) for row in rows], dtype="int64"),
        specificity=pd.Series([SPECIFICITY[row["specificity"]] for row in rows], dtype=object),
    )


def _read(path, questions) -> dict:
    """The rows of a file by `query_id`, checked."""
    frames.no_duplicates(questions, ["query_id"])
    asked = dict(zip(questions["query_id"], questions["query"]))
    found, faults = {}, []
    table = csv.DictReader(StringIO(_text(path), newline=""))
    missing = [name for name in [*SHOWN[:2], *FILLED] if name not in (table.fieldnames or [])]
    if missing:
        raise ValueError(
            f"{path} has no column {', '.join(missing)}: expected {', '.join(COLUMNS)}, "
            f"separated by commas; its first line is {','.join(table.fieldnames or [])!r:.200}."
        )
    for row in table:
        row = {name: (value or "").strip() for name, value in row.items() if name in COLUMNS}
        for name in GRADES:
            row[name] = row[name].removesuffix(".0")  # a table with gaps, saved as numbers
        fault = _fault(row, asked, found)
        if fault:
            faults.append(f"line {table.line_num}: {fault}")
        found[row["query_id"]] = row
    without = [str(query_id) for query_id in asked if query_id not in found]
    if without:
        faults.append(f"no row for {frames.some(without)}")
    if faults:
        raise ValueError(f"{path} is not filled in as expected; {frames.some(faults)}.")
    return found


def _text(path) -> str:
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            return file.read()
    except UnicodeDecodeError:
        raise ValueError(f'{path} is no longer UTF-8: save it as "CSV UTF-8".') from None


def _fault(row, asked, found) -> str:
    """What is wrong with a row, or ""."""
    query_id = row["query_id"]
    if query_id not in asked or query_id in found:
        return f"{query_id!r} is {'there twice' if query_id in found else 'no question of these'}"
    if row["query"].split() != asked[query_id].split():
        return f"the question of {query_id!r} was changed: put the new one into 'rewritten'"
    if row["quality"] not in QUALITY:
        return f"quality {row['quality']!r}, expected one of {', '.join(QUALITY)}"
    optional = {""} if row["quality"] == "0" else set()
    if row["specificity"] not in {*SPECIFICITY, *optional}:
        return f"specificity {row['specificity']!r}, expected one of {', '.join(SPECIFICITY)}"
    return ""


def question_rows(questions):
    """What `write_collection` takes of questions: queries, judgements, and a part by specificity.

    ``write_collection(name, docs, **question_rows(questions), description=…, licence=…)``

    Args:
        questions: a frame with `query_id`, `query`, `doc_ids` (a list), as `read_review` gives it;
            other columns of texts and numbers become fields of the queries.

    Returns:
        Dict of `queries` and `qrels` (relevance 1 for each of a question's papers) and, where there
        is a column `specificity`, `parts`: the same for ``broad`` and ``specific`` questions.

    Raises:
        ValueError: a question twice, without text, or without papers.
    """
    frames.require(questions, "question_rows", ["query_id", "query", "doc_ids"])
    frames.no_duplicates(questions, ["query_id"])
    frames.texts_only(questions, "query", by="query_id")
    frames.sentences_only(questions, "doc_ids", by="query_id")
    rows = _tables(questions)
    if "specificity" not in questions.columns:
        return rows
    parts = questions.groupby("specificity", sort=True)
    return {**rows, "parts": {name: _tables(own) for name, own in parts}}


def _tables(questions):
    queries = questions.drop(columns="doc_ids").reset_index(drop=True)
    pairs = questions[["query_id", "doc_ids"]].explode("doc_ids", ignore_index=True)
    qrels = pairs.rename(columns={"doc_ids": "doc_id"}).drop_duplicates(ignore_index=True)
    return {"queries": queries, "qrels": qrels.assign(relevance=1)}

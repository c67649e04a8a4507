"""Systems' first results in a table where a reader says what went wrong [Mysore2021, 6]."""

import pandas as pd

from .. import datasets, frames
from ..protocols import ERROR_TYPES
from .sheets import Sheet

SHOWN = ("rank", "label", "facet", "query", "title", "text")
ERRORS = Sheet(
    keys=("name", "qid", "docno"),
    shown=SHOWN,
    filled={"error": ERROR_TYPES, "note": None},
    instructions=(
        "The first results of systems, and relevant papers that they miss, with their grades.",
        "Where a system is wrong, write the type of its error into 'error'; else leave it empty.",
        "Types from Mysore et al. 2021, CSFCube, section 6; examples are in its appendix G.",
    ),
)


def error_rows(runs, dataset, k=10, missed=0, relevant=2):
    """Collect what a reader of rankings looks at: the first results of each system and query.

    Args:
        runs: dict from a system's name to its results (`qid`, `docno`, `score`).
        dataset: an id or dataset whose queries, documents and judgements they are of.
        k: how many results of each query.
        missed: how many documents of grade `relevant` or more that the system ranks lower are
            listed too, the best grade first: the paper's false negatives.
        relevant: the lowest grade of a relevant document.

    Returns:
        Frame `name` (the system), `qid`, `docno`, `rank` (from 0), `label` (the grade as text, ""
        without one), `facet` ("" without), `query`, `title`, `text`.

    Raises:
        ValueError: a document or query that the dataset does not have.
    """
    found = datasets.irds(dataset)
    queries = {query.query_id: query for query in found.queries_iter()}
    grades = {(row.query_id, row.doc_id): row.relevance for row in found.qrels_iter()}
    rows = []
    for name, run in runs.items():
        for qid, ranked in frames.best_first(run).groupby("qid", sort=False):
            if qid not in queries:
                raise ValueError(f"{name} ranks for query {qid!r}, which {dataset} does not have.")
            found_docs = list(enumerate(ranked["docno"]))
            lower = [(grades.get((qid, doc), 0), rank, doc) for rank, doc in found_docs[k:]]
            misses = sorted((one for one in lower if one[0] >= relevant), key=lambda one: -one[0])
            taken = found_docs[:k] + [one[1:] for one in misses[:missed]]
            rows += [(name, qid, doc, rank, grades.get((qid, doc), "")) for rank, doc in taken]
    table = pd.DataFrame(rows, columns=[*ERRORS.keys, "rank", "label"])
    papers = datasets.documents(found, table["docno"])
    asked, docs = table["qid"].map(queries), table["docno"].map(papers)
    return table.assign(
        label=table["label"].map(str),
        facet=[getattr(query, "facet", "") for query in asked],
        query=[query.default_text() for query in asked],
        title=[getattr(doc, "title", "") for doc in docs],
        text=[datasets.text(doc) for doc in docs],
    )


def write_errors(rows, path):
    """Write the rows of `error_rows` to a CSV file, for a reader to fill in `error`.

    Raises:
        FileExistsError, ValueError: see `Sheet.write`.
    """
    return ERRORS.write(rows, path)


def read_errors(path, rows):
    """Read a file of `write_errors`: the frame `rows` with `error` ("" for none) and `note`.

    Raises:
        ValueError: see `Sheet.read`; an error that is none of `ERROR_TYPES`.
    """
    filled = ERRORS.read(path, rows, lambda row: ("error",))
    return rows.reset_index(drop=True).join(filled[["error", "note"]])


def error_counts(tagged):
    """Count the types of error per system and facet.

    Args:
        tagged: the frame of `read_errors`.

    Returns:
        Frame `name`, `facet`, `rows` (how many were looked at), and a column for each of
        `ERROR_TYPES`.
    """
    groups = tagged.groupby(["name", "facet"], sort=False)["error"]
    return pd.DataFrame(
        [
            {"name": name, "facet": facet, "rows": len(errors)}
            | {kind: int((errors == kind).sum()) for kind in ERROR_TYPES}
            for (name, facet), errors in groups
        ],
        columns=["name", "facet", "rows", *ERROR_TYPES],
    )

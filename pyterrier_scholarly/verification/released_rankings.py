"""The rankings that authors released, with where their files are.

::

    find_released(PrintedRow("litsearch", "3", "GritLM-7B")).about  # where it is from
"""

from typing import NamedTuple

from .rows import PrintedRow


class ReleasedRanking(NamedTuple):
    """A ranking that authors released, for printed rows of one name.

    collection: whose rows they are.
    tables: numbers of the tables with this row.
    row: its name, as printed.
    folder: where its files are looked for, below the collection's folder of ir_datasets.
    patterns: of the files' names.
    about: where it is from, for readers.
    dataset: id of the dataset whose queries it answers.
    known: dict from (table, column) to the reason of a known difference.
    code_key: its name in the file of figures by the authors' code (`ranking_check.CODE_FIGURES`);
        "" if it is not there.
    """

    collection: str
    tables: tuple[str, ...]
    row: str
    folder: str
    patterns: tuple[str, ...]
    about: str
    dataset: str
    known: dict[tuple[str, str], str] = {}
    code_key: str = ""


def _describe_doris_mae_ranking(table: str, row: str, system: str, unit: str) -> ReleasedRanking:
    """Return a ranking of DORIS-MAE's codebase, in its own form or as JSON by query.

    Args:
        table, row: as printed.
        system: its name in the codebase.
        unit: of abstracts there, "paragraph" or "sentence".
    """
    query_unit = "sentence" if unit == "sentence" else "paragraph"
    key = f"{system}.abstract-{unit}.query-{query_unit}"
    pickled = f"ranking_{system}_abstract-{unit}_query-{query_unit}_*.pickle"
    return ReleasedRanking(
        collection="doris-mae",
        tables=(table,),
        row=row,
        folder="rankings",
        patterns=(f"{key}.json", pickled),
        about=f"{pickled.replace('_*', '_…')} of the authors' codebase (folder query)",
        dataset="doris-mae/dev",
        code_key=key,
    )


#: every known released ranking
RELEASED = (
    ReleasedRanking(
        collection="csfcube",
        tables=("",),
        row="SPECTER",
        folder="sample_ranked_pools",
        patterns=("test-pid2pool-csfcube-specter-*-ranked.json",),
        about="the release's folder sample_ranked_pools",
        dataset="csfcube",
    ),
    ReleasedRanking(
        collection="litsearch",
        tables=("3", "4", "6", "7", "8"),
        row="GritLM-7B",
        folder="runs",
        patterns=("gritlm-7b.title_abstract.trec*",),
        about="GritLM-7B's released run: title and abstract, 200 papers per question",
        dataset="litsearch",
        known={("8", "broad nDCG@10"): "its ranks cut at nine give 44.1; one cell cannot tell"},
    ),
    _describe_doris_mae_ranking("11", "BM25", "bm25", "paragraph"),
    _describe_doris_mae_ranking("11", "ColBERT-v2", "colbertv2", "paragraph"),
    _describe_doris_mae_ranking("11", "E5-L-v2", "e5", "paragraph"),
    _describe_doris_mae_ranking("12", "SentBERT", "sentbert", "sentence"),
    _describe_doris_mae_ranking("11", "SPECTER", "specter", "paragraph"),
    _describe_doris_mae_ranking("11", "TF-IDF", "tfidf", "paragraph"),
    _describe_doris_mae_ranking("12", "TSAspire", "ts_aspire", "paragraph"),
)


def find_released(row: PrintedRow) -> ReleasedRanking | None:
    """Return the released ranking of a printed row; None if none is known."""
    for ranking in RELEASED:
        is_of_row = (ranking.collection, ranking.row) == (row.collection, row.name)
        if is_of_row and row.table in ranking.tables:
            return ranking
    return None

"""What has to be said about a table, so that nobody takes it for more than it is."""

from .columns import SHAPES

#: rows of `systems` that were found on CSFCube itself
IN_SAMPLE = ("one_encoding", "six_parts")
#: (collection, table) -> what is known of its printed figures
KNOWN = {
    ("litsearch", "4"): "The paper's heading says specific; its figures are over the broad and the "
    "specific questions of a quality: GritLM-7B's released run gives its row over these.",
    ("litsearch", "5"): "The paper's rows on titles and abstracts are table 3's.",
    (
        "litsearch",
        "7",
    ): "The rows of BM25 and GritLM-7B are table 3's, over all specific questions; "
    "those of search engines, over 80 of them and other papers, are in published('litsearch').",
    ("litsearch", "8"): "nDCG is the released code's, by the sum of 1/rank, over an ideal of all "
    "relevant papers. GritLM-7B's released run has 44.2 over broad questions at 10, as the heading "
    "says, and the printed 44.1 at 9: one cell cannot decide.",
    ("csfcube", ""): "The rows of the paper's own tables are not public data here: printed rows "
    "are those of the collection's script and of later papers, in the columns that they report. "
    "R-Precision is the script's: precision at the rank of the last relevant paper.",
}


def remarks(shape, documents, own, unanswered, baseline, keys, resamples) -> tuple[str, ...]:
    """Sentences for below the table, the weightiest first.

    documents: how many are here and how many the release has; None where nothing was ranked.
    unanswered: names of systems whose results answer not all of the queries.
    """
    said = (
        _fewer(own),
        _missing(documents),
        _unanswered(unanswered),
        _in_sample(shape, keys),
        KNOWN.get((shape.collection, shape.number)),
        _measured(shape, resamples),
        _tested(own, baseline),
        _sources(shape),
    )
    return tuple(filter(None, said))


def _fewer(own):
    if (own["queries"] >= own["of"]).all():
        return None
    return (
        "Rows over fewer queries than the papers' (their numbers stand above them) compare with "
        "one another, not with the printed rows."
    )


def _missing(documents):
    if documents is None or documents[0] >= documents[1]:
        return None
    here, released = documents
    return (
        f"Of the release's {released:,} documents {here:,} are here, so this run's systems rank "
        "fewer candidates than the papers' did, for the queries that these can answer."
    )


def _unanswered(names):
    if not len(names):
        return None
    return f"No figure where results do not answer all of a column's queries: {', '.join(names)}."


def _in_sample(shape, keys):
    used = [key for key in IN_SAMPLE if key in set(keys)]
    if shape.collection != "csfcube" or not used:
        return None
    return (
        f"{' and '.join(used)}: nothing is trained, but the family of variants was found while "
        "both folds were seen, so these are figures of fixed settings, not of blind ones; chosen "
        "on dev alone, such combinations reached 65 to 66.5 NDCG%20 on all with all-MiniLM-L6-v2."
    )


def _measured(shape, resamples):
    folds = any(len(column.parts) > 1 for column in shape.columns)
    mean = "Figures are the mean of the two test folds' means. " if folds else ""
    return (
        f"{mean}± is the standard deviation, and intervals the middle 95 %, of the means of "
        f"{resamples:,} bootstrap samples of the queries; percent."
    )


def _tested(own, baseline):
    if own["name"].nunique() < 2:
        return None
    return (
        f"† differs from {baseline}: two-sided paired t-test over the queries of both, p < 0.05, "
        "not corrected for the number of comparisons."
    )


def _sources(shape):
    sources = "; ".join(shape.printed["source"].unique())
    borrowed = "No figures are printed for this collection." if shape.collection in SHAPES else ""
    return f"Printed rows: {sources}." if sources else borrowed or None

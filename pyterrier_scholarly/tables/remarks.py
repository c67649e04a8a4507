"""What has to be said about a table, so that nobody takes it for more than it is."""


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
        shape.protocol.remarks.get(shape.number),
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
    no_figure = "No figure where results do not answer all of a column's queries"
    return f"{no_figure}: {', '.join(names)}." if len(names) else None


def _in_sample(shape, keys):
    used = [key for key in shape.protocol.in_sample if key in set(keys)]
    return f"{' and '.join(used)}: {shape.protocol.in_sample[used[0]]}" if used else None


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
    return f"Printed rows: {sources}." if sources else None

"""What was downloaded after what, counted on an engine.

    documents = engine.keep(number_documents(rows))
    successions = engine.keep(count_successions(rows, documents, Choices()))
    pairs = list_pairs(successions)

Documents are numbered; a pair is two numbers, `first` and `second`.
"""

from .instants import SECOND
from .log_engine import ibis
from .mining_choices import Choices
from .mining_codes import Outcome, Reason

NO_DOCUMENT = -1  # in place of a document's number


def number_documents(rows: ibis.Table) -> ibis.Table:
    """Return a table of the kept rows' documents: `doc`, its text `doc_id`, and `number`.

    Numbers follow the order of the texts, so that engines agree on it.
    """
    kept = rows.filter(rows.reason == Reason.KEPT.value)
    documents = kept.select("doc").distinct()
    documents = documents.mutate(doc_id=documents.doc.cast("string"))

    number = ibis.row_number().over(order_by=documents.doc_id)
    return documents.mutate(number=number.cast("int32"))


def count_successions(rows: ibis.Table, documents: ibis.Table, choices: Choices) -> ibis.Table:
    """Count what followed what: a table of `outcome`, `first`, `second` and `count`.

    A user's rows are sorted by time, then by document. The `outcome` of a row is a code: LAST if
    none follows, LATE if the next is `longest` seconds away or more, SOON if `shortest` or less,
    SAME if it has the same document, else PAIR. `first` and `second` are the numbers of the
    documents of a PAIR, otherwise NO_DOCUMENT.
    """
    kept = rows.filter(rows.reason == Reason.KEPT.value)
    downloads = kept.join(documents, "doc").select("user", "time", "number")

    rows_of_user = ibis.window(group_by=downloads.user, order_by=[downloads.time, downloads.number])
    next_time = downloads.time.lead().over(rows_of_user)
    next_number = downloads.number.lead().over(rows_of_user)
    followed = downloads.select(first="number", second=next_number, gap=next_time - downloads.time)

    longest_gap = round(choices.longest * SECOND)
    shortest_gap = round(choices.shortest * SECOND)
    outcome = ibis.cases(
        (followed.gap.isnull(), Outcome.LAST.value),
        (followed.gap >= longest_gap, Outcome.LATE.value),
        (followed.gap <= shortest_gap, Outcome.SOON.value),
        (followed.first == followed.second, Outcome.SAME.value),
        else_=Outcome.PAIR.value,
    )
    is_pair = outcome == Outcome.PAIR.value
    successions = followed.select(
        outcome=outcome.cast("int8"),
        first=ibis.ifelse(is_pair, followed.first, NO_DOCUMENT),
        second=ibis.ifelse(is_pair, followed.second, NO_DOCUMENT),
    )
    groups = successions.group_by("outcome", "first", "second")
    return groups.agg(count=successions.count())


def list_pairs(successions: ibis.Table) -> ibis.Table:
    """Return a table of the consecutive pairs: `first`, `second` and `count`."""
    pairs = successions.filter(successions.outcome == Outcome.PAIR.value)
    return pairs.select("first", "second", "count")


def list_paired_documents(pairs: ibis.Table, documents: ibis.Table) -> ibis.Table:
    """Return a table of the documents in pairs: `number` and `doc_id`."""
    first_numbers = pairs.select(number="first")
    second_numbers = pairs.select(number="second")
    numbers = first_numbers.union(second_numbers, distinct=True)
    return numbers.join(documents, "number").select("number", "doc_id")


def swap_pairs(pairs: ibis.Table) -> ibis.Table:
    """Return a table of the pairs in the other order: `first` and `second`."""
    return pairs.select(first="second", second="first")


def add_ids(pairs: ibis.Table, documents: ibis.Table) -> ibis.Table:
    """Add the ids of `first` and `second`: `doc_id_a` and `doc_id_b`.

    documents: table of `number` and `doc_id`.
    """
    pairs = pairs.join(documents.select(doc_id_a="doc_id", first="number"), "first")
    return pairs.join(documents.select(doc_id_b="doc_id", second="number"), "second")

"""What was downloaded after what: consecutive downloads of the same user, counted."""

from .reasons import KEPT, LAST, PAIR, SAME, TOO_LATE, TOO_SOON
from .times import SECOND


def numbered(rows):
    """Table of the documents that kept rows have: `doc`, its text `doc_id`, and `number`.

    Numbers follow the order of the texts, so that they order documents alike on every engine.
    """
    import ibis

    found = rows.filter(rows.reason == KEPT).select("doc").distinct()
    found = found.mutate(doc_id=found.doc.cast("string"))
    number = ibis.row_number().over(ibis.window(order_by=found.doc_id))
    return found.mutate(number=number.cast("int32"))


def counted(rows, documents, shortest, longest):
    """Table of how often what followed what: `outcome`, `first`, `second` and `count`.

    A user's rows are taken in the order of time, and of documents at the same time. The outcome of
    a row (a code of `reasons`) is LAST where none follows, TOO_LATE where the next is
    `longest` seconds away or more, TOO_SOON where it is `shortest` or less, SAME where it has the
    same document, else PAIR. `first` and `second` are the numbers of the documents of a PAIR,
    otherwise -1.
    """
    import ibis

    kept = rows.filter(rows.reason == KEPT)
    kept = kept.join(documents, "doc").select("user", "time", "number")
    own = ibis.window(group_by=kept.user, order_by=[kept.time, kept.number])
    after = kept.select(
        first="number",
        second=kept.number.lead().over(own),
        gap=kept.time.lead().over(own) - kept.time,
    )
    outcome = ibis.cases(
        (after.gap.isnull(), LAST),
        (after.gap >= _whole(longest), TOO_LATE),
        (after.gap <= _whole(shortest), TOO_SOON),
        (after.first == after.second, SAME),
        else_=PAIR,
    )
    pair = outcome == PAIR
    after = after.select(
        outcome=outcome.cast("int8"),
        first=ibis.ifelse(pair, after.first, -1),
        second=ibis.ifelse(pair, after.second, -1),
    )
    return after.group_by("outcome", "first", "second").agg(count=after.count())


def _whole(seconds):
    return round(seconds * SECOND)

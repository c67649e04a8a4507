"""One query's candidates, window by window."""

from ..chat import Unanswered
from ..ordering.permutation import is_order, read_order
from ..ordering.windows import shrinking, spans


def reranked(label, asking, prompt, rows) -> list:
    """The candidates' positions (0…n-1) in their new order.

    Args:
        label: what the query is called where it is not answered.
        asking: an `Asking`, which counts.
        prompt: a `ListwisePrompt`.
        rows: a frame of the query's candidates, best first.
    """
    texts = [prompt.text_of(candidate) for candidate in rows.to_dict("records")]
    query, order = rows["query"].iloc[0], list(range(len(rows)))
    failed = False
    try:
        for start, end in spans(len(rows), prompt.window, prompt.stride):
            part = order[start:end]
            new = _ranked(asking, prompt, query, part, texts)
            failed |= new is None
            order[start:end] = new or part
    except Unanswered as error:
        asking.keep(label, error)
        failed, order = True, list(range(len(rows)))
    asking.count(failed=int(failed))
    return order


def _ranked(asking, prompt, query, part, texts):
    """`part` in its new order; None if no window of it, however short, is ranked."""
    for tried, size in enumerate(shrinking(len(part))):
        shown = [texts[position] for position in part[:size]]
        options = {"temperature": prompt.temperature, "max_tokens": prompt.max_tokens}
        reply = asking(prompt.messages(query, shown), **options)
        asking.count(**{_kind(reply, size): 1}, shrunk=int(tried == 1))
        if reply.content is not None:
            return [part[i] for i in read_order(reply.content, size)] + part[size:]
    return part if len(part) < 2 else None


def _kind(reply, size):
    """What the reply counts as."""
    if reply.refusal:
        return "refused"
    if not (reply.content or "").strip():
        return "empty"
    return "parsed" if is_order(reply.content, size) else "unclear"

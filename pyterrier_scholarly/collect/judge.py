"""Judgements by a language model: whether an abstract meets an aspect [Wang2023, 4]."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import pandas as pd

from .. import frames, protocols
from ..arguments import Count, check_arguments
from ..chat import Asking
from ..chat.chat_requests import Prices
from .reply_parsers import PARSERS

NEW = ["label", "verdict", *PARSERS, "content", "reason"]


class Judgements(NamedTuple):
    """Hold a model's judgements of pairs.

    frame: a row per pair with a verdict: `qid`, `docno`, `label` (int, the grade), `verdict`, the
        reading of each parser (`released`, `last`: a verdict or None), `content` (the reply), and
        all columns of the pair except its texts.
    unclear: a row per pair without a verdict: all columns of the pair, the reading of each parser,
        `content` (None without a reply) and `reason`. A person should add a label.
    """

    frame: pd.DataFrame
    unclear: pd.DataFrame

    def __repr__(self) -> str:
        return frames.fit_screen(self)


@check_arguments
def judge(
    pairs: pd.DataFrame,
    client: object,
    preset: str | protocols.JudgingPrompt = "anno-gpt",
    parser: Literal["released", "last"] = "released",
    workers: Count = 8,
    prices: Prices = None,
    verbose: bool = True,
) -> Judgements:
    """Grade pairs of an aspect and an abstract by a language model, as DORIS-MAE did.

    The model is asked once for each pair. A reply without a verdict gets no grade.
    ``parser="released"`` is the rule of the authors' code, which gives their figures: exactly one
    label may occur. It reads "it would be wrong to DISAGREE, so: AGREE" as DISAGREE; ``"last"``
    reads AGREE. Both readings are returned, and the line to stderr counts where they differ.

    Args:
        pairs: frame of `qid`, `query` (the aspect), `docno`, `text` (the abstract). Other columns
            are kept.
        client: an ``OpenAIChat(model)``, in a ``Recorded`` so that nothing is asked twice; or
            anything that `FunctionChat` takes.
        preset: ``"anno-gpt"``, or your own `JudgingPrompt`.
        parser: ``"released"`` or ``"last"``.
        workers: number of pairs that are asked in parallel.
        prices: of a million tokens (in, out), for the cost in the printed line.
        verbose: show progress.

    Returns:
        `Judgements`, each frame in the order of `pairs`.

    Raises:
        pt.validate.InputValidationError: a missing column, or one with the name of a new column.
        ValueError: a duplicate pair, an empty aspect or abstract, an unknown preset or parser.
        Exception: an error that ends the client's run; ConnectionError if nothing is answered.
    """
    prompt = protocols.preset("preset", preset, protocols.JUDGING)
    pairs = frames.check(
        pairs,
        "judge",
        ["qid", "query", "docno", "text"],
        without=NEW,
        remedy=f"The columns {', '.join(NEW)} are added: rename or drop yours of these names.",
    )
    frames.check_texts(pairs, "text", by="docno")
    asking = Asking(client, prices)
    labelled = [
        (f"Pair {row['qid']!r} {row['docno']!r}", (asking, prompt, row, parser))
        for row in pairs.to_dict("records")
    ]
    readings = asking.all(
        _judged,
        labelled,
        workers,
        "judge",
        counted=("judged", "unclear", "refused", "failed", "differ"),
        verbose=verbose,
    )
    # of objects, so that None stays None
    rows = pairs.reset_index(drop=True).join(pd.DataFrame(readings, columns=NEW, dtype=object))
    unclear = rows["reason"].notna()
    judged = rows[~unclear].drop(columns=["query", "text", "reason"])
    return Judgements(
        judged.astype({"label": int}).reset_index(drop=True),
        rows[unclear].drop(columns=["label", "verdict"]).reset_index(drop=True),
    )


def _judged(
    asking: Asking, prompt: protocols.JudgingPrompt, row: Mapping[str, str], parser: str
) -> dict[str, object]:
    """Ask about one pair; return the values of NEW (`reason`: why there is no label)."""
    reply, missing = asking.told(
        f"pair {row['qid']!r} {row['docno']!r}", prompt, row["query"], row["text"]
    )
    if reply is None or reply.content is None:
        return {**dict.fromkeys(NEW), "reason": missing}
    readings = {name: parse(reply.content, prompt.grades) for name, parse in PARSERS.items()}
    verdict, reason = readings[parser], None
    differ = int(len(set(readings.values())) > 1)
    asking.count(differ=differ, **{"judged" if verdict else "unclear": 1})
    if verdict is None:
        several = ", ".join(one for one in prompt.grades if one in reply.content)
        cut_off = "; the reply was cut off" if reply.finish_reason == "length" else ""
        reason = (f"several labels: {several}" if several else "no label") + cut_off
    return {
        "label": prompt.grades.get(verdict or ""),
        "verdict": verdict,
        **readings,
        "content": reply.content,
        "reason": reason,
    }

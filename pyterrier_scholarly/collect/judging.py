"""Judgements by a language model: whether an abstract meets an aspect [Wang2023, 4]."""

from typing import NamedTuple

import pandas as pd

from .. import frames, protocols
from ..chat import Asking
from .replies import PARSERS

NAME = "judge"
PAIR = ["qid", "query", "docno", "text"]
READ = ["label", "verdict", *PARSERS, "content"]


class Judgements(NamedTuple):
    """What a model said of pairs.

    frame: a row per pair with a verdict: `qid`, `docno`, `label` (int, the grade), `verdict`, what
        each parser reads (`released`, `last`: a verdict or None), `content` (the reply), and all
        columns of the pair but its texts.
    unclear: a row per pair without one: all columns of the pair, what each parser reads, `content`
        (None where there is no reply) and `reason`. They have no label: a person is to give it.
    """

    frame: pd.DataFrame
    unclear: pd.DataFrame


def judge(
    pairs, client, preset="anno-gpt", parser="released", workers=8, prices=None, verbose=False
):
    """Let a language model grade pairs of an aspect and an abstract, as DORIS-MAE was annotated.

    The model is asked once for each pair, and its verdict read out of the reply; a reply without a
    verdict is never scored. ``parser="released"`` is the rule of the authors' code (exactly one
    label may occur; `replies.released`), with which their figures come out. It takes "it would be
    wrong to DISAGREE, so: AGREE" for DISAGREE; ``"last"`` goes by the label that ends last. What
    the other parser reads stands beside, and the line to stderr counts where they differ.

    Args:
        pairs: frame of `qid`, `query` (the aspect), `docno`, `text` (the abstract); other columns
            stay with the judgements.
        client: an ``OpenAIChat(model)``, in a ``Recorded`` so that nothing is asked twice; or what
            `FunctionChat` takes.
        preset: ``"anno-gpt"``, or a `JudgingPrompt` of your own.
        parser: ``"released"`` or ``"last"``.
        workers: how many pairs are asked about at once.
        prices: of a million tokens (in, out), for the cost in the line that is printed.
        verbose: show progress.

    Returns:
        `Judgements`, each in the order of `pairs`.

    Raises:
        pt.validate.InputValidationError: a column is missing, or is called as one that is added.
        ValueError: a pair twice, an aspect or abstract without text, an unknown preset or parser.
        Exception: what ends the client's run, and ConnectionError when nothing is answered.
    """
    prompt = protocols.preset("preset", preset, protocols.JUDGING)
    if parser not in PARSERS:
        raise ValueError(f"parser={parser!r}: choose one of {', '.join(PARSERS)}.")
    added = [*READ, "reason"]
    remedy = f"The columns {', '.join(added)} are added: rename or drop yours of these names."
    pairs = frames.check(pairs, NAME, PAIR, without=added, remedy=remedy)
    frames.texts_only(pairs, "text", by="docno")
    asking = Asking(client, prices)
    rows = pairs.to_dict("records")
    labelled = [
        (f"Pair {row['qid']!r} {row['docno']!r}", (asking, prompt, row, parser)) for row in rows
    ]
    counted = "judged", "unclear", "refused", "failed", "differ"
    read = asking.all(_judged, labelled, workers, NAME, counted, verbose)
    told = pd.DataFrame(read, columns=added, dtype=object)  # None stays None
    whole = pairs.reset_index(drop=True).join(told)
    unclear = whole["reason"].notna()
    judged = whole[~unclear].drop(columns=["query", "text", "reason"])
    return Judgements(
        judged.astype({"label": int}).reset_index(drop=True),
        whole[unclear].drop(columns=["label", "verdict"]).reset_index(drop=True),
    )


def _judged(asking, prompt, row, parser):
    """The values of READ, and why there is no label."""
    nothing, label = dict.fromkeys(READ), f"pair {row['qid']!r} {row['docno']!r}"
    reply, missing = asking.told(label, prompt, row["query"], row["text"])
    if missing:
        return {**nothing, "reason": missing}
    found = {name: parse(reply.content, prompt.grades) for name, parse in PARSERS.items()}
    verdict = found[parser]
    kind = "judged" if verdict else "unclear"
    asking.count(differ=int(len(set(found.values())) > 1), **{kind: 1})
    told = {**nothing, **found, "verdict": verdict, "content": reply.content}
    if verdict is None:
        return {**told, "reason": _why(reply, prompt.grades)}
    return {**told, "label": prompt.grades[verdict], "reason": None}


def _why(reply, labels):
    named = [label for label in labels if label in reply.content]
    said = f"several labels: {', '.join(named)}" if named else "no label"
    return f"{said}; the reply was cut off" if reply.finish_reason == "length" else said

"""Judgements by a language model: whether an abstract meets an aspect [Wang2023, 4].

A label counts wherever it stands in capitals, also inside a longer word (``DISAGREES``). If one
label ends with another (DISAGREE, AGREE), the longer one is not counted as the shorter.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import pandas as pd

from .. import frames, protocols
from ..chat import Asking
from ..datasets import irds

Preset = str | protocols.JudgingPrompt


def released(reply: str, labels: Iterable[str]) -> str | None:
    """Read the only label in the reply, as DORIS-MAE's released code does; None if none or several.

    A label that is part of another one counts only if the other does not occur. So a reply that
    weighs DISAGREE and ends on AGREE is read as DISAGREE, without a warning: see `last`.
    """
    present = [label for label in labels if label in reply]
    whole = [one for one in present if not any(one in other for other in present if other != one)]
    return whole[0] if len(whole) == 1 else None


def last(reply: str, labels: Iterable[str]) -> str | None:
    """Read the label that ends last, where prompts ask for the verdict; None if none occurs."""
    ends = {label: reply.rfind(label) + len(label) for label in labels if label in reply}
    return max(ends, key=lambda label: (ends[label], len(label)), default=None)


PARSERS = {"released": released, "last": last}
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


def judge(
    pairs: pd.DataFrame,
    client: object,
    preset: Preset = "anno-gpt",
    parser: str = "released",
    workers: int = 8,
    prices: tuple[float, float] | None = None,
    verbose: bool = False,
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
    if parser not in PARSERS:
        raise ValueError(f"parser={parser!r}: choose one of {', '.join(PARSERS)}.")
    pairs = _checked(pairs)
    asking = Asking(client, prices)
    labelled = [
        (f"Pair {row['qid']!r} {row['docno']!r}", (asking, prompt, row, parser))
        for row in pairs.to_dict("records")
    ]
    counted = "judged", "unclear", "refused", "failed", "differ"
    readings = asking.all(_judged, labelled, workers, "judge", counted, verbose)
    columns = pd.DataFrame(readings, columns=NEW, dtype=object)  # None stays None
    rows = pairs.reset_index(drop=True).join(columns)
    unclear = rows["reason"].notna()
    judged = rows[~unclear].drop(columns=["query", "text", "reason"])
    return Judgements(
        judged.astype({"label": int}).reset_index(drop=True),
        rows[unclear].drop(columns=["label", "verdict"]).reset_index(drop=True),
    )


def _checked(pairs: pd.DataFrame) -> pd.DataFrame:
    remedy = f"The columns {', '.join(NEW)} are added: rename or drop yours of these names."
    needed = ["qid", "query", "docno", "text"]
    pairs = frames.check(pairs, "judge", needed, without=NEW, remedy=remedy)
    frames.texts_only(pairs, "text", by="docno")
    return pairs


def _judged(
    asking: Asking, prompt: protocols.JudgingPrompt, row: Mapping[str, str], parser: str
) -> dict[str, object]:
    """Ask about one pair; return the values of NEW (`reason`: why there is no label)."""
    name = f"pair {row['qid']!r} {row['docno']!r}"
    reply, missing = asking.told(name, prompt, row["query"], row["text"])
    if reply is None or reply.content is None:
        return {**dict.fromkeys(NEW), "reason": missing}
    readings = {name: parse(reply.content, prompt.grades) for name, parse in PARSERS.items()}
    verdict = readings[parser]
    differ = int(len(set(readings.values())) > 1)
    asking.count(differ=differ, **{"judged" if verdict else "unclear": 1})
    values = {**readings, "verdict": verdict, "content": reply.content}
    if verdict is None:
        cut_off = "; the reply was cut off" if reply.finish_reason == "length" else ""
        return {**values, "label": None, "reason": _why(reply.content, prompt.grades) + cut_off}
    return {**values, "label": prompt.grades[verdict], "reason": None}


def _why(content: str, labels: Iterable[str]) -> str:
    several = ", ".join(label for label in labels if label in content)
    return f"several labels: {several}" if several else "no label"


class Reread(NamedTuple):
    """Hold the readings of replies, beside the scores that were released with them.

    frame: a row per annotation with a reply: `qid` (the aspect), `docno`, `label` (the released
        score) and, for each parser of `judge` (`released`, `last`), its grade or NaN.
    table: a row per `parser`: `annotations`, `replies` (those with text), `read` (replies with a
        verdict), `equal` (replies whose grade is the released score), `share` (equal / replies;
        NaN without replies).
    """

    frame: pd.DataFrame
    table: pd.DataFrame

    def __str__(self) -> str:
        return self.table.to_string(index=False, float_format="{:.4f}".format)


def reread_replies(dataset: object = "doris-mae", preset: Preset = "anno-gpt") -> Reread:
    """Read released replies by both parsers of `judge`, and compare with the released scores.

    DORIS-MAE releases each reply with the score that its authors read. Their parser left -1 if it
    found no single label, for a person to correct (README of their code). So `equal` is below
    `replies` for ``released``, too. Replies are read one at a time and not kept in memory.

    Args:
        dataset: one with annotations: ``"doris-mae"``, ``"doris-mae/v0"``.
        preset: ``"anno-gpt"``, or the `JudgingPrompt` whose labels the replies use.

    Raises:
        ValueError: a dataset without annotations.
    """
    source = irds(dataset)
    if not hasattr(source, "annotations_iter"):
        raise ValueError(f"{dataset} has no annotations with replies: pass doris-mae.")
    grades = protocols.preset("preset", preset, protocols.JUDGING).grades
    annotations, rows = 0, []
    for aspect_id, abstract_id, reply, score in source.annotations_iter():
        annotations += 1
        if reply:
            readings = [grades.get(parse(reply, grades) or "") for parse in PARSERS.values()]
            rows.append((aspect_id, abstract_id, score, *readings))
    frame = pd.DataFrame(rows, columns=["qid", "docno", "label", *PARSERS])
    frame = frame.astype(dict.fromkeys(PARSERS, float))
    equal = pd.DataFrame({name: frame[name].eq(frame["label"]) for name in PARSERS})
    table = {
        "parser": list(PARSERS),
        "annotations": annotations,
        "replies": len(frame),
        "read": frame[list(PARSERS)].notna().sum().to_numpy(),
        "equal": equal.sum().to_numpy(),
        "share": equal.mean().to_numpy(),
    }
    return Reread(frame, pd.DataFrame(table))

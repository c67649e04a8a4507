"""Walk through a PyTerrier pipeline: along `>>`, and into the branches of its operators.

`explain` follows a score this way, and `stages` measures what each step changes. Each is a
`Visitor`, which says what a step and an operator do to a state of its own::

    end = walk_pipeline(bm25 >> (0.5 * first + second), start, visitor)

runs `visitor.run_step` for `bm25`, `first`, ``* 0.5`` and `second`, and
`visitor.join_branches` for ``+``. PyTerrier writes ``0.5 * first`` as two steps, and ``bm25 % 10``
too, so these need no operator here.

Conventions: ``a + b + c`` has three branches, although PyTerrier nests two sums. `WeightedSum` is
walked like the sum of its scorers, each times its weight.
"""

import copy
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from typing import Any, Protocol, TypeVar

import pandas as pd
import pyterrier as pt
from pyterrier._ops import (
    Compose,
    Concatenate,
    FeatureUnion,
    RankCutoff,
    ScalarProduct,
    SetIntersection,
    SetUnion,
    Sum,
)

from .settings import comparable, shown
from .step import Step
from .transformers import WeightedSum

LONGEST_STEP_NAME = 60  # characters, of a step of another package
HIDDEN_SETTINGS = ("encoder", "dataset", "batch_size", "batch_tokens")  # a step's name omits them
CITATION = re.compile(r" \[[^]]+\]")  # of a paper, in a docstring
SHOWN_SETTINGS = ("context", "aggregate", "method")  # it shows them even if they are defaults

POSTFIX_STEPS = (RankCutoff, ScalarProduct)  # written behind a pipeline without `>>`

State = TypeVar("State")


class Operator(Enum):
    """An operator of PyTerrier whose branches have the same input; the value is its sign."""

    SUM = "+"
    FEATURES = "**"
    UNION = "|"
    INTERSECTION = "&"
    CONCATENATION = "^"


OPERATOR_BY_CLASS: dict[type[pt.Transformer], Operator] = {
    Sum: Operator.SUM,
    WeightedSum: Operator.SUM,
    FeatureUnion: Operator.FEATURES,
    SetUnion: Operator.UNION,
    SetIntersection: Operator.INTERSECTION,
    Concatenate: Operator.CONCATENATION,
}


@dataclass(frozen=True, eq=False)
class Branching:
    """An operator in a pipeline, and its branches.

    Attributes:
        operator: its sign.
        pipeline: the transformer that PyTerrier made of it, or a `WeightedSum`.
        branches: two or more pipelines, in the order in which they are written.
    """

    operator: Operator
    pipeline: pt.Transformer
    branches: tuple[pt.Transformer, ...]

    def combine(self, frame: pd.DataFrame, results: Sequence[pd.DataFrame]) -> pd.DataFrame:
        """Return what the operator makes of its branches' results.

        Args:
            frame: input of the operator, and of each branch.
            results: of each branch, which has run; they are not edited.
        """
        # a copy of the operator itself runs, on branches that return the results at hand
        operator: Any = copy.copy(self.pipeline)
        finished_branches = [_FinishedBranch(result) for result in results]

        if isinstance(operator, WeightedSum):  # its branches have multiplied their scores
            return WeightedSum(finished_branches, [1] * len(results)).transform(frame)

        # ** has all of its branches in one tuple
        if self.operator is Operator.FEATURES:
            operator._transformers = tuple(finished_branches)
            return operator.transform(frame)

        # The others have two, left and right: a + b + c is (a + b) + c. So the first two results
        # are combined, then what came out with the third, and so on.
        combined = finished_branches[0]
        for next_branch in finished_branches[1:]:
            operator.left = combined
            operator.right = next_branch
            combined = _FinishedBranch(operator.transform(frame))
        return combined.result


class Visitor(Protocol[State]):
    """What happens to a state on the way through a pipeline; `walk_pipeline` calls the methods."""

    def opens(self, operator: Operator) -> bool:
        """Return whether to walk into the branches of an operator; else it is run as a step."""

    def run_step(self, step: pt.Transformer, before: State) -> State:
        """Return the state behind a step."""

    def enter_branch(self, branching: Branching, number: int, before: State) -> State:
        """Return the state at the beginning of branch `number`, from 0."""

    def join_branches(
        self, branching: Branching, before: State, branch_ends: Sequence[State]
    ) -> State:
        """Return the state behind an operator. before: the state before its branches."""


def walk_pipeline(pipeline: pt.Transformer, before: State, visitor: Visitor[State]) -> State:
    """Walk through a pipeline in the order in which it runs, and return the state at its end.

    Args:
        pipeline: steps, maybe with branches.
        before: the state at its start.
        visitor: says how each step and branch changes the state.
    """
    if isinstance(pipeline, Compose):
        state = before
        for step in pipeline:
            state = walk_pipeline(step, state, visitor)
        return state

    branching = find_branching(pipeline)
    if branching is None or not visitor.opens(branching.operator):
        return visitor.run_step(pipeline, before)  # a step, or branches that are taken for one

    branch_ends = []
    for number, branch in enumerate(branching.branches):
        branch_start = visitor.enter_branch(branching, number, before)
        branch_ends.append(walk_pipeline(branch, branch_start, visitor))
    return visitor.join_branches(branching, before, branch_ends)


def list_steps(pipeline: pt.Transformer) -> Iterator[pt.Transformer]:
    """Yield the steps of a pipeline and of all its branches, in the order in which they run."""
    branching = find_branching(pipeline)
    if isinstance(pipeline, Compose):
        for step in pipeline:
            yield from list_steps(step)
    elif branching is not None:
        for branch in branching.branches:
            yield from list_steps(branch)
    else:
        yield pipeline


def find_branching(pipeline: pt.Transformer) -> Branching | None:
    """Return the operator that a pipeline ends with, and its branches; None for a step."""
    for operator_class, operator in OPERATOR_BY_CLASS.items():
        if isinstance(pipeline, operator_class):
            return Branching(operator, pipeline, tuple(_list_branches(pipeline)))
    return None


def ignores_scores(step: pt.Transformer) -> bool:
    """Return whether a step's scores do not depend on those before: it requires no `score`."""
    # lists of columns: the step takes a frame with any one of these
    alternatives = pt.inspect.transformer_inputs(step, strict=False)
    if not alternatives:  # the step does not tell, so it may depend on scores
        return False
    requires_score = any("score" in columns for columns in alternatives)
    return not requires_score


def name_step(step: object) -> str:
    """Return the name of a pipeline's step, as a person would write it.

    Operators are named by their sign. Other steps have the name of the class, with the settings
    that differ from the defaults.

    >>> name_step(RankCutoff(10))
    '% 10'
    """
    if isinstance(step, RankCutoff):
        return f"% {step.k}"
    if isinstance(step, ScalarProduct):
        return f"* {step.scalar}"
    if not (isinstance(step, Step) and is_dataclass(step)):
        return _name_other_step(step)

    settings = []
    for field in fields(step):
        if not field.compare or field.name in HIDDEN_SETTINGS:
            continue
        value = getattr(step, field.name)
        is_default = comparable(value) == comparable(field.default)
        if field.name in SHOWN_SETTINGS or not is_default:
            settings.append(f"{field.name}={shown(value)}")
    return f"{type(step).__name__}({', '.join(settings)})"


def describe_steps(pipeline: pt.Transformer) -> dict[str, str]:
    """Return, by the name of each step of ours, what it does: its class's first sentence."""
    description_by_name = {}
    for step in list_steps(pipeline):
        if isinstance(step, Step) and step.__doc__:
            first_line = step.__doc__.strip().splitlines()[0]
            description_by_name[name_step(step)] = CITATION.sub("", first_line)
    return description_by_name


def write_pipeline(pipeline: pt.Transformer) -> str:
    """Write a pipeline as a formula of its steps, with all their settings.

    PyTerrier's own repr of an operator does not name its branches.

    >>> write_pipeline((RankCutoff(30) + 0.5 * RankCutoff(20)) % 10)
    '(% 30 + % 20 * 0.5) % 10'
    """
    branching = find_branching(pipeline)
    if branching is not None:
        return _write_branches(branching)
    if isinstance(pipeline, Compose):
        return _write_chain(pipeline)
    if isinstance(pipeline, POSTFIX_STEPS):  # "% 10" or "* 0.5"
        return name_step(pipeline)
    return shown(pipeline)


def _write_branches(branching: Branching) -> str:
    """Return an operator's branches as Python code with its sign between them, in parentheses."""
    formulas = [_write_branch(branch, branching.operator) for branch in branching.branches]
    sign = f" {branching.operator.value} "
    return f"({sign.join(formulas)})"


def _write_chain(steps: Iterable[pt.Transformer]) -> str:
    """Return steps that follow each other as Python code: `a >> b % 10`."""
    formula = ""
    for step in steps:
        if formula:
            formula += " " if isinstance(step, POSTFIX_STEPS) else " >> "
        formula += write_pipeline(step)
    return formula


def _write_branch(branch: pt.Transformer, operator: Operator) -> str:
    """Return an operator's branch as Python code, in parentheses if it needs some there."""
    formula = write_pipeline(branch)
    is_chain = isinstance(branch, Compose)
    if not is_chain:  # a single step; or an operator, which has its own parentheses
        return formula

    # + and ** bind closer than >>: `a >> b + c` would be read as `a >> (b + c)`. The other signs
    # do not, but few readers know that
    if " >> " in formula:
        return f"({formula})"
    # what is left are chains by * and %. Only ** binds closer than these: `a * 2 ** b` would be
    # read as `a * (2 ** b)`
    if operator is Operator.FEATURES:
        return f"({formula})"
    return formula


def _name_other_step(step: object) -> str:
    """Name a step of another package: by its repr if that is short, else by its class."""
    class_name = type(step).__name__
    controls = getattr(step, "controls", None)
    if isinstance(controls, dict) and "wmodel" in controls:  # a retriever of Terrier
        return f"{class_name}({controls['wmodel']})"

    text = shown(step)
    has_no_repr = type(step).__repr__ is object.__repr__
    if has_no_repr or len(text) > LONGEST_STEP_NAME:
        return class_name
    return text


class _FinishedBranch(pt.Transformer):
    """A branch that has run: it returns its result again, whatever its input."""

    def __init__(self, result: pd.DataFrame) -> None:
        self.result = result

    def transform(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return a copy of the result, because PyTerrier's ** edits it."""
        return self.result.copy()


def _list_branches(operator: Any) -> Iterator[pt.Transformer]:
    """Yield the branches of an operator; those of ``(a + b) + c`` are three."""
    if isinstance(operator, FeatureUnion):
        yield from operator
        return
    if isinstance(operator, WeightedSum):
        for scorer, weight in zip(operator.scorers, operator.weights):
            yield scorer if weight == 1 else scorer >> ScalarProduct(weight)
        return

    is_chain = type(operator.left) is type(operator)
    if is_chain:
        yield from _list_branches(operator.left)
    else:
        yield operator.left
    yield operator.right

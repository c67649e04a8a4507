"""`reproduce`: run systems over all columns of a paper's table."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd
import pyterrier as pt

from ir_datasets_ext.store.fingerprint import ADDRESS

from ..encoders import ModelEncoder
from ..evaluation.measures import measure_of
from ..frames import some
from ..progress import counted, say
from ..recipes.named import Systems
from ..recipes.named import systems as named_systems
from ..text import writable
from .columns import holm, own_figures, printed_figures
from .result import CORRECTIONS, PaperTable, remarks
from .running import PresentData, run_of
from .shapes import Shape, check_keys, shape_of

System: TypeAlias = str | pt.Transformer | pd.DataFrame  # a key, a pipeline, or results
DESCRIBED = ["key", "name", "named", "run", "source", "note", "system"]


def reproduce(
    dataset: object,
    systems: System | Iterable[System] | Mapping[str, System],
    table: str | int | None = None,
    *,
    baseline: str | None = None,
    save_dir: str | Path | None = None,
    resamples: int = 1000,
    seed: int = 0,
    correction: str | None = None,
    verbose: bool = True,
    **options: Any,
) -> PaperTable:
    """Make a table of a paper with your systems, next to the printed rows.

    Each system ranks the dataset's queries once. Its figures are then computed for each column,
    with ± and tests against a baseline. If only a part of a collection is present (some of
    LitSearch's papers, some of DORIS-MAE's pools), systems are evaluated on that part, and the
    table states the number of queries.

        reproduce("litsearch", systems=["bm25", "e5_large_v2"], table=3, save_dir="runs")

    Args:
        dataset: ``"csfcube"``, ``"litsearch"``, ``"doris-mae"``, or a part of one
            (``"csfcube/method"``, ``"litsearch/inline"``, ``"doris-mae/dev"``), whose rows stand
            next to what is printed for the whole. An id or a dataset object.
            ``"scholarly-mini"`` has CSFCube's table without printed rows.
        systems: a list of keys of `systems` and of transformers (named by their reprs); or a dict
            from names to keys, transformers or results (a frame with `qid`, `docno`, `score`, such
            as a published run). Results have a figure in each column whose queries they all
            answer, even if documents are missing.
        table: number of the paper's table; None for the first (LitSearch's 3, DORIS-MAE's 11;
            CSFCube's figures are one table).
        baseline: name of the system that the others are tested against; None for the first.
        save_dir: folder for runs. A saved run is reused, so an interrupted table resumes with the
            missing systems. A system that changed, or whose data changed, is run again.
        resamples, seed: of `bootstrap`.
        correction: "holm" to correct p-values for the number of comparisons in the table.
        verbose: say on stderr what is run and encoded, with bars if somebody watches, else lines.
        **options: of `systems`: ``encoder``, ``models``, ``candidates``, ``precision``, ``device``,
            ``cache`` (default here: True, so a resumed or repeated table encodes nothing twice;
            False keeps no embeddings), ``client`` for language models, ``runs`` instead of systems.
            Without pools and ``candidates``, a system that only ranks candidates ranks all
            documents that are present, up to 2,000.

    Returns:
        A `PaperTable`.

    Raises:
        ValueError: nothing is printed for the dataset; the table is unknown, or its queries are
            missing; no systems, or a system that retrieves nothing; an unknown baseline; a key
            whose texts or form belong to another table (names the right key).
        KeyError: the key is unknown.
    """
    if correction not in CORRECTIONS:
        raise ValueError(f"Unknown correction={correction!r}. Pass 'holm' or None.")
    shape = shape_of(dataset, table)
    data = PresentData(shape.run)
    rows = _by_name(systems)
    keys = {name: key for name, key in rows.items() if isinstance(key, str)}
    if keys:
        options["cache"] = True if options.get("cache") is None else options["cache"]
        named = named_systems(data.name, verbose=verbose, **options)
        check_keys(keys.values(), named.table, shape)
        rows |= {name: data.from_topics(named[key]) for name, key in keys.items()}
    if verbose:
        say(_plan(data, rows, [named.encoder(key) for key in keys.values()] if keys else []))
    baseline = next(iter(rows)) if baseline is None else baseline
    if baseline not in rows:
        raise ValueError(f"Unknown baseline={baseline!r}. Pass one of: {', '.join(rows)}.")
    perquery = pd.concat(
        [
            _perquery(name, system, shape, data, save_dir, verbose)
            for name, system in counted(rows.items(), "systems", "system", verbose=verbose)
        ],
        ignore_index=True,
    )
    own = own_figures(shape.columns, perquery, baseline, resamples, seed)
    if correction:
        own["p"] = holm(own["p"])
    results_only = all(isinstance(system, pd.DataFrame) for system in rows.values())
    run = _described(named, keys, shape.number) if keys else pd.DataFrame(columns=DESCRIBED)
    return PaperTable(
        dataset=shape.run,
        table=shape.number,
        columns=pd.DataFrame(shape.columns)[["subset", "measure", "label", "of"]],
        figures=pd.concat([printed_figures(shape), own], ignore_index=True),
        systems=run,
        remarks=remarks(
            shape,
            None if results_only else data.documents,
            own,
            [
                f"{name} ({some(rows['qid'].unique())})"
                for name, rows in perquery[~perquery["answered"]].groupby("name", sort=False)
            ],
            baseline,
            run["key"],
            resamples,
            correction,
        ),
        baseline=baseline,
        decimals=shape.protocol.decimals,
    )


def _plan(data: PresentData, rows: dict[str, System], encoders: Iterable[object]) -> str:
    """Say what is about to be done, and in which precision."""
    present, _ = data.documents
    text = f"{data.name}: systems: {len(rows)}, papers: {present:,}"
    models = [one for one in encoders if isinstance(one, ModelEncoder)]
    precisions = dict.fromkeys(one.precision_used for one in models)
    if precisions:
        text += f", encoders: {len(set(models))}, in {' and '.join(precisions)}"
    return f"{text}."


def _by_name(systems: System | Iterable[System] | Mapping[str, System]) -> dict[str, System]:
    if isinstance(systems, (str, pt.Transformer)):
        systems = [systems]
    if not isinstance(systems, Mapping):
        names = [system if isinstance(system, str) else repr(system) for system in systems]
        systems = dict(zip(names, systems))
    if not systems:
        raise ValueError("systems is empty. Pass one or more; list(systems(dataset)) has the keys.")
    for name in systems:
        if not (isinstance(name, str) and name.strip() and name == writable(name)):
            raise ValueError(f"The name {name!r} of a system cannot be written. Pass a plain text.")
    return dict(systems)


def _perquery(
    name: str,
    system: pt.Transformer | pd.DataFrame,
    shape: Shape,
    data: PresentData,
    save_dir: str | Path | None,
    verbose: bool,
) -> pd.DataFrame:
    """Return the table's measures for each query that counts; see `own_figures`."""
    results = isinstance(system, pd.DataFrame)
    judgements = data.judgements if results else data.reachable
    topics = data.topics(judgements)  # all, so that a saved run serves every table
    known = None if results or save_dir is None else data.fingerprint  # reads all candidates
    run: pd.DataFrame = (
        system if results else run_of(name, system, topics, known, save_dir, verbose)
    )
    in_columns = topics["qid"].isin(frozenset().union(*(c.queries for c in shape.columns)))
    measures = [measure_of(m) for m in dict.fromkeys(c.measure for c in shape.columns)]
    topics = topics[in_columns]
    values = pt.Experiment([run], topics, judgements, measures, names=[name], perquery=True)
    answered = values["qid"].isin(run["qid"]) if results else True
    return values.assign(answered=answered, judgements=len(judgements))


def _described(named: Systems, keys: dict[str, str], number: str) -> pd.DataFrame:
    """Describe what ran under the keys, with table `number`'s names; see `PaperTable.systems`."""
    encoders = {key: named.encoder(key) for key in keys.values()}
    rows = named.table.assign(other=lambda row: row["table"] != number).sort_values(
        "other", kind="stable"
    )
    table = rows.drop_duplicates("key").set_index("key", drop=False).loc[list(keys.values())]
    shown = {key: ADDRESS.sub("", repr(one)) for key, one in encoders.items() if one is not None}
    run = [shown.get(key, row) for key, row in table["run"].items()]
    return table.assign(run=run, system=list(keys))[DESCRIBED].reset_index(drop=True)

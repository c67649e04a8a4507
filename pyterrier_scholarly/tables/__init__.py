"""Tables of papers: `reproduce` runs systems over all columns, next to the printed rows."""

from collections.abc import Collection, Mapping
from typing import Any

import pandas as pd
import pyterrier as pt

from ..arguments import FilePath, Repeats, Seed, check_arguments
from ..evaluation.measures import measure_of
from ..frames import some
from ..progress import counted, say
from ..recipes import systems as named_systems
from .columns import holm, own_figures, printed_figures
from .keys import System, by_name, check_keys, check_names, described, your_keys
from .result import CORRECTIONS, PaperTable, remarks
from .running import PresentData, plan, run_of
from .shapes import Shape, shape_of

__all__ = ["PaperTable", "reproduce"]


@check_arguments
def reproduce(
    dataset: object,
    systems: System | Collection[System] | Mapping[str, System] = (),
    table: str | int | None = None,
    *,
    baseline: str | None = None,
    save_dir: FilePath | None = None,
    resamples: Repeats = 1000,
    seed: Seed = 0,
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
        reproduce("csfcube", models={"ours": "folder", "theirs": "all-mpnet-base-v2"})

    Args:
        dataset: ``"csfcube"``, ``"litsearch"``, ``"doris-mae"``, or a part of one
            (``"csfcube/method"``, ``"litsearch/inline"``, ``"doris-mae/dev"``), whose rows stand
            next to what is printed for the whole. An id or a dataset object.
            ``"scholarly-mini"`` has CSFCube's table without printed rows.
        systems: a list of keys of `systems` and of transformers (named by their reprs); or a dict
            from names to keys, transformers or results (a frame with `qid`, `docno`, `score`, such
            as a published run). Results have a figure in each column whose queries they all
            answer, even if documents are missing. May be empty if there are `models` of your own.
        table: number of the paper's table; None for the first (LitSearch's 3, DORIS-MAE's 11;
            CSFCube's figures are one table).
        baseline: name of the system that the others are tested against; None for the first.
        save_dir: folder for runs. A saved run is reused, so an interrupted table resumes with the
            missing systems. A system that changed, or whose data changed, is run again.
        resamples, seed: of `bootstrap`.
        correction: "holm" to correct p-values for the number of comparisons in the table.
        verbose: say on stderr what is run and encoded, with bars if somebody watches, else lines.
        **options: of `systems`: ``encoder``, ``models`` (each of your own adds its rows behind
            `systems`, in the table's forms, unless `systems` has keys of it), ``candidates``,
            ``precision``, ``device``, ``cache`` (default here: True, so a resumed or repeated table
            encodes nothing twice; False keeps no embeddings), ``client`` for language models,
            ``runs`` instead of systems. Without pools and ``candidates``, a system that only ranks
            candidates ranks all documents that are present, up to 2,000.

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
    rows, named, encoders = by_name(systems), None, []
    check_names([*rows, *(options.get("models") or ())])
    keys = {name: key for name, key in rows.items() if isinstance(key, str)}
    if keys or options.get("models"):
        options["cache"] = True if options.get("cache") is None else options["cache"]
        named = named_systems(data.name, verbose=verbose, **options)
        keys |= {key: key for key in your_keys(named, shape, keys.values(), rows)}
        check_keys(keys.values(), named.table, shape)
        rows |= {name: data.from_topics(named[key]) for name, key in keys.items()}
        encoders = [named.encoder(key) for key in keys.values()]
    baseline = _baseline(baseline, rows)
    if verbose:
        say(plan(data, len(rows), encoders))
    each = counted(rows.items(), "systems", "system", verbose=verbose)
    values = (_perquery(name, one, shape, data, save_dir, verbose) for name, one in each)
    perquery = pd.concat(values, ignore_index=True)
    own = own_figures(shape.columns, perquery, baseline, resamples, seed)
    if correction:
        own["p"] = holm(own["p"])
    run = described(named, keys, shape.number)
    return PaperTable(
        dataset=shape.run,
        table=shape.number,
        columns=pd.DataFrame(shape.columns)[["subset", "measure", "label", "of"]],
        figures=pd.concat([printed_figures(shape.columns, shape.printed), own], ignore_index=True),
        systems=run,
        remarks=remarks(
            shape,
            None if all(isinstance(s, pd.DataFrame) for s in rows.values()) else data.documents,
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


def _baseline(name: str | None, rows: Mapping[str, System]) -> str:
    """Return the name of the baseline, by default the first row's."""
    if not rows:
        raise ValueError(
            "systems is empty. Pass one or more (list(systems(dataset)) has the keys), or models "
            "under names of your own: models={'ours': folder}."
        )
    name = next(iter(rows)) if name is None else name
    if name not in rows:
        raise ValueError(f"Unknown baseline={name!r}. Pass one of: {', '.join(rows)}.")
    return name


def _perquery(
    name: str,
    system: pt.Transformer | pd.DataFrame,
    shape: Shape,
    data: PresentData,
    save_dir: FilePath | None,
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
    topics = topics[topics["qid"].isin(frozenset().union(*(c.queries for c in shape.columns)))]
    measures = [measure_of(m) for m in dict.fromkeys(c.measure for c in shape.columns)]
    values = pt.Experiment([run], topics, judgements, measures, names=[name], perquery=True)
    answered = values["qid"].isin(run["qid"]) if results else True
    return values.assign(answered=answered, judgements=len(judgements))

"""`reproduce`: systems over all the columns of a paper's table."""

from collections.abc import Mapping

import pandas as pd
import pyterrier as pt

from ir_datasets_ext.store.contents import ADDRESS

from ..evaluation.measures import measure_of
from ..recipes import systems as named_systems
from ..text.plain import writable
from .at_hand import AtHand
from .headings import check_keys
from .kept_runs import run_of
from .remarks import remarks
from .result import PaperTable
from .shapes import shape_of
from .values import own_figures, printed_figures


def reproduce(
    dataset,
    systems,
    table=None,
    *,
    baseline=None,
    save_dir=None,
    resamples=1000,
    seed=0,
    **options,
):
    """Make a table of a paper with the given systems, the printed rows beside them.

    Each system ranks the dataset's queries once; its figures are then taken over each column's
    queries, with ± and tests against a baseline. Of a collection that is here in part (some of
    LitSearch's papers, some of DORIS-MAE's pools), systems are evaluated over what is here, and the
    table says over how many queries.

        reproduce("litsearch", systems=["bm25", "e5_large_v2"], table=3, save_dir="runs")

    Args:
        dataset: ``"csfcube"``, ``"litsearch"``, ``"doris-mae"``, or a part of one
            (``"csfcube/method"``, ``"litsearch/inline"``, ``"doris-mae/dev"``), whose rows then
            stand beside what is printed for the whole. An id or a dataset object. Of
            ``"scholarly-mini"``, CSFCube's table without printed rows.
        systems: a list of keys of `systems` and of transformers, which are called by their reprs;
            or a dict from names to keys, transformers or results (a frame with `qid`, `docno`,
            `score`, such as a published run). Results have a figure where they answer all of a
            column's queries, whether or not the documents are here.
        table: number of the paper's table; None for the first (LitSearch's 3, DORIS-MAE's 11;
            CSFCube's figures are one table).
        baseline: name of the system that the others are tested against; None for the first.
        save_dir: a folder for runs. What is there is not run again: a table that was interrupted
            goes on, at whatever moment that was, with the systems that are missing, and a system
            or data that changed are run anew.
        resamples, seed: of the bootstrap (see `bootstrap`).
        **options: of `systems`: ``encoder``, ``models``, ``candidates``, ``precision``, ``device``,
            ``cache`` (None is True here: a table that is made again, or resumed, encodes nothing
            twice; False keeps no vectors), ``client`` of the language models, ``runs`` in the place
            of systems. Where there are no pools, systems that rank candidates alone rank, without
            ``candidates``, all documents that are here, up to 2,000.

    Returns:
        A `PaperTable`.

    Raises:
        ValueError: nothing is printed for the dataset, there is no such table, or it is over
            queries that are not here; no system, or one that finds nothing; no such baseline; a key
            whose texts or form are another table's (names the right one).
        KeyError: no system of that key.
    """
    shape = shape_of(dataset, table)
    data = AtHand(shape.run)
    given = _given(systems)
    keys = {name: key for name, key in given.items() if isinstance(key, str)}
    named = _named(data, **options) if keys else {}
    if keys:
        check_keys(keys.values(), named.table, shape)
    given |= {name: data.from_topics(named[key]) for name, key in keys.items()}
    baseline = next(iter(given)) if baseline is None else baseline
    if baseline not in given:
        raise ValueError(f"baseline={baseline!r} is no system here: there are {', '.join(given)}")
    perquery = pd.concat(
        [_perquery(name, system, shape, data, save_dir) for name, system in given.items()],
        ignore_index=True,
    )
    own = own_figures(shape.columns, perquery, baseline, resamples, seed)
    given_alone = all(isinstance(system, pd.DataFrame) for system in given.values())
    described = _described(named, keys, shape.number)
    return PaperTable(
        dataset=shape.run,
        table=shape.number,
        columns=pd.DataFrame(shape.columns)[["subset", "measure", "label", "of"]],
        figures=pd.concat([printed_figures(shape), own], ignore_index=True),
        systems=described,
        remarks=remarks(
            shape,
            None if given_alone else data.documents,
            own,
            perquery.loc[~perquery["answered"], "name"].unique(),
            baseline,
            described["key"],
            resamples,
        ),
        baseline=baseline,
        decimals=shape.protocol.decimals,
    )


def _given(systems):
    """Name -> key, transformer or results."""
    if isinstance(systems, (str, pt.Transformer)):
        systems = [systems]
    if not isinstance(systems, Mapping):
        names = [system if isinstance(system, str) else repr(system) for system in systems]
        systems = dict(zip(names, systems))
    if not systems:
        raise ValueError("systems is empty: name one or more, as list(systems(dataset)) has them")
    for name in systems:
        if not (isinstance(name, str) and name.strip() and name == writable(name)):
            raise ValueError(f"a system is called {name!r}: expected a text that can be written")
    return dict(systems)


def _named(data, cache=None, **options):
    """The `systems` of the dataset, which keep their vectors unless told not to."""
    return named_systems(data.name, cache=True if cache is None else cache, **options)


def _perquery(name, system, shape, data, save_dir):
    """Values of the table's measures for each query that counts: see `values.own_figures`."""
    results = isinstance(system, pd.DataFrame)
    judgements = data.judgements if results else data.reachable
    topics = data.topics(judgements)  # all: a kept run is to serve every table
    known = None if results or save_dir is None else data.fingerprint  # which reads all candidates
    run = system if results else run_of(name, system, topics, known, save_dir)
    wanted = topics["qid"].isin(frozenset().union(*(column.queries for column in shape.columns)))
    measures = [measure_of(m) for m in dict.fromkeys(c.measure for c in shape.columns)]
    experiment = {"names": [name], "perquery": True}
    found = pt.Experiment([run], topics[wanted], judgements, measures, **experiment)
    answered = found["qid"].isin(run["qid"]) if results else True
    return found.assign(answered=answered, judgements=len(judgements))


def _described(named, keys, number):
    """What was run under the keys, named as table `number` does; see `PaperTable.systems`."""
    columns = ["key", "name", "named", "run", "source", "note", "system"]
    if not keys:
        return pd.DataFrame(columns=columns)
    encoders = {key: named.encoder(key) for key in keys.values()}
    rows = named.table.assign(other=lambda row: row["table"] != number).sort_values(
        "other", kind="stable"
    )
    table = rows.drop_duplicates("key").set_index("key", drop=False).loc[list(keys.values())]
    shown = {key: ADDRESS.sub("", repr(one)) for key, one in encoders.items() if one is not None}
    run = [shown.get(key, row) for key, row in table["run"].items()]
    return table.assign(run=run, system=list(keys))[columns].reset_index(drop=True)

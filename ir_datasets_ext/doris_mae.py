"""DORIS-MAE (Wang et al., NeurIPS Datasets and Benchmarks 2023).

100 complex queries of computer scientists, broken into aspects and sub-aspects; candidate pools of
about 110 abstracts, each scored by ChatGPT for each aspect. <https://doi.org/10.5281/zenodo.8299749>,
CC BY-NC 4.0.
"""

from functools import partial

from ir_datasets_ext._doris_mae_handlers import (
    SCORE_DEFS,
    TOO_LONG,  # noqa: F401 (public here)
    TOTAL_DEFS,
    JudgedPools,
    JudgedQrels,
    JudgedQueries,
    Selection,
)
from ir_datasets_ext._doris_mae_human import PEOPLE, human
from ir_datasets_ext._doris_mae_judged import aspect_queries, aspects, complex_queries, subqueries
from ir_datasets_ext._doris_mae_records import DorisMaeAspect, DorisMaeQuery
from ir_datasets_ext._doris_mae_release import Release
from ir_datasets_ext._register import Documentation, dataset
from ir_datasets_ext.files import zenodo_files

NAME = "doris-mae"
NOTICE = (
    "DORIS-MAE is released under CC BY-NC 4.0 (https://creativecommons.org/licenses/by-nc/4.0/): "
    "no commercial use. Please cite Wang et al. 2023, https://arxiv.org/abs/2310.04678"
)

#: id below the collection's -> how its queries are derived, their class, what relevance means
QUERIES = {
    "": (complex_queries, DorisMaeQuery, TOTAL_DEFS),
    "aspect-queries": (aspect_queries, DorisMaeQuery, TOTAL_DEFS),
    "subqueries-2": (partial(subqueries, 2), DorisMaeQuery, TOTAL_DEFS),
    "subqueries-3": (partial(subqueries, 3), DorisMaeQuery, TOTAL_DEFS),
    "aspects": (aspects, DorisMaeAspect, SCORE_DEFS),
}
#: the same of people's judgements: those of the test set, and those with which prompts were made
HUMAN = {
    f"{key}/annotator-{annotator}" if annotator else key: (
        partial(human, section, annotator),
        DorisMaeAspect,
        SCORE_DEFS,
    )
    for key, section in {"human": "Test_set", "human-dev": "Dev_set"}.items()
    for annotator in (None, *range(1, PEOPLE[section] + 1))
}
#: of the first release, of 50 queries, there is what the paper's first version reports
IN_V0 = ("", "subqueries-2", "human")

RELEASE = Release(NAME, lambda: zenodo_files(NAME, NOTICE)["v1"], "docs")
RELEASE_V0 = Release(NAME, lambda: zenodo_files(NAME, NOTICE)["v0"], "docs-v0")


def datasets():
    """Return the datasets: a dict by id, in which each id stands before those below it.

    All have documents, queries, qrels and scoreddocs. Each way to ask, other than people's
    judgements, has a dev and a test part below it. `v0` has a file of its own.
    """
    ways = {**QUERIES, **HUMAN}
    wanted = [(RELEASE, key, part) for key in QUERIES for part in (None, "dev", "test")]
    wanted += [(RELEASE, key, None) for key in HUMAN]
    wanted += [(RELEASE_V0, key, None) for key in IN_V0]
    texts, found = Documentation(f"docs/{NAME}.yaml"), {}
    for release, key, part in wanted:
        version = "v0" if release is RELEASE_V0 else None
        below = "/".join(filter(None, (version, key, part)))
        dataset_id = f"{NAME}/{below}".rstrip("/")
        derive, cls, definitions = ways[key]
        selection = Selection(release, derive, cls, part)
        found[dataset_id] = dataset(
            dataset_id,
            texts(below or "_"),
            release,
            JudgedQueries(selection),
            JudgedQrels(selection, definitions),
            JudgedPools(selection),
        )
    return found

"""DORIS-MAE (Wang et al., NeurIPS Datasets and Benchmarks 2023).

100 complex queries of computer scientists, broken into aspects and sub-aspects; candidate pools of
about 110 abstracts, each scored by ChatGPT for each aspect. <https://doi.org/10.5281/zenodo.8299749>,
CC BY-NC 4.0.
"""

from functools import partial

from ir_datasets.formats import GenericScoredDoc, TrecQrel

from ir_datasets_ext import registration
from ir_datasets_ext.doris_mae.human import PEOPLE, human
from ir_datasets_ext.doris_mae.judged import aspect_queries, aspects, complex_queries, subqueries
from ir_datasets_ext.doris_mae.records import (
    SCORE_DEFS,
    TOTAL_DEFS,
    DorisMaeAspect,
    DorisMaeQuery,
)
from ir_datasets_ext.doris_mae.release import Papers, Subset
from ir_datasets_ext.files import Release, release_sources
from ir_datasets_ext.handlers import handler

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

RELEASE = Release(NAME, partial(release_sources, NAME, NOTICE))


def datasets():
    """Return the datasets: a dict by id, in which each id stands before those below it.

    All have documents, queries, qrels and scoreddocs. Each way to ask, other than people's
    judgements, has a dev and a test part below it. `v0` has a file of its own.
    """
    docs, docs_v0 = Papers(RELEASE, "v1", "docs"), Papers(RELEASE, "v0", "docs-v0")
    wanted = [(None, docs, key, part) for key in QUERIES for part in (None, "dev", "test")]
    wanted += [(None, docs, key, None) for key in HUMAN]
    wanted += [("v0", docs_v0, key, None) for key in IN_V0]
    parts = {}
    for version, papers, key, part in wanted:
        derive, cls, definitions = {**QUERIES, **HUMAN}[key]
        subset = Subset(papers, derive, part)
        parts["/".join(filter(None, (version, key, part)))] = (
            papers,
            handler("queries", subset.queries, cls, subset.count, namespace=NAME, lang="en"),
            handler("qrels", subset.qrels, TrecQrel, subset.count, defs=definitions),
            handler("scoreddocs", subset.candidates, GenericScoredDoc, subset.count),
        )
    texts = registration.Documentation(partial(registration.packaged, NAME))
    return registration.datasets(NAME, texts, parts)

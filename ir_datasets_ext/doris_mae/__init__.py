"""DORIS-MAE (Wang et al., NeurIPS Datasets and Benchmarks 2023).

100 complex queries of computer scientists, broken into aspects and sub-aspects; candidate pools of
about 110 abstracts, each scored by ChatGPT for each aspect. CC BY-NC 4.0.
<https://doi.org/10.5281/zenodo.8299749>
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from ir_datasets.formats import GenericScoredDoc, TrecQrel

from ir_datasets_ext.doris_mae.judgements import (
    aspect_queries,
    aspects,
    complex_queries,
    human,
    subqueries,
)
from ir_datasets_ext.doris_mae.records import (
    PEOPLE,
    SCORE_DEFS,
    TOO_LONG,
    TOTAL_DEFS,
    DorisMaeAspect,
    DorisMaeQuery,
    Judged,
)
from ir_datasets_ext.doris_mae.stored_release import Papers
from ir_datasets_ext.handlers import ScholarlyDataset, make_handler, make_released_datasets
from ir_datasets_ext.releases import MadeFrom, Release

NAME = "doris-mae"
NOTICE = (
    "DORIS-MAE is released under CC BY-NC 4.0 (https://creativecommons.org/licenses/by-nc/4.0/): "
    "no commercial use. Please cite Wang et al. 2023, https://arxiv.org/abs/2310.04678"
)
RELEASE = Release(NAME, __name__, NOTICE)


class Way(NamedTuple):
    """A way to make queries and judgements from the release.

    derive: a function of the release's content and a part, see `judged`.
    cls: of the queries. definitions: of relevance.
    queries_from, judgements_from: what of the release's file they are made from, see `MadeFrom`.
    """

    derive: Callable[..., list[Judged]]
    cls: type
    definitions: dict[int, str]
    queries_from: str
    judgements_from: str


POOLS = "candidate pools of its queries"
PAIRS = "queries that map sentences to 2 aspects or more (sent2aspect_id, aspect_id2sent)"
TRIPLES = PAIRS.replace("2 aspects", "3 aspects")
#: id below the collection's -> how its queries are made
QUERIES = {
    "": Way(complex_queries, DorisMaeQuery, TOTAL_DEFS, "queries", POOLS),
    "aspect-queries": Way(aspect_queries, DorisMaeQuery, TOTAL_DEFS, "queries", POOLS),
    "subqueries-2": Way(
        partial(subqueries, 2), DorisMaeQuery, TOTAL_DEFS, PAIRS, f"{PAIRS}, with candidate pools"
    ),
    "subqueries-3": Way(
        partial(subqueries, 3),
        DorisMaeQuery,
        TOTAL_DEFS,
        TRIPLES,
        f"{TRIPLES}, with candidate pools",
    ),
    "aspects": Way(aspects, DorisMaeAspect, SCORE_DEFS, "aspects", POOLS),
}


def _list_ways_of_people() -> dict[str, Way]:
    """Return the same for people's judgements: of the test set, and for developing the prompt."""
    ways = {}
    for key, section in {"human": "Test_set", "human-dev": "Dev_set"}.items():
        made_from = f"people's judgements ({section})"
        for annotator in (None, *range(1, PEOPLE[section] + 1)):
            below = f"{key}/annotator-{annotator}" if annotator else key
            derive = partial(human, section, annotator)
            ways[below] = Way(derive, DorisMaeAspect, SCORE_DEFS, made_from, made_from)
    return ways


HUMAN = _list_ways_of_people()
#: ids below the first release's, of 50 queries: those of the paper's first version
IN_V0 = ("", "subqueries-2", "human")


def datasets(release: Release = RELEASE) -> dict[str, ScholarlyDataset]:
    """Return the datasets by id; each id comes before those below it.

    All have documents, queries, qrels and scoreddocs. Each way in QUERIES has a dev and a test part
    below it. `v0` has its own file.
    """
    docs, docs_v0 = Papers(release, "v1", "docs"), Papers(release, "v0", "docs-v0")
    wanted = [
        *(("", docs, key, part) for key in QUERIES for part in (None, "dev", "test")),
        *(("", docs, key, None) for key in HUMAN),
        *(("v0", docs_v0, key, None) for key in IN_V0),
    ]
    parts: dict = {}
    for version, papers, key, part in wanted:
        below = "/".join(filter(None, (version, key, part)))
        parts[below] = _components(papers, f"{NAME}/{below}".rstrip("/"), key, part)
    return make_released_datasets(release, parts)


def _components(papers: Papers, dataset_id: str, key: str, part: str | None) -> tuple:
    """Return the components of one dataset."""
    way = {**QUERIES, **HUMAN}[key]
    subset = Subset(papers, way.derive, part)
    release, files = papers.release, (papers.version,)
    queries_from = MadeFrom(release, dataset_id, files, way.queries_from)
    judgements_from = MadeFrom(release, dataset_id, files, way.judgements_from)
    return (
        papers,
        make_handler("queries", subset.queries, way.cls, queries_from, namespace=NAME, lang="en"),
        make_handler("qrels", subset.qrels, TrecQrel, judgements_from, defs=way.definitions),
        make_handler("scoreddocs", subset.candidates, GenericScoredDoc, judgements_from),
    )


@dataclass(frozen=True)
class Subset:
    """The judged queries of one dataset.

    derive: a function of the release's content and `part`, see `judged`.
    part: "dev", "test", or None for all queries.
    """

    docs: Papers
    derive: Callable[..., list[Judged]]
    part: str | None = None

    def judged(self) -> list[Judged]:
        """Return the queries with their candidates and judgements."""
        return self.derive(self.docs.contents(), self.part)

    def queries(self) -> Iterator[DorisMaeQuery | DorisMaeAspect]:
        """Yield the queries in the release's order."""
        return (judged.query for judged in self.judged())

    def qrels(self) -> Iterator[TrecQrel]:
        """Yield TrecQrel; `iteration` is |Q|, negative if the abstract never counts as relevant."""
        for query, size, _, relevances in self.judged():
            for doc_id, relevance in relevances.items():
                sign = "-" if doc_id in TOO_LONG else ""
                yield TrecQrel(query.query_id, doc_id, relevance, f"{sign}{size}")

    def candidates(self) -> Iterator[GenericScoredDoc]:
        """Yield GenericScoredDoc with score 0.0, in the order of the pools."""
        for judged in self.judged():
            for doc_id in judged.pool:
                yield GenericScoredDoc(judged.query.query_id, doc_id, 0.0)

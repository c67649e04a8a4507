"""DORIS-MAE (Wang et al., NeurIPS Datasets and Benchmarks 2023).

100 complex queries of computer scientists, broken into aspects and sub-aspects; candidate pools of
about 110 abstracts, each scored by ChatGPT for each aspect. CC BY-NC 4.0.
<https://doi.org/10.5281/zenodo.8299749>
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from ir_datasets.formats import GenericScoredDoc, TrecQrel

from ir_datasets_ext.doris_mae.judged import (
    PEOPLE,
    aspect_queries,
    aspects,
    complex_queries,
    human,
    subqueries,
)
from ir_datasets_ext.doris_mae.papers import Papers
from ir_datasets_ext.doris_mae.records import (
    SCORE_DEFS,
    TOO_LONG,
    TOTAL_DEFS,
    DorisMaeAspect,
    DorisMaeQuery,
    Judged,
)
from ir_datasets_ext.files import Release
from ir_datasets_ext.handlers import ScholarlyDataset, handler, released

NAME = "doris-mae"
NOTICE = (
    "DORIS-MAE is released under CC BY-NC 4.0 (https://creativecommons.org/licenses/by-nc/4.0/): "
    "no commercial use. Please cite Wang et al. 2023, https://arxiv.org/abs/2310.04678"
)
RELEASE = Release(NAME, __name__, NOTICE)

Way = tuple[Callable[..., list[Judged]], type, dict[int, str]]
#: id below the collection's -> way to derive its queries, their class, meaning of relevance
QUERIES: dict[str, Way] = {
    "": (complex_queries, DorisMaeQuery, TOTAL_DEFS),
    "aspect-queries": (aspect_queries, DorisMaeQuery, TOTAL_DEFS),
    "subqueries-2": (partial(subqueries, 2), DorisMaeQuery, TOTAL_DEFS),
    "subqueries-3": (partial(subqueries, 3), DorisMaeQuery, TOTAL_DEFS),
    "aspects": (aspects, DorisMaeAspect, SCORE_DEFS),
}
#: the same for people's judgements: those of the test set, and those for developing the prompt
HUMAN: dict[str, Way] = {
    f"{key}/annotator-{annotator}" if annotator else key: (
        partial(human, section, annotator),
        DorisMaeAspect,
        SCORE_DEFS,
    )
    for key, section in {"human": "Test_set", "human-dev": "Dev_set"}.items()
    for annotator in (None, *range(1, PEOPLE[section] + 1))
}
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
        derive, cls, definitions = {**QUERIES, **HUMAN}[key]
        subset = Subset(papers, derive, part)
        parts["/".join(filter(None, (version, key, part)))] = (
            papers,
            handler("queries", subset.queries, cls, subset.count, namespace=NAME, lang="en"),
            handler("qrels", subset.qrels, TrecQrel, subset.count, defs=definitions),
            handler("scoreddocs", subset.candidates, GenericScoredDoc, subset.count),
        )
    return released(release, parts)


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

    def count(self, read: Callable[[], Iterable]) -> int | None:
        """Return how many records `read()` yields; None while the release is not downloaded."""
        return self.docs.release.count(read, self.docs.version)

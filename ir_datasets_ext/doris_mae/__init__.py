"""DORIS-MAE (Wang et al., NeurIPS Datasets and Benchmarks 2023).

100 complex queries of computer scientists, broken into aspects and sub-aspects; candidate pools of
about 110 abstracts, each scored by ChatGPT for each aspect. CC BY-NC 4.0.
<https://doi.org/10.5281/zenodo.8299749>

::

    dataset = ir_datasets.load("doris-mae/dev")
    for judgement in dataset.judgements_iter():
        print(judgement.total, judgement.aspects, judgement.is_relevant)
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ir_datasets.formats import GenericScoredDoc, TrecQrel

from ir_datasets_ext.doris_mae.judgements import (
    Source,
    derive_aspect_queries,
    derive_aspects,
    derive_complex_queries,
    derive_human_judgements,
    derive_subqueries,
)
from ir_datasets_ext.doris_mae.records import (
    PEOPLE,
    SCORE_DEFS,
    TOTAL_DEFS,
    DorisMaeAspect,
    DorisMaeJudgement,
    DorisMaeQuery,
    JudgedQuery,
)
from ir_datasets_ext.doris_mae.stored_release import StoredRelease
from ir_datasets_ext.handlers import ScholarlyDataset, make_handler, make_released_datasets
from ir_datasets_ext.releases import MadeFrom, Release

if TYPE_CHECKING:
    from ir_datasets_ext.doris_mae.contents import Contents

NAME = "doris-mae"
NOTICE = (
    "DORIS-MAE is released under CC BY-NC 4.0 (https://creativecommons.org/licenses/by-nc/4.0/): "
    "no commercial use. Please cite Wang et al. 2023, https://arxiv.org/abs/2310.04678"
)
RELEASE = Release(NAME, __name__, NOTICE)


class Derivation(NamedTuple):
    """How the queries and judgements of a dataset are derived from the release.

    derive: a function from a `Source` to the judged queries.
    cls: of the queries.
    definitions: of relevance, by grade.
    queries_from, judgements_from: what of the release's file they are made from, see `MadeFrom`.
    """

    derive: Callable[[Source], list[JudgedQuery]]
    cls: type
    definitions: dict[int, str]
    queries_from: str
    judgements_from: str


POOLS = "candidate pools of its queries"
PAIRS = "queries that map sentences to 2 aspects or more (sent2aspect_id, aspect_id2sent)"
TRIPLES = "queries that map sentences to 3 aspects or more (sent2aspect_id, aspect_id2sent)"
#: id below the collection's -> how its queries are derived from ChatGPT's judgements
DERIVATIONS = {
    "": Derivation(derive_complex_queries, DorisMaeQuery, TOTAL_DEFS, "queries", POOLS),
    "aspect-queries": Derivation(
        derive_aspect_queries, DorisMaeQuery, TOTAL_DEFS, "queries", POOLS
    ),
    "subqueries-2": Derivation(
        partial(derive_subqueries, 2),
        DorisMaeQuery,
        TOTAL_DEFS,
        PAIRS,
        f"{PAIRS}, with candidate pools",
    ),
    "subqueries-3": Derivation(
        partial(derive_subqueries, 3),
        DorisMaeQuery,
        TOTAL_DEFS,
        TRIPLES,
        f"{TRIPLES}, with candidate pools",
    ),
    "aspects": Derivation(derive_aspects, DorisMaeAspect, SCORE_DEFS, "aspects", POOLS),
}
#: id below the collection's -> the section of people's judgements: of the test set, and of those
#: with which the prompt was developed
SECTIONS_OF_PEOPLE = {"human": "Test_set", "human-dev": "Dev_set"}
#: ids below the first release's, of 50 queries: those of the paper's first version
IN_V0 = ("", "subqueries-2", "human")


def datasets(release: Release = RELEASE) -> dict[str, ScholarlyDataset]:
    """Return the datasets by id; each id comes before those below it.

    All have documents, queries, qrels and scoreddocs, and judgements, which say more than qrels.
    Each of DERIVATIONS has a dev and a test part below it. `v0` has its own file.
    """
    stored = StoredRelease(release, "v1", "docs")
    stored_v0 = StoredRelease(release, "v0", "docs-v0")
    human_derivations = list_human_derivations()

    components: dict = {}  # by the id below the collection's
    for name, derivation in DERIVATIONS.items():
        for part in (None, "dev", "test"):
            subset_id = _join_id(name, part)
            components[subset_id] = _make_components(stored, subset_id, derivation, part)
    for subset_id, derivation in human_derivations.items():
        components[subset_id] = _make_components(stored, subset_id, derivation)

    all_derivations = {**DERIVATIONS, **human_derivations}
    for name in IN_V0:
        subset_id = _join_id("v0", name)
        components[subset_id] = _make_components(stored_v0, subset_id, all_derivations[name])
    return make_released_datasets(release, components)


def list_human_derivations() -> dict[str, Derivation]:
    """Return how queries are derived from people's judgements, by the id below the collection's.

    Each section has a dataset of the majority's judgements, and one of each annotator's.
    """
    derivations = {}
    for name, section in SECTIONS_OF_PEOPLE.items():
        made_from = f"people's judgements ({section})"
        annotators = [None, *range(1, PEOPLE[section] + 1)]  # None: the majority of all
        for annotator in annotators:
            subset_id = name if annotator is None else f"{name}/annotator-{annotator}"
            derive = partial(derive_human_judgements, section, annotator)
            derivations[subset_id] = Derivation(
                derive, DorisMaeAspect, SCORE_DEFS, made_from, made_from
            )
    return derivations


def _join_id(*names: str | None) -> str:
    """Return the names joined by "/", without those that are None or empty: "aspects/dev"."""
    return "/".join(name for name in names if name)


def _make_components(
    stored: StoredRelease, subset_id: str, derivation: Derivation, part: str | None = None
) -> tuple:
    """Return the components of one dataset: docs, queries, qrels, judgements and scoreddocs.

    stored: the documents, and the content from which all others are derived.
    subset_id: the dataset's id below the collection's, as "aspects/dev".
    part: "dev", "test", or None for all queries.
    """
    # handlers call the methods of `subset` when records are read; nothing is read here
    subset = Subset(stored, derivation.derive, part)
    dataset_id = _join_id(NAME, subset_id)
    file_keys = (stored.version,)
    queries_from = MadeFrom(stored.release, dataset_id, file_keys, derivation.queries_from)
    judgements_from = MadeFrom(stored.release, dataset_id, file_keys, derivation.judgements_from)

    queries = make_handler(
        kind="queries",
        read=subset.queries,
        cls=derivation.cls,
        made_from=queries_from,
        namespace=NAME,
        lang="en",
    )
    qrels = make_handler(
        kind="qrels",
        read=subset.qrels,
        cls=TrecQrel,
        made_from=judgements_from,
        defs=derivation.definitions,
    )
    judgements = make_handler(
        kind="judgements",
        read=subset.judgements,
        cls=DorisMaeJudgement,
        made_from=judgements_from,
    )
    candidates = make_handler(
        kind="scoreddocs",
        read=subset.candidates,
        cls=GenericScoredDoc,
        made_from=judgements_from,
    )
    return stored, queries, qrels, judgements, candidates


class DerivedQueries(NamedTuple):
    """The judged queries, and the content of the release that they were derived from."""

    contents: "Contents"
    judged_queries: list[JudgedQuery]


class Subset:
    """The queries of one dataset, which are derived once, and again when the files change.

    derive: a function from a `Source` to the judged queries.
    part: "dev", "test", or None for all queries.
    """

    def __init__(
        self,
        docs: StoredRelease,
        derive: Callable[[Source], list[JudgedQuery]],
        part: str | None = None,
    ) -> None:
        self._docs = docs
        self._derive = derive
        self._part = part
        self._derived: DerivedQueries | None = None

    def judged_queries(self) -> list[JudgedQuery]:
        """Return the queries with their candidates and judgements, in the release's order."""
        contents = self._docs.contents()
        derived = self._derived
        if derived is None or derived.contents is not contents:
            source = Source(contents, self._part, self._docs.place())
            derived = DerivedQueries(contents, self._derive(source))
            self._derived = derived
        return derived.judged_queries

    def queries(self) -> Iterator[DorisMaeQuery | DorisMaeAspect]:
        """Yield the queries in the release's order."""
        for judged_query in self.judged_queries():
            yield judged_query.query

    def judgements(self) -> Iterator[DorisMaeJudgement]:
        """Yield DorisMaeJudgement, query by query."""
        for judged_query in self.judged_queries():
            yield from judged_query.judgements()

    def qrels(self) -> Iterator[TrecQrel]:
        """Yield the judgements as TrecQrel, see `DorisMaeJudgement.to_qrel`."""
        for judgement in self.judgements():
            yield judgement.to_qrel()

    def candidates(self) -> Iterator[GenericScoredDoc]:
        """Yield GenericScoredDoc with score 0.0, in the order of the pools."""
        for judged_query in self.judged_queries():
            for doc_id in judged_query.pool:
                yield GenericScoredDoc(judged_query.query.query_id, doc_id, 0.0)

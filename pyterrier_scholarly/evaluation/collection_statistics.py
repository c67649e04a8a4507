"""The tables with which papers describe their collections, computed from the data.

statistics("csfcube")["pools"]         # a row per facet: queries, candidates, grades
statistics("litsearch")["questions"]   # a row per source and specificity: words, overlap
statistics("doris-mae")["relevant"]    # a row per type of query: relevant abstracts
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

import ir_datasets
import pandas as pd

from ir_datasets_ext.doris_mae_queries import DorisMaeJudgement, DorisMaeQuery
from ir_datasets_ext.litsearch import SOURCES, LitsearchDoc, LitsearchQuery

from ..datasets import DatasetLike, collection, irds
from ..protocols import TITLE_LIMITS
from ..text import mean_overlap
from .printed import find_protocol

ALL = "all"  # queries of any type
NO_TYPE = ""  # the type of a query where the release has none
GRADES = (0, 1, 2, 3)
#: fields of CSFCube's queries that each of their pairs has in a column
QUERY_FIELDS = ["query_id", "paper_id", "facet", "paper_type", "paper_year"]


def statistics(dataset: DatasetLike) -> dict[str, pd.DataFrame]:
    """Compute the tables with which papers describe their collections, over a dataset's queries.

    - CSFCube: `cited` (grades of papers that the query paper cites: Appendix D) and `pools` (sizes
      and grades), a row per facet; the same as `pools` by `paper_type` and `paper_year` of the
      query papers (section 3); and `facets` (grades of the same candidates for two facets: Figure
      2). They cover all rows of the release, with 8781666, which is its own candidate there in
      two facets: 6,244 pairs, as the datasheet counts. The qrels leave these two out.
    - LitSearch: `questions` (Table 2, by source and specificity) and `sets` (Table 14): words per
      question, gold papers per question, and the share of a question's words that occur in the
      gold papers' titles and abstracts. `filter`: questions above the collection's limit of
      overlap with titles. `corpus`: papers and words per paper, for ``"litsearch/full-text"`` also
      of full texts (section 2.5; the release does not say which papers are ACL's and ICLR's).
    - DORIS-MAE: `queries` (words, aspects, pools), `relevant` (relevant abstracts per query: Table
      9), `scores` (normalised scores: Table 10), `abstracts` (words), by type of query. For
      ``"doris-mae/subqueries-2"``, the lower halves of both tables. See `printed_tables`.

    Words are separated by blanks. If papers are missing from the files, figures cover the others,
    and a column has their number.

    Args:
        dataset: an id (``"csfcube"``, ``"litsearch/inline"``, …) or a dataset object.

    Returns:
        Dict from the table's name to a data frame.

    Raises:
        ValueError: a dataset of another collection.
    """
    protocol = find_protocol("statistics", dataset, "statistics")
    return STATISTICS[protocol.statistics](irds(dataset))


# --- CSFCube ----------------------------------------------------------------------------------


def describe_csfcube(dataset: ir_datasets.Dataset) -> dict[str, pd.DataFrame]:
    """Compute `cited`, `pools`, `facets`, `paper_type` and `paper_year`.

    cited: `facet`, `cited` (pairs of a query and a candidate that it cites), their number by grade
        ("0" to "3"), and the share of the grades 0 and 1 ("0 or 1", in 0..1).
    pools: `facet`, `queries`, `candidates` (judged pairs), `smallest`, `mean` and `largest` pool,
        and the number of pairs by grade.
    paper_type, paper_year: the same for each type and year of query papers.
    facets: grades of the same candidates of a query paper for two facets: `facet` and `grade` of
        the first, `other` (the second facet), and the number by grade there ("0" to "3").
    """
    if "/" not in dataset.dataset_id():  # the bare collection has no queries
        dataset = irds(f"{dataset.dataset_id()}/all")

    queries = pd.DataFrame(dataset.queries_iter())
    ratings = pd.DataFrame(dataset.ratings_iter())
    pairs = ratings[["query_id", "doc_id", "relevance"]].merge(queries[QUERY_FIELDS])
    return {
        "cited": _count_cited(pairs, dataset, queries["facet"].unique()),
        "pools": _describe_pools(pairs, "facet"),
        "paper_type": _describe_pools(pairs, "paper_type"),
        "paper_year": _describe_pools(pairs, "paper_year"),
        "facets": _compare_facets(pairs),
    }


def _count_cited(
    pairs: pd.DataFrame, dataset: ir_datasets.Dataset, facets: Sequence[str]
) -> pd.DataFrame:
    """Describe the pairs whose candidate is cited by the query paper: a row per facet."""
    sources = pd.DataFrame(irds(collection(dataset)).pool_sources_iter())
    is_cited = sources["sources"].map(lambda names: "cited" in names)
    cited_pairs = pairs.merge(sources[is_cited], on=["paper_id", "doc_id"])

    table = _count_grades(cited_pairs, ["facet"]).reindex(facets, fill_value=0)
    cited_count = table.sum(axis=1)
    low_count = table["0"] + table["1"]
    table.insert(0, "cited", cited_count)
    table["0 or 1"] = low_count / cited_count
    return table.reset_index()


def _describe_pools(pairs: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return a row per group of queries: the sizes and grades of their pools."""
    pool_sizes = pairs.groupby([by, "query_id"]).size()
    table = pool_sizes.groupby(by).agg(
        queries="count", candidates="sum", smallest="min", mean="mean", largest="max"
    )
    return table.join(_count_grades(pairs, [by])).reset_index()


def _compare_facets(pairs: pd.DataFrame) -> pd.DataFrame:
    """Count how candidates with a grade for one facet are graded for another facet."""
    graded_for_first = pairs.rename(columns={"relevance": "grade"})
    graded_for_second = pairs.rename(columns={"facet": "other"})
    graded_twice = graded_for_first.merge(graded_for_second, on=["paper_id", "doc_id"])

    # the merge has each two facets in both orders, and each facet with itself: one order is kept
    key_columns = ["facet", "other", "grade"]
    row_keys = [
        (facet, other, grade)
        for facet, other in combinations(pairs["facet"].unique(), 2)
        for grade in GRADES
    ]
    kept_rows = pd.MultiIndex.from_tuples(row_keys, names=key_columns)
    counts = _count_grades(graded_twice, key_columns)
    return counts.reindex(kept_rows, fill_value=0).reset_index()


def _count_grades(pairs: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Count the pairs of each grade: a row per group, a column per grade ("0" to "3")."""
    counts = pairs.value_counts([*by, "relevance"]).unstack(fill_value=0)
    counts = counts.reindex(columns=GRADES, fill_value=0)
    return counts.set_axis([str(grade) for grade in GRADES], axis=1)


# --- LitSearch --------------------------------------------------------------------------------


def describe_litsearch(dataset: ir_datasets.Dataset) -> dict[str, pd.DataFrame]:
    """Compute `questions` (Table 2), `sets` (Table 14), `filter` (2.1) and `corpus` (2.5).

    questions, sets: a row per source (or set) and `specificity`: `questions` (their number),
        `words` and `papers` (means per question), `overlap` (mean over questions of the mean over
        their gold papers, in 0..1), `overlap_questions` (number of questions in that mean: those
        whose gold papers are all present).
    filter: a row per set filtered by overlap with titles: `limit`, `questions` (those whose gold
        papers are all present), `above` (how many of these still exceed the limit).
    corpus: a row for titles with abstracts and, for `litsearch/full-text` only, one for full texts:
        `text`, `papers` (those with such text), `words` (mean per such paper; NaN if none).
    """
    qrels = list(dataset.qrels_iter())
    gold_ids: dict[str, list[str]] = defaultdict(list)
    for qrel in qrels:
        gold_ids[qrel.query_id].append(qrel.doc_id)
    gold_papers = dataset.docs_store().get_many({qrel.doc_id for qrel in qrels})

    questions = pd.DataFrame(
        _describe_question(query, gold_ids[query.query_id], gold_papers)
        for query in dataset.queries_iter()
    )
    return {
        "questions": _average_questions(questions, "source"),
        "sets": _average_questions(questions, "set"),
        "filter": _count_above_limits(questions),
        "corpus": _describe_corpus(dataset),
    }


def _describe_question(
    query: LitsearchQuery, gold_ids: list[str], gold_papers: Mapping[str, LitsearchDoc]
) -> dict[str, object]:
    """Return a question's source and set, its words and gold papers, and its overlap with these.

    The overlap is the share of its words that occur in a gold paper's title and abstract, or in the
    title alone: the mean over its gold papers; NaN if one is missing.

    gold_papers: those that are present, by id.
    """
    overlap = title_overlap = float("nan")
    present_papers = [gold_papers[doc_id] for doc_id in gold_ids if doc_id in gold_papers]
    if gold_ids and len(present_papers) == len(gold_ids):
        # papers are written as the authors' code writes them
        texts = [f"Title: {doc.title}\nAbstract: {doc.text}" for doc in present_papers]
        overlap = mean_overlap(query.query, texts)
        title_overlap = mean_overlap(query.query, [doc.title for doc in present_papers])

    # two names in SOURCES have a query's set: first the source, as "inline", then the set itself
    source, set_name = [name for name, sets in SOURCES.items() if query.query_set in sets]
    return {
        "source": source,
        "set": set_name,
        "specificity": query.specificity,
        "words": len(query.query.split()),
        "papers": len(gold_ids),
        "overlap": overlap,
        "title_overlap": title_overlap,
    }


def _average_questions(questions: pd.DataFrame, by: str) -> pd.DataFrame:
    """Average by `by` and specificity, in the order of the printed tables."""
    averages = questions.groupby([by, "specificity"], sort=False).agg(
        questions=("words", "size"),
        words=("words", "mean"),
        papers=("papers", "mean"),
        overlap=("overlap", "mean"),
        overlap_questions=("overlap", "count"),  # NaN does not count
    )
    sources_in_order = [name for name in SOURCES if name in averages.index]
    return averages.sort_index(level="specificity").loc[sources_in_order].reset_index()


def _count_above_limits(questions: pd.DataFrame) -> pd.DataFrame:
    """Count the questions of filtered sets that exceed the limit of overlap with titles."""
    rows = []
    for set_name, limit in TITLE_LIMITS.items():
        overlaps = questions["title_overlap"][questions["set"] == set_name].dropna()
        rows.append((set_name, limit, len(overlaps), int((overlaps > limit).sum())))
    return pd.DataFrame(rows, columns=["set", "limit", "questions", "above"])


def _describe_corpus(dataset: ir_datasets.Dataset) -> pd.DataFrame:
    """Count the words of the papers, with one paper in memory at a time."""
    has_full_texts = "full_text" in dataset.docs_cls()._fields
    word_counts = []
    for doc in dataset.docs_iter():
        counts_of_doc = {"titles and abstracts": len(f"{doc.title} {doc.text}".split())}
        if has_full_texts:
            counts_of_doc["full texts"] = len(doc.full_text.split())
        word_counts.append(counts_of_doc)

    # a paper that is missing from the files has no words, and does not count
    counts = pd.DataFrame(word_counts)
    present_counts = counts[counts > 0]
    table = pd.DataFrame({"papers": present_counts.count(), "words": present_counts.mean()})
    return table.rename_axis("text").reset_index()


# --- DORIS-MAE --------------------------------------------------------------------------------


def describe_doris_mae(dataset: ir_datasets.Dataset) -> dict[str, pd.DataFrame]:
    """Compute `queries`, `relevant`, `scores` and `abstracts`.

    All have the columns `query_type` (the last is "all") and, of the values, their number
    (`count`), `min`, `max`, `mean` and `std` (of the population, as the printed rows agree with).

    queries, abstracts: with a column `quantity`. Per query its `words`, its `aspects`, its distinct
        `sub_aspects`, the abstracts in its `pool`; per aspect its `sub_aspects_of_an_aspect`; per
        abstract of a pool its `words`.
    relevant: relevant abstracts per query with a pool (Table 9).
    scores: total / |Q| per pair of query and abstract of its pool (Table 10).

    Raises:
        ValueError: queries without aspects (doris-mae/aspects, doris-mae/human).
    """
    if "aspect_ids" not in dataset.queries_cls()._fields:
        raise ValueError(
            f"the queries of {dataset.dataset_id()} are single aspects: expected queries that have "
            "aspects, as in doris-mae, doris-mae/dev or doris-mae/subqueries-2"
        )
    queries = list(dataset.queries_iter())
    candidates = list(dataset.scoreddocs_iter())
    judgements = [DorisMaeJudgement.from_qrel(qrel) for qrel in dataset.qrels_iter()]
    type_of_query = {query.query_id: query.query_type for query in queries}
    pool_sizes = Counter(candidate.query_id for candidate in candidates)

    # `queries`: what a query has, and the size of its pool
    query_numbers = list(_count_parts(queries))
    for query_id, pool_size in pool_sizes.items():
        query_numbers.append(("pool", type_of_query[query_id], pool_size))

    # `relevant`: a Counter has 0 for a query without relevant abstracts, which Table 9 counts too
    relevant_counts = Counter(row.query_id for row in judgements if row.is_relevant)
    relevant_numbers = []
    for query_id in pool_sizes:
        relevant_numbers.append((type_of_query[query_id], relevant_counts[query_id]))

    # `scores`: a number for each judged pair
    scores = []
    for judgement in judgements:
        normalised_score = judgement.total / judgement.aspects
        scores.append((type_of_query[judgement.query_id], normalised_score))

    # `abstracts`: of no type, because queries of several types share an abstract
    pooled_ids = {candidate.doc_id for candidate in candidates}
    pooled_docs = dataset.docs_store().get_many_iter(pooled_ids)
    abstract_numbers = [("words", NO_TYPE, len(doc.text.split())) for doc in pooled_docs]

    quantity_columns = ["quantity", "query_type", "value"]
    type_columns = ["query_type", "value"]
    return {
        "queries": _describe_numbers(pd.DataFrame(query_numbers, columns=quantity_columns)),
        "relevant": _describe_numbers(pd.DataFrame(relevant_numbers, columns=type_columns)),
        "scores": _describe_numbers(pd.DataFrame(scores, columns=type_columns)),
        "abstracts": _describe_numbers(pd.DataFrame(abstract_numbers, columns=quantity_columns)),
    }


def _count_parts(queries: Iterable[DorisMaeQuery]) -> Iterator[tuple[str, str, int]]:
    """Yield the number of each query's words and aspects, behind quantity and type of query."""
    for query in queries:
        aspect_count = len(query.aspect_ids)
        yield "words", query.query_type, len(query.query.split())
        yield "aspects", query.query_type, aspect_count
        yield "sub_aspects", query.query_type, len(set(query.sub_aspect_ids))
        for aspect in range(aspect_count):
            sub_aspect_count = query.sub_aspect_of.count(aspect)
            yield "sub_aspects_of_an_aspect", query.query_type, sub_aspect_count


def _describe_numbers(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return count, least, largest and mean value, and deviation, of what was measured.

    The frame has a row for each quantity and type of query, and one for all types together.

    numbers: frame `query_type` (perhaps NO_TYPE), `value`, and perhaps `quantity`.
    """
    # each number counts twice: for its query's type, if it has one, and for all types
    has_type = numbers["query_type"] != NO_TYPE
    rows = pd.concat([numbers[has_type], numbers.assign(query_type=ALL)])

    keys = [column for column in ("quantity", "query_type") if column in numbers]
    values = rows.groupby(keys, sort=False)["value"]
    table = values.agg(["count", "min", "max", "mean"])
    table["std"] = values.std(ddof=0)
    return table.reset_index()


#: `Protocol.statistics` -> function from a dataset of such a collection to its tables
STATISTICS = {
    "csfcube": describe_csfcube,
    "litsearch": describe_litsearch,
    "doris-mae": describe_doris_mae,
}

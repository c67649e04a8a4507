"""A valid call of every public function, and a valid object of every public class with settings.

A call names its arguments. So `of_arguments` can replace one of them by a wrong value.
"""

from collections.abc import Callable
from dataclasses import fields
from functools import lru_cache, partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import msgspec
import numpy as np
import pandas as pd

import pyterrier_scholarly as ps
from pyterrier_scholarly import (
    chat,
    cluster,
    collect,
    encoders,
    evaluation,
    figures,
    logs,
    protocols,
    recipes,
    search,
    similarity,
    stats,
    text,
    training,
    verification,
)
from pyterrier_scholarly.paper import Paper
from pyterrier_scholarly.papers import FoundPapers
from pyterrier_scholarly.verification.report import describe_machine
from tests.transformers.test_contract import EXAMPLES, MORE, full_example, input_of

MINI = "scholarly-mini/method"
FACETED = "scholarly-mini/all"
GUIDELINES = "csfcube/method"  # of one facet, so that pairs need no column of it
TEXTS = ["graphs of playlists", "terms of papers", "users of graphs", "papers of users"]
#: what calls write goes here, not into the current folder
SCRATCH = TemporaryDirectory(prefix="scholarly-calls-")
NUMBERS = count()
PAPER = Paper("", "A title", ("One graph.", "Two users."), ("method", "result"))


class Call(NamedTuple):
    """A valid call.

    function: what is called.
    arguments: makes the arguments, by name, anew.
    try_result: called with the result: a step transforms, an encoder encodes.
    is_run: whether the valid call is run, too; else it takes too long, or needs what is not here.
    """

    function: Callable
    arguments: Callable[[], dict]
    try_result: Callable = lambda result: None
    is_run: bool = True


def lengths(texts):
    """An encoder: a vector for each text."""
    return np.array([[len(one), 1.0] for one in texts])


def shared_letters(pairs):
    """A scorer of pairs."""
    return [len(set(one) & set(other)) for one, other in pairs]


def answer(messages):
    """A language model."""
    return "It is AGREE."


class Letters:
    """An encoder of tokens, which are letters."""

    def encode_tokens(self, texts, side):
        """A vector for each letter."""
        return [np.array([[ord(letter), 100.0] for letter in one]) for one in texts]


def run():
    """Results of two queries."""
    return pd.DataFrame(
        {
            "qid": ["110"] * 3 + ["122"] * 2,
            "docno": ["102", "104", "105", "102", "105"],
            "score": [3.0, 2.0, 1.0, 2.0, 1.0],
            "rank": [0, 1, 2, 0, 1],
        }
    )


def runs():
    """Results of two systems."""
    return {"a": run(), "b": run().assign(score=lambda frame: -frame["score"])}


def pools():
    """Pools with their sources."""
    return run()[["qid", "docno"]].assign(sources=[("a",), ("b", "a"), ("a",), ("b",), ("a",)])


def qrels():
    """Judgements of two queries."""
    return run()[["qid", "docno"]].assign(label=[2, 0, 1, 1, 0])


@lru_cache
def all_topics():
    """The topics of all facets."""
    import pyterrier as pt

    return pt.get_dataset(f"irds:{FACETED}").get_topics("query")


def perquery():
    """Values of two systems for all queries of the faceted collection."""
    qids = all_topics()["qid"].tolist()
    values = [(number % 7) / 7 for number in range(len(qids))]
    rows = [
        {"name": name, "qid": qid, "measure": "P@20", "value": value * factor}
        for name, factor in (("a", 1.0), ("b", 0.5))
        for qid, value in zip(qids, values)
    ]
    return pd.DataFrame(rows)


def means():
    """Means of six systems for two measures."""
    values = [0.1, 0.3, 0.2, 0.6, 0.5, 0.4]
    return pd.DataFrame({"name": list("abcdef"), "AP": values, "P@5": values[::-1]})


def pairs():
    """Pairs of an aspect and an abstract; the guidelines of a grade depend on the facet."""
    texts = {"query": "graphs", "title": "Trees", "text": "About graphs.", "facet": "method"}
    return run()[["qid", "docno"]].assign(**texts)


def ratings():
    """Grades of two annotators."""
    grades = qrels().rename(columns={"label": "rating"})
    return {"ann1": grades, "ann2": grades.assign(rating=[1, 0, 1, 1, 2])}


def questions():
    """Questions with the papers that answer them."""
    return pd.DataFrame(
        {
            "query_id": ["p1_1", "p1_2"],
            "query": ["which graphs?", "which users?"],
            "doc_ids": [["a"], ["b"]],
            "source": ["inline-acl", "inline-acl"],
        }
    )


def papers():
    """Papers with titles."""
    return pd.DataFrame({"doc_id": ["a", "b"], "title": ["Trees", "Walks"]})


def written_papers():
    """A file of one's own papers."""
    rows = [
        {"id": name, "title": f"Title {name}", "abstract": f"{TEXTS[0]}. More."} for name in "ab"
    ]
    file = Path(fresh("papers") + ".jsonl")
    file.write_text(
        "\n".join(pd.DataFrame(rows).to_json(orient="records", lines=True).splitlines())
    )
    return file


def report():
    """A report of a verification that found nothing to run."""
    empty = verification.Report(
        collection="csfcube",
        outcomes=(),
        versions={},
        machine=describe_machine(),
        data=(),
        precision="fp32",
    )
    whole = msgspec.structs.replace(empty, digest=empty.compute_digest())
    return whole.write(fresh("report"))


def fresh(name):
    """A path where nothing is, in a folder that is removed at the end."""
    return str(Path(SCRATCH.name, f"{name}{next(NUMBERS)}"))


@lru_cache
def shards():
    """A folder of shards."""
    folder = fresh("shards")
    cluster.encode_shards(
        dict(zip("abcd", TEXTS)), lengths, folder, encoder_name="lengths", verbose=False
    )
    return folder


@lru_cache
def library():
    """A library of one's own papers, in which papers are compared by words."""
    folder = fresh("library")
    ps.Papers.build(folder, written_papers(), verbose=False)
    return folder


@lru_cache
def system():
    """A pipeline of one system."""
    return (
        ps.Pool(MINI)
        >> ps.FacetQuery(MINI)
        >> ps.PaperLoader(MINI)
        >> ps.SentenceMaxSim(encoders.Function(lengths))
    )


def _stages_arguments():
    import pyterrier as pt

    return {
        "pipeline": pt.Transformer.from_df(run()),
        "topics": pd.DataFrame({"qid": ["110", "122"]}),
        "qrels": qrels(),
        "measures": ["AP"],
        "relevant": 1,
        "top": 10,
        "check": True,
        "name": None,
    }


@lru_cache
def _stages():
    return ps.stages(**_stages_arguments())


def _curves():
    return evaluation.by_cutoff(runs(), MINI, "NDCG%20", [10, 20], resamples=5)


def _query_values():
    return evaluation.by_query(perquery(), FACETED, "P@20")


@lru_cache
def _figure():
    return figures.plot_cutoffs(_curves())


@lru_cache
def _explained():
    return ps.explain(system(), "110", "102")


@lru_cache
def _table():
    return ps.reproduce(MINI, {"own": _whole_run()}, resamples=10, verbose=False)


@lru_cache
def _whole_run():
    import pyterrier as pt

    return system()(pt.get_dataset(f"irds:{MINI}").get_topics("query"))


@lru_cache
def _found():
    return ps.search_papers(written_papers(), TEXTS[0], encoder=encoders.Function(lengths))


def _chat_file():
    store = chat.Replies(fresh("replies"))
    store.put("0" * 64, chat.Reply("text"))
    file = fresh("exported")
    store.export_jsonl(file)
    return file


def _triplets():
    cites = {"a": ["b", "c"], "b": ["c"], "c": ["a"], "d": ["a"]}
    return training.CitationTriplets(cites, list("abcd"))


def _slopes():
    return stats.histogram_slope(np.linspace(0, 0.6, 50), np.linspace(0, 1, 50), bins=5)


def _sheet():
    file = Path(fresh("sheet"))
    collect.write_grading(pairs(), file, GUIDELINES)
    return file


def _adjudication():
    file = Path(fresh("adjudication"))
    collect.write_adjudication(ratings(), pairs(), file, GUIDELINES)
    return file


def _judged():
    return qrels().assign(content="It is AGREE.")


def _error_rows():
    return collect.error_rows(runs(), MINI, k=1)


def _errors():
    file = Path(fresh("errors"))
    collect.write_errors(_error_rows(), file)
    return file


def _review():
    file = Path(fresh("review"))
    collect.write_review(questions(), papers(), file)
    return file


def _log():
    file = Path(fresh("log") + ".csv")
    rows = [f"u{n % 3},2020-03-08T02:{n:02}:{n % 60:02}Z,d{n % 4}" for n in range(40)]
    file.write_text("user,time,doc\n" + "\n".join(rows) + "\n")
    return file


def _ranked_pools():
    file = Path(fresh("pools"))
    evaluation.write_ranked_pools(run(), file)
    return file


def _trec_run():
    file = Path(fresh("run"))
    file.write_text("1 Q0 a 1 2.0 x\n1 Q0 b 2 1.0 x\n")
    return file


#: the functions and methods; a name is that of the reference
FUNCTIONS = {
    # encoders
    "encoders.as_cache": Call(encoders.as_cache, lambda: {"choice": fresh("cache")}),
    "encoders.as_encoder": Call(
        encoders.as_encoder, lambda: {"source": lengths, "batch_size": 2, "verbose": False}
    ),
    "encoders.as_pair_scorer": Call(
        encoders.as_pair_scorer, lambda: {"source": shared_letters, "verbose": False}
    ),
    "encoders.as_passage_encoder": Call(encoders.as_passage_encoder, lambda: {"source": lengths}),
    "encoders.as_token_encoder": Call(
        encoders.as_token_encoder,
        lambda: {"source": Letters(), "verbose": False},
    ),
    "encoders.pair_scores": Call(
        encoders.pair_scores, lambda: {"score": shared_letters, "pairs": [("a", "b")]}
    ),
    "encoders.passage_arrays": Call(
        encoders.passage_arrays,
        lambda: {"encoder": encoders.as_passage_encoder(lengths), "passages": [("a", "b")]},
    ),
    "encoders.sentence_vectors": Call(
        encoders.sentence_vectors,
        lambda: {
            "encoder": encoders.as_passage_encoder(lengths),
            "papers": [PAPER],
            "context": "title",
            "scaled": True,
        },
    ),
    "encoders.token_vectors": Call(
        encoders.token_vectors,
        lambda: {"encoder": Letters(), "texts": ["a", "b"], "side": "query"},
    ),
    "encoders.vectors": Call(
        encoders.vectors,
        lambda: {
            "encoder": encoders.Function(lengths),
            "texts": ["a", "b"],
            "side": "query",
            "sparse": False,
        },
    ),
    # chat
    "chat.as_chat": Call(chat.as_chat, lambda: {"client": answer}),
    "chat.ChatRun": Call(chat.ChatRun, lambda: {"client": answer, "prices": (1.0, 2.0)}),
    "chat.run_in_parallel": Call(
        chat.run_in_parallel,
        lambda: {
            "jobs": [chat.Job("a", str), chat.Job("b", str)],
            "workers": 2,
            "name": "test",
            "verbose": False,
        },
    ),
    "chat.Replies": Call(chat.Replies, lambda: {"path": fresh("replies")}),
    "chat.Replies.export_jsonl": Call(
        chat.Replies.export_jsonl,
        lambda: {"self": _replies(), "target": fresh("exported")},
    ),
    "chat.Replies.import_jsonl": Call(
        chat.Replies.import_jsonl,
        lambda: {"self": _replies(), "source": _chat_file()},
    ),
    # recipes
    "recipes.lexical_evidence": Call(
        recipes.lexical_evidence, lambda: {"dataset": MINI, "cache": None}
    ),
    "one_encoding": Call(ps.one_encoding, lambda: {"dataset": MINI, "encoder": lengths}),
    "six_parts": Call(ps.six_parts, lambda: {"dataset": MINI, "encoder": lengths}),
    "three_parts": Call(ps.three_parts, lambda: {"dataset": MINI, "encoder": lengths}),
    "recipes.scored_parts": Call(
        recipes.scored_parts, lambda: {"dataset": MINI, "encoder": lengths}
    ),
    "recipes.pool_systems": Call(
        recipes.pool_systems, lambda: {"dataset": MINI, "specter": lengths, "num_results": 3}
    ),
    "recipes.terrier_bm25": Call(
        recipes.terrier_bm25,
        lambda: {"dataset": MINI, "index": "no-index", "num_results": 3},
        is_run=False,
    ),
    "recipes.weight_grid": Call(
        recipes.weight_grid,
        lambda: {"centroids": [0.5], "misses": [0.1], "words": [0.1], "topics": [0.1]},
    ),
    "systems": Call(
        ps.systems,
        lambda: {
            "dataset": MINI,
            "encoder": lengths,
            "models": {},
            "precision": "fp32",
            "device": "cpu",
            "client": answer,
            "runs": None,
            "cache": None,
            "one_hop": None,
            "protocol": None,
            "verbose": False,
        },
    ),
    # tables
    "reproduce": Call(
        ps.reproduce,
        lambda: {
            "dataset": MINI,
            "systems": {"own": _whole_run()},
            "table": None,
            "baseline": None,
            "save_dir": None,
            "resamples": 10,
            "seed": 1,
            "correction": None,
            "verbose": False,
        },
    ),
    "tables.PaperTable.to_html": Call(
        ps.tables.PaperTable.to_html, lambda: {"self": _table(), "path": fresh("table")}
    ),
    "tables.PaperTable.to_latex": Call(
        ps.tables.PaperTable.to_latex,
        lambda: {"self": _table(), "path": None, "rows": None, "std": True, "best": "group"},
    ),
    # evaluation
    "against_baseline": Call(
        ps.against_baseline,
        lambda: {
            "perquery": perquery(),
            "dataset": FACETED,
            "baseline": "a",
            "resamples": 5,
            "seed": 0,
        },
    ),
    "beside": Call(
        ps.beside, lambda: {"own": _table_means(), "published": ps.published("csfcube")}
    ),
    "bootstrap": Call(
        ps.bootstrap,
        lambda: {
            "perquery": perquery(),
            "measures": ["P@20"],
            "resamples": 5,
            "seed": 0,
            "confidence": 0.9,
            "draw": "counted",
        },
    ),
    "by_subset": Call(
        ps.by_subset, lambda: {"perquery": perquery(), "subsets": FACETED, "by": None}
    ),
    "evaluation.bound_ndcg": Call(
        evaluation.bound_ndcg,
        lambda: {"run": run(), "qrels": qrels(), "measure": "nDCG@10"},
    ),
    "evaluation.by_cutoff": Call(
        evaluation.by_cutoff,
        lambda: {
            "runs": runs(),
            "dataset": MINI,
            "measure": "NDCG%20",
            "percents": [10, 20],
            "by": None,
            "resamples": 5,
            "seed": 0,
        },
    ),
    "evaluation.by_query": Call(
        evaluation.by_query,
        lambda: {
            "perquery": perquery(),
            "dataset": FACETED,
            "measure": "P@20",
            "by": "facet",
        },
    ),
    "evaluation.condense": Call(evaluation.condense, lambda: {"run": run(), "qrels": qrels()}),
    "evaluation.unjudged_effects": Call(
        evaluation.unjudged_effects,
        lambda: {"run": run(), "qrels": qrels(), "measures": ["nDCG@10"]},
    ),
    "chosen_on_dev": Call(
        ps.chosen_on_dev,
        lambda: {
            "scored": _features(),
            "dataset": FACETED,
            "grid": [(1.0, 0.0), (0.0, 1.0)],
            "metric": "map",
            "qrels": None,
        },
        is_run=False,
    ),
    "correlate": Call(
        ps.correlate, lambda: {"results": means(), "x": "AP", "y": "P@5", "confidence": 0.9}
    ),
    "fold_mean": Call(ps.fold_mean, lambda: {"perquery": perquery(), "dataset": FACETED}),
    "folds": Call(ps.folds, lambda: {"dataset": FACETED}),
    "evaluation.from_all": Call(evaluation.from_all, lambda: {"frame": _run_of_all()}),
    "evaluation.to_all": Call(evaluation.to_all, lambda: {"frame_by_facet": {"method": run()}}),
    "evaluation.leave_one_out": Call(
        evaluation.leave_one_out,
        lambda: {
            "runs": runs(),
            "dataset": "scholarly-mini/method/fold1/dev",
            "measures": ["P@5"],
            "pools": pools(),
            "rerank": True,
        },
    ),
    "official_measures": Call(ps.official_measures, lambda: {"dataset": MINI}, is_run=False),
    "evaluation.pool_sensitivity": Call(
        evaluation.pool_sensitivity,
        lambda: {
            "runs": runs(),
            "qrels": qrels(),
            "pools": {"whole": pools(), "half": 0.5},
            "measures": ["P@5"],
            "seed": 1,
        },
    ),
    "evaluation.printed_tables": Call(evaluation.printed_tables, lambda: {"dataset": "litsearch"}),
    "published": Call(ps.published, lambda: {"dataset": "litsearch"}),
    "evaluation.queries_by": Call(
        evaluation.queries_by, lambda: {"dataset": MINI, "by": "paper_type"}
    ),
    "evaluation.random_baseline": Call(
        evaluation.random_baseline,
        lambda: {"pools": MINI, "measures": ["P@5"], "trials": 2, "seed": 0},
    ),
    "read_ranked_pools": Call(ps.read_ranked_pools, lambda: {"path": _ranked_pools()}),
    "write_ranked_pools": Call(
        ps.write_ranked_pools, lambda: {"run": run(), "path": fresh("written")}
    ),
    "evaluation.read_trec_run": Call(evaluation.read_trec_run, lambda: {"path": _trec_run()}),
    "evaluation.read_run": Call(
        evaluation.read_run, lambda: {"path": _trec_run(), "dataset": None}
    ),
    "evaluation.read_runs": Call(
        evaluation.read_runs, lambda: {"path": _trec_run(), "dataset": None}
    ),
    "check_run": Call(ps.check_run, lambda: {"run": run(), "dataset": MINI, "name": "run"}),
    "read_pairs": Call(ps.read_pairs, lambda: {"dataset": "download-log/own/1m"}, is_run=False),
    "statistics": Call(ps.statistics, lambda: {"dataset": MINI}, is_run=False),
    # stats
    "stats.correct_pvalues": Call(
        stats.correct_pvalues, lambda: {"pvalues": [0.01, 0.2], "correction": "holm"}
    ),
    "stats.smallest_difference": Call(
        stats.smallest_difference,
        lambda: {"differences": [0.1, 0.3, -0.2], "power": 0.8, "significance": 0.05},
    ),
    "stats.distances": Call(
        stats.distances,
        lambda: {"similar": [0.5, 1.0], "random": [0.1, 0.2], "low": 0.0, "high": 1.0},
    ),
    "stats.score_slope": Call(
        stats.score_slope,
        lambda: {
            "similar": np.linspace(0.4, 1.0, 50),
            "random": np.linspace(0.0, 1.0, 50),
            "low": None,
            "high": None,
            "normalise": "reversed",
            "bins": 5,
            "edge": "upper",
            "fit": "expected",
            "x_error": "mean",
        },
    ),
    "stats.Histogram": Call(
        stats.Histogram, lambda: {"bins": 5, "low": 0.0, "high": 1.0, "edge": "upper"}
    ),
    "stats.histogram_slope": Call(
        stats.histogram_slope,
        lambda: {
            "similar": [0.1, 0.2, 0.3],
            "random": [0.1, 0.5, 0.9],
            "bins": 5,
            "low": 0.0,
            "high": 1.0,
            "edge": "upper",
            "fit": "expected",
            "x_error": "mean",
        },
    ),
    "paired_t": Call(ps.paired_t, lambda: {"system": [1.0, 2.0, 4.0], "baseline": [1.0, 1.0, 1.0]}),
    "paired_wilcoxon": Call(
        ps.paired_wilcoxon, lambda: {"system": [1.0, 2.0, 4.0], "baseline": [1.0, 1.0, 1.0]}
    ),
    "stats.resample_means": Call(
        stats.resample_means,
        lambda: {
            "values": [[0.1, 0.2], [0.3, 0.5]],
            "resamples": 5,
            "seed": 0,
            "confidence": 0.9,
            "draw": "counted",
        },
    ),
    # comparison
    "compare": Call(
        partial(ps.compare, {"a": run(), "b": runs()["b"]}),
        lambda: {
            "dataset": MINI,
            "measure": "NDCG%20",
            "baseline": "a",
            "by": None,
            "missing": "skip",
            "tags": None,
            "explain_with": None,
            "save_dir": None,
            "resamples": 5,
            "seed": 0,
            "verbose": False,
        },
    ),
    # explanation
    "explain": Call(
        ps.explain,
        lambda: {
            "pipeline": system(),
            "query": "110",
            "document": "102",
            "dataset": None,
        },
    ),
    "explanation.Explanation.to_html": Call(
        ps.explanation.Explanation.to_html, lambda: {"self": _explained(), "path": fresh("page")}
    ),
    # pipeline_stages
    "stages": Call(ps.stages, lambda: _stages_arguments()),
    "pipeline_stages.Stages.to_html": Call(
        ps.pipeline_stages.Stages.to_html,
        lambda: {"self": _stages(), "path": fresh("page"), "unjudged": False},
    ),
    # figures
    "figures.plot_confusions": Call(
        figures.plot_confusions, lambda: {"agreement": collect.agreement(ratings())}
    ),
    "figures.plot_correlation": Call(
        figures.plot_correlation,
        lambda: {"results": means(), "x": "AP", "y": "P@5", "names": "name"},
    ),
    "figures.plot_cutoffs": Call(
        figures.plot_cutoffs, lambda: {"curves": _curves(), "size": "column"}
    ),
    "figures.plot_facet_grades": Call(
        figures.plot_facet_grades, lambda: {"table": _facet_grades()}, is_run=False
    ),
    "figures.plot_facet_scores": Call(
        figures.plot_facet_scores, lambda: {"perquery": perquery(), "measure": "P@20"}
    ),
    "figures.plot_losses": Call(
        figures.plot_losses, lambda: {"losses": {"a": [(10, 0.5), (20, 0.4)]}}
    ),
    "figures.plot_normalised_scores": Call(
        figures.plot_normalised_scores, lambda: {"dataset": MINI}, is_run=False
    ),
    "figures.plot_queries": Call(
        figures.plot_queries,
        lambda: {"values": _query_values(), "measure": "P@20", "size": "column"},
    ),
    "figures.plot_recall": Call(
        figures.plot_recall,
        lambda: {"runs": runs(), "datasets": [MINI], "k": 5, "relevant": 1},
        is_run=False,
    ),
    "figures.plot_stages": Call(
        figures.plot_stages,
        lambda: {"stages": _stages(), "qid": None, "width": 3.4, "height": 2.6},
    ),
    "figures.save_figure": Call(
        figures.save_figure,
        lambda: {"figure": _figure(), "path": fresh("figure") + ".pdf"},
    ),
    "figures.plot_rhsa": Call(figures.plot_rhsa, lambda: {"slopes": {"a": _slopes()}}),
    # papers
    "Papers": Call(ps.Papers, lambda: {"path": library(), "encoder": encoders.Function(lengths)}),
    "papers.read_source": Call(
        ps.papers.read_source, lambda: {"source": written_papers()}, try_result=list
    ),
    # search
    "search.read_papers": Call(search.read_papers, lambda: {"source": written_papers()}),
    "search_papers": Call(
        ps.search_papers,
        lambda: {
            "papers": written_papers(),
            "query": TEXTS[0],
            "facet": None,
            "encoder": encoders.Function(lengths),
        },
    ),
    "papers.FoundPapers.explain": Call(
        FoundPapers.explain, lambda: {"self": _found(), "docno": "a"}
    ),
    # collect
    "collect.against_people": Call(
        collect.against_people,
        lambda: {"judged": qrels(), "people": ratings(), "scale": (0, 1, 2)},
        is_run=False,
    ),
    "collect.agreement": Call(
        collect.agreement,
        lambda: {"ratings": ratings(), "reference": None, "scale": (0, 1, 2)},
    ),
    "collect.aspect_pool": Call(
        collect.aspect_pool,
        lambda: {
            "by_query": runs(),
            "by_aspect": runs(),
            "aspects": {"110": ["122"]},
            "keep": None,
            "query_k": 1,
            "aspects_k": 1,
            "aspect_k": 1,
            "least": 2,
        },
    ),
    "collect.aspect_totals": Call(
        collect.aspect_totals,
        lambda: {"judged": qrels(), "aspects": {"1": ["110"]}},
    ),
    "collect.citation_graph": Call(collect.citation_graph, lambda: {"dataset": MINI}, is_run=False),
    "collect.drop_overlapping": Call(
        collect.drop_overlapping,
        lambda: {"questions": questions(), "papers": papers(), "limit": 0.5},
    ),
    "collect.annotations": Call(
        collect.annotations, lambda: {"dataset": FACETED, "qid": "104_method"}, is_run=False
    ),
    "collect.disagreement_rows": Call(
        collect.disagreement_rows,
        lambda: {"judged": _judged(), "people": ratings(), "pairs": pairs()},
        is_run=False,
    ),
    "collect.sample_citation_mentions": Call(
        collect.sample_citation_mentions,
        lambda: {
            "source": [],
            "targets": papers(),
            "count": 2,
            "acl": ("a",),
            "seed": 0,
            "verbose": False,
        },
        is_run=False,
    ),
    "collect.error_rows": Call(
        collect.error_rows,
        lambda: {"runs": runs(), "dataset": MINI, "k": 1, "missed": 0, "relevant": 2},
    ),
    "collect.error_counts": Call(
        collect.error_counts, lambda: {"tagged": _error_rows().assign(error="", note="")}
    ),
    "collect.write_errors": Call(
        collect.write_errors, lambda: {"rows": _error_rows(), "path": fresh("errors")}
    ),
    "collect.read_errors": Call(
        collect.read_errors, lambda: {"path": _errors(), "rows": _error_rows()}, is_run=False
    ),
    "verification.list_rows": Call(verification.list_rows, lambda: {"collection": "csfcube"}),
    "verification.describe_needs": Call(
        verification.describe_needs, lambda: {"row": verification.list_rows("csfcube")[0]}
    ),
    "verification.read_report": Call(verification.read_report, lambda: {"path": report()}),
    "verification.judge_reports": Call(
        verification.judge_reports,
        lambda: {"reports": [verification.read_report(report())], "own": ()},
    ),
    "verification.verify_papers": Call(
        verification.verify_papers,
        lambda: {
            "collection": "doris-mae",
            "rows": ("11:BM25",),
            "budget": 0,
            "report": fresh("report"),
            "save_dir": fresh("verified"),
            "rankings": fresh("rankings"),
            "models": None,
            "client": answer,
            "ask_apis": False,
            "load_weights": False,
            "precision": "fp32",
            "device": None,
            "verbose": False,
        },
        is_run=False,
    ),
    "collect.grading_sheet": Call(
        collect.grading_sheet, lambda: {"guidelines": "csfcube", "shown": ("query",)}
    ),
    "collect.judge": Call(
        collect.judge,
        lambda: {
            "pairs": pairs(),
            "client": answer,
            "preset": "anno-gpt",
            "parser": "last",
            "workers": 1,
            "prices": (1.0, 1.0),
            "verbose": False,
        },
    ),
    "collect.make_pools": Call(
        collect.make_pools,
        lambda: {
            "runs": runs(),
            "k": 1,
            "first": pools(),
            "rule": "union",
            "without": run()[["qid", "docno"]].iloc[:1],
            "order": None,
            "seed": 0,
        },
    ),
    "collect.parse_questions": Call(
        collect.parse_questions,
        lambda: {"content": "QUESTION: What?\nANSWER: one\n", "keys": ["one"]},
    ),
    "collect.pool_overlap": Call(collect.pool_overlap, lambda: {"pools": pools()}),
    "collect.question_rows": Call(collect.question_rows, lambda: {"questions": questions()}),
    "collect.questions_from_citations": Call(
        collect.questions_from_citations,
        lambda: {
            "paragraphs": pd.DataFrame(
                {
                    "paragraph_id": ["p1"],
                    "text": ["As {cite_001} says."],
                    "citations": [{"cite_001": "a"}],
                }
            ),
            "papers": papers(),
            "client": lambda messages: "QUESTION: What?\nANSWER: cite_001\n",
            "prompt": "litsearch",
            "workers": 1,
            "prices": None,
            "verbose": False,
        },
    ),
    "collect.write_grading": Call(
        collect.write_grading,
        lambda: {
            "pairs": pairs(),
            "path": fresh("grading"),
            "guidelines": GUIDELINES,
            "shown": ("query", "text"),
        },
    ),
    "collect.read_grading": Call(
        collect.read_grading,
        lambda: {
            "path": _sheet(),
            "pairs": pairs(),
            "guidelines": GUIDELINES,
            "partial": True,
        },
    ),
    "collect.write_adjudication": Call(
        collect.write_adjudication,
        lambda: {
            "ratings": ratings(),
            "pairs": pairs(),
            "path": fresh("adjudication"),
            "guidelines": GUIDELINES,
            "shown": ("query", "text"),
        },
    ),
    "collect.read_adjudication": Call(
        collect.read_adjudication,
        lambda: {"path": _adjudication(), "ratings": ratings(), "guidelines": GUIDELINES},
        is_run=False,
    ),
    "collect.write_review": Call(
        collect.write_review,
        lambda: {"questions": questions(), "papers": papers(), "path": fresh("review")},
    ),
    "collect.read_review": Call(
        collect.read_review,
        lambda: {"path": _review(), "questions": questions()},
        is_run=False,
    ),
    "collect.reread_replies": Call(
        collect.reread_replies,
        lambda: {"dataset": "doris-mae", "preset": "anno-gpt"},
        is_run=False,
    ),
    "collect.single_ratings": Call(collect.single_ratings, lambda: {"dataset": FACETED}),
    "collect.write_collection": Call(
        collect.write_collection,
        lambda: {
            "where": fresh("written"),
            "docs": [{"doc_id": "a", "title": "One"}],
            "queries": [{"query_id": "1", "query": "trees"}],
            "pools": None,
            "qrels": None,
            "annotators": None,
            "pairs": None,
            "parts": None,
            "description": "Made up.",
            "licence": "CC0",
        },
    ),
    # logs
    "logs.mine_log": Call(
        logs.mine_log,
        lambda: {
            "log": _log(),
            "name": "mined",
            "user": None,
            "time": None,
            "doc": None,
            "time_form": "auto",
            "since": None,
            "until": None,
            "documents": None,
            "only": None,
            "all_pairs": False,
            "backend": "duckdb",
            "memory": None,
            "spill": None,
            "overwrite": True,
            "verbose": False,
            "shortest": 1,
            "longest": 3600,
            "pairs": 2,
            "linked": False,
            "queries": 1,
            "successors": 1,
            "relevant": 1,
            "seed": 0,
        },
    ),
    "logs.synthetic_log": Call(
        logs.synthetic_log,
        lambda: {
            "documents": 10,
            "topics": 2,
            "users": 3,
            "sessions": 5,
            "stay": 0.8,
            "repeat": 0.02,
            "jumps": 0.02,
            "robots": 1,
            "robot_downloads": 5,
            "seed": 0,
        },
    ),
    # training
    "training.train_encoder": Call(
        training.train_encoder,
        lambda: {
            "model": "no-model",
            "triplets": _triplets(),
            "texts": dict(zip("abcd", TEXTS)),
            "folder": fresh("training"),
            "settings": training.TrainingSettings(),
            "steps": 1,
            "epochs": 1,
            "save_every": 1,
            "verbose": False,
        },
        is_run=False,
    ),
    # cluster
    "cluster.encode_shards": Call(
        cluster.encode_shards,
        lambda: {
            "texts": dict(zip("abcd", TEXTS)),
            "encoder": lengths,
            "folder": fresh("encoded"),
            "shard_size": 2,
            "columns": None,
            "encoder_name": "lengths",
            "verbose": False,
        },
    ),
    "cluster.encode_on_spark": Call(
        cluster.encode_on_spark,
        lambda: {
            "texts": dict(zip("abcd", TEXTS)),
            "encoder": lengths,
            "folder": fresh("encoded"),
            "shard_size": 2,
            "columns": None,
            "encoder_name": "lengths",
        },
        is_run=False,
    ),
    "cluster.search_shards": Call(
        cluster.search_shards,
        lambda: {
            "queries": lengths(["a", "bb"]),
            "folder": shards(),
            "k": 2,
            "similarity": "cosine",
        },
    ),
    "cluster.search_on_spark": Call(
        cluster.search_on_spark,
        lambda: {
            "queries": lengths(["a", "bb"]),
            "folder": shards(),
            "k": 2,
            "similarity": "cosine",
        },
        is_run=False,
    ),
    # others
    "similarity.jensen_shannon": Call(
        similarity.jensen_shannon,
        lambda: {"left": [[0.5, 0.5]], "right": [[0.1, 0.9]], "pairs": [[0, 0]]},
    ),
    "text.mark_citations": Call(
        text.mark_citations, lambda: {"text": "As [3] says", "mentions": [(3, 6, "a")]}
    ),
    "protocols.protocol_for": Call(
        protocols.protocol_for, lambda: {"dataset": MINI, "protocol": None}
    ),
    "protocols.protocol_of": Call(protocols.protocol_of, lambda: {"name": "csfcube/method"}),
    "protocols.register": Call(
        protocols.register, lambda: {"protocol": protocols.PROTOCOLS["csfcube"]}
    ),
    "protocols.Invitation.written": Call(
        protocols.Invitation.written,
        lambda: {"self": protocols.Invitation("own", "Dear author", "Write"), "text": "email"},
    ),
    "Pool.restrict": Call(ps.Pool.restrict, lambda: {"self": ps.Pool(MINI), "missing": "drop"}),
    "TopicModel.top_words": Call(ps.TopicModel.top_words, lambda: {"self": _topics(), "count": 2}),
}


def _replies():
    store = chat.Replies(fresh("replies"))
    store.put("0" * 64, chat.Reply("text"))
    return store


def _run_of_all():
    return run().assign(qid=lambda frame: frame["qid"] + "_method")


def _table_means():
    return pd.DataFrame({"name": ["SciBERT"], "measure": ["NDCG%20"], "value": [0.1]})


def _features():
    return run().assign(features=[np.array([1.0, 2.0])] * 5)


def _facet_grades():
    return pd.DataFrame()


@lru_cache
def _topics():
    return ps.TopicModel(TEXTS, 2, min_count=1, most_frequent=0, iterations=5)


def _transform(name):
    """Return a function that transforms a frame that suits an example of the contract tests."""

    def transform(step):
        step(_input_of(name))

    return transform


@lru_cache
def _input_of(name):
    return input_of(_example(name), full_example(FACETED))


@lru_cache
def _example(name):
    return {**EXAMPLES, **MORE}[name]()


def _settings(made) -> dict:
    """Return the settings of an object, by name."""
    return {field.name: getattr(made, field.name) for field in fields(made) if field.init}


def _of_object(make, try_result=lambda made: None) -> Call:
    """Return the call that makes an object like `make()`."""
    kind = type(make())
    return Call(kind, lambda: _settings(make()), try_result)


def _encode(encoder):
    encoder.encode(TEXTS, "document")


def _ask(client):
    client.reply(client.request([{"role": "user", "content": "Hello"}]))


#: the classes with settings
OBJECTS = {
    **{
        name: _of_object(lambda name=name: _example(name), _transform(name))
        for name in EXAMPLES
        if name != "ZScore"  # which has no settings
    },
    "encoders.BiEncoder": _of_object(lambda: encoders.BiEncoder(Letters())),
    "Contextual": _of_object(lambda: ps.Contextual("no-model")),
    "CrossEncoder": _of_object(lambda: ps.CrossEncoder("no-model")),
    "encoders.Function": _of_object(lambda: encoders.Function(lengths), _encode),
    "encoders.MultiVector": _of_object(lambda: encoders.MultiVector("no-model")),
    "LSA": _of_object(lambda: ps.LSA(TEXTS, 2), _encode),
    "OpenAIEmbeddings": _of_object(lambda: ps.OpenAIEmbeddings("m", "http://localhost/v1")),
    "SentenceTransformer": _of_object(lambda: ps.SentenceTransformer("no-model")),
    "SparseEncoder": _of_object(lambda: ps.SparseEncoder("no-model")),
    "encoders.TextEncoder": _of_object(lambda: encoders.TextEncoder("no-model")),
    "VectorCache": _of_object(lambda: ps.VectorCache("vectors")),
    "WordVectors": _of_object(lambda: ps.WordVectors(TEXTS, dimensions=2)),
    "FunctionChat": _of_object(lambda: ps.FunctionChat(answer, "m", 0), _ask),
    "OpenAIChat": _of_object(lambda: ps.OpenAIChat("m", "http://localhost/v1")),
    "Recorded": _of_object(lambda: ps.Recorded(ps.FunctionChat(answer, "m", 0), "recorded"), _ask),
    "TfIdfModel": _of_object(lambda: ps.TfIdfModel(TEXTS, min_count=1, most_frequent=0)),
    "TopicModel": _of_object(_topics),
    "ListwisePrompt": _of_object(lambda: protocols.LISTWISE["rankgpt"]),
    "protocols.JudgingPrompt": _of_object(lambda: protocols.JUDGING["anno-gpt"]),
    "collect.Sheet": _of_object(lambda: collect.REVIEW),
    "training.CitationTriplets": _of_object(_triplets),
    "training.TrainingSettings": _of_object(training.TrainingSettings),
    "training.TrainingRecipe": _of_object(lambda: next(iter(training.TRAINING_RECIPES.values()))),
    "ShardRetriever": _of_object(lambda: cluster.ShardRetriever(shards(), lengths)),
}
CALLS = FUNCTIONS | OBJECTS

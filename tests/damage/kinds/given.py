"""Files of users: sheets, logs, lists of ids, rankings, exported replies."""

import os
import re
from contextlib import suppress
from functools import partial

from ..kind import OWN, Kind
from .kept import TEXTS, _replies

POOLS = "test-pid2pool-csfcube-own-method-ranked.json"
SUFFIXES = ("csv", "tsv", "jsonl", "parquet", "csv.gz", "jsonl.gz")


def _questions():
    import pandas as pd

    rows = [("q1", "=What is a lemma?", ["d1"]), ("q2", "Which é, and why?", ["d1", "d2"])]
    return pd.DataFrame(rows, columns=["query_id", "query", "doc_ids"])


def _make_review(folder, before):
    import pandas as pd

    from ir_datasets_ext.store import new_file
    from pyterrier_scholarly.collect import write_review

    papers = pd.DataFrame({"doc_id": ["d1", "d2"], "title": ["-Title", "Another, longer"]})
    path = folder / "review.csv"
    with suppress(FileExistsError):
        write_review(_questions(), papers, path)
    if not before:
        filled = re.sub(",,,$", ",1,1,", path.read_text("utf-8-sig"), flags=re.MULTILINE)
        with suppress(OSError), new_file(path, encoding="utf-8-sig") as file:
            file.write(filled)


def _read_review(folder):
    from pyterrier_scholarly.collect import read_review

    return read_review(folder / "review.csv", _questions()).to_dict("records")


def _make_log(suffix, folder, before):
    from pyterrier_scholarly.logs import synthetic_log

    synthetic_log(60, 4, 20, 100, seed=2 if before else 3).write(folder / f"log.{suffix}")


def _read_log(suffix, folder):
    import ir_datasets

    from pyterrier_scholarly.logs import mine_log

    os.environ["IR_DATASETS_HOME"] = str(folder / "home")
    small = dict(pairs=50, queries=2, successors=2, relevant=1, verbose=False)
    summary = mine_log(folder / f"log.{suffix}", "own", until="2026-01-01", **small)
    return repr(summary), list(ir_datasets.load("download-log/own").docs_iter())


def _give_ids(folder, before):
    import gzip

    _make_log("csv", folder, False)
    rows = (folder / "log.csv").read_text().splitlines()[1:]
    ids = sorted({row.rsplit(",", 1)[1].strip('"') for row in rows})[20 if before else 0 :]
    (folder / "ids.txt.gz").write_bytes(gzip.compress("\n".join(ids).encode(), mtime=0))


def _read_ids(folder):
    from pyterrier_scholarly.logs import mine_log

    os.environ["IR_DATASETS_HOME"] = str(folder / "home")
    small = dict(pairs=50, queries=2, successors=2, relevant=1, verbose=False)
    only = folder / "ids.txt.gz"
    return repr(mine_log(folder / "log.csv", "own", only=only, until="2026-01-01", **small))


def _make_pools(folder, before):
    import pandas as pd

    from pyterrier_scholarly import write_ranked_pools

    rows = [("q1", f"d{n}", n / 3) for n in range(3 if before else 9)] + [("q2", "dé", 1.0)]
    run = pd.DataFrame(rows, columns=["qid", "docno", "score"])
    write_ranked_pools(run, folder / POOLS)


def _read_pools(folder):
    from pyterrier_scholarly import read_ranked_pools

    return read_ranked_pools(folder / POOLS).to_dict("records")


def _make_report(folder, before=False):
    from msgspec.structs import replace

    from pyterrier_scholarly.verification import verify_papers

    rows = ["3:LDA 1M"] if before else ["3"]
    report = verify_papers("rhsa", rows, save_dir=folder / "saved", verbose=False)
    outcomes = tuple(replace(one, seconds=0.0) for one in report.outcomes)
    timeless = replace(report, outcomes=outcomes, seconds=0.0, expected_seconds=0.0)
    replace(timeless, digest=timeless.compute_digest()).write(folder / "report.json")


def _read_report(folder):
    from pyterrier_scholarly.verification import read_report

    return read_report(folder / "report.json")


def _give_replies(folder, before):
    _replies(folder, TEXTS[:2] if before else TEXTS)


def _make_exported(folder, before):
    from pyterrier_scholarly.chat import Replies

    Replies(str(folder / "replies")).export_jsonl(folder / "replies.jsonl")


def _read_exported(folder):
    from pyterrier_scholarly.chat import Replies

    taken = Replies(str(folder / "taken"))
    count = taken.import_jsonl(folder / "replies.jsonl")
    taken.export_jsonl(folder / "again.jsonl")
    return count, (folder / "again.jsonl").read_text()


WRITES = ("pyterrier_scholarly.logs.synthetic",)

KINDS = (
    Kind(
        "review sheet",
        _make_review,
        _read_review,
        promise=OWN,
        writers=("pyterrier_scholarly.collect.sheets",),
    ),
    *(
        Kind(
            f"log {suffix}",
            partial(_make_log, suffix),
            partial(_read_log, suffix),
            files=("log.*",),
            promise=OWN,
            writers=WRITES,
            slow=suffix not in ("csv", "parquet"),
        )
        for suffix in SUFFIXES
    ),
    Kind(
        "list of ids",
        None,
        _read_ids,
        given=_give_ids,
        files=("ids.txt.gz",),
        beside=("log.csv",),
        promise=OWN,
        slow=True,
    ),
    Kind(
        "ranked pools",
        _make_pools,
        _read_pools,
        promise=OWN,
        writers=("pyterrier_scholarly.evaluation.ranked_pools",),
    ),
    Kind(
        "report",
        _make_report,
        _read_report,
        files=("report.json",),
        promise=OWN,  # an older report is another report
        beside=("saved/*",),
        writers=("pyterrier_scholarly.verification.report",),
    ),
    Kind(
        "exported replies",
        _make_exported,
        _read_exported,
        given=_give_replies,
        files=("replies.jsonl",),
        beside=("replies/*", "replies*"),
        promise=OWN,
        writers=("pyterrier_scholarly.chat.reply_store",),
    ),
)

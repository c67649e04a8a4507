"""Compare the time and memory of mining a log with a simple pandas version, for growing logs.

    python benchmarks/mine_log.py [--part compare|growth|robot] [--rows N] [--folder FOLDER]

Both mine a synthetic Parquet log of 23 million rows (users and documents are integers; one row in
eight is from a robot): read, sort downloads, count pairs, draw a million consecutive pairs, a
million random pairs and 100 queries. Each run has its own process, ways in turns, times without
imports; medians of three runs. DuckDB has a memory limit of 700 MB and a folder to spill to. Memory
is the peak resident memory of the process. Both must find equal numbers of pairs. `growth` runs
each way once at four sizes; `robot` mines a hundred million rows of one robot. At full size, the
script fails if a limit is exceeded.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from _running import clean, print_versions

ROWS, ROBOT, RUNS, MEMORY = 23_000_000, 100_000_000, 3, "700MB"
DOCUMENTS, TOPICS, PER_SESSION = 90_395, 900, 4.22
HERE = Path(__file__).resolve()


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=("compare", "growth", "robot"))
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--folder", help="for logs (reused) and spilled data")
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--make", choices=MAKERS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        return timed(WAYS[options.way], options.folder)
    if options.make:
        return MAKERS[options.make](options.rows, options.folder)
    clean()
    print_versions("duckdb", "ibis-framework", "pandas", "numpy")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.folder or temporary)
        for name in [options.part] if options.part else ("compare", "growth", "robot"):
            globals()[name](options.rows, folder)
    return None


def compare(rows, folder):
    """Run both ways at full size, in turns."""
    log, found = made("people", rows, folder), {}
    for _ in range(RUNS):
        for way in WAYS:
            found.setdefault(way, []).append(run(way, log))
    medians = {
        way: statistics.median(seconds for seconds, *_ in runs) for way, runs in found.items()
    }
    print(f"\n{rows:,} rows, median of {RUNS} runs")
    for way, runs in found.items():
        each = ", ".join(f"{seconds:.1f}" for seconds, *_ in runs)
        peak = max(memory for _, memory, _ in runs)
        print(f"{way:8} {medians[way]:6.1f} s ({each}), at most {peak:,.0f} MB; {runs[0][2]}")
    faster = medians["pandas"] / medians["ours"]
    peak = max(memory for _, memory, _ in found["ours"])
    print(f"{faster:.2f} times as fast as pandas")
    if len({counts for runs in found.values() for *_, counts in runs}) > 1:
        raise SystemExit("The results of the two ways differ: no times to print.")
    if rows >= ROWS and (faster < 2.5 or peak >= 1000):
        raise SystemExit(f"limit exceeded: {faster:.2f} (at least 2.5), {peak:.0f} MB (under 1000)")


def growth(rows, folder):
    """Run each way once at four sizes."""
    print(f"\n{'rows':>12}{'pandas s':>10}{'MB':>8}{'ours s':>10}{'MB':>8}")
    for part in (8, 4, 2, 1):
        log = made("people", rows // part, folder)
        figures = [figure for way in WAYS for figure in run(way, log)[:2]]
        print(
            f"{rows // part:12,}"
            + "".join("{:10.1f}{:8,.0f}".format(*figures[i : i + 2]) for i in (0, 2))
        )


def robot(rows, folder):
    """Mine a hundred million rows of one robot, all with too short intervals."""
    many = ROBOT if rows == ROWS else rows
    seconds, memory, counts = run("ours", made("robot", many, folder))
    print(f"\none robot, {many:,} rows: {seconds:.1f} s, {memory:,.0f} MB; {counts}")


def made(kind, rows, folder):
    """Return a log of this kind; its own process writes it if it is missing."""
    path = folder / f"{kind}-{rows}.parquet"
    if not path.exists():
        command = [sys.executable, HERE, "--make", kind, "--rows", str(rows), "--folder", path]
        subprocess.run(command, check=True)
    return path


def make_people(rows, path):
    """Write a log of about this many rows: people on topics, and twenty robots."""
    from pyterrier_scholarly.logs import synthetic_log

    robots = rows // 8 // 20
    sessions = int((rows - 20 * robots) / PER_SESSION)
    more = {"users": max(rows // 50, 1), "robots": 20, "robot_downloads": robots, "seed": 1}
    synthetic_log(DOCUMENTS, TOPICS, sessions=sessions, **more).write(path, numbers=True)


def make_robot(rows, path):
    """Write a log of one user who clicks every second, in parts."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    random, piece = np.random.default_rng(1), 1_000_000
    schema = {"user": pa.int64(), "time": pa.timestamp("us", "UTC"), "doc": pa.int64()}
    with pq.ParquetWriter(path, pa.schema(schema)) as writer:
        for start in range(0, rows, piece):
            second = np.arange(start, min(start + piece, rows))
            time = pa.array((1_262_304_000 + second) * 1_000_000, schema["time"])
            doc = random.integers(DOCUMENTS, size=len(second))
            columns = {"user": np.ones_like(second), "time": time, "doc": doc}
            writer.write_table(pa.table(columns))


def run(way, log):
    """Run a way in its own process; return seconds, peak resident memory in MB, and counts."""
    command = [sys.executable, HERE, "--way", way, "--folder", log]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    seconds, memory, counts = done.stdout.strip().split("\n")[-1].split(" ", 2)
    return float(seconds), float(memory), counts


def timed(way, log):
    """Run a way, and print seconds, memory and counts."""
    import resource
    from time import perf_counter

    work = way()
    start = perf_counter()
    counts = work(log)
    seconds = perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    names = ("pairs", "different", "documents", "similar", "random", "eligible")
    print(seconds, memory, ", ".join(f"{name} {n:,}" for name, n in zip(names, counts)))


def ours():
    """Mine the log with our function and a memory limit."""
    import duckdb  # noqa: F401 (imported here, so that it is not timed)
    import ibis  # noqa: F401
    import pyarrow.parquet  # noqa: F401

    from pyterrier_scholarly.logs.engine_choice import choose_engine
    from pyterrier_scholarly.logs.log_mining import mine_downloads
    from pyterrier_scholarly.logs.mining_choices import Choices

    def mine(log):
        with tempfile.TemporaryDirectory(dir=Path(log).parent) as spill:
            engine = choose_engine(memory=MEMORY, spill=spill)
            found = mine_downloads(log, engine, Choices()).summary
            engine.close()
        counts = (found.outcomes["pair"], found.pairs, found.documents)
        return *counts, found.similar, found.random, found.eligible

    return mine


def with_pandas():
    """Mine the log with pandas."""
    import numpy as np
    import pandas as pd

    def mine(path, size=1_000_000, queries=100, successors=100, relevant=10, seed=0):
        log = pd.read_parquet(path).dropna().sort_values(["user", "time", "doc"])
        after = log.groupby("user").shift(-1)
        gap, same = after["time"] - log["time"], after["doc"] == log["doc"]
        kept = (gap > pd.Timedelta(seconds=10)) & (gap < pd.Timedelta(hours=1)) & ~same
        pairs = pd.DataFrame({"a": log["doc"][kept], "b": after["doc"][kept].astype("int64")})
        counts = pairs.groupby(["a", "b"]).size().rename("count").reset_index()
        documents = np.unique(pairs)
        similar = pairs.sample(min(size, len(pairs)), random_state=seed)
        drawn = np.random.default_rng(seed).choice(documents, (len(similar) * 11 // 10, 2))
        drawn = pd.DataFrame(drawn, columns=["a", "b"]).query("a != b")
        both = pd.concat([counts[["a", "b"]], counts[["b", "a"]].set_axis(["a", "b"], axis=1)])
        drawn = drawn.merge(both.drop_duplicates(), how="left", indicator=True)
        random = drawn[drawn["_merge"] == "left_only"].head(len(similar))
        often = counts["count"] > relevant
        found = counts.assign(often=often).groupby("a")["often"].agg(["size", "sum"])
        found = found[(found["size"] > successors) & (found["sum"] > 0)]
        chosen = found.sample(min(queries, len(found)), random_state=seed).index
        judged = counts.assign(relevance=often.astype(int))[counts["a"].isin(chosen)]
        assert judged["a"].nunique() == len(chosen)
        return len(pairs), len(counts), len(documents), len(similar), len(random), len(found)

    return mine


WAYS = {"pandas": with_pandas, "ours": ours}
MAKERS = {"people": make_people, "robot": make_robot}

if __name__ == "__main__":
    main()

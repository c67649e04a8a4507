"""Measure a library of papers: before and after, made-up papers, changes.

    python benchmarks/papers.py compare [--papers 2000] [--encoder MODEL]
    python benchmarks/papers.py grow [--papers 20000] [--queries 50] [--seed 3] [--kills 3]
    python benchmarks/papers.py change [--papers 2000]

`compare` asks CSFCube's first papers in three ways, one after the other: by the steps written out,
which keep nothing on disk; by `search_papers`; and by a library. It prints the first
query, the last, and the first of the next process. The steps answer two queries, the others
--asked. It fails if scores differ by more than 1e-6. It uses one thread.

`grow` builds a library of made-up abstracts, whose sentences are those of three real papers each,
and kills the build on the way. It prints seconds, memory, disk and, by depth, how many of the ten
best of everything are among the ten best of two stages. Queries are papers of the library, drawn
by --seed; the share of nearest candidates (`first_stage`) was chosen on those of seed 5. With
--folder, the library is kept there, and the next call measures it without a build.

`change` adds 500 papers, changes 100 and removes 50, and compares with a library built anew. It
fails if the files differ, or if more was encoded than what is new.

The papers are read from $SCHOLARLY_DATA (default ../shared/data).
"""

import argparse
import json
import os
import random
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time

from _common import ROOT
from _running import clean, print_versions

FACETS = ("background", "method", "result")
DEPTHS = (1_000, 2_000, 3_000, 4_000)
TOLERANCE = 1e-6
BEST = 10
ASKED_BY_STEPS = 2  # queries: the first prepares everything, the second shares memory with it
DATA = Path(os.environ.get("SCHOLARLY_DATA") or ROOT.parent / "shared" / "data")
FILE = DATA / "csfcube" / "abstracts-csfcube-preds.jsonl"


def main():
    """Run one of the measurements."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=WHAT)
    parser.add_argument("--papers", type=int, default=2_000)
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--seed", type=int, default=3, help="of the queries of `grow`")
    parser.add_argument("--folder", type=Path, help="where `grow` keeps its library")
    parser.add_argument("--asked", type=int, default=10, help="queries of `compare`")
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--encoder", help="a model's name or folder (default: words)")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    if options.child:
        print(json.dumps(CHILDREN[options.child[0]](*options.child[1:])))
        return

    clean(threads=1 if options.what == "compare" else 2)
    print_versions("numpy", "pandas", "scikit-learn", "pyterrier")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SCHOLARLY_CACHE"] = str(Path(folder, "cache"))
        WHAT[options.what](options, Path(folder))


def read_papers(count):
    """Read CSFCube's first papers, as dicts."""
    papers = []
    with FILE.open() as lines:
        for line in lines:
            paper = json.loads(line)
            abstract = " ".join(paper["abstract"])
            papers.append(
                {"id": str(paper["paper_id"]), "title": paper["title"], "abstract": abstract}
            )
            if len(papers) == count:
                return papers
    return papers


def clean_papers(papers):
    """Return papers as a library reads them: without markup, and each once."""
    from pyterrier_scholarly.papers import read_source
    from pyterrier_scholarly.papers.paper_merging import merge_papers

    return [
        {"id": record.paper_id, "title": record.title, "abstract": record.abstract}
        for record in merge_papers([], read_source(papers)).records
        if record.abstract
    ]


def read_sentences(count):
    """Read titles and lists of sentences of CSFCube's first papers."""
    with FILE.open() as lines:
        papers = [json.loads(line) for _, line in zip(range(count), lines)]
    return [(paper["title"], paper["abstract"]) for paper in papers if paper["abstract"]]


def make_papers(count, seed=1):
    """Make up papers: title and sentences, in their order, of three real papers."""
    draw = random.Random(seed)
    real = read_sentences(50_000)
    papers = []
    for number in range(count):
        sources = draw.sample(real, 3)
        length = draw.randint(4, 9)
        pool = [
            (position / len(sentences), sentence)
            for _, sentences in sources
            for position, sentence in enumerate(sentences)
        ]
        chosen = sorted(draw.sample(pool, min(length, len(pool))), key=lambda item: item[0])
        abstract = " ".join(sentence for _, sentence in chosen)
        # titles repeat, and the same title and year would be the same paper
        year = 1600 + number % 400
        title = sources[0][0]
        papers.append({"id": f"m{number}", "title": title, "abstract": abstract, "year": year})
    return papers


def run_child(*words):
    """Run a function of CHILDREN in a process of its own; return its result."""
    command = [sys.executable, __file__, "compare", "--child", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def ask_steps(file, encoder, count):
    """Ask by the steps that a library replaces, `count` queries; each process begins anew."""
    papers = json.loads(Path(file).read_text())
    ids = [paper["id"] for paper in papers[: int(count)]]
    return [ask(lambda query: rank_by_steps(papers, query, encoder or None), n) for n in ids]


def rank_by_steps(papers, query, encoder):
    """Split, label, fit and rank all papers by the method of one of them; return the ranking."""
    import pandas as pd

    from pyterrier_scholarly import FacetLabeller, FacetQuery, PaperLoader
    from pyterrier_scholarly.encoders import LSA
    from pyterrier_scholarly.recipes import one_encoding

    frame = pd.DataFrame(papers).rename(columns={"id": "docno", "abstract": "text"})
    asking = frame[frame["docno"] == query].iloc[0]
    topic = {"qid": [query], "query_title": [asking["title"]], "query_text": [asking["text"]]}
    make_query = FacetQuery() >> FacetLabeller() >> FacetQuery(facet=FACETS[1])
    topics = make_query.transform(pd.DataFrame(topic))

    texts = (frame["title"] + " " + frame["text"]).tolist()
    pipeline = PaperLoader() >> FacetLabeller() >> one_encoding(texts, encoder or LSA(texts))
    return pipeline.transform(topics.merge(frame[frame["docno"] != query], how="cross"))


def ask_search_papers(file, encoder, count):
    """Ask by `search_papers`, `count` queries."""
    from pyterrier_scholarly import search_papers

    papers = json.loads(Path(file).read_text())

    def rank(query):
        return search_papers(papers, query, FACETS[1], encoder or None, verbose=False).ranking

    return [ask(rank, paper["id"]) for paper in papers[: int(count)]]


def ask_library(folder, count):
    """Ask a library, `count` queries by its first papers."""
    from pyterrier_scholarly import Papers

    start = perf_counter()
    papers = Papers(folder)
    ids = [document.doc_id for _, document in zip(range(int(count)), papers)]
    opened = perf_counter() - start
    answers = [ask(lambda query: papers.search(query, FACETS[1], 10**6).ranking, n) for n in ids]
    answers[0]["seconds"] += opened
    return answers


def ask(search, query):
    """Return seconds of the clock and of the processor, and the scores."""
    start, started = perf_counter(), process_time()
    ranking = search(query)
    return {
        "seconds": perf_counter() - start,
        "processor": process_time() - started,
        "scores": ranking.set_index("docno")["score"].to_dict(),
    }


def build_library(folder, file, encoder):
    """Build a library of the papers in a file; return seconds, and the most memory in MB."""
    from pyterrier_scholarly import Papers

    start, started = perf_counter(), process_time()
    Papers.build(folder, file, encoder or None, verbose=False)
    return {
        "seconds": perf_counter() - start,
        "processor": process_time() - started,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def compare(options, folder):
    """Compare `search_papers` and a library."""
    file = folder / "papers.json"
    file.write_text(json.dumps(clean_papers(read_papers(options.papers))))
    encoder = options.encoder or ""
    built = run_child("build_library", folder / "library", file, encoder)
    print(f"build: {built['seconds']:.1f} s ({built['processor']:.1f} s of the processor)")

    ways = {
        "steps": ("ask_steps", file, encoder, ASKED_BY_STEPS),
        "search_papers": ("ask_search_papers", file, encoder, options.asked),
        "library": ("ask_library", folder / "library", options.asked),
    }
    print(f"{'':15}{'first':>18}{'last':>20}{'next process':>20}   seconds (of the processor)")
    answers = {}
    for name, (function, *arguments, count) in ways.items():
        answers[name] = run_child(function, *arguments, count)
        (next_process,) = run_child(function, *arguments, 1)
        shown = (answers[name][0], answers[name][-1], next_process)
        cells = [f"{one['seconds']:9.2f} ({one['processor']:6.2f})" for one in shown]
        print(f"{name:15}{'  '.join(cells)}", flush=True)

    for name in ("search_papers", "library"):
        differences = [
            abs(score - other["scores"][docno])
            for one, other in zip(answers["steps"], answers[name])
            for docno, score in one["scores"].items()
        ]
        print(f"{name}: largest difference of {len(differences):,} scores: {max(differences):.2g}")
        if max(differences) > TOLERANCE:
            raise SystemExit("the scores differ")


def grow(options, folder):
    """Build a library of made-up papers with kills, and measure queries and two stages."""
    folder = options.folder or folder
    folder.mkdir(exist_ok=True)
    file, library = folder / "made-up.jsonl", folder / "library"
    if not (library / "current.json").exists():
        build_with_kills(file, library, options)

    from pyterrier_scholarly import Papers

    print(f"{len(Papers(library)):,} papers: {measure_disk(library):,.0f} MB on disk", flush=True)
    measure_queries(library, options)


def build_with_kills(file, library, options):
    """Build a library of made-up papers, killed on the way, and print what it took."""
    with file.open("w") as lines:
        lines.writelines(json.dumps(paper) + "\n" for paper in make_papers(options.papers))
    words = [sys.executable, __file__, "compare", "--child", "build_library"]
    words += [str(library), str(file), options.encoder or ""]

    for number in range(options.kills):
        before = measure_disk(library)
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        start = perf_counter()
        try:
            process.wait(timeout=30 * (number + 1))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        print(
            f"killed after {perf_counter() - start:.0f} s: {measure_disk(library) - before:,.0f} MB"
            " of work were kept",
            flush=True,
        )
        if (library / "current.json").exists():
            break

    if not (library / "current.json").exists():
        built = run_child("build_library", library, file, options.encoder or "")
        print(
            f"resumed and built: {built['seconds']:.0f} s ({built['processor']:.0f} s of the "
            f"processor), memory {built['memory']:,.0f} MB",
            flush=True,
        )


def measure_disk(folder):
    """Return the megabytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**20


def measure_queries(library, options):
    """Print the time of queries, and how many of the ten best two stages find, by depth."""
    from pyterrier_scholarly import Papers

    papers = Papers(library)
    ids = [document.doc_id for document in papers]
    queries = random.Random(options.seed).sample(ids, options.queries)
    start = perf_counter()
    papers.search(queries[0])  # loads what is on disk
    print(f"the first query: {perf_counter() - start:.1f} s", flush=True)

    found = {depth: [] for depth in DEPTHS if depth < options.papers}
    seconds = {depth: [] for depth in (*found, options.papers)}
    for number, query in enumerate(queries):
        facet = FACETS[number % len(FACETS)]
        best = best_ids(papers, query, facet, options.papers, seconds)
        for depth, overlaps in found.items():
            overlaps.append(len(best & best_ids(papers, query, facet, depth, seconds)) / BEST)
        if (number + 1) % 10 == 0:
            shares = {depth: round(statistics.mean(shown), 3) for depth, shown in found.items()}
            print(f"{number + 1} queries: {shares}", flush=True)

    for depth, times in seconds.items():
        overlap = statistics.mean(found[depth]) if depth in found else 1
        clock = statistics.median(one for one, _ in times)
        processor = statistics.median(one for _, one in times)
        print(
            f"depth {depth:7,}: {overlap:.3f} of the ten best; a query takes {clock:.2f} s "
            f"({processor:.2f} s of the processor), the median of {len(times)}"
        )
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"memory with everything ranked: {memory:,.0f} MB")


def best_ids(papers, query, facet, depth, seconds):
    """Return the ids of the ten best, and note the seconds."""
    start, started = perf_counter(), process_time()
    ranking = papers.search(query, facet, BEST, depth=depth).ranking
    seconds[depth].append((perf_counter() - start, process_time() - started))
    return set(ranking["docno"])


class CountingWords:
    """An encoder by hashed words that counts the passages that it encodes."""

    def __init__(self):
        self.count = 0

    def encode_passages(self, passages):
        """Return an array for each passage: the whole, then its parts."""
        self.count += len(passages)
        return [self._encode((" ".join(passage), *passage)) for passage in passages]

    def _encode(self, texts):
        import numpy as np
        from sklearn.feature_extraction.text import HashingVectorizer

        vectorizer = HashingVectorizer(n_features=64)
        return np.asarray(vectorizer.transform(texts).toarray(), dtype=np.float32)

    def __fingerprint__(self):
        return {"hashed words": 64}


def change(options, folder):
    """Add, change and remove, and compare with building anew."""
    from pyterrier_scholarly import Papers

    added, changed, removed = 500, 100, 50
    papers = read_papers(options.papers + added)
    encoder = CountingWords()
    start = perf_counter()
    library = Papers.build(folder / "grown", papers[: options.papers], encoder, verbose=False)
    print(
        f"build of {options.papers:,}: {perf_counter() - start:.1f} s, {encoder.count:,} passages"
    )

    encoder.count = 0
    new = papers[options.papers :]
    altered = [
        {**paper, "abstract": f"{paper['abstract']} We add number {number}."}
        for number, paper in enumerate(papers[:changed])
    ]
    start = perf_counter()
    library.add([*altered, *new], verbose=False)
    library.remove([paper["id"] for paper in papers[200 : 200 + removed]], verbose=False)
    print(f"changes: {perf_counter() - start:.1f} s, {encoder.count:,} passages encoded")

    # an encoder is called once for equal sentences of papers of one title that come together
    new_ids = {paper["id"] for paper in [*altered, *new]}
    sentences = [
        (document.title, sentence)
        for document in library
        if document.doc_id in new_ids
        for sentence in document.sentences
    ]
    final = [*altered, *papers[changed:200], *papers[200 + removed : options.papers], *new]
    encoded = encoder.count
    anew = Papers.build(folder / "anew", final, encoder, verbose=False)
    states = [read_state(one) for one in (library, anew)]
    are_equal = states[0] == states[1]
    print(f"sentences that are new: {len(sentences):,}; files equal: {are_equal}")
    if not are_equal or not len(set(sentences)) <= encoded <= len(sentences):
        raise SystemExit("the library differs from one that is built anew")


def read_state(papers):
    """Return the files of a library's state by name."""
    folder = Path(papers.path) / "states"
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


WHAT = {"compare": compare, "grow": grow, "change": change}
CHILDREN = {
    "ask_steps": ask_steps,
    "ask_search_papers": ask_search_papers,
    "ask_library": ask_library,
    "build_library": build_library,
}

if __name__ == "__main__":
    main()

"""Print the size of large comparison pages, and how long they take until they can be used.

    python benchmarks/comparison_pages.py [--folder FOLDER]     # needs Chromium

LitSearch's 597 queries: GritLM-7B's run against itself with each query's scores permuted (seed 0).
DORIS-MAE's forty: E5's ranking against that by words. Data are in $SCHOLARLY_DATA (default
../shared/data). A page can be used when its first view is drawn; times are those of the browser,
from the start of loading, and from a click until the next view is drawn.
"""

import argparse
import tempfile
import warnings
from pathlib import Path

from _common import DATA, release

MEGABYTE = 2**20
SEED = 0
NAME = "abstract-paragraph.query-paragraph.json"
#: what is clicked -> selector, in this order
CLICKS = {
    "queries": 'nav a[href="#queries"]',
    "query": "#query-table a",
    "next query": "#next",
    "missed papers": 'nav a[href="#missed"]',
}
DRAWN = "new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))"
CLICK = """
(async () => {
  const start = performance.now();
  document.querySelector(%r).click();
  await %s;
  return performance.now() - start;
})()
"""


def main():
    """Write both pages, and print figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help="of the pages; default: a scratch folder")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")  # a sample of LitSearch's papers is not the release's file

    from tests.explanation.chromium import Chromium

    with tempfile.TemporaryDirectory() as scratch:
        browser = Chromium(f"{scratch}/profile")
        folder = chosen.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for write_page in (write_litsearch, write_doris_mae):
            measure_page(browser, write_page(folder.resolve()))
        browser.close()


def write_litsearch(folder):
    """Write the page of GritLM-7B's run and its permutation, and return its path."""
    import numpy as np

    with release("litsearch"):
        from pyterrier_scholarly import compare
        from pyterrier_scholarly.evaluation import read_run

        run = read_run(DATA / "litsearch" / "runs" / "gritlm-7b.title_abstract.trec.gz")
        random = np.random.default_rng(SEED)
        permuted_scores = run.groupby("qid")["score"].transform(
            lambda scores: random.permutation(scores.to_numpy())
        )
        runs = {"gritlm_7b": run, "permuted": run.assign(score=permuted_scores)}
        compared = compare(runs, dataset="litsearch", verbose=False)
        return compared.to_html(folder / "litsearch.html")


def write_doris_mae(folder):
    """Write the page of E5's ranking and that by words, and return its path."""
    with release("doris-mae"):
        from pyterrier_scholarly import compare

        rankings = DATA / "doris-mae" / "rankings"
        runs = {model: rankings / f"{model}.{NAME}" for model in ("e5", "tfidf")}
        compared = compare(runs, dataset="doris-mae/dev", verbose=False)
        return compared.to_html(folder / "doris-mae.html")


def measure_page(browser, path):
    """Print a page's size, and times of the browser."""
    browser.open(path)
    until_usable = browser.run("performance.now()")
    print(
        f"{path.name}: {path.stat().st_size / MEGABYTE:.2f} MB, {until_usable:.0f} ms until usable"
    )
    for name, selector in CLICKS.items():
        milliseconds = browser.run(CLICK % (selector, DRAWN))
        print(f"  {name}: {milliseconds:.0f} ms")


if __name__ == "__main__":
    main()

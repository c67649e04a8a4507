"""What an oracle for a model makes of LitSearch's real run, to all printed decimals."""

import re

import pyterrier as pt
import pytest
from ir_measures import R

from pyterrier_scholarly import ListwiseRerank

pytestmark = pytest.mark.filterwarnings("ignore:.*is not the release's file")

#: subset and measure of each column: inline, author, and all questions; broad, specific
COLUMNS = [
    ("inline/broad", R @ 20),
    ("inline/specific", R @ 5),
    ("inline/specific", R @ 20),
    ("author/broad", R @ 20),
    ("author/specific", R @ 5),
    ("author/specific", R @ 20),
    ("broad", R @ 20),
    ("specific", R @ 5),
]
#: by the authors' code, with their GritLM-7B run and an oracle for gpt-4o; in percent
EXPECTED = {
    "as it is": "69.7 67.7 77.9 74.3 82.5 89.1 70.8 74.8",
    "oracle, window 100": "83.9 91.1 91.1 91.4 96.7 96.7 85.6 93.8",
    "oracle, window 200": "88.6 92.4 92.4 94.3 98.1 98.1 89.9 95.1",
    "oracle, window 50": "79.3 86.8 86.8 85.7 94.3 94.3 80.8 90.4",
    "window 100 reversed": "0.8 0.0 0.2 2.9 0.0 0.5 1.3 0.0",
}


@pytest.fixture(scope="module")
def run(data):
    """GritLM-7B's run over titles and abstracts of all papers, the first 200 per question."""
    return pt.io.read_results(str(data("litsearch", "runs", "gritlm-7b.title_abstract.trec.gz")))


def oracle(relevant):
    """A client that moves the papers in `relevant` (by question) to the front."""

    def client(messages):
        question = re.search(r"question: (.*)\.$", messages[1]["content"], re.S).group(1)
        shown = [message["content"].split("] ") for message in messages[3:-1:2]]
        shown.sort(key=lambda pair: pair[1] not in relevant[question])
        return " > ".join(f"{number}]" for number, _ in shown)

    return client


def backwards(messages):
    """A client that turns the order round."""
    return " > ".join(f"[{number}]" for number in range((len(messages) - 4) // 2, 0, -1))


@pytest.mark.slow
@pytest.mark.usefixtures("litsearch_home")
def test_oracle_table(run):
    """All 597 questions; a paper's text is its docno, since few papers are at hand."""
    dataset = pt.get_dataset("irds:litsearch")
    topics = dataset.get_topics("query")
    papers = dataset.get_qrels().groupby("qid")["docno"].agg(set)
    client = oracle({topic.query: papers[topic.qid] for topic in topics.itertuples()})
    first = pt.Transformer.from_df(run)
    systems = {
        "as it is": first,
        **{
            f"oracle, window {window}": first
            >> ListwiseRerank(client, window=window, candidate="{docno}")
            for window in (100, 200, 50)
        },
        "window 100 reversed": first >> ListwiseRerank(backwards, candidate="{docno}"),
    }
    table = pt.Experiment(systems, topics, dataset.get_qrels(), [R @ 5, R @ 20], perquery=True)
    assert table.groupby(["name", "measure"])["qid"].nunique().eq(597).all()
    printed = {name: [] for name in systems}
    for subset, measure in COLUMNS:
        asked = pt.get_dataset(f"irds:litsearch/{subset}").get_topics("query")["qid"]
        rows = table[table["qid"].isin(asked) & table["measure"].eq(str(measure))]
        for name, value in rows.groupby("name")["value"].mean().items():
            printed[name].append(f"{100 * value:.1f}")
    assert {name: " ".join(row) for name, row in printed.items()} == EXPECTED

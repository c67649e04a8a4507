"""The parts of the release's file, which is never in memory as a whole."""

import json
import tracemalloc
from itertools import permutations

import ir_datasets
import pytest

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*was not compared with the release's", "ignore:.*of a pair of aspect and abstract"
)
BLOCK = 1 << 16  # bytes that are read at once


def load(below=""):
    """A dataset of the collection."""
    return ir_datasets.load(f"doris-mae/{below}".rstrip("/"))


def results():
    """What is made of each part."""
    load().docs_count()
    queries = list(load().queries_iter()), list(load("aspects").queries_iter())
    people = list(load("human").qrels_iter())
    return queries, people, list(load().qrels_iter()), list(load().annotations_iter())


@pytest.mark.parametrize("cut", range(0, 26, 2))
def test_keys_across_the_border_of_two_blocks(doris, cut):
    """A list is found wherever the border between two blocks of the file cuts its key."""
    expected = results()
    rows = json.dumps(doris.content.pop("Annotation"))
    rest = json.dumps({"": "", **doris.content})
    fill = "x" * (BLOCK - cut - len('{"": "", '))
    text = rest.replace('""', f'"{fill}"', 1).replace(", ", f', "Annotation" : \n {rows}, ', 1)
    assert text.index('"Annotation"') == BLOCK - cut
    doris.write(text)
    assert results() == expected


def test_what_only_looks_like_a_key(doris):
    """Names that are values, or keys of no list or object, are passed over."""
    expected = results()
    names = ["Annotation", "Annotation:", '"Annotation": [1]', "Query"]
    more = {"names": names, "Annotation": 5, "Query": "Annotation", "Corpus": None}
    doris.content = {"about": more, **doris.content}
    doris.write()
    assert results() == expected


@pytest.mark.parametrize("order", [*permutations(("Corpus", "Query", "Annotation"))])
def test_the_search_leaves_out_what_was_read(doris, order):
    """Parts are found on either side of long ones, wherever these end."""
    long = {"masked_abstract": "x" * BLOCK}, {"gpt_response": "x" * BLOCK}
    for section, fields in zip(("Corpus", "Annotation"), long):
        doris.content[section] = [row | fields for row in doris.content[section]]
    doris.write()
    expected = results()
    doris.content = {name: doris.content[name] for name in (*order, *doris.content)}
    doris.write()
    assert results() == expected


def test_memory(doris):
    """Of replies of 10 MB, an eighth is in memory at a time."""
    row = doris.content["Annotation"][0] | {"gpt_response": "x" * 1000}
    doris.content["Annotation"] += [row] * 10_000
    doris.write()
    load().docs_count()
    tracemalloc.start()
    assert sum(len(row.reply) for row in load().annotations_iter()) == 10_000_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_250_000

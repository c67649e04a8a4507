"""Which questions belong to which subsets."""

from itertools import product

import ir_datasets
import pyarrow
import pytest
from pyarrow import parquet

SETS = {
    "inline_acl": {"inline", "inline-acl"},
    "inline_nonacl": {"inline", "inline-nonacl"},
    "manual_acl": {"author", "author-acl2023"},
    "manual_iclr": {"author", "author-iclr2024"},
    "of another release": set(),
}
SPECIFICITY, QUALITY = ("broad", "specific"), ("quality-1", "quality-2")
KINDS = {*set().union(*SETS.values())}, {*SPECIFICITY}, {*QUALITY}


def subsets():
    """The names that the ids of datasets are made of: a list of lists."""
    ids = [name.split("/") for name in ir_datasets.registry if name.startswith("litsearch")]
    return [names[1:] for names in ids if names[1:] != ["full-text"]]


@pytest.mark.filterwarnings("ignore:.*is not the release's file")
def test_a_question_belongs_to_its_source_and_what_holds_that(home):
    """A set, the half it is of, its specificity, its quality: and to what all these have."""
    rows, belongs = [], []
    for name, specificity, quality in product(SETS, (0, 1), (1, 2)):
        row = {"query_set": name, "specificity": specificity, "quality": quality}
        rows.append({**row, "query": "?", "corpusids": [1]})
        belongs.append({*SETS[name], SPECIFICITY[specificity], QUALITY[quality - 1]})
    path = home / "litsearch" / "query" / "full-00000-of-00001.parquet"
    path.parent.mkdir(parents=True)
    parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    for names in subsets():
        questions = ir_datasets.load("/".join(["litsearch", *names])).queries_iter()
        found = [int(question.query_id) for question in questions]
        assert found == [n for n, own in enumerate(belongs) if own.issuperset(names)], names


def test_every_combination_is_there_once():
    """All questions, and none or one name of each kind, in one order."""
    found = subsets()
    orders = product(*([[], *([name] for name in names)] for names in KINDS))
    assert sorted(found) == sorted([*source, *broad, *good] for source, broad, good in orders)
    assert len(found) == 63

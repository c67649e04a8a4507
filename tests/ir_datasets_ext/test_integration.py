"""What ir_datasets' own integration tests ask of a dataset, for all ids of ours.

Its `DatasetIntegrationTest` is not installed with it: the checks of its methods stand here.
"""

import io
import json

import ir_datasets
import pytest
from ir_datasets.commands.export import JsonlExporter

import ir_datasets_ext
from ir_datasets_ext.handlers import MissingContent

DATASETS = ir_datasets_ext.datasets()
#: all whose files are at hand, at least a part of them
READABLE = [one for one in DATASETS if not {"s2orc", "v0"} & {*one.split("/")}]

pytestmark = pytest.mark.filterwarnings("ignore:.*is not the release's file")


@pytest.mark.parametrize("dataset_id", DATASETS)
def test_what_needs_no_files(dataset_id):
    """A dataset names its records' classes, languages and parent, and is documented."""
    dataset = ir_datasets.load(dataset_id)
    assert dataset.dataset_id() == dataset_id
    assert dataset.has_docs()
    assert dataset.docs_lang() == "en"
    assert ir_datasets.docs_parent_id(dataset_id) in DATASETS
    assert {"pretty_name", "desc"} <= dataset.documentation().keys()
    assert dataset.docs_cls()._fields[0] == "doc_id"
    for kind in filter(dataset.has, ("queries", "qrels", "scoreddocs")):
        assert getattr(dataset, f"{kind}_cls")()._fields[0] == "query_id"
    if dataset.has_queries():
        # PyTerrier puts both into one frame, where the document's field would overwrite the query's
        assert not set(dataset.queries_cls()._fields) & set(dataset.docs_cls()._fields)
    if dataset.has_qrels():
        assert all(isinstance(grade, int) for grade in dataset.qrels_defs())


@pytest.mark.parametrize("dataset_id", READABLE)
def test_records(dataset_id, real_home):
    """Counts, classes, slices and look-ups agree with what an iteration yields."""
    try:
        check_records(dataset_id)
    except MissingContent as error:  # the releases of DORIS-MAE and LitSearch at hand lack parts
        assert not dataset_id.startswith(("csfcube", "scholarly-mini"))
        pytest.skip(str(error))


def check_records(dataset_id):
    """Read all records of a dataset, and compare what it says of them."""
    dataset = ir_datasets.load(dataset_id)
    docs = list(dataset.docs_iter())
    check_kind(dataset, "docs", docs)
    count = len(docs)
    for part in (slice(0, 3), slice(5, 12, 2), slice(-3, count), slice(count // 2, None, 7)):
        assert list(dataset.docs_iter()[part]) == docs[part]
    assert dataset.docs_iter()[-1] == docs[-1]
    store = dataset.docs_store()
    assert store.get_many([doc.doc_id for doc in docs[::9]]) == {
        doc.doc_id: doc for doc in docs[::9]
    }
    doc_ids = {doc.doc_id for doc in docs}
    if not dataset.has_qrels():
        return

    queries = list(dataset.queries_iter())
    check_kind(dataset, "queries", queries)
    query_ids = {query.query_id for query in queries}
    assert len(query_ids) == len(queries)
    assert dataset.queries_store().get(queries[-1].query_id) == queries[-1]
    for kind in filter(dataset.has, ("qrels", "scoreddocs")):
        records = list(getattr(dataset, f"{kind}_iter")())
        check_kind(dataset, kind, records)
        found_ids = {record.query_id for record in records}
        assert found_ids <= query_ids
        # of DORIS-MAE's queries at hand, some have no pool
        assert found_ids == query_ids or "doris-mae" in dataset_id
        # questions of LitSearch seek papers of the whole release
        assert {record.doc_id for record in records} <= doc_ids or "litsearch" in dataset_id
    grades = {qrel.relevance for qrel in dataset.qrels_iter()}
    # of DORIS-MAE's totals, 1 stands for 1 or more
    assert grades <= dataset.qrels_defs().keys() or "doris-mae" in dataset_id
    assert dataset.qrels_dict().keys() <= query_ids


def check_kind(dataset, kind, records):
    """Check the number and the types of records against what the dataset says of them."""
    cls = getattr(dataset, f"{kind}_cls")()
    assert getattr(dataset, f"{kind}_count")() == len(records) > 0
    assert {type(record) for record in records} == {cls}
    simple_types = {
        name: expected
        for name, expected in cls.__annotations__.items()
        if expected in (str, int, float)
    }
    for record in records[:50]:
        for name, expected in simple_types.items():
            assert type(getattr(record, name)) is expected

    exported = io.StringIO()  # the exporter leaves out fields of types that it does not know
    JsonlExporter(cls, exported).next(records[0])
    assert json.loads(exported.getvalue()) == json.loads(json.dumps(records[0]._asdict()))

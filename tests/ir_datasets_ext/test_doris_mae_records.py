"""What ir_datasets' exporters and PyTerrier make of the records."""

import io
import json

import ir_datasets
import pytest
from ir_datasets.commands.export import JsonlExporter

pytestmark = [
    pytest.mark.usefixtures("doris"),
    pytest.mark.filterwarnings("ignore:.*was not compared with the release's"),
]


@pytest.mark.parametrize(
    ("below", "kind"),
    [("", "docs"), ("", "queries"), ("/aspects", "queries"), ("", "annotations")],
)
def test_every_field_is_exported(below, kind):
    """The exporter leaves out fields of types that it does not know: none of these."""
    dataset, file = ir_datasets.load(f"doris-mae{below}"), io.StringIO()
    record = next(getattr(dataset, f"{kind}_iter")())
    JsonlExporter(getattr(dataset, f"{kind}_cls")(), file).next(record)
    exported = json.loads(file.getvalue())
    assert exported == json.loads(json.dumps(record._asdict()))


def test_texts_are_strings_for_pyterrier():
    """text_loader() keeps fields whose annotation is `str` itself."""
    fields = ir_datasets.load("doris-mae").docs_cls().__annotations__
    assert fields["text"] is fields["title"] is str

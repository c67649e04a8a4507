"""What ir_datasets' exporters and PyTerrier make of the records."""

import io
import json

import pytest
from ir_datasets.commands.export import JsonlExporter

from ir_datasets_ext._doris_mae_records import (
    DorisMaeAnnotation,
    DorisMaeAspect,
    DorisMaeDoc,
    DorisMaeQuery,
    DorisMaeSentence,
)

QUERY = ("0", "Q", "ML", ("A", "B"), ("1", "2"), ("a", "b"), ("3", "4"), (0, 1))
SENTENCES = (DorisMaeSentence("Q", "1"), DorisMaeSentence("Q", "2"))


@pytest.mark.parametrize(
    "record",
    [
        DorisMaeDoc("1", "Title", "Text.", "url", ("cs.CV",), ("2",), "T", "cs.CV", "f1", ("3",)),
        DorisMaeQuery(*QUERY, ("7",), SENTENCES, SENTENCES),
        DorisMaeAspect("1", "A", ("0",)),
        DorisMaeAnnotation("1", "7", "I AGREE.", 1),
    ],
)
def test_every_field_is_exported(record):
    """The exporter leaves out fields of types that it does not know: none of these."""
    file = io.StringIO()
    JsonlExporter(type(record), file).next(record)
    exported = json.loads(file.getvalue())
    assert exported == json.loads(json.dumps(record._asdict()))


def test_texts_are_strings_for_pyterrier():
    """text_loader() keeps fields whose annotation is `str` itself."""
    assert DorisMaeDoc.__annotations__["text"] is DorisMaeDoc.__annotations__["title"] is str

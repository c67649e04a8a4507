"""Papers of ir_datasets' documents, one by one or of a whole dataset."""

from ir_datasets_ext.typed_records import shortened

from ..paper_record import PaperRecord
from .field_values import WrongField
from .plain_papers import ABSTRACT_NAMES, read_plain


def read_document(document: tuple) -> PaperRecord:
    """Return the paper of a document; without a field of the abstract, its default text is it."""
    if not hasattr(document, "_asdict"):
        raise WrongField(
            f"{shortened.repr(document)} is no paper: expected a dict or a document of ir_datasets"
        )

    fields = document._asdict()
    has_abstract = any(name in fields for name in ABSTRACT_NAMES)
    if not has_abstract and hasattr(document, "default_text"):
        fields["text"] = document.default_text()
    return read_plain(fields)

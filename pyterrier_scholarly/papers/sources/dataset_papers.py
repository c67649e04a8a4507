"""Papers of ir_datasets' documents, one by one or of a whole dataset."""

from ir_datasets_ext.typed_records import shortened

from ..paper_record import PaperRecord
from .field_values import WrongField
from .plain_papers import ABSTRACT_NAMES, read_plain


def read_document(document: tuple) -> PaperRecord:
    """Return the paper that a document of ir_datasets describes, from its fields.

    A document whose type has no field for an abstract, such as one with `doc_id`, `title` and
    `body`, has its default text as abstract.

    Raises:
        WrongField: it is no document of ir_datasets, or a field has an unexpected value.
    """
    if not hasattr(document, "_asdict"):  # ir_datasets' documents are named tuples
        raise WrongField(
            f"{shortened.repr(document)} is no paper: expected a dict or a document of ir_datasets"
        )

    fields = document._asdict()
    has_abstract_field = any(name in fields for name in ABSTRACT_NAMES)
    if not has_abstract_field and hasattr(document, "default_text"):
        fields["text"] = document.default_text()  # "text" is a name that `read_plain` knows
    return read_plain(fields)

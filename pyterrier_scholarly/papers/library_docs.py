"""The papers of a library as documents of ir_datasets.

dataset = ir_datasets.Dataset(LibraryDocs(lambda: state))
"""

from collections.abc import Callable

from ir_datasets.formats import BaseDocs

from ir_datasets_ext.store import Documents

from .library_state import LibraryState
from .paper_store import PaperDoc, PaperStore


class LibraryDocs(BaseDocs):
    """The documents of a library, as ir_datasets asks for them.

    open_state: returns the library's current state; it is called for each request, so the documents
        follow the library.
    """

    def __init__(self, open_state: Callable[[], LibraryState]) -> None:
        self._open_state = open_state

    def docs_iter(self) -> Documents:
        """Iterate over the papers; ``[i]`` and ``[i:j]`` select parts."""
        return iter(self.docs_store())

    def docs_store(self, options: object = None) -> PaperStore:
        """Return the store for look-ups by id."""
        return self._open_state().documents

    def docs_fingerprint(self) -> str:
        """Return a hash of all papers, by which their state is named."""
        return self._open_state().folder.name

    def docs_cls(self) -> type[PaperDoc]:
        """Return the class of the documents."""
        return PaperDoc

    def docs_count(self) -> int:
        """Return the number of papers."""
        return self._open_state().documents.count()

    def docs_namespace(self) -> str:
        """Return the name of the ids' namespace."""
        return "papers"

    def docs_lang(self) -> str:
        """Return the language."""
        return "en"

"""The ids in a collection's rows: each once, and known where a row names them.

::

    documents = Ids("document")
    queries = Ids("query")
    rows = documents.check_rows([("d1", "Ants")])              # yields the rows
    pairs = check_pairs("qrels", queries, documents, judgements)

All of these are generators: rows are checked one by one, as they are written.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence

MOST_ANNOTATORS = 1 << 10


class Ids:
    """The ids of documents or queries, without duplicates, numbered in their order.

    what: what they are ids of, for errors.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._number_by_id: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._number_by_id)

    def check_rows(self, rows: Iterable[tuple]) -> Iterator[tuple]:
        """Yield `rows`, whose first value is the id; raise ValueError for a bad or duplicate id."""
        for row in rows:
            self._add(row[0])
            yield row

    def number(self, value: str, kind: str) -> int:
        """Return the number of an id in a row of `kind`; raise ValueError if it is unknown."""
        if value not in self._number_by_id:
            raise ValueError(
                f"{kind} name the unknown {self._what} {value!r}: expected one of the collection's "
                f"{len(self)}. Add it to them, or leave the row out"
            )
        return self._number_by_id[value]

    def id_of(self, number: int) -> str:
        """Return the id of a number; for errors, because it takes long."""
        return list(self._number_by_id)[number]

    def _add(self, value: str) -> None:
        """Give an id the next number; raise ValueError for a duplicate, or one that is no id."""
        if value in self._number_by_id:
            raise ValueError(f"duplicate {self._what} {value}: expected each id once")
        if not value or any(character.isspace() for character in value):
            raise ValueError(
                f"{value!r} is no id of a {self._what}: expected a text without blanks, as "
                "blanks split the lines of a TREC file"
            )
        self._number_by_id[value] = len(self._number_by_id)


def check_pairs(kind: str, queries: Ids, documents: Ids, rows: Iterable[tuple]) -> Iterator[tuple]:
    """Yield `rows` of query and document, or of two documents; raise ValueError for unknown ids.

    At the end, raise ValueError for duplicates of query and document; in ratings, of query,
    document and annotator. Two documents may be a pair several times.
    """
    first_ids = documents if kind == "pairs" else queries
    number_by_annotator: dict[str, int] = {}
    # each row as one number of eight bytes, because there may be millions of rows; its digits are
    # the numbers of query, document and annotator, which `_describe_duplicate` reads again
    row_codes = array("q")
    for row in rows:
        first_number = first_ids.number(row[0], kind)
        document_number = documents.number(row[1], kind)
        annotator_number = 0
        if kind == "ratings":
            annotator_number = number_by_annotator.setdefault(row[2], len(number_by_annotator))
        if annotator_number >= MOST_ANNOTATORS:
            raise ValueError(f"{kind} have more than {MOST_ANNOTATORS} annotators: expected fewer")

        if kind != "pairs":
            pair_code = first_number * len(documents) + document_number
            row_codes.append(pair_code * MOST_ANNOTATORS + annotator_number)
        yield row

    duplicate_code = _find_duplicate(row_codes)
    if duplicate_code is not None:
        annotators = list(number_by_annotator)  # in the order of their numbers
        duplicate = _describe_duplicate(duplicate_code, queries, documents, annotators)
        raise ValueError(f"{kind} have duplicates of {duplicate}: expected each pair once")


def _describe_duplicate(
    row_code: int, queries: Ids, documents: Ids, annotators: Sequence[str]
) -> str:
    """Return the ids of a row that is there twice, for an error.

    row_code: ``(query number * len(documents) + document number) * MOST_ANNOTATORS + annotator
        number``, as `check_pairs` has put them together.
    annotators: of ratings, in the order of their numbers; empty for other rows.
    """
    pair_code, annotator_number = divmod(row_code, MOST_ANNOTATORS)
    query_number, document_number = divmod(pair_code, len(documents))
    query_id = queries.id_of(query_number)
    doc_id = documents.id_of(document_number)

    by_annotator = f" by annotator {annotators[annotator_number]}" if annotators else ""
    return f"query {query_id} and document {doc_id}{by_annotator}"


def _find_duplicate(numbers: array) -> int | None:
    """Return the smallest number that an array has twice, or None; it takes eight bytes a row."""
    import numpy as np

    ordered = np.sort(np.frombuffer(numbers, dtype="q"))
    is_repeated = ordered[1:] == ordered[:-1]  # equal numbers are neighbours
    if not is_repeated.any():
        return None
    first_repeated = int(np.argmax(is_repeated))
    return int(ordered[first_repeated])

"""How the rows of a collection's tables fit together: ids that are known, and nothing twice."""

from array import array

MOST = 1 << 10  # annotators


class Ids:
    """The ids of documents or queries, each once, numbered in their order."""

    def __init__(self, what):
        self._what, self.numbers = what, {}

    def pass_on(self, rows):
        """Yield `rows`, whose first value is the id; ValueError for a bad one or the second."""
        for row in rows:
            if row[0] in self.numbers:
                raise ValueError(f"{self._what} {row[0]} is there twice: expected each id once")
            if not row[0] or any(character.isspace() for character in row[0]):
                raise ValueError(
                    f"{row[0]!r} is no id of a {self._what}: expected a text without blanks, which "
                    "would split the lines of a TREC file"
                )
            self.numbers[row[0]] = len(self.numbers)
            yield row

    def number(self, found, kind):
        """Return the number of an id that a row of `kind` names; ValueError if it is unknown."""
        if found not in self.numbers:
            raise ValueError(
                f"{kind} name {self._what} {found!r}, which is not among the {len(self.numbers)} "
                "of the collection: add it to them, or leave the row out"
            )
        return self.numbers[found]


def known(kind, rows, queries, docs):
    """Yield `rows` of query and document, or of two documents; ValueError for unknown ids.

    In the end, ValueError for a document that is there twice for a query; each annotator may rate
    it once.
    """
    first, seen, people = docs if kind == "pairs" else queries, array("q"), {}
    for row in rows:
        pair = first.number(row[0], kind) * len(docs.numbers) + docs.number(row[1], kind)
        person = people.setdefault(row[2], len(people)) if kind == "ratings" else 0
        if person >= MOST:
            raise ValueError(f"{kind} have more than {MOST} annotators")
        if kind != "pairs":
            seen.append(pair * MOST + person)
        yield row
    twice = _recurring(seen)
    if twice is not None:
        pair, person = divmod(twice, MOST)
        query, doc = divmod(pair, len(docs.numbers))
        by = f" by annotator {list(people)[person]}" if people else ""
        raise ValueError(
            f"{kind} have query {list(queries.numbers)[query]} and document "
            f"{list(docs.numbers)[doc]}{by} twice: expected each pair once"
        )


def _recurring(seen):
    """The first number that is in an array twice, or None: eight bytes a row, whatever the ids."""
    import numpy as np

    ordered = np.sort(np.frombuffer(seen, dtype="q"))
    again = np.flatnonzero(ordered[1:] == ordered[:-1])
    return int(ordered[again[0]]) if len(again) else None

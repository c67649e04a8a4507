"""What DORIS-MAE's file has beside its corpus, as queries and judgements are derived from it.

::

    write_contents(path, contents)  # into the store, while it is built
    contents = read_contents(path)
    contents.queries[0].pool        # doc_ids
    contents.annotations["3"]       # the scores of aspect 3

All ids are texts. The store's file is JSON of this layout.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Dict, List

from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from ir_datasets_ext.store import new_file
from ir_datasets_ext.typed_records import RESTORE, Json, decode_json


class ReleaseQuery(Struct):
    """A query of the release; its id is its 0-based number there.

    text: of the query.
    query_type: "" if missing.
    pool: the candidates' doc_ids, each once.
    idea_from: doc_ids of the abstracts that inspired it.
    aspects: by the aspect's id, its sub-aspects' ids.
    aspects_of_sentence: by sentence, the ids of the aspects that it is about.
    sentences_of_aspect: the release's inverse mapping, which may differ from it.
    """

    text: str
    query_type: str = field(name="type")
    pool: List[str]
    idea_from: List[str]
    aspects: Dict[str, List[str]]
    aspects_of_sentence: Dict[str, List[str]]
    sentences_of_aspect: Dict[str, List[str]]

    def list_aspect_ids(self) -> list[str]:
        """Return the ids of its aspects and sub-aspects, each once: as many as |Q|."""
        aspect_ids = list(self.aspects)
        for sub_aspect_ids in self.aspects.values():
            aspect_ids += sub_aspect_ids
        return list(dict.fromkeys(aspect_ids))

    def reword(self, text: str) -> "ReleaseQuery":
        """Return the query with another text."""
        return replace(self, text=text)

    def narrow(self, aspect_ids: Sequence[str]) -> "ReleaseQuery":
        """Return a query of some of the aspects: its text is the sentences about these alone.

        aspect_ids: some of `sentences_of_aspect`. The text has the sentences of the first one, then
            those of the second one, and so on; each sentence once.
        """
        all_sentences: list[str] = []
        for aspect_id in aspect_ids:
            all_sentences += self.sentences_of_aspect[aspect_id]
        sentences = list(dict.fromkeys(all_sentences))

        return replace(
            self,
            text=" ".join(sentences),
            aspects={aspect_id: self.aspects[aspect_id] for aspect_id in aspect_ids},
            aspects_of_sentence=_select(self.aspects_of_sentence, sentences),
            sentences_of_aspect=_select(self.sentences_of_aspect, aspect_ids),
        )

    def count_mentioned_aspects(self) -> int:
        """Return how many aspects its sentences are about; of a narrowed query maybe others too."""
        mentioned_ids: set[str] = set()
        for aspect_ids in self.aspects_of_sentence.values():
            mentioned_ids.update(aspect_ids)
        return len(mentioned_ids)


class AspectScores(Struct, array_like=True):
    """ChatGPT's scores of an aspect, 0 to 2, as two columns; a repeated abstract is kept."""

    abstract_ids: List[str]
    scores: List[int]

    def iter_pairs(self) -> Iterator[tuple[str, int]]:
        """Return an iterator of (abstract id, score), in the order of the annotations."""
        return zip(self.abstract_ids, self.scores)


class Contents(Struct):
    """The release's content beside its corpus.

    aspects: texts of aspects and sub-aspects, by id.
    queries: in the release's order.
    test_set, dev_set: people's scores as in the release, checked when they are used; [] if missing.
    annotations: ChatGPT's scores, by aspect id.
    """

    aspects: Dict[str, str]
    queries: List[ReleaseQuery]
    test_set: List[Json] = field(name="Test_set")
    dev_set: List[Json] = field(name="Dev_set")
    annotations: Dict[str, AspectScores]

    def find_scores(self, aspect_id: str) -> AspectScores:
        """Return the scores of an aspect; empty if it has no annotation."""
        return self.annotations.get(aspect_id, AspectScores([], []))

    def list_people_entries(self, section: str) -> list[Json]:
        """Return people's scores of a section, one of PEOPLE."""
        return {"Test_set": self.test_set, "Dev_set": self.dev_set}[section]


def write_contents(path: Path, contents: Contents) -> None:
    """Write the content to a file of the store."""
    values = to_builtins(contents)
    with new_file(path) as file:
        # not by msgspec, which refuses half a surrogate pair
        json.dump(values, file, separators=(",", ":"))


def read_contents(path: Path) -> Contents:
    """Return the content of a file that `write_contents` wrote."""
    return decode_json(path.read_bytes(), Contents, path, remedy=RESTORE)


def _select(lists_by_key: Dict[str, List[str]], keys: Sequence[str]) -> Dict[str, List[str]]:
    """Return the entries of these keys, in the mapping's order."""
    return {key: values for key, values in lists_by_key.items() if key in keys}

"""What DORIS-MAE's release holds beside its corpus, checked as it is read."""

import warnings
from typing import Dict

from ir_datasets_ext.doris_mae.layout import Annotation, Query, texts
from ir_datasets_ext.records import checked, refused

SECTIONS = ("aspect_id2aspect", "Query", "Annotation")
HUMAN = ("Test_set", "Dev_set")  #: need not be there
ABSTRACT, ASPECT = "an abstract_id of Corpus", "an id of aspect_id2aspect"


def read_contents(file, known):
    """Return what the release holds beside its corpus, as a dict that JSON can keep.

    aspects: texts by id, of aspects and sub-aspects.
    queries: as in the release, but with abstract ids as strings.
    annotations: per aspect id a list of abstract ids and, as long, one of scores, 0 to 2. A pair
        that is annotated more than once is there as often.
    Test_set, Dev_set: as in the release, for whoever uses them to check; empty if not there.

    file: a `JsonFile`. known: the abstract ids of the corpus, as strings.
    Raises ValueError, which names what is wrong, what was expected and what to do; warns, once for
    each kind, of what can be used but should be known.
    """
    contents = _Reader(file, known).read()
    for remark in _remarks(contents):
        warnings.warn(f"{file.path}: {remark}", stacklevel=2)
    return contents


class _Reader:
    def __init__(self, file, known):
        self.file, self.known = file, known
        self.at = file.offsets((*SECTIONS, *HUMAN))

    def read(self):
        for section in SECTIONS:
            if section not in self.at:
                raise refused(self.file.path, section, "", "expected a list or an object, got none")
        self.aspects = self.small("aspect_id2aspect", Dict[str, str])
        return {
            "aspects": self.aspects,
            "queries": [self.query(*entry) for entry in enumerate(self.small("Query", list))],
            "annotations": self.annotations(),
            **{name: self.small(name, list) if name in self.at else [] for name in HUMAN},
        }

    def small(self, section, of_type):
        value = self.file.value(section, self.at[section])
        return checked(value, of_type, self.file.path, section)

    def query(self, number, entry):
        record = f"query {number}"
        entry = checked(entry, Query, self.file.path, record)
        pool = list(dict.fromkeys(map(str, entry.candidate_pool)))
        for abstract in pool:
            check_id(abstract, self.known, ABSTRACT, self.file.path, record, "candidate_pool")
        for aspect, subs in entry.aspects.items():
            for each in (aspect, *subs):
                check_id(each, self.aspects, ASPECT, self.file.path, record, "aspects")
        return {
            "text": entry.query_text,
            "type": entry.query_type or "",
            "pool": pool,
            "idea_from": texts(entry.idea_from),
            "aspects": entry.aspects,
            "aspects_of_sentence": _lists(entry.sent2aspect_id),
            "sentences_of_aspect": _lists(entry.aspect_id2sent),
        }

    def annotations(self):
        found, path = {}, self.file.path
        entries = self.file.entries("Annotation", self.at["Annotation"])
        for number, entry in enumerate(entries):
            record = f"annotation {number}"
            entry = checked(entry, Annotation, path, record)
            aspect, abstract = str(entry.aspect_id), str(entry.abstract_id)
            check_id(aspect, self.aspects, ASPECT, path, record, "aspect_id")
            check_id(abstract, self.known, ABSTRACT, path, record, "abstract_id")
            abstracts, scores = found.setdefault(aspect, ([], []))
            abstracts.append(abstract)
            scores.append(entry.score)
        return found


def check_id(found, known, what, file, record, field):
    """Raise ValueError unless an id is among those that are known; `what` is what they are."""
    if found not in known:
        raise refused(file, record, field, f"expected {what}, got {found!r}")


def _lists(mapping):
    return {key: texts(values) for key, values in (mapping or {}).items()}


def _remarks(contents):
    annotated = [abstracts for abstracts, _ in contents["annotations"].values()]
    if repeated := sum(len(abstracts) - len(set(abstracts)) for abstracts in annotated):
        yield (
            f"{repeated} annotations are of a pair of aspect and abstract that has one already: "
            "their scores add up, as in the authors' code"
        )
    queries = contents["queries"]
    empty = [str(number) for number, query in enumerate(queries) if not query["pool"]]
    if empty:
        named = ", ".join(empty[:5]) + (" ..." if len(empty) > 5 else "")
        yield (
            f"{len(empty)} of {len(queries)} queries have an empty candidate pool, so neither "
            f"qrels nor scoreddocs: {named}"
        )
    unmapped = sum(not query["sentences_of_aspect"] for query in queries)
    if unmapped:
        yield (
            f"{unmapped} of {len(queries)} queries do not say which of their sentences are about "
            "which aspect, so they have no sub-queries"
        )

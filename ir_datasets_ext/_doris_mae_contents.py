"""What DORIS-MAE's release holds beside its corpus, checked as it is read."""

import warnings

SECTIONS = ("aspect_id2aspect", "Query", "Annotation")
HUMAN = ("Test_set", "Dev_set")  #: need not be there


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
                raise self.wrong(f"{section} is missing", "a list or an object of this name")
        self.aspects = self.small("aspect_id2aspect")
        return {
            "aspects": self.aspects,
            "queries": [self.query(*entry) for entry in enumerate(self.small("Query"))],
            "annotations": self.annotations(),
            **{name: self.small(name) if name in self.at else [] for name in HUMAN},
        }

    def small(self, section):
        return self.file.value(section, self.at[section])

    def query(self, number, entry):
        try:
            pool = dict.fromkeys(map(str, entry["candidate_pool"]))
            query = {
                "text": entry["query_text"],
                "type": entry["query_type"] or "",
                "pool": list(pool),
                "idea_from": _ids(entry.get("idea_from")),
                "aspects": {aspect: list(subs) for aspect, subs in entry["aspects"].items()},
                "aspects_of_sentence": dict(entry["sent2aspect_id"] or {}),
                "sentences_of_aspect": dict(entry["aspect_id2sent"] or {}),
            }
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self.malformed(f"query {number}", error) from error
        for abstract in pool:
            self.check_abstract(f"the candidate pool of query {number}", abstract)
        for aspect, subs in query["aspects"].items():
            for each in (aspect, *subs):
                self.check_aspect(f"query {number}", each)
        return query

    def annotations(self):
        found, aspects, known = {}, self.aspects, self.known
        for number, entry in enumerate(self.file.entries("Annotation", self.at["Annotation"])):
            try:
                aspect, abstract = str(entry["aspect_id"]), str(entry["abstract_id"])
                score = entry["score"]
            except (KeyError, TypeError) as error:
                raise self.malformed(f"annotation {number}", error) from error
            if aspect not in aspects or abstract not in known or score not in (0, 1, 2):
                self.refuse(f"annotation {number}", aspect, abstract, score)
            abstracts, scores = found.setdefault(aspect, ([], []))
            abstracts.append(abstract)
            scores.append(int(score))
        return found

    def refuse(self, where, aspect, abstract, score):
        self.check_aspect(where, aspect)
        self.check_abstract(where, abstract)
        pair = f"{where} (aspect {aspect}, abstract {abstract})"
        raise self.wrong(f"{pair} has the score {score!r}", "0, 1 or 2")

    def check_abstract(self, where, abstract):
        if abstract not in self.known:
            raise self.wrong(f"{where} has abstract {abstract}", "an abstract_id of Corpus")

    def check_aspect(self, where, aspect):
        if aspect not in self.aspects:
            raise self.wrong(f"{where} has aspect {aspect!r}", "an id of aspect_id2aspect")

    def malformed(self, where, error):
        what = f"{where} is not as the release has it ({type(error).__name__}: {error})"
        return self.wrong(what, "the keys that appendix A.4 of the paper lists")

    def wrong(self, what, expected):
        return ValueError(
            f"{self.file.path}: {what}: expected {expected}. Correct the file, or delete it to "
            "download the release's"
        )


def _ids(given):
    """A list of ids; the paper speaks of one, the file has a list."""
    return list(map(str, given if isinstance(given, list) else [given] if given else []))


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

"""How DORIS-MAE's file is laid out (appendix A.4)."""

from typing import Annotated, Dict, List, Tuple

from msgspec import Meta, Struct

from ir_datasets_ext.doris_mae.records import DorisMaeAnnotation, DorisMaeDoc

Id = int | str
Score = Annotated[int, Meta(ge=0, le=2)]
#: the paper speaks of one where the file has a list
Several = List[Id] | int | str | None


class Paper(Struct):
    """An entry of Corpus."""

    abstract_id: Id
    title: str | None
    original_abstract: str | None
    url: str | None
    categories: Tuple[str, ...] | str | None
    outgoing_citations: List[Id] | None
    masked_abstract: str | None = None
    primary_category: str | None = None
    ss_id: str | None = None
    incoming_citations: List[Id] | None = None

    def record(self):
        """Return it as DorisMaeDoc."""
        categories = self.categories or ()
        return DorisMaeDoc(  # by position: that is a tenth of a second quicker
            str(self.abstract_id),
            self.title or "",
            self.original_abstract or "",
            self.url or "",
            tuple(categories.split()) if isinstance(categories, str) else categories,
            tuple(map(str, self.outgoing_citations or ())),
            self.masked_abstract or "",
            self.primary_category or "",
            self.ss_id or "",
            tuple(map(str, self.incoming_citations or ())),
        )


class Query(Struct):
    """An entry of Query."""

    query_text: str
    query_type: str | None
    candidate_pool: List[Id]
    aspects: Dict[str, List[str]]
    sent2aspect_id: Dict[str, Several] | None
    aspect_id2sent: Dict[str, Several] | None
    idea_from: Several = None


class Annotation(Struct):
    """An entry of Annotation: what ChatGPT said of a pair."""

    aspect_id: Id
    abstract_id: Id
    score: Score
    gpt_response: str | None = None

    def record(self):
        """Return it as DorisMaeAnnotation."""
        pair = str(self.aspect_id), str(self.abstract_id)
        return DorisMaeAnnotation(*pair, self.gpt_response or "", self.score)


class HumanScores(Struct):
    """An entry of Test_set or Dev_set: what people said of a pair."""

    aspect_id: Id
    abstract_id: Id
    human_annotation: List[Score] | Dict[str, Score]


def texts(given: Several) -> List[str]:
    """Return ids or sentences, one or several, as a list of texts."""
    return list(map(str, given if isinstance(given, list) else [given] if given else []))

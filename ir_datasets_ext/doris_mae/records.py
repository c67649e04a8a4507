"""DORIS-MAE's records: documents, queries and their judgements; and the meaning of relevance."""

from typing import Dict, NamedTuple, Tuple

from ir_datasets.formats import TrecQrel

# Tuple[...], and no postponed annotations: ir_datasets' exporters and PyTerrier's text_loader read
# the annotations, and know only these.

#: section of people's judgements -> number of annotators. `Test_set` has 250 pairs. Its layout is
#: that of the paper's appendix A.4, unverified, because the list is empty in the file that we have.
#: The 90 pairs with which the prompt was developed are not in the release (A.3: they are in the
#: authors' repository). `Dev_set` is our name for a list of the same layout, read if a file has one
PEOPLE = {"Test_set": 3, "Dev_set": 2}
#: abstracts of more than 512 tokens: they never count as relevant, but stay in the ideal ranking
TOO_LONG = frozenset(("28674", "205580", "346695", "346826", "346836"))

#: meaning of relevance as a total
TOTAL_DEFS = {
    0: "the abstract meets none of the query's aspects and sub-aspects",
    1: "1 or more: the sum of the scores (0 to 2) of the query's |Q| aspects and sub-aspects. An "
    "abstract is relevant if its total is |Q| or more. The qrels' iteration column has |Q|, with a "
    "minus sign for an abstract that never counts as relevant",
}
#: meaning of relevance as a single score; ChatGPT's reply for 1 was DISPUTE or AGREE
SCORE_DEFS = {
    2: "the abstract directly answers all key components of the aspect",
    1: "the abstract answers some key components of the aspect, or can be adapted to do so",
    0: "the abstract is unrelated to the aspect, or of no help with its key components",
}


class DorisMaeDoc(NamedTuple):
    """A paper of the corpus.

    doc_id: the release's abstract_id.
    text: the abstract (original_abstract), which is all that the paper's systems read.
    categories: arXiv's.
    citations: the papers it cites (outgoing_citations), by the release's ids, in the corpus or
        not; `citations` of the dataset returns those in the corpus, by doc_id.
    masked_abstract: the abstract with specialised topic words masked.
    primary_category: the first of arXiv's `categories`.
    ss_id: Semantic Scholar's id. incoming_citations: the papers that cite it, by the release's ids.
    """

    doc_id: str
    title: str
    text: str
    url: str
    categories: Tuple[str, ...]
    citations: Tuple[str, ...]
    masked_abstract: str = ""
    primary_category: str = ""
    ss_id: str = ""
    incoming_citations: Tuple[str, ...] = ()

    def default_text(self) -> str:
        """Return title and abstract."""
        return f"{self.title} {self.text}" if self.title else self.text


class DorisMaeSentence(NamedTuple):
    """A sentence of a query, and an aspect that it is about.

    aspect_id: empty for a sentence without an aspect. sentence: empty for an aspect without one.
    """

    sentence: str
    aspect_id: str


class DorisMaeQuery(NamedTuple):
    """A complex query, or a sub-query of some of its aspects.

    query_id: the 0-based index in the release; for a sub-query, this and its aspects' ids, joined
        by underscores.
    query_type: ML, NLP, CV, AI or Composite; empty if missing in the release.
    aspects: their texts; aspect_ids: their ids, as in doris-mae/aspects.
    sub_aspects, sub_aspect_ids: those of all aspects in turn. sub_aspect_of: for each, the
        0-based position of its aspect in `aspects`. A sub-aspect of several aspects is listed for
        each of them, and counts once in `|Q|`.
    idea_from: doc_ids of the abstracts that inspired the query.
    sent2aspect_id: a pair for each sentence and its aspect, in the order of the release's mapping
        of that name; aspect_id2sent: in the order of the inverse mapping. A sub-query has only the
        pairs of its own sentences and aspects.
    """

    query_id: str
    query: str
    query_type: str
    aspects: Tuple[str, ...]
    aspect_ids: Tuple[str, ...]
    sub_aspects: Tuple[str, ...]
    sub_aspect_ids: Tuple[str, ...]
    sub_aspect_of: Tuple[int, ...]
    idea_from: Tuple[str, ...] = ()
    sent2aspect_id: Tuple[DorisMaeSentence, ...] = ()
    aspect_id2sent: Tuple[DorisMaeSentence, ...] = ()

    def default_text(self) -> str:
        """Return the query's text."""
        return self.query


class DorisMaeAspect(NamedTuple):
    """An aspect or sub-aspect as a query of its own.

    query_id: the release's aspect id.
    used_by: ids of the complex queries with this aspect, as in doris-mae.
    """

    query_id: str
    query: str
    used_by: Tuple[str, ...]

    def default_text(self) -> str:
        """Return the aspect's text."""
        return self.query


class DorisMaeAnnotation(NamedTuple):
    """ChatGPT's judgement of a pair of an aspect and an abstract (appendix A.4).

    aspect_id: a query of doris-mae/aspects. abstract_id: a document.
    reply: its reasoning and decision (gpt_response), empty if missing.
    score: 0 to 2, as released.
    """

    aspect_id: str
    abstract_id: str
    reply: str
    score: int


class DorisMaeJudgement(NamedTuple):
    """What a query's candidate is worth.

    total: the sum of the scores, 0 to 2, of the query's aspects and sub-aspects.
    aspects: `|Q|`, the number of these distinct aspects and sub-aspects.
    never_relevant: whether the abstract is in TOO_LONG, and so never counts as relevant.
    """

    query_id: str
    doc_id: str
    total: int
    aspects: int
    never_relevant: bool

    @property
    def is_relevant(self) -> bool:
        """Whether the total reaches `|Q|`, for an abstract that may count as relevant."""
        return self.total >= self.aspects and not self.never_relevant

    def to_qrel(self) -> TrecQrel:
        """Return the judgement in TREC's form, which has four columns.

        Its `iteration` is `|Q|`, with a minus sign if the abstract never counts as relevant.
        """
        signed_aspects = -self.aspects if self.never_relevant else self.aspects
        return TrecQrel(self.query_id, self.doc_id, self.total, str(signed_aspects))

    @classmethod
    def from_qrel(cls, qrel: TrecQrel) -> "DorisMaeJudgement":
        """Return the judgement that `to_qrel` has written in TREC's form."""
        signed_aspects = int(qrel.iteration)
        return cls(
            query_id=qrel.query_id,
            doc_id=qrel.doc_id,
            total=qrel.relevance,
            aspects=abs(signed_aspects),
            never_relevant=signed_aspects < 0,
        )


class JudgedQuery(NamedTuple):
    """A query, its candidates and its judgements.

    aspects: |Q|, the number of its distinct aspects and sub-aspects, whose scores a total adds up.
    pool: doc_ids to rank. totals: by doc_id, in the order of the qrels.
    """

    query: DorisMaeQuery | DorisMaeAspect
    aspects: int
    pool: Tuple[str, ...]
    totals: Dict[str, int]

    def judgements(self) -> list[DorisMaeJudgement]:
        """Return its judgements in the order of the qrels."""
        query_id = self.query.query_id
        return [
            DorisMaeJudgement(query_id, doc_id, total, self.aspects, doc_id in TOO_LONG)
            for doc_id, total in self.totals.items()
        ]

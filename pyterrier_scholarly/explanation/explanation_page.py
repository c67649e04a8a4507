"""Write an explained score as one HTML file, from a template.

`Explanation` calls `render_explanation`. This module computes the papers that a reader sees,
`matched_pairs` the matches between them, `score_pictures` the pictures: records that the template,
``_page/page.html``, arranges. No sentence gets into the script: jinja escapes all text, and the
script receives numbers only.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten

from ..pages import COLOURED_LABELS, name_colour, render_page
from ..paper import Paper
from .matched_pairs import MatchedPair, ShownNumber, choose_shown_number, collect_pairs
from .score_parts import ExplainedScore
from .score_pictures import draw_bars, draw_heat_maps

TEMPLATES = Path(__file__).parent / "_page"
#: a drawn ribbon's least strength, as a share of the strongest; tables have all pairs
LEAST_DRAWN_STRENGTH = 0.12
MOST_PARTNERS = 3  # matches that stand at a sentence
MOST_DESCRIBED_RIBBONS = 6  # in the text that stands for the picture
LONGEST_NAME = 80  # characters of a text that names a query
#: what `explain` calls a query and a document that have no ids: it was passed lists of sentences
QUERY_WITHOUT_ID, DOCUMENT_WITHOUT_ID = "query", "document"


@dataclass(frozen=True)
class Partner:
    """A match as it stands at a sentence: the other paper's sentence, and the number shown."""

    number: int  #: the other sentence's id
    shown: str


@dataclass(frozen=True)
class ShownSentence:
    """A sentence of a paper on the page.

    Attributes:
        number: its id.
        colour: name of its label's colour in the styles.
        partners: its strongest matches.
        more: number of its further matches.
        asked: whether the score depends on it, so that a reader can choose it.
    """

    number: int
    text: str
    label: str
    colour: str
    partners: list[Partner]
    more: int
    asked: bool


@dataclass(frozen=True)
class Side:
    """One of the two papers. name: ``"query"``, left, or ``"document"``, right."""

    name: str
    title: str
    sentences: list[ShownSentence]


def render_explanation(explained: ExplainedScore) -> str:
    """Render an explained score as HTML that fetches nothing."""
    # the heading
    query_id = None if explained.qid == QUERY_WITHOUT_ID else explained.qid
    document_id = None if explained.docno == DOCUMENT_WITHOUT_ID else explained.docno
    paper_names = {
        "query": _name_paper(explained.query, query_id),
        "document": _name_paper(explained.document, document_id),
    }
    labels = {*explained.query.labels, *explained.document.labels}

    # the two papers side by side, and ribbons between sentences that match
    shown_number = choose_shown_number(explained.parts)
    pairs = collect_pairs(explained.parts, shown_number)
    drawn_pairs = [pair for pair in pairs if pair.strength >= LEAST_DRAWN_STRENGTH]
    query_side = _show_query(explained, drawn_pairs)
    document_side = _show_document(explained, drawn_pairs)

    return render_page(
        TEMPLATES,
        "page.html",
        explanation=explained,
        names=paper_names,
        short_system=shorten(explained.system, LONGEST_NAME, placeholder=" …"),
        has_ids=query_id is not None or document_id is not None,
        labels=[label for label in COLOURED_LABELS if label in labels],
        sides=[query_side, document_side],
        ribbons=_list_ribbons(drawn_pairs),
        ribbons_in_words=_describe_ribbons(drawn_pairs),
        pairs=pairs,  # a table of all, also those without a ribbon
        shown_number=shown_number.value,
        shows_weights=shown_number is ShownNumber.WEIGHT,
        parts=draw_bars(explained.parts),
        maps=draw_heat_maps(explained.parts),
    )


def _name_paper(paper: Paper, identifier: str | None) -> str:
    """Name a paper by its title, else by its id, else by the words that it begins with.

    identifier: a `qid` or `docno`; None for a paper that was passed as a list of sentences.
    """
    if paper.title:
        return paper.title
    if identifier is not None:
        return identifier

    return shorten(" ".join(paper.sentences), LONGEST_NAME, placeholder="…")


def _list_ribbons(drawn_pairs: Iterable[MatchedPair]) -> list[list[float]]:
    """Return each ribbon as the page's script reads it: two sentences' ids, and its strength."""
    return [[pair.query_id, pair.document_id, round(pair.strength, 4)] for pair in drawn_pairs]


def _describe_ribbons(drawn_pairs: Sequence[MatchedPair]) -> str:
    """Describe the ribbons in words, for readers who do not see the picture."""
    descriptions = [
        f"query sentence {pair.query_id} with document sentence {pair.document_id}"
        for pair in drawn_pairs[:MOST_DESCRIBED_RIBBONS]
    ]
    text = f"Matches, strongest first: {'; '.join(descriptions)}"

    more = len(drawn_pairs) - MOST_DESCRIBED_RIBBONS
    if more > 0:
        return f"{text}; and {more} more."
    return f"{text}."


def _show_query(explained: ExplainedScore, drawn_pairs: Iterable[MatchedPair]) -> Side:
    """Return the query's side of the page: its sentences, with the document's that they match."""
    query = explained.query
    # a score may depend on some of the query's sentences only, such as those of a facet
    scored_ids = {query_id for part in explained.parts for query_id in part.query_ids}

    # for each sentence of the query, the document's sentences that it matches
    partners_by_query_id: defaultdict[int, list[Partner]] = defaultdict(list)
    for pair in drawn_pairs:
        document_sentence = Partner(pair.document_id, pair.shown)
        partners_by_query_id[pair.query_id].append(document_sentence)

    shown_sentences = []
    for query_id in range(len(query.sentences)):
        partners = partners_by_query_id[query_id]
        shown = _show_sentence(query, query_id, partners, is_asked=query_id in scored_ids)
        shown_sentences.append(shown)
    return Side("query", query.title, shown_sentences)


def _show_document(explained: ExplainedScore, drawn_pairs: Iterable[MatchedPair]) -> Side:
    """Return the document's side of the page: its sentences, with the query's that they match."""
    document = explained.document
    # for each sentence of the document, the query's sentences that match it
    partners_by_document_id: defaultdict[int, list[Partner]] = defaultdict(list)
    for pair in drawn_pairs:
        query_sentence = Partner(pair.query_id, pair.shown)
        partners_by_document_id[pair.document_id].append(query_sentence)

    shown_sentences = []
    for document_id in range(len(document.sentences)):
        partners = partners_by_document_id[document_id]
        # all can be chosen on the page; on the query's side, only those that it asks with
        shown = _show_sentence(document, document_id, partners, is_asked=True)
        shown_sentences.append(shown)
    return Side("document", document.title, shown_sentences)


def _show_sentence(
    paper: Paper, number: int, partners: Sequence[Partner], is_asked: bool
) -> ShownSentence:
    """Show a sentence. partners: all of its matches, strongest first."""
    label = paper.labels[number]
    return ShownSentence(
        number=number,
        text=paper.sentences[number],
        label=label,
        colour=name_colour(label),
        partners=list(partners[:MOST_PARTNERS]),
        more=max(len(partners) - MOST_PARTNERS, 0),
        asked=is_asked,
    )

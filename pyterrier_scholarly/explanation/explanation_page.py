"""Write an explained score as one HTML file, from a template.

`Explanation` calls `render_explanation`. This module computes the papers that a reader sees,
`matched_pairs` the matches between them, `score_pictures` the pictures: records that the template,
``_page/page.html``, arranges. No sentence gets into the script: jinja escapes all text, and the
script receives numbers only.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten

from ..pages import COLOURED_LABELS, name_colour, render_page
from ..text.contexts import Paper
from .matched_pairs import MatchedPair, ShownNumber, choose_shown_number, collect_pairs
from .score_parts import ExplainedScore
from .score_pictures import draw_bars, draw_heat_maps

TEMPLATES = Path(__file__).parent / "_page"
#: a drawn ribbon's least strength, as a share of the strongest; tables have all pairs
LEAST_DRAWN_STRENGTH = 0.12
MOST_PARTNERS = 3  # matches that stand at a sentence
MOST_DESCRIBED_RIBBONS = 6  # in the text that stands for the picture
LONGEST_NAME = 80  # characters of a text that names a query
#: the ids that `explain` gives to lists of sentences
LOOSE_QUERY_ID, LOOSE_DOCUMENT_ID = "query", "document"


@dataclass(frozen=True)
class Partner:
    """A match as it stands at a sentence: the other sentence's id, and the number shown."""

    number: int
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
    shown_number = choose_shown_number(explained.parts)
    pairs = collect_pairs(explained.parts, shown_number)
    drawn_pairs = [pair for pair in pairs if pair.strength >= LEAST_DRAWN_STRENGTH]

    names = {
        "query": _name_paper(explained.query, explained.qid, LOOSE_QUERY_ID),
        "document": _name_paper(explained.document, explained.docno, LOOSE_DOCUMENT_ID),
    }
    is_loose = (explained.qid, explained.docno) == (LOOSE_QUERY_ID, LOOSE_DOCUMENT_ID)
    labels = {*explained.query.labels, *explained.document.labels}
    # what the script receives
    ribbons = [[pair.query, pair.document, round(pair.strength, 4)] for pair in drawn_pairs]

    return render_page(
        TEMPLATES,
        "page.html",
        explanation=explained,
        names=names,
        short_system=shorten(explained.system, LONGEST_NAME, placeholder=" …"),
        has_ids=not is_loose,
        sides=[_show_query(explained, drawn_pairs), _show_document(explained, drawn_pairs)],
        pairs=pairs,
        beside=shown_number.value,
        moved=shown_number is ShownNumber.WEIGHT,
        ribbons=ribbons,
        alternative=_describe_ribbons(drawn_pairs),
        parts=draw_bars(explained.parts),
        maps=draw_heat_maps(explained.parts),
        labels=[label for label in COLOURED_LABELS if label in labels],
    )


def _name_paper(paper: Paper, identifier: str, loose_id: str) -> str:
    """Name a paper by its title, else by its id, else by its own words."""
    if paper.title:
        return paper.title
    if identifier != loose_id:
        return identifier

    words = " ".join(sentence for sentence in paper.sentences if sentence)
    return shorten(words, LONGEST_NAME, placeholder="…")


def _describe_ribbons(drawn_pairs: Sequence[MatchedPair]) -> str:
    """Describe the ribbons in words."""
    descriptions = [
        f"query sentence {pair.query} with document sentence {pair.document}"
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
    scored_ids = {query_id for part in explained.parts for query_id in part.query_ids}
    partners_of_sentence: dict[int, list[Partner]] = {}
    for pair in drawn_pairs:
        partner = Partner(pair.document, pair.shown)
        partners_of_sentence.setdefault(pair.query, []).append(partner)

    shown_sentences = []
    for sentence_id in _list_known_ids(query):
        partners = partners_of_sentence.get(sentence_id, [])
        is_asked = sentence_id in scored_ids
        shown = _show_sentence(query, sentence_id, partners, is_asked)
        shown_sentences.append(shown)
    return Side("query", query.title, shown_sentences)


def _show_document(explained: ExplainedScore, drawn_pairs: Iterable[MatchedPair]) -> Side:
    """Return the document's side of the page: its sentences, with the query's that they match."""
    document = explained.document
    partners_of_sentence: dict[int, list[Partner]] = {}
    for pair in drawn_pairs:
        partner = Partner(pair.query, pair.shown)
        partners_of_sentence.setdefault(pair.document, []).append(partner)

    shown_sentences = []
    for sentence_id in _list_known_ids(document):
        partners = partners_of_sentence.get(sentence_id, [])
        # all can be chosen on the page; on the query's side, only those that it asks with
        shown = _show_sentence(document, sentence_id, partners, is_asked=True)
        shown_sentences.append(shown)
    return Side("document", document.title, shown_sentences)


def _list_known_ids(paper: Paper) -> list[int]:
    """Return the ids of the sentences that are known: "" is one that no step read."""
    return [number for number, text in enumerate(paper.sentences) if text]


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

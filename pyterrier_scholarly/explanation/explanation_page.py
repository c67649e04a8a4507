"""Write an explanation as one HTML file, from a template.

This module computes everything that a reader sees; the template arranges it. No sentence gets into
the script: jinja escapes all text, and the script receives numbers only.
"""

from collections.abc import Callable
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

from ..pages import FACET_COLOURS, colour, fixed, signed, templates
from ..similarity.contributions import DISTANCE
from ..text import writable
from ..text.contexts import Paper
from .score_parts import Values, bars, heat_maps

if TYPE_CHECKING:
    from .explanation_result import Explanation

FOLDER = Path(__file__).parent / "_page"
DRAWN = 0.12  # a drawn ribbon's least strength, as a share of the strongest; tables have all pairs
NAMED = 3  # matches that a sentence names
LONGEST_NAME = 80  # characters of a text that names a query
LOOSE = ("query", "document")  # the ids that `explain` gives to lists of sentences

SIMILARITY, WEIGHT, VALUE = (
    "their similarity",
    "the weight moved there",
    "what they add to the score",
)
#: the number beside a sentence's match; the ribbon's thickness is the same number where possible
SHOWN: dict[str, Callable[[Values], str]] = {
    SIMILARITY: lambda pair: fixed(pair["high"]),
    WEIGHT: lambda pair: f"{100 * pair['weight']:.1f} %",
    VALUE: lambda pair: signed(pair["value"], 3),
}


def page(explanation: "Explanation") -> str:
    """Render an `Explanation` as HTML that fetches nothing."""
    pairs, kind = _pairs(explanation), _kind(explanation)
    for pair in pairs:
        pair["shown"] = SHOWN[kind](pair)
    drawn = [pair for pair in pairs if pair["strength"] >= DRAWN]
    labels = {*explanation.query.labels, *explanation.document.labels}
    html = templates(FOLDER).get_template("page.html")
    return writable(
        html.render(
            explanation=explanation,
            names={
                "query": _name(explanation.query, explanation.qid),
                "document": _name(explanation.document, explanation.docno),
            },
            short_system=shorten(explanation.system, LONGEST_NAME, placeholder=" …"),
            has_ids=(explanation.qid, explanation.docno) != LOOSE,
            sides=[_side(explanation, side, drawn) for side in ("query", "document")],
            pairs=pairs,
            beside=kind,
            moved=kind == WEIGHT,
            ribbons=[[one["query"], one["document"], round(one["strength"], 4)] for one in drawn],
            alternative=_alternative(drawn),
            parts=bars(explanation.parts),
            maps=heat_maps(explanation.parts),
            labels=[label for label in FACET_COLOURS if label in labels],
        )
    )


def _name(paper: Paper, identifier: str) -> str:
    """Name a paper by its title, else by its id, else by its own words."""
    if paper.title:
        return paper.title
    if identifier not in LOOSE:
        return identifier
    sentences = [sentence for sentence in paper.sentences if sentence]
    return shorten(" ".join(sentences), LONGEST_NAME, placeholder="…")


def _kind(explanation: "Explanation") -> str:
    """Choose the number to show beside matches."""
    units = [part.matches.unit for part in explanation.parts if part.matches]
    if set(units) == {DISTANCE}:
        return WEIGHT
    return SIMILARITY if len(units) == 1 else VALUE


def _pairs(explanation: "Explanation") -> list[Values]:
    """Return a dict for each matched pair over all parts, strongest first."""
    pairs: dict[tuple[int, int], Values] = {}
    for part in explanation.parts:
        if part.matches is None:
            continue
        similarities, weights = part.matches.similarities, part.matches.weights
        products = weights * similarities
        # a plan moves weight; with cosines, weight alone does not measure a match
        strengths = abs(weights if part.matches.unit == DISTANCE else products)
        for row, column in zip(*part.matches.matched.nonzero()):
            key = part.asked[row], part.offered[column]
            pair = pairs.setdefault(key, {"all": [], "strength": 0, "weight": 0, "value": 0})
            pair["all"].append(similarities[row, column])
            pair["strength"] += float(strengths[row, column])
            pair["weight"] += float(weights[row, column])
            pair["value"] += float(products[row, column])

    strongest = max((pair["strength"] for pair in pairs.values()), default=0) or 1
    for (query, document), pair in pairs.items():
        pair |= {"query": query, "document": document, "strength": pair["strength"] / strongest}
        pair |= {"low": min(pair["all"]), "high": max(pair["all"])}
    return sorted(pairs.values(), key=lambda pair: -pair["strength"])


def _side(explanation: "Explanation", side: str, drawn: list[Values]) -> dict[str, object]:
    """Return a paper's title, and its sentences with their matches on the other side."""
    paper, other = getattr(explanation, side), {"query": "document", "document": "query"}[side]
    asked = {position for part in explanation.parts for position in part.asked}
    sentences = []
    for number, (text, label) in enumerate(zip(paper.sentences, paper.labels)):
        if not text:  # unknown: no step read this sentence
            continue
        partners = [{"number": one[other], **one} for one in drawn if one[side] == number]
        sentences.append(
            {
                "number": number,
                "text": text,
                "label": label,
                "colour": colour(label),
                "partners": partners[:NAMED],
                "more": len(partners) - NAMED,
                "asked": side == "document" or number in asked,
            }
        )
    return {"name": side, "title": paper.title, "sentences": sentences}


def _alternative(drawn: list[Values]) -> str:
    """Describe the ribbons in words."""
    shown = "; ".join(
        f"query sentence {one['query']} with document sentence {one['document']}"
        for one in drawn[: 2 * NAMED]
    )
    more = len(drawn) - 2 * NAMED
    return f"Matches, strongest first: {shown}" + (f"; and {more} more." if more > 0 else ".")

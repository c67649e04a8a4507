"""Write an explanation as one HTML file, from a template.

This module computes everything that a reader sees; the template arranges it. No sentence gets into
the script: jinja escapes all text, and the script receives numbers only.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..pages import FACET_COLOURS, colour, fixed, signed, templates
from ..similarity.contributions import DISTANCE
from ..text import writable
from .parts import Values, bars, heat_maps

if TYPE_CHECKING:
    from .result import Explanation

FOLDER = Path(__file__).parent / "_page"
DRAWN = 0.12  # a drawn ribbon's least strength, as a share of the strongest; tables have all pairs
NAMED = 3  # matches that a sentence names

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
        similarities, weights, matched, unit, _ = part.matches
        products = weights * similarities
        # a plan moves weight; with cosines, weight alone does not measure a match
        strengths = abs(products if unit != DISTANCE else weights)
        for i, j in zip(*matched.nonzero()):
            key = part.asked[i], part.offered[j]
            pair = pairs.setdefault(key, {"all": [], "strength": 0, "weight": 0, "value": 0})
            pair["all"].append(similarities[i, j])
            for name, of in ("strength", strengths), ("weight", weights), ("value", products):
                pair[name] += float(of[i, j])
    most = max(pair["strength"] for pair in pairs.values()) or 1
    for (query, document), pair in pairs.items():
        pair |= {"query": query, "document": document, "strength": pair["strength"] / most}
        pair |= {"low": min(pair["all"]), "high": max(pair["all"])}
    return sorted(pairs.values(), key=lambda pair: -pair["strength"])


def _side(explanation: "Explanation", side: str, drawn: list[Values]) -> dict[str, object]:
    """Return a paper's title, and its sentences with their matches on the other side."""
    paper, other = getattr(explanation, side), {"query": "document", "document": "query"}[side]
    asked = {position for part in explanation.parts for position in part.asked}
    sentences = []
    for number, (text, label) in enumerate(zip(paper.sentences, paper.labels)):
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

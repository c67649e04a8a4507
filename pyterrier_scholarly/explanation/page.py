"""The page: an explanation as one HTML file, from a template.

What a reader sees there is computed here; the template only arranges it. Nothing of a sentence gets
into the script: jinja escapes all text, and the script is given numbers.
"""

from functools import lru_cache
from pathlib import Path

from ..similarity.contributions import DISTANCE
from ..text.rewriting import writable
from ._figures import bars, heat_maps

FOLDER = Path(__file__).parent / "_page"
DRAWN = 0.12  # a ribbon's least strength, of the strongest's: the tables have all pairs
NAMED = 3  # matches that a sentence names
FACET_COLOURS = ("background", "objective", "method", "result", "other")

SIMILARITY, WEIGHT, VALUE = (
    "their similarity",
    "the weight moved there",
    "what they add to the score",
)
SHOWN = {
    SIMILARITY: lambda pair: _fixed(pair["high"]),
    WEIGHT: lambda pair: f"{100 * pair['weight']:.1f} %",
    VALUE: lambda pair: _signed(pair["value"], 3),
}
"""What stands beside a match of a sentence: what the ribbons are as thick as, if it can be."""


@lru_cache(maxsize=1)
def _template():
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    files = FileSystemLoader(FOLDER)
    environment = Environment(
        autoescape=True,
        loader=files,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters.update(signed=_signed, fixed=_fixed)
    return environment.get_template("page.html")


def page(explanation) -> str:
    """The HTML of an `Explanation`, without anything to be fetched."""
    pairs = _pairs(explanation)
    kind = _kind(explanation)
    for pair in pairs:
        pair["shown"] = SHOWN[kind](pair)
    drawn = _drawn(pairs)
    html = _template().render(
        told=explanation,
        sides=[_side(explanation, "query", drawn), _side(explanation, "document", drawn)],
        pairs=pairs,
        beside=kind,
        moved=kind == WEIGHT,
        ribbons=[[one["query"], one["document"], round(one["strength"], 4)] for one in drawn],
        alternative=_alternative(drawn),
        parts=bars(explanation.parts),
        maps=heat_maps(explanation.parts),
        labels=[label for label in FACET_COLOURS if label in _labels(explanation)],
    )
    return writable(html)


def _fixed(value):
    return f"{value:.2f}".replace("-", "−")


def _signed(value, digits=4):
    return f"{value:+.{digits}f}".replace("-", "−")


def _kind(explanation):
    """What is to stand beside matches."""
    units = [part.matches.unit for part in explanation.parts if part.matches]
    if set(units) == {DISTANCE}:
        return WEIGHT
    return SIMILARITY if len(units) == 1 else VALUE


def _labels(explanation):
    return {*explanation.query.labels, *explanation.document.labels}


def _pairs(explanation):
    """One dict per matched pair, over all parts, the strongest first; sentences from 1."""
    pairs = {}
    for part in explanation.parts:
        if part.matches is None:
            continue
        similarities, weights, matched, unit, _ = part.matches
        # a plan moves weight; a cosine's weight alone says nothing of how good a match is
        strengths = abs(weights * similarities) if unit != DISTANCE else abs(weights)
        for i, j in zip(*matched.nonzero()):
            key = part.asked[i], part.offered[j]
            pair = pairs.setdefault(
                key, {"similarities": [], "strength": 0, "weight": 0, "value": 0}
            )
            pair["similarities"].append(similarities[i, j])
            pair["strength"] += float(strengths[i, j])
            pair["weight"] += float(weights[i, j])
            pair["value"] += float(weights[i, j] * similarities[i, j])
    most = max(pair["strength"] for pair in pairs.values()) or 1
    for (query, document), pair in pairs.items():
        numbers = {"query": query + 1, "document": document + 1}
        pair.update(numbers, strength=pair["strength"] / most)
        pair["low"], pair["high"] = min(pair["similarities"]), max(pair["similarities"])
    return sorted(pairs.values(), key=lambda pair: -pair["strength"])


def _drawn(pairs):
    return [pair for pair in pairs if pair["strength"] >= DRAWN]


def _side(explanation, side, drawn):
    """Title and sentences of a paper, each with its matches on the other."""
    paper, other = getattr(explanation, side), {"query": "document", "document": "query"}[side]
    asked = {place for part in explanation.parts for place in part.asked}
    sentences = []
    for number, (text, label) in enumerate(zip(paper.sentences, paper.labels), 1):
        partners = [{"number": one[other], **one} for one in drawn if one[side] == number]
        sentences.append(
            {
                "number": number,
                "text": text,
                "label": label,
                "colour": label if label in FACET_COLOURS else "none",
                "partners": partners[:NAMED],
                "more": len(partners) - NAMED,
                "asked": side == "document" or number - 1 in asked,
            }
        )
    return {"name": side, "title": paper.title, "sentences": sentences}


def _alternative(drawn):
    """What the ribbons show, in words."""
    shown = "; ".join(
        f"query sentence {one['query']} with document sentence {one['document']}"
        for one in drawn[: 2 * NAMED]
    )
    more = len(drawn) - 2 * NAMED
    return f"Matches, strongest first: {shown}" + (f"; and {more} more." if more > 0 else ".")

"""Write a ranking of a library's papers as one HTML file, from a template.

`FoundInLibrary.to_html` calls `render_ranking`. Here is computed what a reader sees, as records
that the template, ``_page/ranking.html``, arranges.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ..explanation import Explanation
from ..explanation.explanation_page import render_explanation
from ..explanation.score_parts import MEAN_OF_CANDIDATES
from ..pages import render_page
from .paper_store import PaperDoc

TEMPLATES = Path(__file__).parent / "_page"
MOST_NAMED_AUTHORS = 3
#: for `str.translate`: LaTeX's special characters escaped, and braces removed, as one may lack its
#: partner
BIBTEX_ESCAPES = str.maketrans(
    {"&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": None, "}": None}
)


class BestPair(NamedTuple):
    """The pair of sentences that adds most to a score.

    Attributes:
        query_sentence, sentence: the query's and the paper's.
        label: facet of the paper's sentence, or "".
        contribution: what the pair adds, over all parts of the score.
    """

    query_sentence: str
    sentence: str
    label: str
    contribution: float


class ScoreSums(NamedTuple):
    """What the parts of a score add up to; together they are the score.

    Attributes:
        pairs: of all pairs of sentences.
        others: of parts without pairs, such as words in common.
        means: of the ranked papers, which are subtracted.
    """

    pairs: float
    others: float
    means: float


@dataclass(frozen=True)
class ShownPaper:
    """A paper of the ranking.

    Attributes:
        source: authors, venue and year on one line.
        address: of the paper, by its DOI if it has one; "" if unknown.
        best_pair: None if the score has no pairs.
        bibtex: to be copied.
        explanation: the page of `Explanation`, for a frame.
    """

    rank: int
    docno: str
    title: str
    source: str
    address: str
    score: float
    sums: ScoreSums
    best_pair: BestPair | None
    bibtex: str
    explanation: str


def render_ranking(
    query: str,
    facet: str | None,
    note: str,
    documents: Sequence[PaperDoc],
    explanations: Sequence[Explanation],
    ranked_count: int,
    library_count: int,
    left_out: Sequence[str] = (),
) -> str:
    """Render a ranking as HTML that fetches nothing.

    Args:
        query: the text or title that asked.
        facet, note: see `FoundInLibrary`.
        documents: best first.
        explanations: of the score of each.
        ranked_count, library_count, left_out: see `FoundInLibrary`.
    """
    papers = [
        show_paper(rank, document, explanation)
        for rank, (document, explanation) in enumerate(zip(documents, explanations), 1)
    ]
    return render_page(
        TEMPLATES,
        "ranking.html",
        query=query,
        facet=facet,
        remarks=note.splitlines(),
        papers=papers,
        ranked_count=ranked_count,
        library_count=library_count,
        left_out=left_out,
        labels=list(dict.fromkeys(paper.best_pair.label for paper in papers if paper.best_pair)),
    )


def show_paper(rank: int, document: PaperDoc, explanation: Explanation) -> ShownPaper:
    """Return what the page shows of a paper."""
    return ShownPaper(
        rank=rank,
        docno=document.doc_id,
        title=document.title or document.text,
        source=describe_source(document),
        address=f"https://doi.org/{document.doi}" if document.doi else document.url,
        score=explanation.score,
        sums=add_parts(explanation),
        best_pair=find_best_pair(explanation),
        bibtex=write_bibtex(document),
        explanation=render_explanation(explanation),
    )


def describe_source(document: PaperDoc) -> str:
    """Return authors, venue and year of a paper on one line."""
    # not commas, which stand in names such as "Müller, Anna"
    authors = "; ".join(document.authors[:MOST_NAMED_AUTHORS])
    if len(document.authors) > MOST_NAMED_AUTHORS:
        authors += " et al."
    return " · ".join(part for part in (authors, document.venue, document.year) if part)


def add_parts(explanation: Explanation) -> ScoreSums:
    """Add up the parts of a score: pairs of sentences, subtracted means, and all others."""
    pairs = means = others = 0.0
    for part in explanation.parts:
        if part.matches is not None:
            pairs += part.value
        elif part.name.startswith(MEAN_OF_CANDIDATES):
            means += part.value
        else:
            others += part.value
    return ScoreSums(pairs, others, means)


def find_best_pair(explanation: Explanation) -> BestPair | None:
    """Return the pair of sentences that adds most to a score, over all its parts."""
    contribution_of_pair: Counter[tuple[int, int]] = Counter()
    pairs = explanation.frame.dropna(subset=["query_sentence_id"])
    for row in pairs.itertuples():
        contribution_of_pair[row.query_sentence_id, row.sentence_id] += row.contribution
    if not contribution_of_pair:
        return None

    ((query_number, number), contribution) = contribution_of_pair.most_common(1)[0]
    return BestPair(
        query_sentence=explanation.query.sentences[query_number],
        sentence=explanation.document.sentences[number],
        label=explanation.document.labels[number],
        contribution=contribution,
    )


def write_bibtex(document: PaperDoc) -> str:
    """Return a paper as an entry of BibTeX."""
    fields = {
        "title": document.title,
        "author": " and ".join(document.authors),
        "year": document.year,
        "journal": document.venue,
        "doi": document.doi,
        "url": "" if document.doi else document.url,
    }
    kind = "article" if document.venue else "misc"
    key = "".join(character for character in document.doc_id if character not in '{}(),"#%~\\')
    lines = [f"@{kind}{{{key},"]
    for name, value in fields.items():
        if value:
            escaped_value = value.translate(BIBTEX_ESCAPES)
            lines.append(f"  {name} = {{{escaped_value}}},")
    return "\n".join([*lines, "}"])

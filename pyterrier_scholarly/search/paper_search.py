"""Rank your own papers by a facet of one of them, or by a text, and explain the ranking.

found = search_papers("papers.jsonl", "117", facet="method")
print(found)
found.explain().to_html("why.html")
"""

from dataclasses import dataclass
from html import escape

import pandas as pd
import pyterrier as pt

from ..arguments import check_arguments
from ..encoders import LSA, Contextual, EncoderLike, VectorCache
from ..explanation import Explanation, explain
from ..progress import progress, say_once
from ..recipes import one_encoding
from ..transformers import FacetLabeller, Sentences
from .kept_sentences import split_abstracts
from .paper_files import Papers, read_papers
from .paper_query import IdOrText, check_facet, find_query, format_id, make_topic, suggest_ids

MOST_SHOWN_PAPERS = 10
MANY_PAPERS = 500  # from which on the hint is said
HINT = (
    "Each call prepares the papers again. Papers.build('my-library', papers) prepares them once; "
    "its searches take about a second."
)
WIDEST_SHOWN_TITLE = 70  # characters
BY_WORDS = "Compared by words (latent semantic analysis of these papers)."
ADVICE_ON_ENCODERS = (
    "Pass encoder='sentence-transformers/all-MiniLM-L6-v2' (extra `dense`) to compare by meaning: "
    "NDCG%20 on CSFCube is 66.6 so, and 52.2 by words."
)
ALL_EQUAL = (
    "All scores are equal, so the order says nothing: perhaps the query shares no word with the "
    "papers."
)

_advice_left = [ADVICE_ON_ENCODERS]  # for the first ranking by words of this process


@dataclass(frozen=True, eq=False, repr=False)
class FoundPapers:
    """A ranking of papers; a notebook and `print` show its first ten.

    Attributes:
        ranking: frame with `rank` (from 1), `docno`, `title` and `score`, best first.
        candidates: frame of the query with all candidates, as `pipeline` takes it.
        pipeline: what ranked them.
        note: remarks on what asked and how the papers were compared, or "".
    """

    ranking: pd.DataFrame
    candidates: pd.DataFrame
    pipeline: pt.Transformer
    note: str = ""

    @check_arguments
    def explain(self, docno: str | int | None = None) -> Explanation:
        """Explain the score of a paper, sentence by sentence; None for the best.

        Raises:
            ValueError: the paper is not in the ranking; says why, or names the nearest ids.
        """
        docnos = self.ranking["docno"].tolist()
        chosen = docnos[0] if docno is None else format_id(docno)
        if chosen is None or chosen not in docnos:
            raise ValueError(self._describe_unranked(chosen or str(docno)))
        return explain(self.pipeline, self.candidates, chosen)

    def _describe_unranked(self, docno: str) -> str:
        """Return the message of an error about a paper that is not in the ranking."""
        docnos = self.ranking["docno"].tolist()
        problem = f"{docno!r} is not in the ranking of {len(docnos)} papers"
        if docno == self.candidates["query_docno"].iloc[0]:
            return f"{problem}: it is the paper that asks, and a paper does not rank itself."

        # a library returns only the best of the candidates that it has ranked
        if docno in self.candidates["docno"].tolist():
            whole_ranking = self.pipeline.transform(self.candidates).set_index("docno")
            rank = whole_ranking["rank"][docno] + 1
            return (
                f"{problem}: it is at rank {rank:,} of {len(whole_ranking):,}. Search again with "
                f"num_results={rank} or more."
            )
        return f"{problem}. {suggest_ids(docno, docnos)}"

    def __repr__(self) -> str:
        table = self.ranking.head(MOST_SHOWN_PAPERS).to_string(
            index=False, max_colwidth=WIDEST_SHOWN_TITLE
        )
        return f"{table}\n{self.note}".rstrip()

    def _repr_html_(self) -> str:
        table = self.ranking.head(MOST_SHOWN_PAPERS).to_html(index=False)
        remarks = f"<p>{escape(self.note)}</p>" if self.note else ""
        return table + remarks


@check_arguments
def search_papers(
    papers: Papers,
    query: IdOrText,
    facet: str | None = None,
    encoder: EncoderLike | None = None,
    *,
    verbose: bool = True,
) -> FoundPapers:
    """Rank your own papers by what they share with one of them, or with a text.

    Every abstract is split into sentences, the sentences get facet labels (`FacetLabeller`), and
    `one_encoding` ranks the papers. Where sentences begin is kept on disk for the next call. To ask
    many papers often, build a library once (`Papers`), which gives the same scores. ::

        found = search_papers("papers.jsonl", "117", facet="method")
        found.explain().to_html("why.html")

    Args:
        papers: see `read_papers`.
        query: the id of one of the papers, which is then left out of the ranking; or a text, such
            as an abstract or a question. A query without a blank that is no id is refused if it
            has a digit or a mark, or if an id is similar: it is probably a mistyped id.
        facet: *background*, *method* or *result*: only the query's sentences of this facet ask, and
            papers without one are ranked lower. None for all sentences. If the query is a text, all
            its sentences count as sentences of the facet. If it is a paper without one, all its
            sentences ask, as with None. The result's `note` says either.
        encoder: see `SentenceMaxSim`; a name or folder keeps its embeddings on disk for the next
            call. None for `LSA` of the papers, which needs no download and compares by words.
        verbose: say on stderr what is done, with bars if somebody watches, else lines.

    Returns:
        `FoundPapers`.

    Raises:
        ValueError: see `read_papers`; an empty query, a mistyped id, an unknown facet, fewer than
            two papers.
    """
    check_facet(facet)
    all_papers = read_papers(papers)
    paper_or_text = find_query(query, all_papers)
    is_other_paper = all_papers["docno"] != paper_or_text.docno
    if not is_other_paper.any():
        raise ValueError("There is no other paper to rank: pass at least two papers.")

    if verbose and len(all_papers) >= MANY_PAPERS:
        say_once(HINT)
    sentences = split_abstracts(all_papers["text"].tolist(), VectorCache(), verbose)
    other_papers = all_papers.assign(sentences=sentences)[is_other_paper]
    topic = make_topic(paper_or_text, facet)
    candidates = topic.frame.merge(other_papers, how="cross", suffixes=("_query", ""))

    texts = (all_papers["title"] + " " + all_papers["text"]).tolist()
    chosen_encoder = _choose_encoder(encoder, texts, verbose)
    pipeline = Sentences() >> FacetLabeller() >> one_encoding(texts, chosen_encoder)
    with progress("ranking", verbose=verbose):
        ranked = pipeline.transform(candidates).sort_values("rank", ignore_index=True)
    ranking = ranked.assign(rank=ranked["rank"] + 1)[["rank", "docno", "title", "score"]]

    remarks = []
    if topic.remark:
        remarks.append(topic.remark)
    all_scores_are_equal = len(ranking) > 1 and ranking["score"].nunique() == 1
    if all_scores_are_equal:
        remarks.append(ALL_EQUAL)
    if encoder is None:
        remarks.append(describe_comparison_by_words())
    return FoundPapers(ranking, candidates, pipeline, note="\n".join(remarks))


def describe_comparison_by_words() -> str:
    """Return the remark that words were compared, with advice the first time in a process."""
    sentences = [BY_WORDS]
    if _advice_left:
        sentences.append(_advice_left.pop())
    return " ".join(sentences)


def _choose_encoder(choice: EncoderLike | None, texts: list[str], verbose: bool) -> EncoderLike:
    """Return the encoder of an argument: by words for None, with a cache for a model's name."""
    if choice is None:
        return LSA(texts)
    if isinstance(choice, str):
        return Contextual(choice, cache=True, verbose=verbose)
    return choice

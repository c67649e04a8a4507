"""Score papers by an encoder's vectors of whole papers, or of title and facet.

PaperSimilarity("sentence-transformers/all-MiniLM-L6-v2", facet_only=True)(results)
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..encoders import EncoderLike, as_passage_encoder, passage_arrays
from ..paper import Passage
from ..similarity.matches import Matches, mark_best
from ..similarity.vectors import LOWEST, cosines, unit
from ..step import list_chosen, ranked
from .facet_query import read_queries
from .passage_scorer import NO_TEXT, PassageScorer


class PaperSimilarity(PassageScorer):
    """Score papers by the cosine of an encoder's vectors: of title and abstract, or of the facet.

    With `facet_only`, the texts are the title and the sentences that ask, and the candidate's title
    and sentences of the same facet (Definition 1 of [Mysore2021]; all if it has none). A candidate
    without title and sentences has -1.

    Columns in: `qid`, `docno`, `query_paper` and `paper`; with `facet_only` also
    `query_sentence_ids` and `facet`; optional `sentence_ids`, the candidate's sentences that count.
    Columns out: the same and `score` (-1 to 1) and `rank`, rows by query and rank. Every distinct
    text is encoded once per call.

    Args:
        encoder: as for `SentenceMaxSim` in a context; the vector of a text is the mean of all its
            tokens.
        facet_only: see above.

    Raises:
        ValueError: NaN from a broken model, a position outside of the query's paper.
    """

    encoder: EncoderLike

    empty_score = LOWEST  # of an empty text, a model's vector is near all others

    def encode(self, passages: list[Passage]) -> np.ndarray:
        """Return the vectors (n, d) of whole passages."""
        return take_wholes(self._encode_parts(passages))

    def _encode_parts(self, passages: list[Passage]) -> list[np.ndarray]:
        """Return (2 + s, d) for each passage: the whole, the title and its s sentences."""
        return passage_arrays(self.loaded(as_passage_encoder), passages)

    def explain_ranking(
        self, results: pd.DataFrame, docno: str
    ) -> tuple[pd.DataFrame, Matches | None]:
        """Rank one query's candidates, and say what pairs of sentences add to one's score.

        Both are by the same vectors: a model computes slightly other ones in another batch.

        Returns:
            The ranking; and the pairs of the document, None if no sentence of it counts, or if it
            or the query has no text.
        """
        results = self.check_results(results)
        row = results["docno"].tolist().index(docno)

        passages, passage_numbers = self._pair_passages(results)
        query_number, candidate_number = passage_numbers[row]
        if NO_TEXT in (query_number, candidate_number):
            return self.transform(results), None  # there are no vectors to split

        # the ranking is by the vectors of whole passages
        vectors_of_passages = self._encode_parts(passages)
        whole_vectors = take_wholes(vectors_of_passages)
        scores = self._score_pairs(whole_vectors, passage_numbers)
        ranking = ranked(results.assign(score=scores))

        # which sentences the two passages have, and which of the query's ask
        (query,) = read_queries(results)
        candidate_paper = results["paper"].iloc[row]
        chosen_positions = list_chosen(results)[row]
        if self.facet_only:
            candidate_positions = candidate_paper.find_or_all(query.facet, chosen_positions)
            asking = list(range(len(query.positions)))  # the query's passage has no others
        else:
            candidate_positions = candidate_paper.find_or_all("", chosen_positions)
            asking = query.positions
        if not candidate_positions:
            return ranking, None

        # the score is split by the vectors of the passages' parts
        matches = split_passage_cosine(
            query=vectors_of_passages[query_number],
            document=vectors_of_passages[candidate_number],
            asking=asking,
            columns=candidate_positions,
        )
        return ranking, matches

    def explained(self, row: pd.DataFrame) -> Matches | None:
        """Return what pairs of sentences add to the score of a frame's one row."""
        _, matches = self.explain_ranking(row, row["docno"].iloc[0])
        return matches


def take_wholes(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Return the vectors (n, d) of whole passages, of length 1; `parts` has them in rows 0."""
    wholes = [parts_of_passage[0] for parts_of_passage in parts]
    return unit(np.stack(wholes))


def split_passage_cosine(
    query: np.ndarray, document: np.ndarray, asking: Sequence[int], columns: Sequence[int]
) -> Matches:
    """Return what each pair of sentences adds to the cosine of two passages.

    A whole is a mean of tokens, so it is a weighted sum of its parts (title and sentences) and of
    tokens in no part. The weights of the parts are those, of 0 or more, with the smallest
    remainder. So the product of two wholes is a sum over pairs of parts. (For other wholes, this is
    the best approximation by their parts.)

    Args:
        query, document: (2 + s, d) each: the whole, the title, and s > 0 sentences.
        asking: (m,), positions of the sentences that ask, in the query's passage, from 0.
        columns: (n,), positions of the candidate's passage's sentences in its paper.

    Returns:
        `Matches` (m, n). The `rest` has the parts of the *titles* on either side, of the query's
        *other sentences*, if any, and of tokens *in no part*.
    """
    from scipy.optimize import nnls

    query_whole, query_parts = _scale_by_whole(query)
    document_whole, document_parts = _scale_by_whole(document)
    query_weights, _ = nnls(query_parts.T, query_whole)
    document_weights, _ = nnls(document_parts.T, document_whole)

    # what each pair of parts adds to the cosine; part 0 is the title
    part_weights = np.outer(query_weights, document_weights)
    part_shares = part_weights * (query_parts @ document_parts.T)
    sentence_shares = part_shares[1:, 1:]
    asking_shares = sentence_shares[asking]

    # what other pairs add: those with a title, and those of sentences that do not ask
    query_title_share = part_shares[0].sum()
    document_title_share = part_shares[1:, 0].sum()
    rest = {"titles": query_title_share + document_title_share}
    if len(asking) < len(sentence_shares):
        rest["other sentences"] = sentence_shares.sum() - asking_shares.sum()
    rest["in no part"] = query_whole @ document_whole - part_shares.sum()

    # weight * similarity = share; a pair without similarity has no share
    query_sentences = query_parts[1:]
    document_sentences = document_parts[1:]
    similarities = cosines(query_sentences[asking], document_sentences)
    weights = np.zeros_like(similarities)
    np.divide(asking_shares, similarities, out=weights, where=similarities != 0)

    matched = mark_best(similarities) | (weights > 0)
    return Matches(similarities, weights, matched, rest=rest, columns=columns)


def _scale_by_whole(passage: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Divide a passage's vectors (2 + s, d) by the length of its whole, unless this is 0.

    Returns:
        The whole (d,), and its parts (1 + s, d), the title first.
    """
    vectors = passage.astype(np.float64)
    length = np.linalg.norm(vectors[0])
    if length > 0:
        vectors = vectors / length
    return vectors[0], vectors[1:]

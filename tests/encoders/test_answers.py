"""What an encoder returns is checked at one door, whatever kind of encoder it is."""

import numpy as np
import pytest

from pyterrier_scholarly import CrossEncoderScore, SentenceMaxSim, TextSimilarity, TokenMaxSim
from pyterrier_scholarly.encoders import (
    as_encoder,
    as_passage_encoder,
    pair_scores,
    passage_arrays,
    sentence_vectors,
    token_vectors,
    vectors,
)
from pyterrier_scholarly.paper import Paper

TEXTS = ["one text", "another"]
PAPER = Paper("", "A title", ("One sentence.", "Another."), ("", ""))
#: answers that are no array of numbers
ODD = {
    "a text": "vectors",
    "texts": ["1", "2"],
    "lists of texts": [["1", "2"], ["3", "4"]],
    "a dict": {"vectors": [[1.0], [2.0]]},
    "ragged lists": [[1.0], [1.0, 2.0]],
    "nothing": None,
    "complex numbers": np.array([[1j], [2j]]),
    "masked numbers": np.ma.array([[1.0], [2.0]], mask=[[0], [1]]),
    "objects": np.array([[object()], [object()]]),
}


class Returning:
    """Every kind of encoder, with one answer."""

    def __init__(self, answer):
        self.answer = answer

    def encode(self, texts, side="document"):
        """The answer."""
        return self.answer

    encode_passages = encode_tokens = score = __call__ = encode

    def __repr__(self):
        return "Returning(…)"


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize(
    "use",
    [
        lambda encoder: vectors(encoder, TEXTS),
        lambda encoder: as_encoder(encoder.__call__).encode(TEXTS, "query"),
        lambda encoder: passage_arrays(encoder, [("a", "b"), ("c",)]),
        lambda encoder: sentence_vectors(encoder, [PAPER]),
        lambda encoder: token_vectors(encoder, TEXTS, "query"),
        lambda encoder: pair_scores(encoder.score, [("a", "b"), ("c", "d")]),
    ],
    ids=["texts", "function", "passages", "sentences", "tokens", "pairs"],
)
def test_what_is_no_array_is_refused(use, odd):
    """The error names the encoder, what it returned, and the shape that was expected."""
    with pytest.raises(ValueError, match=r"The encoder Returning\(…\) returned .*expected"):
        use(Returning(ODD[odd]))


@pytest.mark.parametrize("shape", [(2,), (2, 3, 1), (3, 2), ()])
def test_another_shape_is_refused(shape):
    """One row per text, each of as many numbers."""
    with pytest.raises(
        ValueError, match=r"Returning\(…\) returned .*; expected numbers of shape \(2, dimensions\)"
    ):
        vectors(Returning(np.ones(shape)), TEXTS)


def test_an_item_of_a_list_of_arrays_is_refused():
    """Each passage's array is checked by itself."""
    good, ragged = np.ones((3, 2)), [[1.0, 2.0], [1.0]]
    with pytest.raises(ValueError, match=r"returned \[\[1.0, 2.0\], \[1.0\]\].*\(2, dimensions\)"):
        passage_arrays(Returning([good, ragged]), [("a", "b"), ("c",)])


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            [ODD["complex numbers"]] * 2,
            r"1\.j\].*; expected numbers of shape \(tokens, dim.*imaginary parts side by side",
        ),
        (
            [ODD["masked numbers"]] * 2,
            r"mask=.*; expected numbers of shape \(tokens, dim.*drop their rows",
        ),
        ("", "returned ''; expected a list of arrays, one for each of 2 texts.$"),
        ([np.ones((1, 2))], r"returned \[array.*; expected a list of arrays, one for each of 2"),
        (
            [np.ones((1, 2)), np.ones((1, 3))],
            r"returned arrays of \[2, 3\] dimensions; expected as many for all texts\.$",
        ),
        (
            dict.fromkeys(TEXTS, np.ones((1, 2))),
            r"returned \{'one text.*; expected a list of arrays, one for each of 2 texts\.$",
        ),
    ],
)
def test_the_error_is_whole(answer, message):
    """It shows an answer as Python writes it, and ends with what to do."""
    with pytest.raises(ValueError, match=message):
        token_vectors(Returning(answer), TEXTS, "query")


def test_tensors_are_arrays():
    """A tensor that requires gradients, in half precision, is an array like others."""
    torch = pytest.importorskip("torch")
    tensor = torch.tensor([[1.0, 0.5], [0.25, 2.0]], dtype=torch.bfloat16, requires_grad=True)
    found = vectors(Returning(tensor), TEXTS)
    assert found.dtype == np.float32
    assert found.tolist() == [[1.0, 0.5], [0.25, 2.0]]


def test_numbers_too_large_for_an_embedding_are_refused():
    """What single precision cannot hold is infinite, and the text is named."""
    with pytest.raises(ValueError, match="NaN or infinity for 1 of 2 texts, first for 'another'"):
        vectors(Returning(np.array([[1.0], [1e300]])), TEXTS)


@pytest.mark.parametrize(
    "make",
    [
        lambda answer: SentenceMaxSim(Returning(answer).__call__),
        lambda answer: SentenceMaxSim(as_passage_encoder(Returning(answer)), "abstract"),
        lambda answer: TextSimilarity(Returning(answer), document="{title}"),
        lambda answer: TokenMaxSim(Returning(answer), "title"),
        lambda answer: CrossEncoderScore(Returning(answer).score, document="{title}"),
    ],
    ids=["sentences", "in context", "texts", "tokens", "pairs"],
)
@pytest.mark.parametrize("odd", ODD)
def test_steps_refuse_it_too(make, odd):
    """A step with such an encoder ends in the same error."""
    import pandas as pd

    row = {
        "qid": "q",
        "query": "a b",
        "docno": "d",
        "title": "A title",
        "paper": Paper("d", "A title", ["One."]),
        "query_paper": Paper("p", "T", ["a b"]),
        "query_sentence_ids": [0],
    }
    with pytest.raises(ValueError, match=r"The (encoder|model).*expected"):
        make(ODD[odd])(pd.DataFrame([row]))

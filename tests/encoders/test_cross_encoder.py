"""Cross-encoders by sentence-transformers, and other scorers of pairs."""

import numpy as np
import pytest

from pyterrier_scholarly import CrossEncoder
from pyterrier_scholarly.encoders import as_pair_scorer, pair_scores

PAIRS = [
    ("the model", "data"),
    ("data", "the model"),
    ("results", "we learn models of data, and " * 20),
    ("the model", ""),
]
neural = pytest.mark.torch


@pytest.fixture(scope="module")
def cross(tiny):
    """A folder with a tiny cross-encoder."""
    return tiny("cross")


def by_hand(folder, pair, max_length=512):
    """The logit of a pair, read as the model's own library reads it."""
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    read = tokenizer([list(pair)], truncation=True, max_length=max_length, return_tensors="pt")
    with torch.no_grad():
        return model(**read).logits[0, 0].item()


@neural
@pytest.mark.usefixtures("offline")
def test_scores_are_logits(cross):
    """Scores come in the order of the pairs, in any batches."""
    expected = [by_hand(cross, pair) for pair in PAIRS]
    assert len({round(score, 4) for score in expected}) == len(PAIRS)
    for tokens in (1, 200, 10_000):
        scores = CrossEncoder(cross, batch_tokens=tokens).score(PAIRS)
        assert scores == pytest.approx(expected, abs=1e-5)


@neural
@pytest.mark.usefixtures("offline")
def test_the_models_own_prompt(cross):
    """A prompt of the model's stands before pairs, as in its own library."""
    from sentence_transformers import CrossEncoder as Model

    model = Model(cross, device="cpu", prompts={"own": "the data "}, default_prompt_name="own")
    scores = CrossEncoder(model, activation=True).score(PAIRS)
    assert scores == pytest.approx(model.predict(PAIRS), abs=1e-6)


@neural
@pytest.mark.usefixtures("offline")
def test_the_models_own_activation(cross):
    """With one class, the model's own activation is the sigmoid."""
    from sentence_transformers import CrossEncoder as Model

    model = Model(cross, device="cpu")
    logits = CrossEncoder(model).score(PAIRS)
    scores = CrossEncoder(model, activation=True).score(PAIRS)
    assert scores == pytest.approx(1 / (1 + np.exp(-logits)), abs=1e-6)
    assert scores == pytest.approx(model.predict(PAIRS), abs=1e-6)


@neural
@pytest.mark.usefixtures("offline")
def test_pairs_are_cut_at_max_length(cross):
    """The longer text is truncated first, and the object stays unchanged."""
    from sentence_transformers import CrossEncoder as Model

    model = Model(cross, device="cpu")
    (score,) = CrossEncoder(model, max_length=20).score(PAIRS[2:3])
    assert score == pytest.approx(by_hand(cross, PAIRS[2], 20), abs=1e-5)
    assert score != pytest.approx(by_hand(cross, PAIRS[2]), abs=1e-5)
    assert model.max_seq_length == 512


@neural
@pytest.mark.usefixtures("offline")
def test_half_precision_changes_little(cross):
    """Scores in bf16, with eight bits, are near those in fp32."""
    single = CrossEncoder(cross).score(PAIRS)
    half = CrossEncoder(cross, precision="bf16").score(PAIRS)
    assert half == pytest.approx(single, abs=0.1)
    assert not np.array_equal(half, single)


@neural
@pytest.mark.usefixtures("offline")
def test_progress_has_a_total(cross, capsys):
    """Progress is shown on request."""
    as_pair_scorer(cross, verbose=True)(PAIRS)
    assert "4/4" in capsys.readouterr().err.rpartition("scoring")[2]
    CrossEncoder(cross).score(PAIRS)
    assert "scoring" not in capsys.readouterr().err


@neural
@pytest.mark.usefixtures("offline")
def test_what_cannot_be_loaded(tmp_path):
    """An unknown model or precision raises with the remedy."""
    with pytest.raises(OSError, match="There is no folder"):
        CrossEncoder(str(tmp_path / "none")).score(PAIRS)
    with pytest.raises(ValueError, match="precision='fp8': expected one of"):
        CrossEncoder(str(tmp_path), precision="fp8").score(PAIRS)


def test_each_distinct_pair_is_scored_once():
    """Pairs differ by both texts and their order; scores return in the pairs' order."""
    seen = []

    def lengths(pairs):
        seen.extend(pairs)
        return [len(one) - 2 * len(other) for one, other in pairs]

    pairs = [("aa", "b"), ("b", "aa"), ("aa", "b"), ("aa", "")]
    assert pair_scores(lengths, pairs).tolist() == [0, -3, 0, 2]
    assert seen == [("aa", "b"), ("b", "aa"), ("aa", "")]
    assert pair_scores(lengths, []).tolist() == []


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ([[0.1, 0.9]] * 2, r"shape \(2, 2\); expected numbers of shape \(2\).*classifier\?"),
        ([0.1], r"shape \(1,\); expected numbers of shape \(2\)"),
        ([0.1, float("nan")], "NaN or infinity for 1 of 2 pairs, first for 'c' and 'd'"),
        ([float("-inf"), 1], "first for 'a' and 'b'"),
    ],
)
def test_answers_that_are_no_scores(answer, said):
    """A classifier, too few scores or NaN raise; NaN names the pair."""
    with pytest.raises(ValueError, match=said):
        pair_scores(lambda pairs: answer, [("a", "b"), ("c", "d")])


def test_what_scores_pairs():
    """Functions and objects with `score` are scorers; others raise."""

    class Own:
        def score(self, pairs):
            return [7.0 for _ in pairs]

    assert as_pair_scorer(Own())(PAIRS[:1]) == [7.0]
    assert as_pair_scorer(len) is len
    with pytest.raises(ValueError, match="3 scores no pairs"):
        as_pair_scorer(3)


def test_a_cross_encoder_is_its_settings():
    """Scorers are equal by value, without batch sizes; the repr can be pasted back."""
    one = CrossEncoder("cross-encoder/ms-marco-MiniLM-L6-v2", activation=True, batch_tokens=1)
    assert one == eval(repr(one)) != CrossEncoder("cross-encoder/ms-marco-MiniLM-L6-v2")

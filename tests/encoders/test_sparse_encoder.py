"""SPLADE by sentence-transformers: sparse vectors, and what ranks with them."""

import numpy as np
import pytest

from pyterrier_scholarly import SparseEncoder
from pyterrier_scholarly.encoders import as_encoder, vectors

pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("offline")]

TEXTS = ["the model", "data, and more of the data that the models are for", "the model", ""]


@pytest.fixture(scope="module")
def masked(tiny):
    """A folder with a tiny masked language model."""
    return tiny("masked")


def by_hand(folder, text):
    """The maximum over the tokens of log(1 + relu(logit)) [Formal2021, eq. 6]."""
    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.BertForMaskedLM.from_pretrained(folder).eval()
    with torch.no_grad():
        logits = model(**tokenizer(text, return_tensors="pt")).logits[0]
    return torch.log1p(torch.relu(logits)).amax(0).numpy()


def test_vectors_are_splades(masked):
    """Arrays come in the order of texts, with duplicates and an empty text, in any batches."""
    expected = np.array([by_hand(masked, text) for text in TEXTS])
    assert 0 < (expected == 0).mean() < 1
    for tokens in (1, 20, 10_000):
        found = SparseEncoder(masked, batch_tokens=tokens).encode(TEXTS, "document")
        assert found.toarray() == pytest.approx(expected, abs=1e-5)
        assert found.nnz == np.count_nonzero(expected)


def test_each_distinct_text_is_encoded_once(masked, monkeypatch):
    """A duplicate text is encoded once."""
    from sentence_transformers import SparseEncoder as Model

    seen, encode = [], Model.encode_document
    monkeypatch.setattr(
        Model,
        "encode_document",
        lambda self, texts, **more: seen.extend(texts) or encode(self, texts, **more),
    )
    SparseEncoder(masked).encode(TEXTS, "document")
    assert sorted(seen) == sorted(set(TEXTS))


def test_a_model_its_name_and_as_encoder_agree(masked):
    """An object is used as passed; without prompts both sides are alike."""
    from sentence_transformers import SparseEncoder as Model

    model = Model(masked, device="cpu")
    expected = SparseEncoder(masked).encode(TEXTS, "query").toarray()
    for encoder in (as_encoder(model), SparseEncoder(model)):
        assert encoder.encode(TEXTS, "document").toarray() == pytest.approx(expected, abs=1e-5)


def test_texts_are_cut_at_max_length(masked):
    """`max_length=3` keeps two of four tokens and [SEP]; the object stays unchanged."""
    from sentence_transformers import SparseEncoder as Model

    model = Model(masked, device="cpu")
    found = SparseEncoder(model, max_length=3).encode(["the model"], "query")
    assert found.toarray()[0] == pytest.approx(by_hand(masked, "the"), abs=1e-5)
    assert model.max_seq_length == 512


def test_sides_of_other_lengths_are_not_alike(masked):
    """A model may truncate queries earlier than documents: at two tokens of four and [SEP]."""
    from sentence_transformers import SparseEncoder as Model

    model = Model(masked, device="cpu")
    model[0].query_length = 3
    encoder = SparseEncoder(model)
    query, document = (vectors(encoder, ["the model"], side) for side in ("query", "document"))
    assert query[0] == pytest.approx(by_hand(masked, "the"), abs=1e-5)
    assert document[0] == pytest.approx(by_hand(masked, "the model"), abs=1e-5)


def test_half_precision_changes_little(masked):
    """bf16 has eight bits: the largest weights agree to a hundredth; vectors are float32."""
    single = SparseEncoder(masked).encode(TEXTS, "query").toarray()
    half = SparseEncoder(masked, precision="bf16").encode(TEXTS, "query")
    assert half.dtype == np.float32
    assert half.toarray() == pytest.approx(single, abs=0.02 * float(single.max()))
    assert not np.array_equal(half.toarray(), single)


def test_vectors_are_dense_unless_asked_for(masked):
    """Steps for dense arrays work with SPLADE too."""
    encoder = SparseEncoder(masked)
    sparse = vectors(encoder, TEXTS, "query", sparse=True)
    assert sparse.format == "csr"
    assert np.array_equal(vectors(encoder, TEXTS, "query"), sparse.toarray())


def test_an_encoder_is_its_settings():
    """Encoders are equal by value, without batch sizes; the repr can be pasted back."""
    one = SparseEncoder("naver/splade_v2_distil", precision="bf16", batch_tokens=1)
    assert one == eval(repr(one)) != SparseEncoder("naver/splade_v2_distil")


def test_what_cannot_be_loaded(tmp_path):
    """An unknown model or precision raises with the remedy."""
    with pytest.raises(OSError, match="There is no folder"):
        SparseEncoder(str(tmp_path / "none")).encode(["a"], "query")
    with pytest.raises(ValueError, match="precision='fp8': expected one of"):
        SparseEncoder(str(tmp_path), precision="fp8").encode(["a"], "query")

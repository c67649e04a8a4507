"""Sentences in context, with a tiny random BERT that reads letters."""

import os
import sys

import numpy as np
import pytest

from pyterrier_scholarly.encoders import Contextual, sentence_vectors

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

PASSAGE = ("a b", "c d e", "f")
LONG = ("t", " ".join("abcdefghij" * 9), "z")


def states(model, text):
    """Last-layer states of a text by the model itself, special tokens too: (tokens, d)."""
    made = model.tokenizer(text, return_tensors="pt")
    with torch.inference_mode():
        return model[0].auto_model(**made).last_hidden_state[0].numpy()


def counted(model):
    """Return a list to which each call of the model's transformer appends its number of texts."""
    calls = []
    model[0].auto_model.register_forward_pre_hook(
        lambda module, args, kwargs: calls.append(len(kwargs["input_ids"])), with_kwargs=True
    )
    return calls


def test_a_part_is_the_mean_of_its_tokens_states(letters):
    """[CLS] a b c d e f [SEP] in one pass: rows 1-2, 3-5 and 6 of the states; the whole is all."""
    (found,) = Contextual(letters).encode_passages([PASSAGE])
    own = states(letters, "a b c d e f")
    assert len(own) == 8
    expected = [own.mean(0), own[1:3].mean(0), own[3:6].mean(0), own[6]]
    assert np.allclose(found, expected, atol=1e-5)


def test_the_whole_is_what_the_model_makes_of_the_text(letters):
    """Mean pooling over all tokens is sentence-transformers' own `encode`."""
    (found,) = Contextual(letters).encode_passages([PASSAGE])
    assert np.allclose(found[0], letters.encode("a b c d e f"), atol=1e-5)


def test_context_matters(letters):
    """A sentence has another vector in another context; alone it has that of its own states."""
    encoder = Contextual(letters)
    after, behind, alone = encoder.encode_passages([("a", "c d"), ("b", "c d"), ("", "c d")])
    assert np.abs(after[2] - behind[2]).max() > 0.01
    assert np.allclose(alone[2], states(letters, "c d")[1:3].mean(0), atol=1e-5)


@pytest.mark.parametrize("context", ["title", "abstract", "facet"])
def test_sentence_vectors_are_of_the_sentences(letters, context):
    """A sentence's embedding is the mean of its own tokens in its passage."""
    paper = ("t", ("a b", "c", "d"), ("method", "result", "method"))
    passage, tokens = {
        "title": ("t d", [2]),
        "abstract": ("t a b c d", [5]),
        "facet": ("t a b d", [4]),
    }[context]
    (found,) = sentence_vectors(Contextual(letters), [_paper(*paper)], context)
    expected = states(letters, passage)[tokens].mean(0)
    assert np.allclose(found[2], expected / np.linalg.norm(expected), atol=1e-5)
    assert np.allclose(np.linalg.norm(found, axis=1), 1)


def _paper(*parts):
    from pyterrier_scholarly.paper import Paper

    return Paper("", *parts)


def test_a_name_and_its_model_agree(letters_folder, letters):
    """A folder gives the same arrays as the loaded model."""
    encoder = Contextual(letters_folder)
    assert encoder.dimensions == 16
    (named,), (given,) = (e.encode_passages([PASSAGE]) for e in (encoder, Contextual(letters)))
    assert np.allclose(named, given, atol=1e-6)


@pytest.mark.parametrize("batch_tokens", [1, 40, 100_000])
def test_the_batch_changes_no_vector(letters, batch_tokens):
    """Batches change arrays by rounding only, with windows too."""
    passages = [PASSAGE, LONG, ("", "a"), ("b c d", "e f g h i j k l")]
    settings = {"max_length": 31, "memory": 0}  # equal encoders would share what is kept
    found = Contextual(letters, batch_tokens=batch_tokens, **settings).encode_passages(passages)
    alone = Contextual(letters, batch_tokens=1, **settings)
    for passage, vectors in zip(passages, found, strict=True):
        (expected,) = alone.encode_passages([passage])
        assert vectors is not expected
        assert np.allclose(vectors, expected, atol=1e-5)


def test_each_distinct_passage_is_encoded_once(own_folder, passes):
    """A passage is encoded once, within a call and over calls."""
    encoder = Contextual(own_folder)
    first = encoder.encode_passages([PASSAGE, ("a",), PASSAGE])
    again = encoder.encode_passages([("a",), PASSAGE])
    assert sum(passes) == 2
    assert np.array_equal(first[0], first[2])
    assert np.array_equal(first[0], again[1])
    with pytest.raises(ValueError, match="read-only"):  # others get it, too
        again[1] += 1


@pytest.mark.parametrize(("memory", "times"), [(196, 1), (195, 2)])
def test_passages_and_their_texts_count_in_memory(own_folder, passes, memory, times):
    """Memory counts three arrays of 16 floats, and four characters."""
    encoder = Contextual(own_folder, memory=memory)
    for _ in range(2):
        encoder.encode_passages([("a b", "c")])
    assert len(passes) == times


def test_progress_has_a_total(letters, capsys):
    """Progress counts the distinct passages to encode."""
    long = (" ".join("ab" * 40),)
    Contextual(letters, verbose=True).encode_passages([("a", "b"), ("c",), long, ("c",)])
    assert "3/3" in capsys.readouterr().err


def test_without_memory_nothing_is_kept(letters):
    """Memory stays below its limit, and answers are complete."""
    calls = counted(letters)
    encoder = Contextual(letters, memory=0)
    assert len(encoder.encode_passages([PASSAGE, ("a",)])) == 2
    encoder.encode_passages([PASSAGE])
    assert sum(calls) == 3


def test_the_limit_is_the_models_positions(letters):
    """The model's positions are the limit, not sentence-transformers' lower one."""
    letters.max_seq_length = 8
    calls = counted(letters)
    text = " ".join("abcdefghij" * 3)  # 30 letters and two special tokens
    (found,) = Contextual(letters).encode_passages([("", text)])
    assert calls == [1]
    assert np.allclose(found[2], states(letters, text)[1:31].mean(0), atol=1e-5)


def test_what_does_not_fit_is_read_in_windows(letters):
    """92 letters in windows of 30 that share 7; the last part is read with what precedes it."""
    calls = counted(letters)
    (found,) = Contextual(letters).encode_passages([LONG])
    assert sum(calls) == 4  # 30, then 23 more each: 30 + 23 + 23 + 16
    tail = " ".join("".join(LONG).replace(" ", "")[69:])
    assert np.allclose(found[3], states(letters, tail)[-2], atol=1e-5)
    assert np.isfinite(found).all()


def test_twenty_thousand_tokens(letters):
    """A long abstract is encoded whole; its last sentence has its own embedding."""
    passage = ("t", *("a b c d" for _ in range(5_000)), "z")
    (found,) = Contextual(letters).encode_passages([passage])
    assert found.shape == (5_003, 16)
    assert (np.abs(found).max(axis=1) > 0).all()


def test_short_and_empty_parts(letters):
    """A text without tokens is the zero vector and changes nothing; one word is enough."""
    empty, without = Contextual(letters).encode_passages([("a", "", "b", ""), ("a", "b")])
    assert not empty[[2, 4]].any()
    assert np.allclose(empty[[0, 1, 3]], without, atol=1e-6)
    (nothing,) = Contextual(letters).encode_passages([("", "")])
    assert nothing.shape == (3, 16)
    assert not nothing[1:].any()


def test_an_empty_text_of_a_model_without_special_tokens(letters):
    """A text without any token is zero, and another one beside it is not."""
    from tokenizers.processors import TemplateProcessing

    plain = TemplateProcessing(single="$A", pair="$A $B:1", special_tokens=[])
    letters.tokenizer.backend_tokenizer.post_processor = plain
    empty, other = Contextual(letters).encode_passages([("", ""), ("a", "b")])
    assert not empty.any()
    assert other.any(axis=1).all()


@pytest.mark.parametrize(
    "text", ["日本語の文", "привет мир", "سلام", "a\u0301 e", "👩‍🔬 a", "\u200b"]
)
def test_other_scripts(letters, text):
    """An unusual text leaves its neighbours' tokens unchanged."""
    (found,) = Contextual(letters).encode_passages([("a", text, "b")])
    own = states(letters, f"a {text} b")
    assert np.allclose(found[1], own[1], atol=1e-5)
    assert np.allclose(found[3], own[-2], atol=1e-5)


def test_no_papers_and_no_sentences(letters):
    """No passages give no arrays."""
    encoder = Contextual(letters)
    assert encoder.encode_passages([]) == []
    assert sentence_vectors(encoder, []) == []
    none, one = sentence_vectors(encoder, [_paper("t", (), ()), _paper("", ("a",), ("",))])
    assert none.shape == (0, 16)
    assert one.shape == (1, 16)
    assert sentence_vectors(encoder, [_paper("t", (), ())])[0].shape == (0, 16)


def test_a_broken_model_is_named(letters):
    """NaN raises and names the passage."""
    with torch.no_grad():
        letters[0].auto_model.embeddings.word_embeddings.weight[5] = float("nan")  # a
    with pytest.raises(ValueError, match=r"NaN or infinity .* first for 'b' and 'a'"):
        Contextual(letters).encode_passages([("c", "d"), ("b", "a")])


def test_a_model_that_is_not_there(offline):
    """An unknown name raises with the remedy without network."""
    with pytest.raises(OSError, match=r"(?s)'no/such-model' cannot.*hf download no/such-model"):
        Contextual("no/such-model").encode_passages([PASSAGE])


def test_sentence_transformers_missing(monkeypatch):
    """A missing library raises with the extra's name."""
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ImportError, match=r"pyterrier-scholarly\[dense\]"):
        Contextual(f"no/{os.getpid()}").encode_passages([PASSAGE])


@pytest.mark.parametrize("length", [3, 33])
def test_a_length_that_the_model_cannot_take(letters, length):
    """A wrong length raises with its bounds."""
    with pytest.raises(ValueError, match=f"max_length={length} .*4 to 32 tokens"):
        Contextual(letters, max_length=length).encode_passages([PASSAGE])


def test_a_tokenizer_without_offsets(letters, monkeypatch):
    """A tokenizer without positions raises."""
    monkeypatch.setattr(type(letters.tokenizer), "is_fast", False)
    with pytest.raises(ValueError, match="fast tokenizer"):
        Contextual(letters).encode_passages([PASSAGE])


def test_settings():
    """Encoders are equal by what changes arrays; the repr can be pasted back."""
    one = Contextual("m", precision="auto", batch_tokens=99, memory=1, verbose=True)
    assert one == Contextual("m", precision="auto")
    assert one != Contextual("m")
    assert repr(Contextual("m", precision="auto")) == "Contextual('m', precision='auto')"

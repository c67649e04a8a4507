"""Tiny random models in their real architectures, made here: no download."""

import shutil

import pytest

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


@pytest.fixture(scope="session")
def letters_folder(tmp_path_factory):
    """A folder with a sentence-transformers model: BERT of two layers and 32 positions.

    Words are single letters, so a text of n letters and blanks between them has n tokens.
    """
    torch = pytest.importorskip("torch")
    from sentence_transformers import SentenceTransformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path_factory.mktemp("bert")
    words = [*SPECIAL, *LETTERS]
    (folder / "vocab.txt").write_text("\n".join(words))
    torch.manual_seed(0)
    size = {"hidden_size": 16, "intermediate_size": 16, "max_position_embeddings": 32}
    size["initializer_range"] = 0.5  # large, so that context tells
    config = BertConfig(vocab_size=len(words), num_hidden_layers=2, num_attention_heads=2, **size)
    BertModel(config).save_pretrained(folder)
    BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=32).save_pretrained(folder)
    made = tmp_path_factory.mktemp("model")
    SentenceTransformer(str(folder), device="cpu").save(str(made))
    return str(made)


@pytest.fixture
def own_folder(letters_folder, tmp_path):
    """A copy of the folder, not encoded under its name before."""
    return str(shutil.copytree(letters_folder, tmp_path / "own"))


@pytest.fixture
def letters(letters_folder, offline):
    """The model, newly loaded."""
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(letters_folder, device="cpu")

"""Encoders: from texts to vectors. One per file; `as_encoder` finds the one for what is given."""

from ._identity import model_value as model_value  # for steps
from ._identity import plain as plain
from ._loading import load_named as load_named  # for training
from .cache import VectorCache, as_cache
from .contextual import Contextual
from .cross_encoder import CrossEncoder, as_pair_scorer, pair_scores
from .functions import BiEncoder, Function
from .lsa import LSA
from .model_encoder import ModelEncoder, Room
from .openai_embeddings import OpenAIEmbeddings
from .passages import Isolated, PassageEncoder, passage_vectors, sentence_vectors
from .protocol import Encoder, vectors
from .sentence_transformer import SentenceTransformer, TextEncoder
from .sparse_encoder import SparseEncoder
from .tokens import MultiVector, TokenEncoder, as_token_encoder, token_vectors
from .whole_text import WholeText
from .word_vectors import WordVectors

# Asked in this order: nearly all models can be called, so functions come last.
KINDS = (SentenceTransformer, BiEncoder, Function)

__all__ = [
    "LSA",
    "BiEncoder",
    "Contextual",
    "CrossEncoder",
    "Encoder",
    "Function",
    "Isolated",
    "ModelEncoder",
    "MultiVector",
    "OpenAIEmbeddings",
    "PassageEncoder",
    "Room",
    "SentenceTransformer",
    "SparseEncoder",
    "TextEncoder",
    "TokenEncoder",
    "VectorCache",
    "WholeText",
    "WordVectors",
    "as_cache",
    "as_encoder",
    "as_pair_scorer",
    "as_passage_encoder",
    "as_token_encoder",
    "pair_scores",
    "passage_vectors",
    "sentence_vectors",
    "token_vectors",
    "vectors",
]


def as_encoder(source, batch_size=32, verbose=False) -> Encoder:
    """The encoder for what a user passes.

    Args:
        source: a sentence-transformers model (a SparseEncoder, too), its name or folder; a
            pyterrier_dr bi-encoder; a function from a list of n texts to an (n, d) array; or an
            `Encoder`, which comes back as it is.
        batch_size: texts per batch; an `Encoder` sees all texts at once.
        verbose: show progress, where the model can.

    Raises:
        ValueError: nothing here knows what to do with `source`.
    """
    source = plain(source)
    if isinstance(source, Encoder):
        return source
    if type(source).__name__ == "SparseEncoder":  # sentence-transformers'
        return SparseEncoder(source, verbose=verbose)
    for kind in KINDS:
        if kind.accepts(source):
            return kind(source, batch_size=batch_size, verbose=verbose)
    raise ValueError(
        f"{source!r} is no encoder: give a sentence-transformers model or its name, a pyterrier_dr "
        "bi-encoder, a function from a list of texts to an array, or an object with "
        "encode_queries and encode_documents."
    )


def as_passage_encoder(source) -> PassageEncoder:
    """The encoder of passages for what a user passes.

    Args:
        source: a SentenceTransformer or the name of a model, for `Contextual`; a `PassageEncoder`,
            which comes back as it is; an `Encoder` or a function from texts to vectors, for
            `Isolated`.

    Raises:
        ValueError: nothing here knows what to do with `source`.
    """
    source = plain(source)
    if isinstance(source, PassageEncoder):
        return source
    if isinstance(source, str) or hasattr(source, "encode"):
        return Contextual(source)
    return Isolated(source if isinstance(source, Encoder) else as_encoder(source))

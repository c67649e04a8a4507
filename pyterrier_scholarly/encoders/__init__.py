"""Encoders, from texts to embeddings; `as_encoder` and its siblings find one for an argument."""

from collections.abc import Callable

from numpy.typing import ArrayLike

from ..arguments import Count, check_arguments
from ._loading import Room
from ._models import load_named as load_named  # for training
from ._models import model_value as model_value  # for steps
from ._models import plain as plain
from ._models import without_bars as without_bars  # for training
from .cache import VectorCache, as_cache
from .contextual import Contextual
from .encoder_calls import passage_vectors, sentence_vectors, vectors
from .encoder_protocols import Encoder, EncoderLike, PassageEncoder, TokenEncoder
from .model_encoder import ModelEncoder
from .openai_embeddings import OpenAIEmbeddings
from .sentence_transformer import SentenceTransformer, SparseEncoder, TextEncoder
from .token_models import CrossEncoder, MultiVector, pair_scores, token_vectors
from .whole_text import WholeText
from .word_vectors import LSA, WordVectors
from .wrapped_encoders import BiEncoder, Function, Isolated

__all__ = [
    "LSA",
    "BiEncoder",
    "Contextual",
    "CrossEncoder",
    "Encoder",
    "EncoderLike",
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


@check_arguments
def as_encoder(source: object, batch_size: Count = 32, verbose: bool = False) -> Encoder:
    """Return the encoder for an argument; ValueError for anything but these.

    Args:
        source: a sentence-transformers model (also a SparseEncoder), its name or folder; a
            pyterrier_dr bi-encoder; a function from a list of n texts to an (n, d) array; or an
            `Encoder`, which is returned unchanged.
        batch_size: texts per batch; an `Encoder` gets all texts at once.
        verbose: show progress, if the model can.
    """
    source = plain(source)
    if isinstance(source, Encoder):
        return source
    if type(source).__name__ == "SparseEncoder":  # sentence-transformers'
        return SparseEncoder(source, verbose=verbose)
    if isinstance(source, str) or hasattr(source, "encode"):
        return SentenceTransformer(source, batch_size=batch_size, verbose=verbose)
    if hasattr(source, "encode_queries") and hasattr(source, "encode_docs"):
        return BiEncoder(source, batch_size, verbose)
    if callable(source):  # last, because nearly all models are callable
        return Function(source, batch_size, verbose)
    raise ValueError(
        f"{source!r} is no encoder. Pass a sentence-transformers model or its name, a pyterrier_dr "
        "bi-encoder, a function from a list of texts to an array, or an object with "
        "encode_queries and encode_documents."
    )


def as_passage_encoder(source: object) -> PassageEncoder:
    """Return the encoder of passages for an argument; ValueError for anything but these.

    Args:
        source: a SentenceTransformer or the name of a model, for `Contextual`; a `PassageEncoder`,
            which is returned unchanged; an `Encoder` or a function from texts to an array, for
            `Isolated`.
    """
    source = plain(source)
    if isinstance(source, PassageEncoder):
        return source
    if isinstance(source, str) or hasattr(source, "encode"):
        return Contextual(source)
    return Isolated(as_encoder(source))


@check_arguments
def as_token_encoder(source: object, batch_size: Count = 32, verbose: bool = False) -> TokenEncoder:
    """Return the encoder of tokens for an argument; ValueError for anything but these.

    Args:
        source: a MultiVectorEncoder or its name, or a `TokenEncoder`, which is returned unchanged.
        batch_size, verbose: of a `MultiVector`.
    """
    source = plain(source)
    if isinstance(source, TokenEncoder):
        return source
    kinds = {kind.__name__ for kind in type(source).__mro__}  # without importing PyTorch
    if isinstance(source, str) or "MultiVectorEncoder" in kinds:
        return MultiVector(source, batch_size=batch_size, verbose=verbose)
    raise ValueError(
        f"{source!r} is no encoder of tokens. Pass a sentence_transformers.MultiVectorEncoder or "
        "its name, or an object with encode_query_tokens and encode_document_tokens."
    )


@check_arguments
def as_pair_scorer(
    source: object, verbose: bool = False
) -> Callable[[list[tuple[str, str]]], ArrayLike]:
    """Return a function from n pairs of texts to numbers (n,); ValueError for anything but these.

    Args:
        source: a sentence-transformers CrossEncoder or its name, an object with the method `score`,
            such as `CrossEncoder`, or a function from a list of pairs to numbers.
        verbose: show progress, if the model can.
    """
    source = plain(source)
    if isinstance(source, str) or hasattr(source, "predict"):
        source = CrossEncoder(source, verbose=verbose)
    if hasattr(source, "score"):
        return source.score
    if callable(source):
        return source
    raise ValueError(
        f"{source!r} scores no pairs. Pass a sentence-transformers CrossEncoder or its name, a "
        "function from a list of pairs of texts to numbers, or an object with the method score."
    )

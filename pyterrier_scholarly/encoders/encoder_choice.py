"""Find the encoder for an argument: what `encoder=` accepts, beside encoders.

For example::

    as_encoder("sentence-transformers/all-MiniLM-L6-v2")  # a SentenceTransformer
    as_encoder(lambda texts: np.ones((len(texts), 1)))  # a Function
"""

from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike

from ..arguments import Count, check_arguments
from ._model_identity import plain
from .contextual import Contextual
from .encoder_protocols import (
    Encoder,
    EncoderLike,
    Pair,
    PairScorerLike,
    PassageEncoder,
    TokenEncoder,
)
from .interaction import CrossEncoder, MultiVector
from .sentence_transformer import SentenceTransformer, SparseEncoder
from .wrapped_encoders import BiEncoder, Function, Isolated


def is_lsa(encoder: EncoderLike | None) -> bool:
    """Return whether an argument is the word "lsa", which stands for `LSA` of the papers beside it.

    Whoever takes an encoder and papers makes that `LSA`: `systems` of the dataset, `Papers` and
    `search_papers` of the user's own. A folder of this name is passed as ``"./lsa"``.
    """
    return isinstance(encoder, str) and encoder == "lsa"


@check_arguments
def as_encoder(source: EncoderLike, batch_size: Count = 32, verbose: bool = False) -> Encoder:
    """Return the encoder for an argument; ValueError for anything but these.

    Args:
        source: a sentence-transformers model (also a SparseEncoder), its name or folder; a
            pyterrier_dr bi-encoder; a function from a list of n texts to an (n, d) array; or an
            `Encoder`, which is returned unchanged.
        batch_size: texts per batch; an `Encoder` gets all texts at once.
        verbose: show progress, if the model can.
    """
    model: Any = plain(source)  # of any kind until its kind is known
    if isinstance(model, Encoder):
        return model

    if type(model).__name__ == "SparseEncoder":  # sentence-transformers'
        return SparseEncoder(model, verbose=verbose)
    if isinstance(model, str) or hasattr(model, "encode"):
        return SentenceTransformer(model, batch_size=batch_size, verbose=verbose)
    if hasattr(model, "encode_queries") and hasattr(model, "encode_docs"):
        return BiEncoder(model, batch_size, verbose)
    if callable(model):  # last, because nearly all models are callable
        return Function(model, batch_size, verbose)

    raise ValueError(
        f"{model!r} is no encoder. Pass a sentence-transformers model or its name, a pyterrier_dr "
        "bi-encoder, a function from a list of texts to an array, or an object with "
        "encode_queries and encode_documents."
    )


def as_passage_encoder(source: EncoderLike) -> PassageEncoder:
    """Return what a user passed as an encoder of passages, wrapped if necessary.

    Raises:
        ValueError: it is none of these.

    Args:
        source: a SentenceTransformer or the name of a model, for `Contextual`; a `PassageEncoder`,
            which is returned unchanged; an `Encoder` or a function from texts to an array, for
            `Isolated`.
    """
    model: Any = plain(source)  # of any kind until its kind is known
    if isinstance(model, PassageEncoder):
        return model

    if isinstance(model, str) or hasattr(model, "encode"):
        return Contextual(model)
    return Isolated(as_encoder(model))


@check_arguments
def as_token_encoder(
    source: EncoderLike, batch_size: Count = 32, verbose: bool = False
) -> TokenEncoder:
    """Return the encoder of tokens for an argument; ValueError for anything but these.

    Args:
        source: a MultiVectorEncoder or its name, or a `TokenEncoder`, which is returned unchanged.
        batch_size, verbose: of a `MultiVector`.
    """
    model: Any = plain(source)  # of any kind until its kind is known
    if isinstance(model, TokenEncoder):
        return model

    class_names = {kind.__name__ for kind in type(model).__mro__}  # without importing PyTorch
    if isinstance(model, str) or "MultiVectorEncoder" in class_names:
        return MultiVector(model, batch_size=batch_size, verbose=verbose)

    raise ValueError(
        f"{model!r} is no encoder of tokens. Pass a sentence_transformers.MultiVectorEncoder or "
        "its name, or an object with encode_query_tokens and encode_document_tokens."
    )


@check_arguments
def as_pair_scorer(
    source: PairScorerLike, verbose: bool = False
) -> Callable[[list[Pair]], ArrayLike]:
    """Return a function from n pairs of texts to numbers (n,); ValueError for anything but these.

    Args:
        source: a sentence-transformers CrossEncoder or its name, an object with the method `score`,
            such as `CrossEncoder`, or a function from a list of pairs to numbers.
        verbose: show progress, if the model can.
    """
    model: Any = plain(source)  # of any kind until its kind is known
    if isinstance(model, str) or hasattr(model, "predict"):
        return CrossEncoder(model, verbose=verbose).score
    if hasattr(model, "score"):
        return model.score
    if callable(model):
        return model

    raise ValueError(
        f"{model!r} scores no pairs. Pass a sentence-transformers CrossEncoder or its name, a "
        "function from a list of pairs of texts to numbers, or an object with the method score."
    )

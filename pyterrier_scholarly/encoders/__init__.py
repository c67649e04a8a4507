"""Encoders, from texts to embeddings; `as_encoder` and its siblings find one for an argument."""

from .cache import VectorCache, as_cache
from .contexts import passage_arrays, sentence_vectors
from .contextual import Contextual
from .encoder_choice import (
    BiEncoder,
    Function,
    Isolated,
    as_encoder,
    as_pair_scorer,
    as_passage_encoder,
    as_token_encoder,
)
from .encoder_choice import is_lsa as is_lsa  # for who takes an encoder beside papers
from .encoder_protocols import (
    Encoder,
    EncoderLike,
    PaperEncoder,
    PassageEncoder,
    TokenEncoder,
    pair_scores,
    token_vectors,
    vectors,
)
from .loading import is_hub_name as is_hub_name  # for libraries
from .loading import load_named as load_named  # for training
from .loading import model_value as model_value  # for steps
from .loading import without_bars as without_bars  # for training
from .model_encoder import ModelEncoder
from .models import (
    CrossEncoder,
    MultiVector,
    SentenceTransformer,
    SparseEncoder,
    TextEncoder,
)
from .openai_embeddings import OpenAIEmbeddings
from .word_vectors import LSA, WordVectors

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
    "PaperEncoder",
    "PassageEncoder",
    "SentenceTransformer",
    "SparseEncoder",
    "TextEncoder",
    "TokenEncoder",
    "VectorCache",
    "WordVectors",
    "as_cache",
    "as_encoder",
    "as_pair_scorer",
    "as_passage_encoder",
    "as_token_encoder",
    "pair_scores",
    "passage_arrays",
    "sentence_vectors",
    "token_vectors",
    "vectors",
]

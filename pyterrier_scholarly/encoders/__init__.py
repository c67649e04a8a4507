"""Encoders, from texts to embeddings; `as_encoder` and its siblings find one for an argument."""

from ._model_identity import is_hub_name as is_hub_name  # for libraries
from ._model_identity import model_value as model_value  # for steps
from ._model_identity import plain as plain
from .cache import VectorCache, as_cache
from .contextual import Contextual
from .encoder_calls import pair_scores, token_vectors, vectors
from .encoder_choice import as_encoder, as_pair_scorer, as_passage_encoder, as_token_encoder
from .encoder_choice import is_lsa as is_lsa  # for who takes an encoder beside papers
from .encoder_protocols import Encoder, EncoderLike, PassageEncoder, TokenEncoder
from .interaction import CrossEncoder, MultiVector
from .model_encoder import ModelEncoder
from .named_models import load_named as load_named  # for training
from .named_models import without_bars as without_bars  # for training
from .openai_embeddings import OpenAIEmbeddings
from .passage_calls import passage_vectors, sentence_vectors
from .room import Room
from .sentence_transformer import SentenceTransformer, SparseEncoder, TextEncoder
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

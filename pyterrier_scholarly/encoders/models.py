"""Models of sentence-transformers: dense and sparse embeddings, those of tokens, scores of pairs.

    encoder = SentenceTransformer("sentence-transformers/all-MiniLM-L6-v2")
    encoder.encode(["a question"], "query")  # (1, 384)

    encoder = SentenceTransformer("allenai/specter", pooling="cls", max_length=512)
    encoder.encode(["A title[SEP]An abstract."], "document")  # (1, 768)

    encoder = CrossEncoder("cross-encoder/ms-marco-MiniLM-L6-v2")
    encoder.score([("a query", "a text"), ("a query", "another")])  # (2,)

The library tokenizes, computes and pools. How models are loaded, texts formed into batches and
embeddings kept, is in the base class, `ModelEncoder`.
"""

import copy
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from ..arguments import Count, Name, Natural
from .adapters import add_adapter
from .encoder_protocols import Embeddings, Pair, Side, read_array, read_arrays
from .loading import choose_length
from .model_encoder import ModelEncoder

Pooling: TypeAlias = Literal["model", "mean", "cls", "last", "pooler", "penultimate"]
#: pooling -> the output of the network that it takes (a name, or a list's name and a position), and
#: how sentence-transformers pools it; None if the output is one embedding of the text already
POOLING_RECIPES: dict[str, tuple[Any, str | None]] = {
    "mean": ("last_hidden_state", "mean"),
    "cls": ("last_hidden_state", "cls"),
    "last": ("last_hidden_state", "lasttoken"),
    "pooler": ("pooler_output", None),
    "penultimate": (("hidden_states", -2), "mean"),
}
#: settings of `SentenceTransformer` that change the network of transformers
TRANSFORMER_SETTINGS = ("pooling", "bidirectional", "adapter")


@dataclass(eq=False, repr=False)
class TextEncoder(ModelEncoder[str]):
    """Compute a row for each text; a model may treat queries and documents differently.

    A new encoder of texts is a subclass with one method, `encode_texts`, which encodes a batch.

    Args:
        query_prompt: put before each query; default: the model's own prompt, if it has one.
        document_prompt: the same for documents.
        others: see `ModelEncoder`.
    """

    _: KW_ONLY
    query_prompt: str | None = None
    document_prompt: str | None = None

    def encode(self, texts: Sequence[str], side: Side) -> Embeddings:
        """Return embeddings (n, d) by one of the model's sides, "query" or "document"."""
        return np.concatenate(self.encode_once(texts, side, self.encode_in_batches))

    def encode_texts(self, model: Any, texts: list[str], side: Side) -> Any:
        """Encode a batch of texts as (n, d); here by the model's own method of that side.

        Called for each batch of new texts, maybe from several threads at once. A subclass may
        return any array or tensor of numbers.
        """
        encode = getattr(model, f"encode_{side}", model.encode)  # other models: `encode` alone
        prompt = getattr(self, f"{side}_prompt")
        settings = {} if prompt is None else {"prompt": prompt}
        return encode(texts, batch_size=len(texts), show_progress_bar=False, **settings)

    def encode_batch(self, model: Any, texts: list[str], side: Side) -> list[np.ndarray]:
        """Encode a batch as arrays (1, d) by `encode_texts`."""
        returned = self.encode_texts(model, texts, side)
        rows = read_array(returned, self, (len(texts), "dimensions"))
        return list(rows[:, None])


@dataclass(eq=False, repr=False)
class SentenceTransformer(TextEncoder):
    """A model of sentence-transformers or transformers that computes one embedding of a text.

    Without settings, embeddings equal those of the model's own `encode_query` and
    `encode_document`, up to rounding: with its modules, prompts and truncation. Some models need
    more than a name: SPECTER's first token, SimCSE's pooler, E5's or GritLM's prompts. Texts longer
    than `max_length` tokens are truncated, as in the papers' systems (`Contextual` truncates
    nothing). Share one encoder among the steps of a pipeline, so that they encode a text once.

    Args:
        model: a name on the hub or a folder, or a SentenceTransformer, which stays unchanged; or
            another object with its method `encode`.
        pooling: how tokens become one embedding: ``"model"``, the model's own way (the mean for
            plain Hugging Face models); ``"mean"``, ``"cls"`` (the first token) or ``"last"`` of the
            last layer; ``"pooler"``, the model's output for its first token (in BERT, a layer and
            tanh; random if its files have none, of which transformers warns); ``"penultimate"``,
            the mean of the layer before the last.
        query_prompt: put before each query; default: the model's own prompt, if it has one.
        document_prompt: the same for documents.
        prompt_pooled: whether a prompt's tokens count in the embedding; not for Instructor and
            GritLM. (Otherwise "cls" and "last" are the first and last token after the prompt.)
        bidirectional: let a decoder's tokens see later ones: GritLM as an encoder (needs
            transformers 5.2).
        adapter: a bottleneck adapter for the model (a name on the hub or a folder): SPECTER2's.
        backend: ``"torch"``, ``"onnx"`` or ``"openvino"``, for a name; sentence-transformers says
            what it needs.
        others: see `ModelEncoder`.

    Raises:
        ImportError, OSError, ValueError: (when encoding) see `ModelEncoder`; a model without a
            pooler, an adapter of another kind or for another model.
    """

    _: KW_ONLY
    pooling: Pooling = "model"
    prompt_pooled: bool = True
    bidirectional: bool = False
    adapter: Name | None = None
    backend: Literal["torch", "onnx", "openvino"] = "torch"

    CHANGING = (*ModelEncoder.CHANGING, "pooling", "prompt_pooled", "bidirectional", "adapter")

    def __post_init__(self) -> None:
        super().__post_init__()
        is_name_in_fp32 = isinstance(self.model, str) and self.precision == "fp32"
        if self.backend != "torch" and not is_name_in_fp32:
            raise ValueError(
                f"backend={self.backend!r} is for a model's name in precision='fp32': an exported "
                "model has its own precision, and an object was loaded with its own backend."
            )

    def _prepare(self, model: Any) -> None:
        """Change a model that was just loaded or copied, as the settings beside precision say."""
        network = model.transformers_model  # None for others, such as static embeddings
        network_settings = self.list_changed(TRANSFORMER_SETTINGS)
        if network_settings and network is None:
            raise ValueError(
                f"The setting {' and '.join(network_settings)} needs a transformer, but the model "
                f"begins with {type(model[0]).__name__}. Leave it out, or pass another model."
            )

        # the length of texts; to a network without a number of positions, any length suits
        network_config = getattr(network, "config", None)
        has_positions = hasattr(network_config, "max_position_embeddings")
        if self.max_length is not None and has_positions:
            choose_length(model, self.max_length)  # only for its ValueError
        super()._prepare(model)  # sets the length

        # what fills the shorter texts of a batch; LLAMA's tokenizer has nothing for it. Any token
        # will do, because padding is masked.
        tokenizer: Any = getattr(model, "tokenizer", None)
        lacks_padding = getattr(tokenizer, "pad_token", "") is None
        if lacks_padding:
            tokenizer.pad_token = tokenizer.eos_token

        # the network's layers, from tokens to their states
        if self.bidirectional:
            network.config.is_causal = False
        if self.adapter is not None:
            add_adapter(network, self.adapter)

        # pooling, from the states to one embedding
        if self.pooling != "model":
            _replace_pooling(model, self.pooling)
        if not self.prompt_pooled:
            model.set_pooling_include_prompt(False)


@dataclass(eq=False, repr=False)
class SparseEncoder(TextEncoder):
    """A SparseEncoder of sentence-transformers, or its name: SPLADE, from a masked language model.

    Embeddings are scipy's sparse arrays (n, words of the vocabulary) of numbers from 0; SPLADE's
    are the maximum over the tokens of log(1 + relu(logit)) [Formal2021, eq. 6]. `TextSimilarity`
    and `SentenceMaxSim` accept them. SPLADE is trained for ``similarity="dot"``; DORIS-MAE ran it
    with ``"cosine"``.

    [Formal2021] T. Formal et al.: SPLADE v2, arXiv 2109.10086.

    Args:
        model: a name on the hub or a folder, or a SparseEncoder, which stays unchanged.
        batch_tokens: tokens of a batch, with padding; each needs a weight of every word in memory
            (for BERT's vocabulary 120 kB).
        query_prompt, document_prompt: see `TextEncoder`.
        others: see `ModelEncoder`.

    Raises:
        ImportError, OSError, ValueError: (when encoding) see `ModelEncoder`.
    """

    _: KW_ONLY
    batch_tokens: Count | None = field(default=1_024, compare=False)

    KIND = "SparseEncoder"

    def encode(self, texts: Sequence[str], side: Side) -> Embeddings:
        """Return a sparse array (n, words of the vocabulary)."""
        from scipy.sparse import csr_array

        # as `encode_batch` makes them: row 0 has the vocabulary's size, the same for all texts, and
        # each other row a word's number and its weight
        arrays = self.encode_once(texts, side, self.encode_in_batches)
        vocabulary_size = int(arrays[0][0, 0])
        pairs_of_texts = [array[1:] for array in arrays]

        all_pairs = np.concatenate(pairs_of_texts)
        words = all_pairs[:, 0].astype(np.int32)
        weights = all_pairs[:, 1]

        # scipy's form: text n has the pairs from boundaries[n] to boundaries[n + 1]
        pair_counts = [len(pairs) for pairs in pairs_of_texts]
        boundaries = np.cumsum([0, *pair_counts])

        shape = (len(texts), vocabulary_size)
        return csr_array((weights, words, boundaries), shape=shape)

    def encode_batch(self, model: Any, texts: list[str], side: Side) -> list[np.ndarray]:
        """Encode each text as an array (1 + k, 2), for k words of weights above 0.

        Row 0 is the size of the vocabulary and a 0. The others are a word's number and its weight.
        Words are kept as float32, which is exact up to 2^24; vocabularies are smaller.
        """
        sparse_rows = self.encode_texts(model, texts, side)  # a sparse tensor
        dense_rows = sparse_rows.to_dense().float().cpu().numpy()  # (n, words of the vocabulary)

        arrays = []
        for weights in dense_rows:
            words = np.flatnonzero(weights)
            pairs = np.column_stack([words, weights[words]])

            # arrays that are kept have no place for a number beside them, so it is a row
            size_row = [len(weights), 0]
            array = np.vstack([size_row, pairs])
            arrays.append(array)
        return arrays


@dataclass(eq=False, repr=False)
class MultiVector(ModelEncoder[str]):
    """A `sentence_transformers.MultiVectorEncoder`, or its name: ColBERT's and PyLate's models.

    Prompts, lengths, query expansion and ignored words are the model's own.

    Args:
        model: the model, or a folder, or a name on the Hugging Face hub.
        memory: bytes of embeddings kept for later calls; default: none, because they are large:
            100 KB for 200 tokens in 128 dimensions.
        others: see `ModelEncoder`.

    Raises:
        ImportError, OSError, ValueError: (when encoding) see `ModelEncoder`.
    """

    _: KW_ONLY
    memory: Natural = field(default=0, compare=False)

    KIND = "MultiVectorEncoder"

    def encode_tokens(self, texts: Sequence[str], side: Side) -> list[np.ndarray]:
        """Return arrays (t, d) by one of the model's sides; queries have expansion tokens."""
        return self.encode_once(texts, side, self.encode_in_batches)

    def encode_batch(self, model: Any, texts: list[str], side: Side) -> list[np.ndarray]:
        """Encode a batch as arrays (t, d)."""
        encode = getattr(model, f"encode_{side}")
        returned = encode(texts, batch_size=len(texts), show_progress_bar=False)
        return read_arrays(returned, self, texts)


@dataclass(eq=False, repr=False)
class CrossEncoder(ModelEncoder[Pair]):
    """A CrossEncoder of sentence-transformers, or its name.

    Pairs are truncated at the model's length, the longer text first.

    Args:
        model: a name on the hub or a folder, or a CrossEncoder, which stays unchanged.
        activation: use the model's own activation. Otherwise scores are logits. A sigmoid keeps the
            order, but rounds the best candidates' large logits to the same 1.0.
        max_length: tokens at which a pair is truncated, with special tokens; default: the model's.
        others: see `ModelEncoder`.

    Raises:
        ImportError, OSError, ValueError: (when scoring) see `ModelEncoder`.
    """

    _: KW_ONLY
    activation: bool = False

    KIND = "CrossEncoder"
    UNIT = "pair"

    def score(self, pairs: Sequence[Pair]) -> np.ndarray:
        """Score n pairs of texts as (n,); a model with c classes gives (n, c)."""
        scores = np.concatenate(self.encode_once(pairs, "pairs", self.encode_in_batches))  # (n, c)
        class_count = scores.shape[1]
        return scores[:, 0] if class_count == 1 else scores

    def encode_batch(self, model: Any, pairs: list[Pair], side: Side) -> list[np.ndarray]:
        """Score a batch as arrays (1, c) for c classes; a pair has no side."""
        from torch.nn import Identity

        returned = model.predict(
            pairs,
            batch_size=len(pairs),
            show_progress_bar=False,
            activation_fn=None if self.activation else Identity(),
        )
        scores = np.array(returned).reshape(len(pairs), 1, -1)  # the model gives (n,) or (n, c)
        return list(scores)


def _replace_pooling(model: Any, pooling: Pooling) -> None:
    """Let a model pool its network's output as a recipe says.

    All behind the network goes: its own pooling, dense layers and normalization.
    """
    from sentence_transformers.sentence_transformer.modules import Pooling as PoolingModule

    network = model.transformers_model
    if pooling == "pooler" and getattr(network, "pooler", None) is None:
        raise ValueError(f"{type(network).__name__} has no pooler: choose another pooling.")

    output_name, pooling_mode = POOLING_RECIPES[pooling]
    network_module = model[0]

    # the output that the network's module passes on; set in a copy of its settings, because the
    # library's are shared by all models
    modality_config = copy.deepcopy(network_module.modality_config)
    modality_config["text"]["method_output_name"] = output_name
    network_module.modality_config = modality_config

    # In place of all other modules comes the one that pools. A module reads by name what the one
    # before it wrote, and the library returns what is written as "sentence_embedding".
    del model[1:]
    if pooling_mode is None:  # the output is one vector per text already
        network_module.module_output_name = "sentence_embedding"
    else:
        network_module.module_output_name = "token_embeddings"
        model.append(PoolingModule(network_module.get_embedding_dimension(), pooling_mode))

"""Experiments in scientific-literature retrieval with PyTerrier.

Importing this package imports nothing: a public name is loaded when it is first used (PEP 562), so
neither PyTorch nor Java nor pandas is paid for by those who do not need it.
"""

from importlib import import_module

__version__ = "0.1.0"

_NAMES = {
    "chat": (
        "FunctionChat",
        "OpenAIChat",
        "Recorded",
        "Replies",
    ),
    "citations": ("citation_graph",),
    "cluster": (
        "ShardRetriever",
        "ShardSummary",
        "encode_on_spark",
        "encode_shards",
        "search_on_spark",
        "search_shards",
    ),
    "collect": (
        "agreement",
        "aspect_pool",
        "aspect_totals",
        "drop_overlapping",
        "judge",
        "make_pools",
        "question_rows",
        "questions_from_citations",
        "read_review",
        "reread_replies",
        "single_ratings",
        "write_collection",
        "write_review",
    ),
    "encoders": (
        "LSA",
        "Contextual",
        "CrossEncoder",
        "OpenAIEmbeddings",
        "SentenceTransformer",
        "SparseEncoder",
        "VectorCache",
        "WholeText",
        "WordVectors",
    ),
    "explanation": ("Explanation", "explain"),
    "figures": ("plot_confusions", "plot_correlation", "plot_rhsa"),
    "logs.collection": ("mine_log",),
    "logs.synthetic": ("synthetic_log",),
    "measures": ("NDCG", "DorisAP", "DorisR", "DorisRR", "DorisRprec", "PLastRel", "rHSA"),
    "document_models": ("TfIdfModel", "TopicModel"),
    "tables": ("PaperTable", "reproduce"),
    "protocols": ("JudgingPrompt", "ListwisePrompt", "QuestionPrompt"),
    "recipes": (
        "lexical_evidence",
        "one_encoding",
        "pool_systems",
        "scored_parts",
        "six_parts",
        "systems",
        "terrier_bm25",
        "three_parts",
        "weight_grid",
    ),
    "evaluation": (
        "against_baseline",
        "beside",
        "bootstrap",
        "by_subset",
        "chosen_on_dev",
        "correlate",
        "fold_mean",
        "folds",
        "leave_one_out",
        "official_measures",
        "printed_tables",
        "published",
        "random_baseline",
        "statistics",
    ),
    "runs": ("from_all", "read_ranked_pools", "to_all", "write_ranked_pools"),
    "similarity.divergence": ("jensen_shannon",),
    "stats": ("distances", "histogram_slope", "paired_t", "paired_wilcoxon"),
    "text.rewriting": ("mark_citations",),
    "training": ("TRAINING_RECIPES", "CitationTriplets", "TrainingSettings", "train_encoder"),
    "transformers": (
        "CrossEncoderScore",
        "DocumentRetriever",
        "DocumentSimilarity",
        "FacetLabeller",
        "FacetMiss",
        "FacetQuery",
        "ListwiseRerank",
        "OkapiBM25Retriever",
        "OkapiBM25Score",
        "OneHop",
        "PaperTfIdf",
        "PlainText",
        "Pool",
        "SentenceCentroid",
        "SentenceMaxSim",
        "SentenceRetriever",
        "SentenceTransport",
        "SentenceVectors",
        "Sentences",
        "TextRetriever",
        "TextSimilarity",
        "TfIdfScore",
        "TokenMaxSim",
        "WeightedFeatures",
        "ZScore",
    ),
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names}

__all__ = sorted(_MODULE_OF)


def __getattr__(name):
    """Load the module of a public name at its first use."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {__all__}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__():
    return [*__all__, "__version__"]

"""Experiments in scientific-literature retrieval with PyTerrier.

Importing this package imports nothing: a public name is loaded when it is first used (PEP 562), so
neither PyTorch nor Java nor pandas is paid for by those who do not need it.
"""

from importlib import import_module

__version__ = "0.1.0"

#: package -> the names that pipelines, experiments and tables of papers are written with
_NAMES = {
    "chat": ("FunctionChat", "OpenAIChat", "Recorded"),
    "cluster": ("ShardRetriever",),
    "document_models": ("TfIdfModel", "TopicModel"),
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
    "evaluation": (
        "against_baseline",
        "beside",
        "bootstrap",
        "by_subset",
        "check_run",
        "chosen_on_dev",
        "correlate",
        "fold_mean",
        "folds",
        "official_measures",
        "published",
        "read_ranked_pools",
        "statistics",
        "write_ranked_pools",
    ),
    "explanation": ("Explanation", "explain"),
    "measures": ("NDCG", "DorisAP", "DorisR", "DorisRR", "DorisRprec", "PLastRel", "rHSA"),
    "protocols": ("ListwisePrompt",),
    "recipes": ("one_encoding", "six_parts", "systems", "three_parts"),
    "search": ("search_papers",),
    "stats": ("paired_t", "paired_wilcoxon"),
    "tables": ("PaperTable", "reproduce"),
    "transformers": (
        "CrossEncoderScore",
        "DocumentRetriever",
        "DocumentSimilarity",
        "FacetLabeller",
        "FacetMiss",
        "FacetQuery",
        "ListwiseRerank",
        "BM25Retriever",
        "BM25Score",
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
#: packages with more names, such as `pyterrier_scholarly.collect.judge`
_PACKAGES = {*_NAMES, "collect", "figures", "logs", "similarity", "text", "training"}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> object:
    """Load the module of a public name, or a package, at its first use."""
    if name in _PACKAGES:
        return import_module(f"{__name__}.{name}")
    if name not in _MODULE_OF:
        raise AttributeError(
            f"module {__name__!r} has no attribute {name!r}; it has {__all__}, and the packages "
            f"{sorted(_PACKAGES)}"
        )
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, *sorted(_PACKAGES), "__version__"]

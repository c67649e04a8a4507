"""CSFCube's systems [Mysore et al. 2021, section 5 and appendix C], and later ones measured on it.

Query and candidate are papers. Systems compare the facet's sentences with all sentences of a
candidate, or whole abstracts.
"""

from ..system import COLLECTION, MINILM, System, own_systems

PAPER = "Mysore et al. 2021, appendix C"
ASPIRE = "Mysore et al. 2022 (ASPIRE), model cards"
AVERAGE = "the average of re-runs that ASPIRE's paper prints, so there is no one model to run"
SPECTER = {
    "similarity": "l2",
    "query": "{query_title}[SEP]{query_text}",
    "document": "{title}[SEP]{text}",
}

LEFT_OUT = {
    "SciFACE": "its weights are not public; a later paper prints its figures",
    "aspire-biencoder-compsci-spec*": f"{AVERAGE} (three); aspire_biencoder runs the best of them, "
    "which has a row of its own",
    "aspire-biencoder-compsci-spec-full": "public, as a zip file with a scalar mix of all layers, "
    "which no encoder here applies; pass one that does as a model under a name of your own",
    "otAspire": f"{AVERAGE}; ot_aspire runs the released weights, which have a row of their own",
}
"""Printed names without a row, and the reason."""


def _make_sentbert(key: str, *, printed_name: str, hub_name: str) -> System:
    """Return a system of Sentence-BERT, which scores a paper by the best match of two sentences.

    Args:
        key: how users call the system.
        printed_name: how the paper calls the system.
        hub_name: of the model that is run, on the Hugging Face hub.
    """
    return System(
        key,
        form="facet_sentences",
        source=PAPER,
        printed_name=printed_name,
        model_in_paper=printed_name,  # the paper calls the model as it calls the system
        model_name=hub_name,
        note="hub name as in ASPIRE's evaluation code, by the same first author",
    )


def _make_simcse(key: str, *, printed_name: str, hub_name: str) -> System:
    """Return a system of SimCSE, which scores a paper by the best match of two sentences.

    Args:
        key: how users call the system.
        printed_name: how the paper calls the system.
        hub_name: of the model that is run, on the Hugging Face hub.
    """
    return System(
        key,
        form="facet_sentences",
        source=PAPER,
        printed_name=printed_name,
        model_in_paper=hub_name,  # the paper names the model as the hub does
        model_name=hub_name,
        settings={"pooling": "pooler"},  # as in the paper of SimCSE
    )


def _make_word_vectors(key: str, **encoder_settings: object) -> System:
    """Return a system that compares mean word vectors of the facet's text and of an abstract.

    Args:
        key: how users, and the paper, call the system.
        encoder_settings: arguments of `WordVectors`, such as ``weighted=True``.
    """
    return System(
        key,
        form="facet_text",
        source=PAPER,
        printed_name=key,
        model_in_paper="word2vec, 200 dimensions",
        model_name=COLLECTION,
        encoder="WordVectors",
        settings=encoder_settings,
        scoring={"document": "{text}"},
        note="the paper trains on 800,000 abstracts of S2ORC, this package on the collection's "
        "documents; for those abstracts pass models={'the collection': 'csfcube/s2orc'} (or a "
        "folder of WordVectors.train)",
    )


def _make_aspire(key: str, *, released_name: str, hub_name: str, transport: str) -> System:
    """Return a system of ASPIRE, which compares sentences in context by optimal transport.

    Args:
        key: how users call the system.
        released_name: how its authors call the system that they released.
        hub_name: of the model that is run, on the Hugging Face hub.
        transport: how sentences are matched: a `method` of `SentenceTransport`.
    """
    return System(
        key,
        form="facet_transport",
        source=ASPIRE,
        printed_name=released_name,
        model_in_paper=released_name,  # the model is called as the system is
        model_name=hub_name,
        encoder="Contextual",
        scoring={"method": transport},
    )


#: rows for any encoder
OWN = (
    System("sentence_maxsim", "facet_sentences", model_name=MINILM, takes_any_encoder=True),
    *own_systems(
        "facet",
        one_encoding="the recommended default for faceted queries",
        six_parts="the best of the package, for two and a half times the encoding",
    ),
)
SYSTEMS = (
    System(
        "fabs_tfidf",
        "fabs_tfidf",
        printed_name="fabs_tfidf",
        source=PAPER,
        model_in_paper="TF-IDF",
        encoder="",
    ),
    System(
        "fabs_bm25",
        "fabs_bm25",
        printed_name="fabs_bm25",
        source=PAPER,
        model_in_paper="Okapi BM25",
        encoder="",
    ),
    _make_word_vectors("fabs_cbow200"),
    _make_word_vectors("fabs_tfidfcbow200", weighted=True),
    _make_sentbert(
        "sentbert_nli",
        printed_name="SentBERT-NLI",
        hub_name="sentence-transformers/nli-roberta-base-v2",
    ),
    _make_sentbert(
        "sentbert_pp",
        printed_name="SentBERT-PP",
        hub_name="sentence-transformers/paraphrase-TinyBERT-L6-v2",
    ),
    _make_simcse(
        "unsimcse", printed_name="UnSimCSE", hub_name="princeton-nlp/unsup-simcse-bert-base-uncased"
    ),
    _make_simcse(
        "susimcse", printed_name="SuSimCSE", hub_name="princeton-nlp/sup-simcse-bert-base-uncased"
    ),
    System(
        "specter",
        "facet_text",
        printed_name="SPECTER",
        source=PAPER,
        model_in_paper="SPECTER",
        model_name="allenai/specter",
        settings={"pooling": "cls"},
        scoring=SPECTER,
    ),
    System(
        "specter_id",
        "facet_text",
        printed_name="SPECTER-ID",
        source=PAPER,
        model_in_paper="SPECTER-ID",
        settings={"pooling": "cls"},
        scoring=SPECTER,
        note="trained on S2ORC's computer science; weights not published",
    ),
    System(
        "mpnet",
        "facet_sentences",
        printed_name="all-mpnet-base-v2, sentence max-sim",
        source=ASPIRE,
        model_in_paper="all-mpnet-base-v2",
        model_name="sentence-transformers/all-mpnet-base-v2",
    ),
    System(
        "aspire_biencoder",
        "facet_text",
        printed_name="aspire-biencoder-compsci-spec",
        source=ASPIRE,
        model_in_paper="aspire-biencoder-compsci-spec",
        model_name="allenai/aspire-biencoder-compsci-spec",
        settings={"pooling": "cls"},
        scoring=SPECTER,
        note="the best single run, as on the hub, without the scalar mix of the -full model; the "
        "row with an asterisk is the average of three re-runs",
    ),
    _make_aspire(
        "ot_aspire",
        released_name="otAspire, released weights",
        hub_name="allenai/aspire-contextualsentence-multim-compsci",
        transport="plan",
    ),
    _make_aspire(
        "ts_aspire",
        released_name="tsAspire",
        hub_name="allenai/aspire-contextualsentence-singlem-compsci",
        transport="single",
    ),
    *OWN,
)

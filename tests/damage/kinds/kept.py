"""Files that the package stores: embeddings, replies, runs, models, shards, trainings."""

from functools import partial

from ..kind import Kind

TREES = "trees grow leaves; leaves fall and roots grow"
QUEUES = "queues wait while servers serve jobs, jobs wait"
TEXTS = [
    *[f"{TREES} {word}" for word in ("bark", "bark moss", "moss", "twigs")],
    *[f"{QUEUES} {word}" for word in ("delay", "delay load", "load", "rates")],
]
EVERY = dict(min_count=1, most_frequent=0, min_length=1)
SETTINGS = {"encoder": "fake"}


KEYS = [text[:n] for text in TEXTS for n in (10, 20)]


def _vectors(folder, keys, settings=SETTINGS, factor=1.0):
    """Read embeddings from a cache, which computes missing ones."""
    import numpy as np

    from pyterrier_scholarly.encoders import VectorCache

    cache = VectorCache(folder / "vectors")
    found = cache.get_many(settings, keys)
    made = {key: np.full((2, 4), factor / (1 + len(key)), "f4") for key in keys if key not in found}
    cache.put_many(settings, made)
    return [(key, {**found, **made}[key].tolist()) for key in keys]


def _make_vectors(folder, before):
    _vectors(folder, KEYS[:4])
    if not before:
        _vectors(folder, KEYS[4:])


def _make_foreign_vectors(folder, before):
    """Write the same texts' embeddings by another encoder, in as many files."""
    for keys in (KEYS[:4], KEYS[4:]):
        _vectors(folder, keys, {"encoder": "another"}, 7.0)


def _read_vectors(folder):
    return _vectors(folder, KEYS)


class _Model:
    """Answer with the number of letters."""

    def request(self, messages, **options):
        return {"model": "fake", "messages": messages, **options}

    def reply(self, request):
        from pyterrier_scholarly.chat import Reply

        size = len(request["messages"][0]["content"])
        return Reply(f"{size} letters", "stop", "fake", "fp", {"prompt_tokens": size}, "2026-01-01")


def _replies(folder, texts):
    from dataclasses import replace

    from pyterrier_scholarly.chat import Recorded

    client = Recorded(_Model(), str(folder / "replies"))
    requests = [client.request([{"role": "user", "content": text}]) for text in texts]
    return [replace(client.reply(request), replayed=False) for request in requests]


def _make_replies(folder, before):
    _replies(folder, TEXTS[:2])
    if not before:
        _replies(folder, TEXTS)


def _runs(folder, before=False):
    import pandas as pd
    import pyterrier as pt

    from pyterrier_scholarly.tables.system_runs import run_system

    ids = pd.DataFrame({"docno": ["NA", "null", "d1", "d2"]})
    topics = pd.DataFrame({"qid": ["q1", "None"], "query": ["one", "two"]})
    scored = topics.merge(ids, how="cross").assign(score=[0.1 * n for n in range(8)])
    system = pt.Transformer.from_df(pt.model.add_ranks(scored))
    return run_system("system", system, topics, "data", folder / "runs").to_dict("records")


def _verified(folder, before=False):
    from pyterrier_scholarly.verification import verify_papers

    rows = ["3:LDA 1M"] if before else ["3"]
    report = verify_papers("rhsa", rows, save_dir=folder, verbose=False)
    return [(one.row, one.status, one.cells) for one in report.outcomes]


def _tfidf(texts):
    from pyterrier_scholarly import TfIdfModel

    return TfIdfModel(texts, **EVERY)


def _topics(texts):
    from pyterrier_scholarly import TopicModel

    return TopicModel(texts, topics=2, iterations=60, **EVERY)


def _words(texts):
    from pyterrier_scholarly import WordVectors

    return WordVectors(texts * 3, dimensions=8, min_count=2, epochs=2)


def _make_model(fitted, folder, before):
    fitted(TEXTS[:6] if before else TEXTS).save(folder / "model")


def _read_model(fitted, folder):
    import numpy as np

    model = type(fitted(TEXTS))(str(folder / "model"))
    if hasattr(model, "encode_documents"):
        return np.asarray(model.encode_documents(TEXTS)).tolist()
    pairs = np.array(model.documents)[np.indices((8, 8)).reshape(2, -1)]
    return model.scores(*pairs).tolist(), abs(model.of_texts(TEXTS[:2])).sum()


OWN = {
    "sentences": [["we prove a lemma", "it is used in physics"], ["a lemma is proved"]] * 3,
    "labels": [["theory", "use"], ["theory"]] * 3,
}


def _make_labeller(folder, before):
    import pandas as pd

    from pyterrier_scholarly import FacetLabeller

    FacetLabeller.train(pd.DataFrame(OWN), folder / "model", **({"size": 2} if before else {}))


def _read_labeller(folder):
    import numpy as np
    import pandas as pd

    from pyterrier_scholarly import FacetLabeller

    new = pd.DataFrame({"sentences": [["another lemma", "used elsewhere"]]})
    labels = FacetLabeller(folder / "model")(new)["labels"].tolist()
    terms = (folder / "model" / "terms.txt").read_text()  # the values that were read could be used
    with np.load(folder / "model" / "arrays.npz") as arrays:
        return labels, terms, {name: arrays[name].tolist() for name in arrays.files}


def _encoder(texts):
    import numpy as np

    return np.array([[len(text), text.count("e"), 1] for text in texts], "f4")


def _shards(folder, encoder=_encoder, name="fake"):
    from pyterrier_scholarly.cluster import encode_shards

    rows = [(f"d{n}", text) for n, text in enumerate(TEXTS)]
    return encode_shards(rows, encoder, folder / "shards", shard_size=3, encoder_name=name)


def _make_foreign_shards(folder, before):
    """Write the same texts' shards by another encoder."""
    _shards(folder, lambda texts: 7 * _encoder(texts), "another")


def _make_shards(folder, before):
    """The older version has two thirds of the embeddings, after a kill."""
    _shards(folder)
    if before:
        (folder / "shards" / "shard-000002.parquet").unlink()


def _read_shards(folder):
    """Search them."""
    import numpy as np

    from pyterrier_scholarly.cluster import search_shards

    queries = np.array([[40, 5, 1], [1, 1, 1]], "f4")
    return search_shards(queries, folder / "shards", similarity="dot").to_dict("records")


def _resume_shards(folder):
    """Resume the encoding, then search."""
    _shards(folder)
    return _read_shards(folder)


WORDS = "the of a and in we to for is are with on model models data learning".split()
PAPERS = [f"p{number}" for number in range(20)]


def _train(folder, keep=None):
    import random

    import torch

    from pyterrier_scholarly.training import CitationTriplets, TrainingSettings, train_encoder

    torch.set_num_threads(1)
    cites = {p: [q for q in PAPERS[n % 4 :: 4] if q != p][:3] for n, p in enumerate(PAPERS)}
    draw = random.Random(0)
    texts = {p: " ".join(draw.choices(WORDS[4 * (n % 4) :][:4], k=6)) for n, p in enumerate(PAPERS)}
    return train_encoder(
        str(folder / "bert"),
        CitationTriplets(cites, PAPERS, seed=1),
        texts if keep is None else keep(texts),
        folder / "training",
        TrainingSettings(batch_size=4, learning_rate=1e-3, log_every=1),
        steps=6,
        save_every=2,
        verbose=False,
    )


class _Stopped(BaseException):
    """Interrupt a training."""


class _Interrupted(dict):
    """Yield texts, then interrupt."""

    left = 2 * len(PAPERS) + 3 * 4 * 5

    def __getitem__(self, paper):
        self.left -= 1
        if not self.left:
            raise _Stopped
        return super().__getitem__(paper)


def _give_model(folder, before):
    from ...conftest import _save_tiny

    _save_tiny("bert", folder / "bert")


def _make_training(ended, folder, before):
    try:
        _train(folder, None if ended else _Interrupted)
    except _Stopped:
        pass
    if before:
        import torch

        for path in (folder / "training").rglob("*.safetensors"):
            from safetensors.torch import load_file, save_file

            save_file(
                {k: v * 2 if v.dtype == torch.float32 else v for k, v in load_file(path).items()},
                path,
            )


def _read_training(folder):
    import hashlib

    trained = _train(folder)
    from pathlib import Path

    weights = hashlib.sha256(Path(trained.model, "model.safetensors").read_bytes()).hexdigest()
    return trained.losses, weights


def _make_library(folder, before):
    """The older version has fewer papers."""
    from pyterrier_scholarly import Papers

    papers = [{"id": f"p{n}", "title": f"On {n}", "abstract": t} for n, t in enumerate(TEXTS)]
    source = papers[:6] if before else papers
    try:
        Papers.build(folder / "library", source, _encoder, verbose=False)
    except FileExistsError:
        Papers(folder / "library", _encoder).add(source, verbose=False)


def _read_library(folder):
    from pyterrier_scholarly import Papers

    library = Papers(folder / "library", _encoder)
    ranking = library.search("p1").ranking.to_dict("records")
    info = library.info()
    return ranking, list(library), (info.papers, info.sentences, info.duplicates, info.encoder)


ENCODING, TRAINING = (
    tuple(f"pyterrier_scholarly.{package}.{name}" for name in names)
    for package, names in {
        "cluster": ("_shards", "shard_encoding", "_texts"),
        "training": ("encoder_training", "training_folder", "_trainer"),
    }.items()
)


def _model(name, fitted, slow=True):
    return Kind(
        name,
        partial(_make_model, fitted),
        partial(_read_model, fitted),
        writers=("pyterrier_scholarly.artifact_files",),
        slow=slow,
    )


KINDS = (
    Kind(
        "embeddings",
        _make_vectors,
        _read_vectors,
        writers=("pyterrier_scholarly.encoders.cache",),
        foreign=_make_foreign_vectors,
    ),
    Kind(
        "replies",
        _make_replies,
        partial(_replies, texts=TEXTS),
        writers=("pyterrier_scholarly.chat.reply_store",),
    ),
    Kind(
        "kept runs",
        _runs,
        _runs,
        writers=("pyterrier_scholarly.tables.system_runs",),
    ),
    Kind(
        "finished rows",
        _verified,
        _verified,
        writers=("pyterrier_scholarly.verification.finished_rows",),
    ),
    Kind(
        "library of papers",
        _make_library,
        _read_library,
        writers=(
            "pyterrier_scholarly.papers.abstract_splitting",
            "pyterrier_scholarly.papers.library_folder",
            "pyterrier_scholarly.papers.papers_artifact",
            "pyterrier_scholarly.papers.resumable_vectors",
            "pyterrier_scholarly.papers.state_building",
            "pyterrier_scholarly.papers.vector_writing",
            "pyterrier_scholarly.papers.word_model",
            "pyterrier_scholarly.search.kept_libraries",  # renames libraries before it removes them
        ),
        slow=True,
    ),
    _model("tf-idf", _tfidf, slow=False),
    _model("topics", _topics),
    _model("word vectors", _words),
    Kind(
        "facet labeller",
        _make_labeller,
        _read_labeller,
        writers=("pyterrier_scholarly.artifact_files",),
    ),
    *(
        Kind(
            name,
            _make_shards,
            read,
            writers=writers,
            foreign=_make_foreign_shards,
        )
        for name, read, writers in (
            ("shards", _read_shards, ENCODING),
            ("shards, resumed", _resume_shards, ()),
        )
    ),
    *(
        Kind(
            name,
            partial(_make_training, ended),
            _read_training,
            given=_give_model,
            files=("training/*",),
            beside=("bert/*",),
            writers=TRAINING if ended else (),
            slow=True,
        )
        for name, ended in {"training, ended": True, "training, interrupted": False}.items()
    ),
)

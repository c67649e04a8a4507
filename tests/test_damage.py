"""What is kept on disk, damaged or half-written: results are equal, or an error names the file.

Each kind writes files, and reads from them a value that can be compared. What can be computed again
is: a read then does so. What cannot is an error.
"""

import os
import random
import re
import shutil
import signal
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pyterrier_scholarly import FacetLabeller, Papers, TfIdfModel
from pyterrier_scholarly.chat import Recorded, Reply
from pyterrier_scholarly.cluster import encode_shards, search_shards
from pyterrier_scholarly.encoders import VectorCache
from pyterrier_scholarly.paper import Paper
from pyterrier_scholarly.tables.present_data import PresentData
from pyterrier_scholarly.tables.saved_runs import rank_or_read

TREES = "trees grow leaves; leaves fall and roots grow"
QUEUES = "queues wait while servers serve jobs, jobs wait"
TEXTS = [
    *[f"{TREES} {word}" for word in ("bark", "bark moss", "moss", "twigs")],
    *[f"{QUEUES} {word}" for word in ("delay", "delay load", "load", "rates")],
]
FLIPS = 12  # of each kind
#: an error says what to do by one of these words
REMEDIES = re.compile("again|restore|remove|delete|pass|train|write|build|correct", re.I)


@dataclass
class Kind:
    """Files of one kind; write: into a folder, of `TEXTS` or fewer. read: a value from there.

    is_made_again: whether a missing file is computed again, and not an error.
    """

    name: str
    write: callable
    read: callable
    is_made_again: bool = False


def encode(texts):
    """Return embeddings (n, 3) of texts."""
    return np.array([[len(text), text.count("e"), 1] for text in texts], "f4")


def use_vectors(folder, texts=TEXTS):
    """Return embeddings from a cache, which is filled with missing ones."""
    cache = VectorCache(folder / "vectors")
    cached = cache.get_many({"encoder": "fake"}, texts)
    missing = {text: encode([text]) for text in texts if text not in cached}
    cache.put_many({"encoder": "fake"}, missing)
    return [(cached | missing)[text].tolist() for text in texts]


class CountingModel:
    """A chat model that answers with the number of letters."""

    def request(self, messages, **options):
        """Return the request of messages."""
        return {"model": "fake", "messages": messages, **options}

    def reply(self, request):
        """Return the answer."""
        count = len(request["messages"][0]["content"])
        return Reply(f"{count} letters", "stop", "fake", "fp", {"prompt_tokens": count})


def use_replies(folder, texts=TEXTS):
    """Return the texts of a model's replies, recorded or new."""
    client = Recorded(CountingModel(), str(folder / "replies"))
    requests = [client.request([{"role": "user", "content": text}]) for text in texts]
    return [client.reply(request).content for request in requests]


def use_runs(folder, texts=TEXTS):
    """Return the run of a system, saved or new."""
    documents = pd.DataFrame({"docno": ["NA", "null", "d1", "d2"]})
    topics = pd.DataFrame({"qid": ["q1", "None"], "query": ["one", "two"]})
    rows = topics.merge(documents, how="cross").assign(score=[0.1 * n for n in range(8)])
    system = pt.Transformer.from_df(pt.model.add_ranks(rows))
    data = PresentData("scholarly-mini/all")
    return rank_or_read("system", system, topics, data, folder / "runs").run.to_dict("records")


def write_tfidf(folder, texts=TEXTS):
    """Save a model of words."""
    TfIdfModel(texts, min_count=1, most_frequent=0, min_length=1).save(folder / "model")


def read_tfidf(folder):
    """Return the scores of all pairs."""
    model = TfIdfModel(str(folder / "model"))
    pairs = np.array(model.documents)[np.indices((8, 8)).reshape(2, -1)]
    return model.scores(*pairs).tolist()


def write_labeller(folder, texts=TEXTS):
    """Train a labeller of sentences."""
    sentences = [["we prove a lemma", "it is used in physics"], ["a lemma is proved"]] * 3
    labels = [["theory", "use"], ["theory"]] * 3
    frame = pd.DataFrame({"sentences": sentences, "labels": labels})
    FacetLabeller.train(frame, folder / "model")


def read_labeller(folder):
    """Return the labels of a new paper."""
    paper = Paper("", "", ["another lemma", "used elsewhere"])
    return [labelled.labels for labelled in FacetLabeller(folder / "model").label([paper])]


def use_shards(folder, texts=TEXTS):
    """Encode texts into shards, as far as they are missing, and search them."""
    rows = [(f"d{number}", text) for number, text in enumerate(TEXTS)]
    encode_shards(rows, encode, folder / "shards", shard_size=3, encoder_name="fake")
    return read_shards(folder)


def read_shards(folder):
    """Search the shards."""
    queries = np.array([[40, 5, 1], [1, 1, 1]], "f4")
    return search_shards(queries, folder / "shards", similarity="dot").to_dict("records")


def write_library(folder, texts=TEXTS):
    """Build a library of papers, or resume it."""
    papers = [{"id": f"p{n}", "title": f"On {n}", "abstract": text} for n, text in enumerate(texts)]
    try:
        Papers.build(folder / "library", papers, verbose=False)
    except FileExistsError:  # it was finished
        Papers(folder / "library").add(papers, verbose=False)


def read_library(folder):
    """Return a ranking, and all papers."""
    library = Papers(folder / "library")
    return library.search("p1").ranking.to_dict("records"), list(library)


KINDS = [
    Kind("embeddings", use_vectors, use_vectors, is_made_again=True),
    Kind("replies", use_replies, use_replies, is_made_again=True),
    Kind("runs", use_runs, use_runs, is_made_again=True),
    Kind("tf-idf", write_tfidf, read_tfidf),
    Kind("labeller", write_labeller, read_labeller),
    Kind("shards", use_shards, read_shards),
    Kind("shards, resumed", use_shards, use_shards, is_made_again=True),
    pytest.param(Kind("library", write_library, read_library), marks=pytest.mark.slow),
]
OF_KIND = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A function that returns a kind's folder, written once, and the value that is read there."""
    found = {}

    def write(kind):
        if kind.name not in found:
            folder = tmp_path_factory.mktemp("whole")
            kind.write(folder)
            found[kind.name] = folder, kind.read(folder)
        return found[kind.name]

    return write


def list_files(folder):
    """Return the paths of all files with content, in their folder."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return [path.relative_to(folder) for path in files if path.stat().st_size]


def check_reading(kind, folder, file, expected):
    """Read a folder: the value is the expected one, or an error names the damaged file.

    Returns whether it was read.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            assert kind.read(folder) == expected
            return True
        except (ValueError, OSError) as error:
            message = str(error)
    assert any(place in message for place in (file.name, file.parent.name, str(folder))), message
    assert REMEDIES.search(message.replace(str(folder), "")), message
    return False


@OF_KIND
def test_a_flipped_bit_is_never_served(kind, written, tmp_path):
    """The value is equal, or an error names the file; another value never comes back."""
    whole, expected = written(kind)
    chance = random.Random(kind.name)
    files = list_files(whole)
    for number in range(FLIPS):
        folder = tmp_path / str(number)
        shutil.copytree(whole, folder)
        file = chance.choice(files)
        content = bytearray((folder / file).read_bytes())
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        (folder / file).write_bytes(content)
        check_reading(kind, folder, file, expected)


@OF_KIND
@pytest.mark.parametrize("damage", ["missing", "empty", "truncated"])
def test_a_lost_file_is_made_again_or_named(kind, damage, written, tmp_path):
    """Caches compute again what they lost; of other folders, an error names the file."""
    whole, expected = written(kind)
    for number, file in enumerate(list_files(whole)):
        folder = tmp_path / str(number)
        shutil.copytree(whole, folder)
        path = folder / file
        if damage == "missing":
            path.unlink()
        else:
            content = path.read_bytes()
            path.write_bytes(b"" if damage == "empty" else content[: len(content) // 2])
        was_read = check_reading(kind, folder, file, expected)
        if kind.is_made_again and damage == "missing" and file.name != "manifest.json":
            assert was_read


@OF_KIND
def test_files_of_another_content_are_named(kind, written, tmp_path):
    """A file of a folder with fewer texts, as a wrong copy has, is damage there."""
    whole, expected = written(kind)
    fewer = tmp_path / "fewer"
    kind.write(fewer, TEXTS[:6])
    were_read = []
    for number, file in enumerate(list_files(whole)):
        if (fewer / file).is_file():
            folder = tmp_path / str(number)
            shutil.copytree(whole, folder)
            shutil.copyfile(fewer / file, folder / file)
            were_read.append(check_reading(kind, folder, file, expected))
    assert were_read


def write_until(kind, folder, step):
    """Write in another process, which is killed when it renames for the time `step`.

    Returns whether it was killed.
    """
    child = os.fork()
    if not child:
        try:
            rename, renamed = os.replace, []

            def rename_or_die(*paths, **options):
                renamed.append(paths)
                if len(renamed) == step:
                    os.kill(os.getpid(), signal.SIGKILL)
                rename(*paths, **options)

            os.replace = rename_or_die
            kind.write(folder)
            os._exit(0)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) in (0, -signal.SIGKILL)
    return os.WIFSIGNALED(status)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # a fork beside threads
@OF_KIND
def test_who_is_killed_leaves_nothing_half(kind, written, tmp_path):
    """At each rename: what is under its name is whole, and the same call finishes the work."""
    _, expected = written(kind)
    step = 1
    while True:
        folder = Path(tmp_path, str(step))
        folder.mkdir()
        if not write_until(kind, folder, step):
            break
        try:
            assert kind.read(folder) == expected
        except (FileNotFoundError, ValueError):  # nothing is there, or not all shards
            kind.write(folder)
            assert kind.read(folder) == expected
        step += 1
    assert kind.read(folder) == expected

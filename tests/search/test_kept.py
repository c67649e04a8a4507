"""Sentences of one's own papers are split once: in a process, and over processes."""

import json
import shutil
import subprocess
import sys

import ir_datasets
import numpy as np
import pandas as pd
import pytest

from pyterrier_scholarly.search import search_papers

DOCS = [*ir_datasets.load("scholarly-mini").docs_iter()]
COUNT = 1_200  # papers: written to the disk in three parts

#: ranks COUNT papers; prints how many texts pySBD read, and a hash of the candidates' sentences
SEARCH = """
import importlib.metadata, json, os, sys
from hashlib import sha256

options = json.loads(sys.argv[1])
if "version" in options:
    version = importlib.metadata.version
    importlib.metadata.version = lambda name: {"pysbd": "9.9"}.get(name) or version(name)

from pysbd.processor import Processor

texts_read = []
process = Processor.process

def noted(processor):
    texts_read.append(processor.text)
    if len(texts_read) == options.get("killed_at"):
        os._exit(9)
    return process(processor)

Processor.process = noted

from pyterrier_scholarly import search_papers

text = "Tree {n} has leaves and roots. Leaf {n} falls, e.g. in autumn when winds blow."
papers = [{"id": n, "title": f"On tree {n}", "abstract": text.format(n=n)} for n in range(1_200)]
found = search_papers(papers, "0")
count = len(texts_read)
sentences = [paper.sentences for paper in found.candidates["paper"]]
print(count, sha256(json.dumps(sentences).encode()).hexdigest(), len(sentences[0]))
"""


def start(**options):
    """Begin to rank COUNT papers in another process."""
    words = [sys.executable, "-c", SEARCH, json.dumps(options)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process):
    """Return how many texts the process read, the hash of its sentences, and its warnings."""
    out, err = process.communicate()
    assert process.returncode == 0, err
    texts_read, digest, sentences_of_first = out.split()
    assert sentences_of_first == "2"
    return int(texts_read), digest, err


@pytest.fixture
def texts_read(monkeypatch):
    """A list that grows by each text that pySBD reads."""
    from pysbd.processor import Processor

    read = []
    process = Processor.process

    def noted(processor):
        read.append(processor.text)
        return process(processor)

    monkeypatch.setattr(Processor, "process", noted)
    return read


def test_the_second_query_splits_nothing(texts_read):
    """Every abstract is split once, also the query's, and however often papers are asked."""
    papers = [{"id": doc.doc_id, "abstract": f"Once. {doc.text}"} for doc in DOCS]
    for query in (papers[0]["id"], papers[1]["id"], papers[0]["id"]):
        search_papers(papers, query, "method").explain()
        assert len(texts_read) == len(papers)


@pytest.fixture(scope="module")
def first_run(tmp_path_factory):
    """A cache folder that one process filled, how many texts it split, and its sentences' hash."""
    folder = tmp_path_factory.mktemp("filled")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SCHOLARLY_CACHE", str(folder))
        texts_read, digest, _ = finish(start())
    return folder, texts_read, digest


@pytest.fixture
def filled(first_run, cache_folder):
    """The test's own cache folder, with a copy of what `first_run` wrote."""
    shutil.copytree(first_run[0], cache_folder, dirs_exist_ok=True)
    return cache_folder


@pytest.mark.slow
def test_the_next_process_splits_nothing(first_run, filled):
    """It finds the papers, their sentences and words on disk, which only their owner may read."""
    _, texts_read, digest = first_run
    assert texts_read == COUNT
    assert finish(start())[:2] == (0, digest)
    assert (filled / "searched").stat().st_mode & 0o077 == 0


def noted_fits(monkeypatch):
    """Return a list that grows by each model of words that is fitted."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfTransformer

    fits = []
    for fitted in (TruncatedSVD, TfidfTransformer):

        def fit(self, *texts, original=fitted.fit):
            fits.append(type(self).__name__)
            return original(self, *texts)

        monkeypatch.setattr(fitted, "fit", fit)
    return fits


def test_the_second_query_fits_nothing(monkeypatch):
    """Of the same papers, whatever their places; other papers are fitted."""
    papers = [{"id": doc.doc_id, "title": doc.title, "abstract": doc.text} for doc in DOCS]
    fits = noted_fits(monkeypatch)
    first = search_papers(papers, "117", "method")
    assert fits
    fits.clear()
    frame = pd.DataFrame(papers)
    assert search_papers(frame, "117", "method").ranking.equals(first.ranking)
    search_papers(papers, "118").explain()
    assert fits == []
    search_papers(papers[1:], "117", "method")
    assert fits


def test_an_encoder_encodes_once():
    """One that can be identified encodes papers at the first query; another one at each."""
    papers = [{"id": doc.doc_id, "title": doc.title, "abstract": doc.text} for doc in DOCS[:9]]
    texts = []

    class Lengths:
        def encode(self, batch, side):
            texts.extend(batch)
            return np.array([[len(text), text.count("e")] for text in batch], dtype=float)

        def __fingerprint__(self):
            return {"lengths": "e"}

    def encode(batch):
        return Lengths().encode(batch, "query")

    search_papers(papers, papers[0]["id"], encoder=Lengths()).explain()
    first_count = len(texts)
    search_papers(papers, papers[1]["id"], encoder=Lengths()).explain()
    assert len(texts) == first_count > 0

    for _ in range(2):
        texts.clear()
        search_papers(papers, papers[1]["id"], encoder=encode).explain()
        assert len(texts) == first_count


def test_the_papers_of_the_last_searches_are_kept(cache_folder):
    """Eight libraries stay on disk, those that were used last."""
    papers = [{"id": doc.doc_id, "title": doc.title, "abstract": doc.text} for doc in DOCS]
    first = papers[:3]
    search_papers(first, papers[0]["id"])
    (kept_first,) = (cache_folder / "searched").glob("*/")
    for end in range(4, 13):
        search_papers(papers[:end], papers[0]["id"])
        search_papers(first, papers[0]["id"])
    kept = list((cache_folder / "searched").glob("*/"))
    assert len(kept) == 8 and kept_first in kept


#: ranks a hundred papers with an encoder that counts texts; the process ends at the text number
#: `killed_at`, and waits for the file `until` before it encodes
ENCODE = """
import json, os, sys, time
import numpy as np

options = json.loads(sys.argv[1])

from pyterrier_scholarly import search_papers

class Lengths:
    count = 0

    def encode(self, batch, side):
        print("encoding", flush=True)
        while "until" in options and not os.path.exists(options["until"]):
            time.sleep(0.01)
        Lengths.count += len(batch)
        if Lengths.count >= options.get("killed_at", 10**6):
            os._exit(9)
        return np.array([[len(text), text.count("e")] for text in batch], dtype=float)

    def __fingerprint__(self):
        return {"lengths": "e"}

text = "Tree {n} has leaves and roots. Leaf {n} falls when winds blow."
papers = [{"id": n, "title": f"On tree {n}", "abstract": text.format(n=n)} for n in range(100)]
found = search_papers(papers, "0", encoder=Lengths(), verbose=False)
print(json.dumps([Lengths.count, found.ranking["docno"].tolist()]))
"""


def start_encoding(**options):
    """Begin to rank a hundred papers in another process."""
    words = [sys.executable, "-c", ENCODE, json.dumps(options)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish_encoding(process):
    """Return how many texts the process encoded, and its ranking."""
    out, err = process.communicate()
    assert process.returncode == 0, err
    return json.loads(out.splitlines()[-1])


def search_sources(count):
    """Search as many sources, each of other papers, by words."""
    papers = [{"id": doc.doc_id, "title": doc.title, "abstract": doc.text} for doc in DOCS]
    for end in range(3, 3 + count):
        search_papers(papers[:end], papers[0]["id"], verbose=False)


def kept_folders(cache_folder):
    """The folders of `searched`, also those with hidden names."""
    return sorted((cache_folder / "searched").iterdir())


@pytest.mark.slow
def test_an_interrupted_build_is_resumed_or_removed(cache_folder):
    """The next search of its papers encodes the rest; after eight other sources it is removed."""
    total, ranking = finish_encoding(start_encoding())
    shutil.rmtree(cache_folder)

    def kill_a_build():
        killed = start_encoding(killed_at=total - 1)
        killed.communicate()
        assert killed.returncode == 9
        (unfinished,) = kept_folders(cache_folder)
        assert not (unfinished / "current.json").exists()
        return unfinished

    kill_a_build()
    rest, ranking_of_resumed = finish_encoding(start_encoding())
    assert 0 < rest < total
    assert ranking_of_resumed == ranking
    shutil.rmtree(cache_folder)

    unfinished = kill_a_build()
    search_sources(7)
    assert unfinished in kept_folders(cache_folder)
    search_sources(8)
    assert unfinished not in kept_folders(cache_folder)
    assert len(kept_folders(cache_folder)) == 8


@pytest.mark.slow
def test_a_build_that_goes_on_is_not_removed(cache_folder, tmp_path):
    """Another process asks nine sources meanwhile, and the build ends as if it were alone."""
    alone = finish_encoding(start_encoding())
    shutil.rmtree(cache_folder)

    builder = start_encoding(until=str(tmp_path / "go on"))
    assert builder.stdout.readline() == "encoding\n"
    (unfinished,) = kept_folders(cache_folder)
    search_sources(9)
    assert unfinished in kept_folders(cache_folder)
    (tmp_path / "go on").touch()
    assert finish_encoding(builder) == alone
    assert (unfinished / "current.json").exists()


#: asks nine sources; the process ends as soon as it has removed a file of a library
KILLED_IN_REMOVAL = """
import os, shutil
import ir_datasets
from pyterrier_scholarly import search_papers

remove_tree = shutil.rmtree

def remove_a_part(path, **how):
    if "searched" in str(path) and (files := [p for p in path.rglob("docs.sqlite")]):
        files[0].unlink()
        os._exit(9)
    remove_tree(path, **how)

shutil.rmtree = remove_a_part
docs = list(ir_datasets.load("scholarly-mini").docs_iter())
papers = [{"id": doc.doc_id, "title": doc.title, "abstract": doc.text} for doc in docs]
for end in range(3, 12):
    search_papers(papers[:end], papers[0]["id"], verbose=False)
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("error::UserWarning")  # of damage
def test_a_process_killed_while_it_removes(cache_folder):
    """Half a library is never opened, and the next search removes it."""
    killed = subprocess.run([sys.executable, "-c", KILLED_IN_REMOVAL], capture_output=True)
    assert killed.returncode == 9, killed.stderr
    names = [folder.name for folder in kept_folders(cache_folder)]
    assert len([name for name in names if not name.startswith(".")]) == 8
    assert [name for name in names if name.startswith(".")]

    search_sources(9)
    names = [folder.name for folder in kept_folders(cache_folder)]
    assert len(names) == 8
    assert not [name for name in names if name.startswith(".")]


@pytest.mark.slow
def test_another_version_of_pysbd_splits_anew(filled):
    """Its sentences may be others, so they are not taken from disk."""
    assert finish(start(version="9.9"))[0] == COUNT


@pytest.mark.slow
def test_damage_is_repaired(first_run, filled):
    """A changed byte leads to a warning and to splitting again, never to other sentences."""
    files = [path for path in sorted(filled.rglob("*")) if path.is_file()]
    assert files
    for path in files:
        content = bytearray(path.read_bytes())
        for place in range(len(content) // 2, len(content), 1_000):
            content[place] ^= 0xFF
        path.write_bytes(content)

    texts_read, digest, warned = finish(start())
    assert 0 < texts_read <= COUNT
    assert digest == first_run[2]
    assert str(filled) in warned


@pytest.mark.slow
def test_a_killed_process_loses_what_is_not_yet_written(first_run):
    """The next one splits only the rest, and its sentences are those of an unhurt process."""
    killed = start(killed_at=700)
    killed.communicate()
    assert killed.returncode == 9
    assert finish(start())[:2] == (COUNT - 500, first_run[2])


@pytest.mark.slow
def test_two_processes_at_once(first_run):
    """Both give the same sentences as one alone."""
    both = [start(), start()]
    assert {finish(process)[1] for process in both} == {first_run[2]}


def test_a_folder_that_cannot_be_written(cache_folder, monkeypatch, texts_read):
    """It is named in a warning, and the search goes on, with what is in memory."""
    file = cache_folder / "file"
    file.write_text("no folder")
    monkeypatch.setenv("SCHOLARLY_CACHE", str(file))
    papers = [{"id": doc.doc_id, "abstract": f"Unwritable. {doc.text}"} for doc in DOCS[:9]]
    with pytest.warns(UserWarning, match=f"{file} is not writable .* continuing without it"):
        first = search_papers(papers, papers[0]["id"]).ranking
    second = search_papers(papers, papers[0]["id"]).ranking
    assert first.equals(second)
    assert len(texts_read) == len(papers)

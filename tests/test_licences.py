"""What is committed holds no text of the releases, whose licences do not allow it."""

import re
import subprocess
from pathlib import Path

import ir_datasets
import pytest

ROOT = Path(__file__).parents[1]
WORDS = 10  # in a row, which no other text has by chance
SKIPPED = (".png", ".npz", ".npy", ".gz")


def runs(text):
    """All runs of so many words, in lower case."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    return {tuple(words[n : n + WORDS]) for n in range(len(words) - WORDS + 1)}


@pytest.fixture(scope="module")
def committed():
    """The runs of each file under version control."""
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        pytest.skip("not a checkout of git")
    paths = [ROOT / name for name in done.stdout.splitlines() if not name.endswith(SKIPPED)]
    return {path: runs(path.read_text("utf-8", "replace")) for path in paths if path.is_file()}


@pytest.mark.slow
@pytest.mark.parametrize("collection", ["csfcube", "litsearch", "doris-mae"])
def test_no_sentence_of_a_release_is_committed(collection, committed, csfcube_home, request):
    """No abstract shares a run of words with a file; the embedded collection's texts are found."""
    if collection != "csfcube":
        request.getfixturevalue("real_home")
    texts = set()
    for doc in ir_datasets.load(collection).docs_iter():
        texts |= runs(doc.text)
    assert {path.name for path, own in committed.items() if own & texts} == set()
    mini = next(iter(ir_datasets.load("scholarly-mini").docs_iter()))
    assert any(own & runs(mini.text) for own in committed.values())

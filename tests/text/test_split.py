"""Test sentence splitting."""

import json
import re
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pyterrier_scholarly.text import split_sentences

BLOCK = 5_000  # characters: longer texts are split in blocks of these


def by_pysbd(text):
    """The sentences of pySBD itself: the text, cut where it says that sentences start."""
    from pysbd import Segmenter

    spans = Segmenter(language="en", clean=False, char_span=True).segment(text)
    boundaries = [0, *(span.start for span in spans[1:]), len(text)]
    sentences = [text[start:end].strip() for start, end in pairwise(boundaries)]
    return [sentence for sentence in sentences if sentence]


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


def test_sentences_of_an_abstract():
    """Abbreviations, decimals and citations do not end a sentence."""
    text = "We follow Smith et al. (2019), e.g. in 3.5 % of cases. It works! Does it?"
    first = "We follow Smith et al. (2019), e.g. in 3.5 % of cases."
    assert split_sentences(text) == [first, "It works!", "Does it?"]


@pytest.mark.parametrize("text", ["", "  ", "\n\t"])
def test_blanks_have_no_sentences(text):
    """The list is empty."""
    assert split_sentences(text) == []


def test_repeated_sentences_stay_separate():
    """A sentence that occurs three times gives three sentences."""
    assert split_sentences("Again. Again. Again.") == ["Again."] * 3


@example(" !!")  # pySBD alone returns no sentence here
@given(st.text(alphabet="aB c.!?'\"()1,:\n\r…。“”\t*&", max_size=60))
def test_nothing_is_lost(text):
    """The joined sentences are the text without blanks; none is empty or padded."""
    sentences = split_sentences(text)
    assert re.sub(r"\s", "", "".join(sentences)) == re.sub(r"\s", "", text)
    assert all(sentence and sentence == sentence.strip() for sentence in sentences)


def abstracts_of(collection, data):
    """The abstracts of a release, and other texts that are split."""
    from pyarrow import parquet

    if collection == "csfcube":
        lines = data("csfcube", "abstracts-csfcube-preds.jsonl").read_text().splitlines()
        return [" ".join(json.loads(line)["abstract"]) for line in lines]
    if collection == "csabstruct":
        files = [data("csabstruct", f"{part}.jsonl") for part in ("train", "dev", "test")]
        lines = [line for file in files for line in file.read_text().splitlines()]
        return [" ".join(json.loads(line)["sentences"]) for line in lines]
    if collection == "doris-mae":
        release = json.loads(data("doris-mae", "DORIS-MAE_dataset_v1.json").read_text())
        queries = [query["query_text"] for query in release["Query"]]
        return queries + [paper["original_abstract"] for paper in release["Corpus"]]

    files = sorted(data("litsearch", "corpus_clean").glob("*.parquet"))
    tables = [parquet.read_table(file, columns=["abstract"]) for file in files]
    return [text for table in tables for text in table["abstract"].to_pylist() if text]


@pytest.mark.slow
@pytest.mark.parametrize("collection", ["csfcube", "csabstruct", "doris-mae", "litsearch"])
def test_the_sentences_of_abstracts_are_pysbds(collection, data):
    """Every abstract is split as pySBD alone splits it."""
    abstracts = dict.fromkeys(abstracts_of(collection, data))
    assert len(abstracts) > 400
    assert [text for text in abstracts if split_sentences(text) != by_pysbd(text)] == []


def test_the_work_on_a_long_text_grows_with_its_length(texts_read):
    """No block is longer than the stated length, and all together are twice the text at most."""
    text = "a. " * 20_000
    assert split_sentences(text) == ["a."] * 20_000
    assert max(map(len, texts_read)) <= BLOCK
    assert sum(map(len, texts_read)) <= 2 * len(text)


@pytest.mark.parametrize(
    "text",
    [
        "word " * 5_000,
        "w" * 25_000,
        ". " * 10_000,
        "(see [1], e.g. " * 2_000,
        "".join(f"{number % 30}. item " for number in range(3_000)),
    ],
    ids=["no mark", "no blank", "marks", "brackets", "a list"],
)
def test_nothing_of_a_long_text_is_lost(text, texts_read):
    """The joined sentences are the text without blanks; the blocks are twice the text at most."""
    sentences = split_sentences(text)
    assert re.sub(r"\s", "", "".join(sentences)) == re.sub(r"\s", "", text)
    assert max(map(len, texts_read)) <= BLOCK
    assert sum(map(len, texts_read)) <= 2 * len(text)


def test_blocks_cut_no_sentence():
    """Neither short sentences at the end of a block, nor one that is longer than two blocks."""
    short = [f"Sentence {number} follows Smith et al. (2019), see Fig. 3." for number in range(500)]
    long = "This " + "very " * 2_500 + "long sentence ends."
    assert len(long) > 2 * BLOCK
    sentences = [*short, long, *short]
    assert split_sentences(" ".join(sentences)) == sentences


@pytest.mark.parametrize("count", [3, 300])
def test_many_references_behind_a_full_stop(count):
    """They are read in one way, not in all ways to divide their digits, which takes hours."""
    numbers = ", ".join(str(100 + number) for number in range(count))
    assert split_sentences(f"We use networks.[{numbers}] they work.") == [
        "We use networks.",
        f"[{numbers}] they work.",
    ]
    assert split_sentences(f"We use networks.[{numbers}] They work.") == [
        f"We use networks.[{numbers}]",
        "They work.",
    ]


@example("a.[1, - 2- 3 ,][4] A")
@given(st.text(alphabet=".[]123, -aA\t", max_size=14).map(lambda middle: f"b.[{middle}] A b."))
def test_references_are_those_of_pysbd(text):
    """Whatever stands in the brackets, the sentences are those of pySBD alone."""
    assert split_sentences(text) == by_pysbd(text)


def test_a_text_is_split_once(texts_read):
    """The second time, pySBD reads nothing, and another list with equal sentences is returned."""
    text = "This text is split once. Its sentences are remembered."
    first = split_sentences(text)
    assert len(texts_read) == 1
    second = split_sentences(text)
    assert len(texts_read) == 1
    assert first == second and first is not second


def test_memory_is_bounded(texts_read, monkeypatch):
    """A full memory is emptied; what was forgotten is split again."""
    monkeypatch.setattr("pyterrier_scholarly.text.sentence_splitter.MOST_TEXTS", 1)
    texts = ["The memory holds one text.", "The other one is \ud800 forgotten."]
    assert [split_sentences(text) for text in texts * 2] == [[text] for text in texts * 2]
    assert len(texts_read) == 4

"""Topics of whole documents."""

import numpy as np
import pytest
from scipy.special import digamma

from pyterrier_scholarly import TopicModel
from pyterrier_scholarly.similarity import jensen_shannon

pytest.importorskip("tomotopy")
EVERY = dict(min_count=1, most_frequent=0, min_length=1)


def test_texts_of_a_subject_share_topics(topics):
    """Trees are more similar to trees than to queues, and the topics' words show why."""
    same = topics.scores(["0"] * 3, ["1", "2", "3"])
    other = topics.scores(["0"] * 4, ["4", "5", "6", "7"])
    assert same.min() > other.max() + 0.5
    first = {frozenset(words) & {"grow", "leaves", "jobs", "wait"} for words in topics.top_words(6)}
    assert first == {frozenset({"grow", "leaves"}), frozenset({"jobs", "wait"})}


def test_scores_are_1_less_the_divergence(topics):
    """Scores equal the divergence of the documents' topics; a document scores 1 with itself."""
    left, right = np.array(topics.documents)[np.indices((8, 8)).reshape(2, -1)]
    vectors = topics.of_documents(topics.documents)
    expected = 1 - jensen_shannon(vectors[left.astype(int)], vectors[right.astype(int)])
    assert topics.scores(left, right) == pytest.approx(expected)
    assert topics.scores(["3"], ["3"]) == pytest.approx([1])
    assert [row.tolist() for row in topics.scores_of_all(vectors)] == [
        row.tolist() for row in topics.scores(left, right).reshape(8, 8)
    ]


def test_a_text_has_the_topics_of_its_document(topics):
    """A text's topics do not depend on the others; without known words they are the prior."""
    asked = topics.of_texts(["unheard-of", topics.source[5], topics.source[0]])
    assert np.array_equal(asked[1:], topics.of_documents(["5", "0"]))
    prior = topics.parts().prior
    assert asked[0] == pytest.approx(prior / prior.sum(), abs=1e-6)
    assert asked.sum(axis=1) == pytest.approx([1, 1, 1], abs=1e-6)


@pytest.fixture(scope="module")
def drawn():
    """Four distributions over sixty words, and a model of texts drawn from them."""
    random = np.random.default_rng(0)
    true = random.dirichlet(np.full(60, 0.05), 4)
    texts = []
    for _ in range(300):
        words = random.choice(60, 40, p=random.dirichlet(np.full(4, 0.1)) @ true)
        texts.append(" ".join(f"w{number:02}" for number in words))
    return true, TopicModel(texts, 4, alphabetic=False, **EVERY)


def test_inferred_topics_solve_the_equations(drawn):
    """Blei et al.'s: γ = α + Σ n_w φ_w, with φ_wk in proportion to β_kw exp(ψ(γ_k))."""
    model = drawn[1]
    words, prior = model.parts().of_words, model.parts().prior
    counts = np.random.default_rng(0).integers(0, 4, len(model.words))
    (found,) = model.of_texts([" ".join(np.repeat(model.words, counts))])
    posterior = found * (prior.sum() + counts.sum())
    share = words * np.exp(digamma(posterior))[:, None]
    share /= share.sum(axis=0)
    assert prior + share @ counts == pytest.approx(posterior, abs=0.01)


def test_true_topics_are_found_again(drawn):
    """Topics fitted on texts that were drawn from known topics equal these."""
    true, model = drawn
    fitted = np.zeros((4, 60))
    fitted[:, [int(word[1:]) for word in model.words]] = model.parts().of_words
    distance = jensen_shannon(true, fitted, np.indices((4, 4)).reshape(2, -1).T).reshape(4, 4)
    assert sorted(distance.argmin(axis=1)) == [0, 1, 2, 3]
    assert distance.min(axis=1).max() < 0.05


def test_the_same_seed_gives_the_same_topics(topics):
    """A second fit is equal; another seed differs if there are too many topics."""
    model = TopicModel(topics.source, 5, iterations=60, **EVERY)
    first = model.of_documents(model.documents)
    assert np.array_equal(model.fit().topics, first)
    other = TopicModel(topics.source, 5, iterations=60, seed=2, **EVERY)
    assert not np.array_equal(other.of_documents(other.documents), first)


def test_a_document_without_a_known_word(topics):
    """A text without words has the prior's topics, and changes no other."""
    model = TopicModel([*topics.source, "?!"], 2, iterations=60, **EVERY)
    assert model.scores(["8", "8"], ["8", "0"])[0] == pytest.approx(1)
    assert np.isfinite(model.scores(["8"] * 9, model.documents)).all()


def test_one_topic_makes_all_alike(topics):
    """With one topic all scores are 1, so rHSA is 0; zero topics raise."""
    model = TopicModel(topics.source, 1, iterations=10, **EVERY)
    assert model.scores(["0", "1"], ["5", "7"]) == pytest.approx([1, 1])
    with pytest.raises(ValueError, match="topics=0: expected a whole number of at least 1"):
        TopicModel(topics.source, 0, **EVERY).parts()


def test_tomotopy_missing(topics, monkeypatch):
    """Without tomotopy the error names the extra to install."""
    monkeypatch.setitem(__import__("sys").modules, "tomotopy", None)
    with pytest.raises(ImportError, match=r"pyterrier-scholarly\[topics\]"):
        TopicModel(topics.source, 3, **EVERY).parts()

"""Latent Dirichlet allocation: fitting by tomotopy, and the topics of texts once it is fitted."""

import numpy as np

ROUNDS = 100
PRECISION = 1e-3  # of words per topic: mean change at which a text's topics count as found
TINY = 1e-12  # in the place of a probability of 0


def fit(counts, topics, iterations, seed, workers):
    """Sample topics for every word of every document (collapsed Gibbs sampling).

    Args:
        counts: sparse (documents, words), whole numbers.
        topics, iterations, seed, workers: see `TopicModel`.

    Returns:
        The words' distributions, float32 (topics, words), and the topics' prior, float64 (topics,),
        both learnt.

    Raises:
        ImportError: tomotopy is not installed; names the extra.
    """
    try:
        import tomotopy
    except ImportError as error:
        raise ImportError(
            'Fitting topics needs tomotopy: run `pip install "pyterrier-scholarly[topics]"`.'
        ) from error
    model = tomotopy.LDAModel(k=topics, seed=seed)
    for start, end in zip(counts.indptr, counts.indptr[1:]):
        words = np.repeat(counts.indices[start:end], counts.data[start:end])
        if len(words):
            model.add_doc([str(word) for word in words.tolist()])
    model.train(iterations, workers=workers)
    places = np.array([int(word) for word in model.used_vocabs])
    words = np.full((topics, counts.shape[1]), TINY)
    for topic in range(topics):
        words[topic, places] = model.get_topic_word_dist(topic)
    words /= words.sum(axis=1, keepdims=True)
    return words.astype(np.float32), np.asarray(model.alpha, dtype=float)


def topics_of(counts, words, prior):
    """The topics of texts, each for itself: the mean of its variational posterior [Blei et al.].

    Args:
        counts: sparse (n, words).
        words: distributions (topics, words).
        prior: of the topics (topics,).

    Returns:
        float32 array (n, topics), rows of sum 1; the prior's where a text has no word.
    """
    from scipy.special import digamma

    found = np.empty((counts.shape[0], len(prior)), dtype=np.float32)
    by_word = np.ascontiguousarray(words.T, dtype=float)
    for number, (start, end) in enumerate(zip(counts.indptr, counts.indptr[1:])):
        given, times = by_word[counts.indices[start:end]], counts.data[start:end]
        posterior = prior + times.sum() / len(prior)
        for _ in range(ROUNDS):
            weight = np.exp(digamma(posterior))
            new = prior + weight * ((times / np.maximum(given @ weight, 1e-300)) @ given)
            change = np.abs(new - posterior).mean()
            posterior = new
            if change < PRECISION:
                break
        found[number] = posterior / posterior.sum()
    return found

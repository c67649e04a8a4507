"""Compare time and quality of the topics of three libraries, on CSFCube's 4,205 papers.

    python benchmarks/topic_models.py [--topics N …] [--libraries NAME …]

Each library fits latent Dirichlet allocation to the same counts (with `TopicModel`'s vocabulary),
in one process; seconds are processor time. Given the words of the topics, the topics of documents
are inferred in the same way for all libraries. There are two figures of quality:

- perplexity of a tenth of the documents, held out from the fit: topics are inferred from half of a
  document's words, and predict the other half (Wallach et al.'s document completion);
- NDCG%20 over the pools of csfcube/all, by similarity to the query's paper, with topics of all
  documents.
"""

import argparse
from time import process_time

from _running import clean, csfcube, print_versions


def main():
    """Fit and print."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--topics", type=int, nargs="*", default=[50, 200])
    arguments.add_argument("--libraries", nargs="*", default=list(LIBRARIES), choices=LIBRARIES)
    chosen = arguments.parse_args()
    clean(1)
    print_versions("tomotopy", "scikit-learn", "gensim", "numpy", "scipy")
    with csfcube() as dataset:
        table(dataset, chosen.topics, chosen.libraries)


def table(dataset, topics, libraries):
    """Print a row per number of topics and library."""
    import numpy as np

    from pyterrier_scholarly import TfIdfModel

    model = TfIdfModel(dataset.split("/")[0])
    documents, words, counts = model._counted()
    print(f"{len(documents)} documents, {len(words)} words, {counts.sum()} occurrences")
    random = np.random.default_rng(0)
    held = np.sort(random.permutation(len(documents))[: len(documents) // 10])
    rest = np.setdiff1d(np.arange(len(documents)), held)
    print(f"{'topics':>6}  {'library':30}{'seconds':>8}{'perplexity':>12}{'NDCG%20':>9}")
    for count in topics:
        for name in libraries:
            start = process_time()
            fitted = LIBRARIES[name](counts, count)
            seconds = process_time() - start
            surprise = perplexity(counts[held], *LIBRARIES[name](counts[rest], count))
            ndcg = 100 * ranked(dataset, documents, counts, *fitted)
            print(f"{count:6}  {name:30}{seconds:8.1f}{surprise:12.0f}{ndcg:9.1f}", flush=True)


def tomotopy(counts, topics, rounds=200):
    """Fit by collapsed Gibbs sampling, which learns an asymmetric prior."""
    from pyterrier_scholarly.document_models.topic_model import fit_topics

    return fit_topics(counts, topics, rounds, 1, 1)


def scikit_learn(counts, topics, method="batch"):
    """Fit by variational Bayes, ten passes."""
    import numpy as np
    from sklearn.decomposition import LatentDirichletAllocation

    model = LatentDirichletAllocation(topics, learning_method=method, random_state=0).fit(counts)
    words = model.components_ / model.components_.sum(axis=1, keepdims=True)
    return words, np.full(topics, model.doc_topic_prior_)


def gensim(counts, topics):
    """Fit by online variational Bayes, ten passes, with a learnt prior."""
    from gensim.matutils import Sparse2Corpus
    from gensim.models import LdaModel

    names = {number: str(number) for number in range(counts.shape[1])}
    corpus = Sparse2Corpus(counts.T.tocsc())
    model = LdaModel(corpus, topics, names, passes=10, alpha="auto", random_state=0)
    return model.get_topics(), model.alpha


LIBRARIES = {
    "tomotopy, 200 rounds": tomotopy,
    "tomotopy, 1000 rounds": lambda counts, topics: tomotopy(counts, topics, 1000),
    "scikit-learn, batch": scikit_learn,
    "scikit-learn, online": lambda counts, topics: scikit_learn(counts, topics, "online"),
    "gensim, online": gensim,
}


def perplexity(counts, words, prior):
    """Compute the perplexity of half of each document's words, given the other half."""
    import numpy as np

    from pyterrier_scholarly.document_models.topic_model import infer_topics

    seen = counts.copy()
    seen.data = np.random.default_rng(1).binomial(counts.data, 0.5)
    unseen = (counts - seen).tocoo()
    topics = infer_topics(seen, words, prior)
    likely = np.einsum("ij,ij->i", topics[unseen.row], words.T[unseen.col])
    return np.exp(-(unseen.data @ np.log(likely)) / unseen.data.sum())


def ranked(dataset, documents, counts, words, prior):
    """Compute NDCG%20 of the pools by similarity of topics."""
    import ir_measures
    import pandas as pd

    from pyterrier_scholarly import datasets
    from pyterrier_scholarly.document_models.topic_model import infer_topics
    from pyterrier_scholarly.similarity import jensen_shannon

    topics = infer_topics(counts, words, prior)
    judged, number = datasets.irds(dataset), {name: place for place, name in enumerate(documents)}
    paper = {query.query_id: number[query.paper_id] for query in judged.queries_iter()}
    qrels = pd.DataFrame(judged.qrels_iter())
    pairs = [qrels["query_id"].map(paper), qrels["doc_id"].map(number)]
    run = qrels[["query_id", "doc_id"]].assign(
        score=1 - jensen_shannon(topics, topics, pd.concat(pairs, axis=1).to_numpy())
    )
    measure = ir_measures.parse_measure("NDCG%20")
    return ir_measures.calc_aggregate([measure], qrels, run)[measure]


if __name__ == "__main__":
    main()

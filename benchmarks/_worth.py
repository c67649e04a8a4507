"""Rate vectors of CSFCube: their cosines with other vectors, and NDCG%20 on test."""


def quality(name, chosen, given, figure):
    """Print the smallest cosine of each way's vectors with the first's, and their NDCG%20."""
    import numpy as np

    first = next(iter(given.values()))
    for way, rows in given.items():
        near = smallest(np.vstack(first), np.vstack(rows))
        worth = f"{figure(name, dict(zip(chosen, rows))):10.2f} NDCG%20" if figure else ""
        print(f"{way:44}{near:10.5f} smallest cosine{worth}")


def smallest(one, other):
    """Compute the smallest cosine between rows; skip rows without tokens."""
    import numpy as np

    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    return ((one * other).sum(axis=1)[lengths > 0] / lengths[lengths > 0]).min()


def isolated_figure(name, vector_of):
    """Compute NDCG%20 for the maximum over all pairs of sentences."""
    import numpy as np

    from pyterrier_scholarly import systems

    named = systems(name, lambda texts: np.stack([vector_of[text] for text in texts]))
    return figure(name, named["sentence_maxsim"])


def context_figure(name, vectors_of):
    """Compute NDCG%20 for the mean of the facet sentences' maxima, in their abstracts."""
    from pyterrier_scholarly.transformers import FacetQuery, PaperLoader, Pool, SentenceMaxSim

    class Known:
        def encode_passages(self, passages):
            return [vectors_of[passage] for passage in passages]

    papers = Pool(name) >> FacetQuery(name) >> PaperLoader(name)
    return figure(name, papers >> SentenceMaxSim(Known(), "abstract", aggregate="mean"))


def figure(name, system):
    """Compute NDCG%20 of all facets in percent, the mean of the two test folds."""
    import pyterrier as pt

    from pyterrier_scholarly import NDCG, fold_mean

    dataset = pt.get_dataset(f"irds:{name}")
    topics, qrels = dataset.get_topics("query"), dataset.get_qrels()
    perquery = pt.Experiment([system], topics, qrels, [NDCG % 20], perquery=True)
    return 100 * fold_mean(perquery, name).set_index("split")["value"]["test"]

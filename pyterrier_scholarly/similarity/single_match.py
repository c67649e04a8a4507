"""Single match: how far the nearest sentence is.

TS-ASPIRE [Mysore2022, section 3.2.1] ranks by minus the distance of the two sentences that are
nearest; DORIS-MAE's code ran it by the mean over the query's sentences [Wang2023, eq. 4 with minus
the distance in the place of the cosine].

[Mysore2022] S. Mysore, A. Cohan, T. Hope: Multi-Vector Models with Textual Guidance for
    Fine-Grained Scientific Document Similarity, NAACL 2022 (ASPIRE).
[Wang2023] J. Wang et al.: DORIS-MAE, NeurIPS 2023 Datasets and Benchmarks.
"""

from .maxsim import max_sim


def single_match(query, rows, lengths):
    """The smallest L2 distance of a sentence of the query and one of each document.

    Args:
        query: (m, d), vectors of the query's sentences.
        rows: (n, d), vectors of all documents' sentences, one document after the other.
        lengths: (k,), sentences per document.

    Returns:
        (k,), float64, from 0; inf for a document without sentences.

    Raises:
        ValueError: a query without sentences.
    """
    return -max_sim(query, rows, lengths, "max", similarity="l2")


def mean_match(query, rows, lengths):
    """The mean, over the query's sentences, of the L2 distance to the document's nearest.

    Arguments, range and errors are those of `single_match`.
    """
    return -max_sim(query, rows, lengths, "mean", similarity="l2")

"""What sentences are read in: the whole papers of query and candidates."""

from dataclasses import dataclass

import pandas as pd

from .. import frames
from ._papers import read
from .sentences import Sentences
from .step import Step

OWN = ("title", "sentences", "labels")
ADDED = ("query_title", "query_paper_sentences", "query_paper_labels")


@dataclass(eq=False, repr=False)
class PaperContext(Step):
    """Adds title, sentences and labels of candidates and of the query's paper.

    Columns in: `qid`, `docno`, `query_sentences`, as `FacetQuery` gives; topics, which have no
    `docno`, get what is said of the query alone. Columns out: all that came in, and

    - `title` (str), `sentences` and `labels` (lists of str, as long as each other) of the
      candidate: with a `dataset` of its document `docno`; without one from columns of these names,
      or a `text` that is split; no title is "", no labels are "" each;
    - `query_title`, `query_paper_sentences`, `query_paper_labels`, the same of the query's paper:
      of the dataset's document `query_docno`, or, where there is no dataset or that is "", from
      columns of these names. Without them the `query_sentences` (and `query_labels`) are all that
      is known of the paper.

    So a paper of the user's own can be the query, the candidate, or both.

    What falls away without labels: context ``"facet"`` becomes ``"abstract"``, a candidate's
    centroid is that of all its sentences, `FacetMiss` demotes nobody, and `FacetQuery` needs the
    sentences to be chosen by the user. Without titles, contexts lose the title, which costs most
    for ``"facet"`` and ``"title"``.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset, or None.

    Raises:
        ValueError: a document that the dataset does not have, blank sentences, NaN, labels that are
            not one per sentence; names them.
    """

    dataset: object = None

    def transform(self, results):
        """Add the columns."""
        remedy = "Put FacetQuery(…) before it."
        known = ["query_labels", "query_title", "query_paper_sentences", "query_paper_labels"]
        needed = ["qid", "query_sentences"]
        results = frames.check(results, self, needed, optional=known, remedy=remedy)
        out = self._with_candidates(results) if "docno" in results.columns else results
        papers = self._query_papers(out) if len(out) else []
        added = pd.DataFrame(papers, columns=list(ADDED), index=out.index, dtype=object)
        return out.assign(**{name: added[name] for name in ADDED})

    def _with_candidates(self, results):
        if self.dataset is None:
            frames.checked_values(results, ["title"])
            return Sentences().transform(results).assign(title=results.get("title", ""))
        docnos = results["docno"].tolist()
        known = read(self.dataset, docnos)
        papers = [known[docno] for docno in docnos]
        return results.assign(**pd.DataFrame(papers, columns=list(OWN), index=results.index))

    def _query_papers(self, results):
        """The values of ADDED, row by row."""
        docnos = list(results.get("query_docno", [""] * len(results)))
        if self.dataset is None:
            docnos = [""] * len(results)
        wanted = [docno for docno in docnos if docno]
        known = read(self.dataset, wanted) if wanted else {}
        return [known.get(docno, own) for docno, own in zip(docnos, _own(results))]


def _own(results):
    """What the frame itself says of the query's paper, row by row."""
    stated = "query_paper_sentences" in results.columns
    sentences = results["query_paper_sentences" if stated else "query_sentences"]
    labels = results.get("query_paper_labels" if stated else "query_labels")
    if labels is None:
        labels = [[""] * len(own) for own in sentences]
    return zip(results.get("query_title", [""] * len(results)), sentences, labels)

"""LitSearch (Ajith, Xia, Chevalier, Goyal, Chen and Gao, EMNLP 2024).

597 questions that a literature search might start with, made from citations or asked by authors,
over 64,183 papers of ACL Anthology and ICLR. <https://huggingface.co/datasets/princeton-nlp/LitSearch>
"""

from functools import partial

from ir_datasets.formats import GenericQrel

from ir_datasets_ext import registration
from ir_datasets_ext.documents import StoredDocs
from ir_datasets_ext.files import release_sources
from ir_datasets_ext.handlers import handler
from ir_datasets_ext.litsearch.records import LitsearchDoc, LitsearchFullDoc, LitsearchQuery
from ir_datasets_ext.litsearch.release import Release, Subset, every_subset

NAME = "litsearch"
FULL_TEXT = "full-text"
NOTICE = (
    "LitSearch's questions and code are released under the MIT licence; what rights there are in "
    "the papers' texts is not stated. Please cite Ajith et al. 2024, "
    "https://aclanthology.org/2024.emnlp-main.840"
)
QREL_DEFS = {1: "answers the question; what else does is not known"}

RELEASE = Release(NAME, partial(release_sources, NAME, NOTICE))


class CitingDocs(StoredDocs):
    """Documents that have a field `citations`."""

    def citations(self, doc_id):
        """Return the ids of the papers that `doc_id` cites: a tuple, in the release's order.

        Papers that are not in the collection are among them. KeyError for an unknown `doc_id`.
        """
        return self.docs_store().get(doc_id).citations


class Documentation(registration.Documentation):
    """The texts of subsets, put together from those of the names in their ids."""

    def get_key(self, key):
        """Return the collection's texts, with names and descriptions of `key`'s parts added.

        Of other texts, those of the last part that has them.
        """
        texts = dict(self.texts["_"])
        for name in filter(None, key.split("/")):
            added = self.texts[name]
            joined = {
                "pretty_name": f"{texts['pretty_name']}, {added['pretty_name']}",
                "desc": f"{texts['desc']}{added['desc']}",
            }
            texts.update({**added, **joined})
        return texts


def datasets(release=RELEASE):
    """Return the datasets: a dict by id.

    Each has the same documents, and the questions and judgements of a subset; that of all questions
    is there a second time, as `litsearch/full-text`, with documents that have full texts.

    release: the `Release` whose files are read, if it is another.
    """
    light = CitingDocs(NAME, f"{NAME}/docs", release.corpus, release.docs, LitsearchDoc)
    folder = f"{NAME}/docs-{FULL_TEXT}"
    full = CitingDocs(NAME, folder, release.corpus, release.full_docs, LitsearchFullDoc)
    parts = {}
    for names in every_subset():
        subset = Subset(release, names)
        said = {"namespace": NAME, "lang": "en"}
        queries = handler("queries", subset.queries, LitsearchQuery, subset.count, **said)
        qrels = handler("qrels", subset.qrels, GenericQrel, subset.count, defs=QREL_DEFS)
        parts["/".join(names)] = (light, queries, qrels)
        if not names:
            parts[FULL_TEXT] = (full, queries, qrels)
    texts = Documentation(partial(registration.packaged, NAME))
    return registration.datasets(NAME, texts, parts)

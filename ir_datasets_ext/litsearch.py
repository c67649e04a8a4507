"""LitSearch (Ajith, Xia, Chevalier, Goyal, Chen and Gao, EMNLP 2024).

597 questions that a literature search might start with, made from citations or asked by authors,
over 64,183 papers of ACL Anthology and ICLR. <https://huggingface.co/datasets/princeton-nlp/LitSearch>
"""

from functools import partial

from ir_datasets_ext._litsearch_handlers import CitingDocs, SubsetQrels, SubsetQueries
from ir_datasets_ext._litsearch_records import LitsearchDoc, LitsearchFullDoc
from ir_datasets_ext._litsearch_release import Release
from ir_datasets_ext._litsearch_subsets import Subset, every_subset
from ir_datasets_ext._register import Documentation, dataset
from ir_datasets_ext.files import release_sources

NAME = "litsearch"
FULL_TEXT = "full-text"
NOTICE = (
    "LitSearch's questions and code are released under the MIT licence; what rights there are in "
    "the papers' texts is not stated. Please cite Ajith et al. 2024, "
    "https://aclanthology.org/2024.emnlp-main.840"
)

RELEASE = Release(partial(release_sources, NAME, NOTICE))


class Texts(Documentation):
    """The texts of subsets, put together from those of the names in their ids."""

    def get_key(self, key):
        """Return the collection's texts, with names and descriptions of `key`'s parts added.

        Of other texts, those of the last part that has them.
        """
        texts = super().get_key("_")
        for name in key.split("/") if key != "_" else ():
            added = self._contents[name]
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
    light = CitingDocs(NAME, release.corpus, release.docs, LitsearchDoc)
    full = CitingDocs(
        NAME, release.corpus, release.full_docs, LitsearchFullDoc, folder=f"docs-{FULL_TEXT}"
    )
    texts = Texts(f"docs/{NAME}.yaml")
    found = {}
    for names in every_subset():
        subset = Subset(release, names)
        judged = SubsetQueries(subset, NAME), SubsetQrels(subset)
        variants = {"/".join(names): light} if names else {"": light, FULL_TEXT: full}
        for below, docs in variants.items():
            dataset_id = f"{NAME}/{below}".rstrip("/")
            found[dataset_id] = dataset(dataset_id, texts(below or "_"), docs, *judged)
    return found

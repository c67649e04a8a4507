"""A dataset's topics and judgements, as far as the files of its release are present.

    data = PresentData("litsearch")
    topics = data.read_topics(data.reachable)   # queries with a judged document that is present

A release may be present in part (some of LitSearch's papers, some of DORIS-MAE's pools). A system
cannot retrieve a missing document. So it is evaluated on queries with a judged document that is
present, and judgements of missing documents do not count.
"""

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import pandas as pd
import pyterrier as pt

from ir_datasets_ext.handlers import MissingContent

from ..datasets import identify_documents, irds
from ..evaluation.checks import Sizes, count_documents
from ..fingerprint import fingerprint


@dataclass(frozen=True)
class PresentData:
    """What is present of the dataset whose id is `name`; each part is read when it is needed.

    Judgements are frames `qid`, `docno`, `label`, and perhaps `iteration`.
    """

    name: str

    @cached_property
    def judgements(self) -> pd.DataFrame:
        """All judgements.

        Raises:
            ValueError: there are none.
        """
        judgements = pd.DataFrame()
        if irds(self.name).has_qrels():
            with suppress(MissingContent):
                judgements = pt.get_dataset(f"irds:{self.name}").get_qrels()
        if judgements.empty:
            raise ValueError(
                f"Nothing to evaluate: no query of {self.name} has judgements in the files that "
                "are present. Choose another dataset, or add the missing files."
            )
        return judgements

    @cached_property
    def reachable(self) -> pd.DataFrame:
        """The judgements of documents that are present."""
        is_whole = self.sizes is None or not self.sizes.is_part
        if is_whole:
            return self.judgements

        judged_documents = self.judgements["docno"].unique().tolist()
        present_documents = irds(self.name).docs_store().get_many(judged_documents)
        is_present = self.judgements["docno"].isin(present_documents)
        return self.judgements[is_present].reset_index(drop=True)

    @cached_property
    def sizes(self) -> Sizes | None:
        """How many documents are present, and how many the release has; None if unknown."""
        return count_documents(irds(self.name))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of queries, candidates and documents."""
        dataset = irds(self.name)
        queries = list(dataset.queries_iter())
        candidates = list(dataset.scoreddocs_iter()) if dataset.has_scoreddocs() else []
        return fingerprint([self.name, identify_documents(self.name), queries, candidates])

    def read_topics(self, judgements: pd.DataFrame) -> pd.DataFrame:
        """Return the topics with a judgement: a frame with `qid` and `query`."""
        judged_ids = set(judgements["qid"])
        ids_and_texts = [
            (query.query_id, query.default_text())
            for query in irds(self.name).queries_iter()
            if query.query_id in judged_ids
        ]
        return pd.DataFrame(ids_and_texts, columns=["qid", "query"], dtype=object)

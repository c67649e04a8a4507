"""The data that systems are run on: as much of a collection as is at hand."""

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import pandas as pd
import pyterrier as pt

from ir_datasets_ext.store import digest_of, fingerprint

from .. import frames
from ..datasets import irds
from ..transformers import Pool
from ..transformers.step import Step

EVERYTHING = 2_000  # documents: with up to so many, all are candidates where there are no pools


@dataclass(frozen=True)
class AtHand:
    """A dataset's topics and judgements, and what is missing of it.

    A release may be here in part (of LitSearch, some papers; of DORIS-MAE, some pools). A system
    cannot find what is not here: its queries are those with a judged document at hand, and
    judgements of other documents do not count.
    """

    name: str

    @property
    def _dataset(self):
        return irds(self.name)

    @cached_property
    def judgements(self):
        """All judgements, a frame.

        Raises:
            ValueError: there is none.
        """
        found = pt.get_dataset(f"irds:{self.name}").get_qrels()
        if found.empty:
            raise ValueError(f"no query of {self.name} has judgements here, so nothing to evaluate")
        return found

    @cached_property
    def reachable(self):
        """The judgements of documents that are here."""
        wanted = self.judgements["docno"].unique().tolist()
        here = self._dataset.docs_store().get_many(wanted)
        return self.judgements[self.judgements["docno"].isin(here)].reset_index(drop=True)

    def topics(self, judgements):
        """The topics with a judgement: a frame with `qid` and `query`."""
        topics = pt.get_dataset(f"irds:{self.name}").get_topics("query")
        return topics[topics["qid"].isin(judgements["qid"])].reset_index(drop=True)

    @cached_property
    def documents(self) -> tuple[int, int]:
        """How many documents are here, and how many the release has."""
        here = self._dataset.docs_count()
        return here, self._dataset.metadata().get("docs", {}).get("count", here)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of queries, candidates and documents."""
        documents = digest_of(self._dataset.docs_store().path)
        pools = self._dataset.scoreddocs_iter() if self._dataset.has_scoreddocs() else ()
        queries = self._dataset.queries_iter()
        return fingerprint([self.name, documents, list(queries), list(pools)])

    def from_topics(self, system):
        """The system, behind all documents here if it ranks results alone."""
        with suppress(pt.inspect.InspectError):
            try:
                pt.inspect.transformer_outputs(system, ["qid", "query"])
            except pt.validate.InputValidationError:
                return EveryDocument(self.name) >> system
        return system


@dataclass(eq=False, repr=False)
class EveryDocument(Step):
    """From topics to all documents of a small dataset, as candidates of each.

    Raises:
        ValueError: there are too many documents for that.
    """

    dataset: object

    def transform(self, topics):
        """Give each topic every document."""
        topics = frames.check(topics, self, ["qid"], without=["docno"])
        count = irds(self.dataset).docs_count()
        if count > EVERYTHING:
            raise ValueError(
                f"{self.dataset} has no candidate pools, and {count:,} documents are too many to "
                "score all of them: give candidates=, a retriever whose results are to be ranked"
            )
        docnos = pd.DataFrame({"docno": [doc.doc_id for doc in irds(self.dataset).docs_iter()]})
        return Pool(topics[["qid"]].merge(docnos, how="cross"))(topics)

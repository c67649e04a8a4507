"""A dataset's topics and judgements, as far as the files of its release are present.

    data = PresentData("litsearch")
    topics = data.read_topics(data.reachable)   # queries with a judged document that is present

A release may be present in part (some of LitSearch's papers, some of DORIS-MAE's pools). A system
cannot retrieve a missing document. So it is evaluated on queries with a judged document that is
present, and judgements of missing documents do not count.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from string import Formatter
from typing import Literal, NamedTuple

import ir_datasets
import pandas as pd
import pyterrier as pt

from ir_datasets_ext.store import fingerprint
from ir_datasets_ext.typed_records import MissingContent

from .. import frames
from ..datasets import identify_documents, irds
from ..evaluation.run_reference import Sizes, count_documents
from ..protocols import System


class JudgementSet(NamedTuple):
    """Judgements that systems are evaluated with; only under the same ones are they compared.

    name: "all" of the dataset's, or those of "present" documents.
    rows: frame `qid`, `docno`, `label`, and perhaps `iteration`.
    """

    name: Literal["all", "present"]
    rows: pd.DataFrame


class TextCount(NamedTuple):
    """How many documents there are, and how many of them have no text in some fields."""

    documents: int
    without_text: int


@dataclass(frozen=True)
class PresentData:
    """What is present of the dataset whose id is `name`; each part is read when it is needed."""

    name: str

    @cached_property
    def judgements(self) -> JudgementSet:
        """All judgements.

        Raises:
            ValueError: there are none.
        """
        try:
            rows = pt.get_dataset(f"irds:{self.name}").get_qrels()
        except MissingContent:
            rows = pd.DataFrame()

        if rows.empty:
            raise ValueError(
                f"Nothing to evaluate: no query of {self.name} has judgements in the files that "
                "are present. Choose another dataset, or add the missing files."
            )
        return JudgementSet("all", rows)

    @cached_property
    def reachable(self) -> JudgementSet:
        """The judgements of documents that are present."""
        is_whole = self.sizes is None or not self.sizes.is_part
        if is_whole:
            return self.judgements

        rows = self.judgements.rows
        judged_documents = rows["docno"].unique().tolist()
        present_documents = self._dataset.docs_store().get_many(judged_documents)
        is_present = rows["docno"].isin(present_documents)
        if is_present.all():
            return self.judgements
        return JudgementSet("present", rows[is_present].reset_index(drop=True))

    @cached_property
    def sizes(self) -> Sizes | None:
        """How many documents are present, and how many the release has; None if unknown."""
        return count_documents(self._dataset) if self._dataset.has_docs() else None

    @cached_property
    def fingerprint(self) -> str:
        """A hash of queries, candidates and documents."""
        queries = list(self._dataset.queries_iter())
        has_pools = self._dataset.has_scoreddocs()
        candidates = list(self._dataset.scoreddocs_iter()) if has_pools else []
        return fingerprint([self.name, identify_documents(self.name), queries, candidates])

    def read_topics(self, judgements: JudgementSet) -> pd.DataFrame:
        """Return the topics with a judgement: a frame with `qid` and `query`."""
        judged_ids = set(judgements.rows["qid"])

        query_ids = []
        query_texts = []
        for query in self._dataset.queries_iter():
            if query.query_id in judged_ids:
                query_ids.append(query.query_id)
                query_texts.append(query.default_text())

        return pd.DataFrame({"qid": frames.column(query_ids), "query": frames.column(query_texts)})

    def count_texts(self, template: str) -> TextCount:
        """Count the documents that are present, and those without a text for a template."""
        fields = {field for _, field, _, _ in Formatter().parse(template) if field}
        documents = 0
        without_text = 0
        for document in self._dataset.docs_iter():
            documents += 1
            has_text = any(getattr(document, field, "") for field in fields)
            if not has_text:
                without_text += 1
        return TextCount(documents, without_text)

    @property
    def _dataset(self) -> ir_datasets.Dataset:
        return irds(self.name)


def remark_missing_texts(systems: Iterable[System], data: PresentData) -> tuple[str, ...]:
    """Return a remark if documents lack the texts that systems read, as full texts may be missing.

    Args:
        systems: rows of a protocol. Only those that read other texts than the usual are looked at.
        data: the documents that they rank.

    Raises:
        ValueError: no document that is present has such a text: each would get one score.
    """
    templates = set()
    for system in systems:
        if system.text and "document" in system.scoring:
            templates.add(str(system.scoring["document"]))

    remarks = []
    for template in sorted(templates):
        count = data.count_texts(template)
        if count.without_text == count.documents:
            raise ValueError(
                f"None of the {count.documents:,} documents of {data.name} that are present has a "
                f"text for {template}, so a system that reads it cannot tell them apart. Add the "
                "release's files with these texts, or choose a table on titles and abstracts."
            )
        if count.without_text:
            remarks.append(
                f"{count.without_text:,} of the {count.documents:,} documents that are present "
                f"have no text for {template}, and are ranked as empty texts."
            )
    return tuple(remarks)

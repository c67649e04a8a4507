"""Triplets of texts as sentence-transformers' trainer takes them: a stream that never ends."""

from itertools import islice

from ir_datasets_ext.store import fingerprint

from ..frames import has_text, some

COLUMNS = ("anchor", "positive", "negative")


class TextStream:
    """Calling it yields a dict of texts for each triplet, from number `start` on, without end.

    Pickled it is nothing but its class: the `datasets` library makes the name of a cache that a
    stream does not have from the pickle, which would be that of all texts.
    """

    def __init__(self, triplets, texts, start):
        self.triplets, self.texts, self.start = triplets, texts, start

    def __call__(self):
        """The texts."""
        for triplet in islice(self.triplets.endless(), self.start, None):
            yield dict(zip(COLUMNS, (self.texts[paper] for paper in triplet)))

    def __reduce__(self):
        return TextStream, (None, None, self.start)


def streamed(triplets, texts, start):
    """The stream as a `datasets.IterableDataset`."""
    from datasets import Features, IterableDataset, Value

    features = Features(dict.fromkeys(COLUMNS, Value("string")))
    return IterableDataset.from_generator(TextStream(triplets, texts, start), features=features)


def check_texts(texts, papers):
    """Raise ValueError unless there is a text that is not blank for each of the papers."""
    bad = [paper for paper in papers if not _is_text(texts, paper)]
    if bad:
        raise ValueError(
            f"There is no text of {some(bad)}: give `texts` for all papers of the triplets, or "
            "make the triplets of those alone that have one."
        )


def content_hash(triplets, texts) -> str:
    """What tells papers, texts and relations from others: a hash, whatever their order."""
    papers = sorted(triplets.papers)
    return fingerprint([fingerprint([p, texts[p], triplets.related(p)]) for p in papers])[:16]


def _is_text(texts, paper):
    try:
        return has_text(texts[paper])
    except KeyError:
        return False

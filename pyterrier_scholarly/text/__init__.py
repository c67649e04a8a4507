"""Functions on texts: sentences, words, labels. One subject a module.

>>> split_sentences("We prune trees. It works!")
['We prune trees.', 'It works!']

- `sentence_splitter`: split texts into sentences.
- `words`, `nltk_words`, `vocabulary`: the words that tf-idf, BM25 and document models count.
- `facet_labels`: label the sentences of abstracts.
- `citation_keys`, `word_overlap`, `cleaning`, `nothing`: small functions on a text.
- `decoding`: the text of a file's bytes.
"""

from .citation_keys import MARK as MARK
from .citation_keys import mark_citations
from .cleaning import plain as plain
from .cleaning import writable as writable
from .decoding import decode_bytes as decode_bytes
from .nltk_words import nltk_sentences as nltk_sentences
from .sentence_splitter import split_sentences as split_sentences
from .word_overlap import mean_overlap as mean_overlap

__all__ = ["mark_citations"]  # for users; the other names are for our own packages

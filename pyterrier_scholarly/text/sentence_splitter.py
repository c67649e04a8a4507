r"""Split English texts into sentences; each text once, as long as it is remembered.

    >>> split_sentences("We prune trees, see Fig. 2. It works!")
    ['We prune trees, see Fig. 2.', 'It works!']

The rules are pySBD's [Sadvilkar2020]. Its time grows with the square of a text's length, because it
looks for every sentence from the beginning of the text. So a text of more than LONGEST_BLOCK
characters is split in blocks. Shorter texts, which abstracts are, are split as a whole.

Conventions: a *start* is the position in a text at which a sentence begins. The starts of a text
ascend, and the first is 0.

[Sadvilkar2020] N. Sadvilkar, M. Neumann: PySBD: Pragmatic Sentence Boundary Disambiguation,
NLP-OSS 2020. Its rules are part of its wheel: nothing is downloaded.
"""

from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pysbd import Segmenter

LONGEST_BLOCK = 5_000  # characters; no abstract of our collections has more
#: characters at the end of a block whose starts may depend on the text behind the block
UNCERTAIN_END = 500
MOST_TEXTS = 2**16  # in memory, with their starts: of abstracts, about 100 MB
RULES = 1  # raised whenever the code below finds other starts than before

#: pySBD's pattern of references that follow a full stop, such as "networks.[3, 14] They": it finds
#: the same. pySBD's own can read "123" as 1, 2 and 3, as 12 and 3, and so on. It tries all these
#: readings before it gives up, which takes two minutes for ten references of three digits.
NUMBERED_REFERENCE = (
    r"(?<=[^\d\s])(\.|∯)"
    r"((\[(\d+(?:,(?:\s?-\s?|\s{0,2})|\s(?:-\s?|\s?)|-\s?))*\d{1,3}\])+|((\d{1,3}\s?)?\d{1,3}))"
    r"(\s)(?=[A-Z])"
)

Starts = tuple[int, ...]


def split_sentences(text: str) -> list[str]:
    """Split an English text into its sentences, in order, without blanks around them.

    Only blanks at the boundaries are lost. A text of blanks gives an empty list.
    """
    starts = recent_starts.get(text)
    if starts is None:
        starts = find_starts(text)
        keep_starts(text, starts)

    return cut_sentences(text, starts)


def cut_sentences(text: str, starts: Sequence[int]) -> list[str]:
    """Cut a text at its starts, and leave out what is blank."""
    boundaries = [*starts, len(text)]
    sentences = [text[start:end].strip() for start, end in pairwise(boundaries)]
    return [sentence for sentence in sentences if sentence]


def find_starts(text: str) -> Starts:
    """Find where the sentences of a text begin.

    A long text is read in blocks, which overlap: of each block but the last, starts near its end
    are left to the next block, because they may depend on the text behind them.
    """
    starts = {0}
    block_start = 0
    while True:
        block = text[block_start : block_start + LONGEST_BLOCK]
        block_end = block_start + len(block)
        # pySBD rewrites some marks, and drops sentences that it then cannot find in the text. So
        # only its starts are used, and the first, which may be lost or behind blanks, is not.
        spans = _segmenter().segment(block)
        starts_in_block = [block_start + span.start for span in spans[1:]]

        if block_end == len(text):
            starts.update(starts_in_block)
            return tuple(sorted(starts))

        certain_end = block_end - UNCERTAIN_END
        certain_starts = [start for start in starts_in_block if start <= certain_end]
        starts.update(certain_starts)
        block_start = _find_next_block_start(text, block_start, certain_starts, certain_end)


def splitter_settings() -> dict[str, str | int]:
    """Return everything but the text that starts depend on, to keep them on disk."""
    return {"starts": version("pysbd"), "block": LONGEST_BLOCK, "rules": RULES}


#: of the texts that this process split, by the text
recent_starts: dict[str, Starts] = {}


def keep_starts(text: str, starts: Starts) -> None:
    """Keep the starts of a text in memory; a full memory is emptied first."""
    if len(recent_starts) >= MOST_TEXTS:
        recent_starts.clear()
    recent_starts[text] = starts


def _find_next_block_start(
    text: str, block_start: int, certain_starts: Sequence[int], certain_end: int
) -> int:
    """Return where the next block of a long text begins: at the last certain start of a sentence.

    If this would repeat most of the block, it begins later, within a sentence, at a blank.

    Args:
        text: the whole text.
        block_start: of the block that was just read.
        certain_starts: of sentences in it, ascending.
        certain_end: up to here, starts in the block are certain.
    """
    # every block passes half of its text at least, so the time is linear
    middle = block_start + LONGEST_BLOCK // 2
    if certain_starts and certain_starts[-1] >= middle:
        return certain_starts[-1]

    last_blank = text.rfind(" ", middle, certain_end)
    return last_blank if last_blank >= 0 else certain_end


@cache
def _segmenter() -> "Segmenter":
    """Return pySBD's segmenter for English, with our pattern of references."""
    from pysbd import Segmenter
    from pysbd.lang.english import English

    class EnglishRules(English):
        NUMBERED_REFERENCE_REGEX = NUMBERED_REFERENCE

    segmenter = Segmenter(language="en", clean=False, char_span=True)
    segmenter.language_module = EnglishRules
    return segmenter

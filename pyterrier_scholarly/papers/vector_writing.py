"""Write the embeddings of a library's sentences into its state, and what finds a paper's rows.

Of S sentences of N papers: `vectors.npy` (S, d), one row for each sentence, one paper after the
other; `lengths.npy` (S,), theirs; `sentence_ends.npy` (N + 1,), where each paper's rows end, 0
first; `keys.npy` (N, 16), the hash of each paper's title and sentences.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ir_datasets_ext.atomic import new_file

from ..progress import progress
from .library_state import KEYS, LENGTHS, SENTENCE_ENDS, VECTORS
from .paper_store import PaperDoc
from .stored_vectors import hash_paper

WRITTEN_TOGETHER = 256  # papers, whose embeddings are in memory together


def write_vectors(
    folder: Path,
    documents: Sequence[PaperDoc],
    read_vectors: Callable[[Sequence[PaperDoc]], list[np.ndarray]],
    verbose: bool,
) -> int:
    """Write the embeddings of all sentences, and what finds them; return how many sentences.

    Args:
        folder: of the state.
        documents: one or more, in the library's order.
        read_vectors: returns an (s, d) array for each of some documents of s sentences.
        verbose: show progress.
    """
    sentence_counts = [len(document.sentences) for document in documents]
    sentence_ends = np.cumsum([0, *sentence_counts])
    sentence_count = int(sentence_ends[-1])
    lengths = _write_rows(folder / VECTORS, sentence_count, documents, read_vectors, verbose)

    keys = b"".join(hash_paper(document.title, document.sentences) for document in documents)
    arrays = {
        SENTENCE_ENDS: sentence_ends,
        LENGTHS: lengths,
        KEYS: np.frombuffer(keys, dtype=np.uint8).reshape(len(documents), -1),
    }
    for name, array in arrays.items():
        with new_file(folder / name, "wb") as file:
            np.save(file, array)
    return sentence_count


def _write_rows(
    path: Path,
    sentence_count: int,
    documents: Sequence[PaperDoc],
    read_vectors: Callable[[Sequence[PaperDoc]], list[np.ndarray]],
    verbose: bool,
) -> np.ndarray:
    """Write the embeddings of all sentences into one file; return their lengths (S,).

    They may not fit into memory, so they are written chunk by chunk behind a header of numpy's.
    """
    lengths = np.empty(sentence_count, dtype=np.float32)
    row_count = 0  # that are written
    with (
        progress("collecting", len(documents), "paper", verbose) as bar,
        new_file(path, "wb") as file,
    ):
        for first in range(0, len(documents), WRITTEN_TOGETHER):
            chunk = documents[first : first + WRITTEN_TOGETHER]
            rows = np.concatenate(read_vectors(chunk))
            if row_count == 0:  # only now the number of dimensions is known
                shape = (sentence_count, rows.shape[1])
                header = {"descr": "<f4", "fortran_order": False, "shape": shape}
                np.lib.format.write_array_header_2_0(file, header)

            file.write(np.ascontiguousarray(rows, dtype="<f4").tobytes())
            lengths[row_count : row_count + len(rows)] = np.linalg.norm(rows, axis=1)
            row_count += len(rows)
            bar.update(len(chunk))
    return lengths

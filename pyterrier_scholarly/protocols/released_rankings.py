"""The rankings that authors released: where their files are, and which printed rows they give.

A protocol's folder lists them in ``rankings.yaml``. By this file go the Fidelity page, ``verify
--rankings`` and `read_run`. ::

    for ranking in PROTOCOLS["doris-mae"].rankings:
        print(ranking.files[0], ranking.tables, ranking.row)
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ReleasedRanking:
    """A ranking that authors released.

    tables: numbers of the printed tables with the row that it gives; "" for a table without number.
    row: the row's name, as printed; "" if no printed row is of this ranking.
    files: patterns of its files, below the folder of rankings; the first is the authors' own name.
    queries: id of the dataset whose queries the files answer, or some of them.
    dataset: id of the dataset whose queries they answer whole.
    text: what was compared, and how scores were aggregated.
    folder: where files are looked for, below the collection's folder of ir_datasets.
    source: where the authors published it, for readers.
    code_key: its name in the file of figures by the authors' code (`ranking_check.CODE_FIGURES`);
        "" if it is not there.
    lacks: documents of the pools that the authors' system was not given.
    known_column: the column in which the printed figure is known to differ; "" for none.
    known_reason: why it does.
    order: why our system is known to rank otherwise; "" for no reason.
    """

    tables: tuple[str, ...]
    row: str
    files: tuple[str, ...]
    queries: str
    dataset: str
    text: str
    folder: str
    source: str
    code_key: str = ""
    lacks: tuple[str, ...] = ()
    known_column: str = ""
    known_reason: str = ""
    order: str = ""

    @property
    def about(self) -> str:
        """Its file, and what was compared, for readers."""
        return f"{self.files[0]} ({self.text})"

    def find_files(self, folder: Path) -> list[Path]:
        """Return its files in a folder of rankings, or in one folder of these.

        The authors' folders may have files of one name, such as ``query/ranking_bm25_….pickle`` and
        ``aspect/ranking_bm25_….pickle``. So a file counts only in the right one.
        """
        for pattern in self.files:
            files = sorted(folder.glob(pattern))
            own_folder = Path(pattern).parent.name
            if not files and own_folder and folder.name == own_folder:
                files = sorted(folder.glob(Path(pattern).name))
            if files:
                return files
        return []

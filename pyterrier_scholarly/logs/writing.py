"""A table of downloads as a log file, in any of the forms that are read."""

import gzip
import json
from contextlib import contextmanager
from pathlib import Path

from .forms import SEPARATORS, form_of


def write_log(table, path):
    """Write an Arrow table to a .parquet, .csv, .tsv or .jsonl file, the last three also .gz.

    Times are ISO 8601 in text files. Raises ValueError for another suffix.
    """
    path = Path(path)
    form = form_of([path])
    if form == "parquet":
        import pyarrow.parquet

        pyarrow.parquet.write_table(table, path)
        return
    table = table.set_column(1, "time", _iso(table["time"]))
    with _opened(path) as file:
        if form == "jsonl":
            for batch in table.to_batches():
                file.writelines(json.dumps(row).encode() + b"\n" for row in batch.to_pylist())
        else:
            from pyarrow import csv

            options = csv.WriteOptions(delimiter=SEPARATORS[form], quoting_style="needed")
            csv.write_csv(table, file, options)


@contextmanager
def _opened(path):
    with (gzip.open if path.suffix == ".gz" else open)(path, "wb") as file:
        yield file


def _iso(time):
    import pyarrow.compute as pc

    return pc.strftime(time, "%Y-%m-%dT%H:%M:%SZ")

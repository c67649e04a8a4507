"""A table of downloads as a log file, in any of the forms that are read."""

import gzip
import json
from contextlib import contextmanager
from pathlib import Path

from ir_datasets_ext.store import new_file

from .forms import SEPARATORS, form_of


def write_log(table, path):
    """Write an Arrow table to a .parquet, .csv, .tsv or .jsonl file, the last three also .gz.

    Times are ISO 8601 in text files. Raises ValueError for another suffix.
    """
    path = Path(path)
    form = form_of([path])
    if form != "parquet":
        table = table.set_column(1, "time", _iso(table["time"]))
    with _opened(path) as file:
        if form == "parquet":
            import pyarrow.parquet

            pyarrow.parquet.write_table(table, file)
        elif form == "jsonl":
            for batch in table.to_batches():
                file.writelines(json.dumps(row).encode() + b"\n" for row in batch.to_pylist())
        else:
            from pyarrow import csv

            options = csv.WriteOptions(delimiter=SEPARATORS[form], quoting_style="needed")
            csv.write_csv(table, file, options)


@contextmanager
def _opened(path):
    with new_file(path, "wb") as file:
        if path.suffix != ".gz":
            yield file
            return
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
            yield packed


def _iso(time):
    import pyarrow.compute as pc

    return pc.strftime(time, "%Y-%m-%dT%H:%M:%SZ")

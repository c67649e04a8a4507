"""Kills a process while it writes a collection; started by a test, in its home.

    python killing_writer.py new         kill at each file operation of a first writing
    python killing_writer.py overwrite   … of a writing over what is there

Prints a JSON list with an entry per operation: how many documents the collection has afterwards
(null: there is none), and how many temporary folders are left by the time of the next writing's
end. A process of its own, as it forks.
"""

import json
import os
import sys

import ir_datasets
from dying import die_at, forked, was_killed

import ir_datasets_ext
from ir_datasets_ext.local import folder_of, placing
from ir_datasets_ext.local.manifest import read_manifest
from ir_datasets_ext.local.writer import write_folder
from ir_datasets_ext.store.files import leftovers, remove

FOLDER = folder_of("made", "x")
placing.GRACE = -1  # what was replaced goes at once
os.fsync = lambda handle: None  # matters to machines that lose power, and takes all the time here


def write(documents):
    """Write the collection with so many documents."""
    docs = [{"doc_id": str(number), "title": "T"} for number in range(documents)]
    queries = [{"query_id": "q", "query": "?"}]
    qrels = [{"query_id": "q", "doc_id": "0", "relevance": 1}]
    tables = {"": {"queries": queries}, "a": {"queries": queries, "qrels": qrels}}
    write_folder(FOLDER, docs, tables, description="D", licence="CC0", overwrite=True)


def held():
    """The number of documents, each of which is read, as the judgements are; None: nothing."""
    try:
        found = ir_datasets.load("made/x/a")
        assert [tuple(qrel) for qrel in found.qrels] == [("q", "0", 1)]
        return sum(1 for _ in read_manifest(FOLDER).docs.rows())
    except FileNotFoundError:
        return None


def main(overwrite):
    """Go through the operations until a writing comes to its end."""
    seen, step, killed = [], 0, True
    write(3)  # imports what is imported at the first time
    while killed:
        step += 1
        remove(FOLDER)
        if overwrite:
            write(1)
        killed = was_killed(forked(lambda at=step: (die_at(at), write(2))))
        after = held()
        write(2), write(2)  # the first may be the one that replaced what the second removes
        seen.append([after, held(), len(leftovers(FOLDER.parent)) + len(list(FOLDER.iterdir()))])
    return seen


if __name__ == "__main__":
    ir_datasets_ext.register()
    print(json.dumps(main(sys.argv[1] == "overwrite")))

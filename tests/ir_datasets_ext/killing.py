"""Kills a process while it builds a collection's documents; started by a test, in its home.

    python killing.py random SEED TIMES [NAME]   at random moments, from an empty store each time
    python killing.py steps                      once at each file operation of a rebuild

NAME is the collection's, csfcube if not given.

Prints a JSON object that says what happened. A process of its own, as it forks.
"""

import json
import os
import random
import signal
import sys
import threading
import time

import ir_datasets
import tqdm
from dying import die_at, forked, was_killed

import ir_datasets_ext
from ir_datasets_ext.store.files import collection_folder, leftovers, remove

tqdm.tqdm.monitor_interval = 0  # no thread that a fork would lose
# tqdm's own lock is shared with forked processes: one that is killed would keep it for ever
tqdm.tqdm.set_lock(threading.RLock())
NAME = sys.argv[4] if len(sys.argv) > 4 else "csfcube"
FOLDER = collection_folder(f".stores/{NAME}")
STORE = FOLDER / "docs"
ABSTRACTS = collection_folder(NAME) / "abstracts-csfcube-preds.jsonl"


def count():
    """Open or build the documents, and count them."""
    return ir_datasets.load(NAME).docs_count()


def at_random(seed, times):
    """Kill `times` builds, half of them at least while they write, however many that takes.

    What a killed process leaves stays there for the next to find.
    """
    moments, killed, in_writing = random.Random(seed), 0, 0
    count()  # loads what is loaded on first use, so that the next one takes as long as all others
    remove(STORE)
    start = time.perf_counter()
    count()
    duration = time.perf_counter() - start
    while killed < times or 2 * in_writing < times:
        remove(STORE)
        before = set(leftovers(FOLDER))
        child = forked(count)
        time.sleep(moments.uniform(0, duration))
        os.kill(child, signal.SIGKILL)
        if was_killed(child):  # else it had finished before
            killed += 1
            in_writing += not set(leftovers(FOLDER)) <= before
    remove(STORE)
    return {"killed": killed, "in writing": in_writing, "left": len(leftovers(FOLDER))}


def at_each_step():
    """Replace the papers, kill the rebuild at each operation, and note what the next open sees."""
    papers = ABSTRACTS.read_bytes().splitlines(keepends=True)
    seen, step, killed = [], 0, True
    while killed:
        step += 1
        ABSTRACTS.write_bytes(b"".join(papers))
        count()
        ABSTRACTS.write_bytes(b"".join(papers[: 1 + step % 2]))
        killed = was_killed(forked(lambda at=step: (die_at(at), count())))
        seen.append([1 + step % 2, count(), len(leftovers(FOLDER))])
    return {"steps": step - 1, "seen": seen}


if __name__ == "__main__":
    ir_datasets_ext.register()
    if sys.argv[1] == "random":
        print(json.dumps(at_random(int(sys.argv[2]), int(sys.argv[3]))))
    else:
        print(json.dumps(at_each_step()))

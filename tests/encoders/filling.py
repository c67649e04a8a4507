"""Fills a cache, for tests in processes of their own: `filling.py FOLDER NAME COUNT [BYTES]`.

Puts COUNT entries, one call each, whose vectors are their key's number; prints a line per entry.
With BYTES, no file may get larger (as on a full disk).
"""

import sys

import numpy as np

from pyterrier_scholarly.encoders import VectorCache

folder, name, count, *most = sys.argv[1:]
if most:
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (int(most[0]), int(most[0])))
cache = VectorCache(folder)
for number in range(int(count)):
    key = f"{name} {number}"
    cache.put_many({"test": 1}, {key: np.full((2, 3), number, dtype=np.float32)})
    print(key, flush=True)

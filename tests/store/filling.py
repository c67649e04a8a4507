"""Puts entries, for tests in processes of their own: `filling.py FOLDER NAME COUNT [BYTES]`.

Puts COUNT entries, one call each, and prints a line for each. With BYTES, no file may get larger
(as on a full disk).
"""

import sys

from ir_datasets_ext.store import Entries

folder, name, count, *most = sys.argv[1:]
if most:
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (int(most[0]), int(most[0])))
for number in range(int(count)):
    key = f"{name} {number}"
    Entries(folder).put_many({key.encode(): key.encode() * 100})
    print(key, flush=True)

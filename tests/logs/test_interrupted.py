"""Mining on a full disk raises a clear error, and leaves nothing."""

import os
import subprocess
import sys

import pytest

#: mine with files that may not grow beyond a size, and in little memory
FULL = """
import resource, sys
from pyterrier_scholarly.logs import mine_log
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
mine_log(sys.argv[1], "ours", verbose=False, memory="15MB", pairs=1000)
"""


@pytest.mark.slow
def test_a_full_disk_while_it_is_mined(home, tmp_path):
    """If DuckDB cannot spill, the error names the folder and the remedy; nothing is left."""
    from pyterrier_scholarly.logs import synthetic_log

    synthetic_log(2000, 5, 1000, 100_000, robots=0).write(tmp_path / "log.parquet")
    command = [sys.executable, "-c", FULL, tmp_path / "log.parquet"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert "OSError: mining stopped:" in done.stderr
    assert "pass another folder as spill=" in done.stderr
    assert os.listdir(home) == [".spill"]
    assert os.listdir(home / ".spill") == []

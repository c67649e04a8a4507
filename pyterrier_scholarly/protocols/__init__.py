"""All facts of a paper in one place, as data; generic code goes by them.

A benchmark's protocol is a file here with a `Protocol`, and CSV files of what its papers print.
"""

from pathlib import Path

from .csfcube import CSFCUBE, MINI
from .doris_mae import DORIS_MAE
from .litsearch import LITSEARCH
from .protocol import Protocol
from .rhsa import RHSA
from .system import System

#: folder of what papers print, as CSV files
PRINTED = Path(__file__).parent / "printed"
#: collection -> protocol
PROTOCOLS = {one.collection: one for one in (CSFCUBE, LITSEARCH, DORIS_MAE, RHSA, MINI)}

__all__ = ["PRINTED", "PROTOCOLS", "Protocol", "System"]

"""The public names, each loaded from its module when it is first used.

`__init__.py` reads this file, and so do type checkers and editors.
"""

from .log_collection import mine_log as mine_log
from .synthetic import synthetic_log as synthetic_log

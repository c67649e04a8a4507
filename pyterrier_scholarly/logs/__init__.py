"""Download logs: mine them for pairs and queries, and make synthetic ones with a known structure.

    log = synthetic_log(documents=200, topics=5, sessions=3000)
    log.write("downloads.parquet")
    print(mine_log("downloads.parquet", "ours", pairs=1000, successors=30, relevant=5))

From a log to a collection: `log_collection` (the whole job), `log_mining` (its steps),
`mined_parts` (what is written) and `mining_summary` (all numbers). The steps: `downloads` (rows,
from `log_files`, `header_lines`, `separated_fields`, `json_fields`, `times`), `successions` (what
followed what), `pair_draws` and `query_draws`. All run on an engine: `log_engine`, `engine_choice`.
A `synthetic` log is of drawn `sessions` (`topic_walks`, `session_times`, `session_truth`), on the
topics of `log_documents`.
"""

import lazy_loader

#: loaded at first use, so that ``mine-log --help`` loads no pandas
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

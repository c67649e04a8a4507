"""Spark sessions, for whatever of the package runs on Apache Spark.

    session = start_spark("search_on_spark")

A running session is used as it is, and stays open.
"""

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def start_spark(needed_by: str) -> "SparkSession":
    """Return this process's SparkSession, or start a local one.

    needed_by: what needs Spark, for the error.

    Raises:
        ImportError: the extra `spark` is not installed.
    """
    # the interpreter of Spark's workers; the user's setting stays
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise ImportError(f'{needed_by} needs pip install "pyterrier-scholarly[spark]"') from error

    return SparkSession.builder.getOrCreate()

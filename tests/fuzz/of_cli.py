"""Try arguments of the command line."""

from pyterrier_scholarly.cli import main
from tests.fuzz.values import garbled, odd

LINES = (
    "list-local --check",
    "explain scholarly-mini/method sentence_maxsim 104_method 101 --encoder lsa --html e.html",
    "mine-log missing.csv name --user 0 --seed 7 --memory 700MB",
    "mine-log log.parquet name --since 2020-01-01 --time-form iso --backend duckdb",
    "reproduce scholarly-mini/method --run A=run.json --table 3 --csv out.csv",
    "reproduce scholarly-mini --run A=run.txt --baseline A --latex out.tex",
    "stages scholarly-mini/method fabs_tfidf --measure NDCG%20 --relevant 2 --html s.html",
    "reproduce made/none --systems all --model A=b --precision fp32",
)


def draw(random):
    """Draw a command line with one or two changed arguments."""
    given = random.choice(LINES).split()
    for _ in range(random.randint(1, 2)):
        place = random.randrange(1, len(given) + 1)
        new = garbled(random, given[place]) if place < len(given) else str(odd(random))
        given[place : place + 1] = [] if random.random() < 0.2 else [new]
    if random.random() < 0.1:
        given[0] = garbled(random, given[0])
    # drop what no shell can pass; bytes that are no UTF-8 arrive as this unpaired surrogate
    return [argument.replace("\0", "").replace("\ud800", "\udcff") for argument in given]


def use(given):
    """Run it; raise the errors that the command line shows as one sentence."""
    main(["--traceback", *given])

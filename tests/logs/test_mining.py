"""Successions and draws equal a loop in Python and the truth of synthetic logs."""

import gzip
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from hashlib import md5
from itertools import pairwise

import pandas as pd
import pytest

from pyterrier_scholarly.logs.log_mining import mine_downloads
from pyterrier_scholarly.logs.mining_choices import Choices

from .conftest import SMALL

START = datetime(2020, 3, 8, 1, tzinfo=UTC)  # clocks in New York change an hour later


@pytest.fixture
def written(tmp_path):
    """Write downloads (user, seconds since START, document) as CSV in this order."""

    def write(*downloads):
        path = tmp_path / "log.csv"
        rows = (
            f"{user},{(START + timedelta(seconds=seconds)).isoformat()},{doc}\n"
            for user, seconds, doc in downloads
        )
        path.write_text("user,time,doc\n" + "".join(rows))
        return path

    return write


@pytest.fixture
def paired(written, mine):
    """Return all pairs with counts of a log of these downloads, and the outcomes."""

    def pairs(*downloads, **choices):
        found = mine(written(*downloads), Choices(**choices), all_pairs=True)
        return [tuple(row.values()) for row in found.pairs.to_pylist()], found.summary.outcomes

    return pairs


def by_hand(rows, shortest=10, longest=3600):
    """Count pairs and outcomes in rows of (user, microseconds, document)."""
    of_user = defaultdict(list)
    for user, time, doc in rows:
        of_user[user].append((time, doc))
    counts, outcomes = Counter(), Counter(last=len(of_user))
    for own in of_user.values():
        for (before, first), (after, second) in pairwise(sorted(own)):
            seconds = (after - before) / 1e6
            if seconds >= longest:
                outcomes["late"] += 1
            elif seconds <= shortest:
                outcomes["soon"] += 1
            elif first == second:
                outcomes["same"] += 1
            else:
                outcomes["pair"] += 1
                counts[first, second] += 1
    return counts, outcomes


def counted(found):
    """Return the counts of all pairs."""
    return {(row["doc_id_a"], row["doc_id_b"]): row["count"] for row in found.pairs.to_pylist()}


def test_the_limits_take_no_part(paired):
    """Exactly 10 seconds or an hour make no pair: it must be more and less."""
    times = [
        ("u", 0, "a"),
        ("u", 10, "b"),
        ("u", 20.4, "c"),
        ("u", 3620.4, "d"),
        ("u", 7220.3, "e"),
    ]
    pairs, outcomes = paired(*times)
    assert pairs == [("b", "c", 1), ("d", "e", 1)]
    assert outcomes == {"pair": 2, "same": 0, "soon": 1, "late": 1, "last": 1}


def test_microseconds_count(paired):
    """A microsecond more than 10 seconds is enough; parameters may be fractions of seconds."""
    assert paired(("u", 0, "a"), ("u", 10.000001, "b"))[0] == [("a", "b", 1)]
    assert paired(("u", 0, "a"), ("u", 1.6, "b"), shortest=1.5)[0] == [("a", "b", 1)]
    assert paired(("u", 0, "a"), ("u", 1.5, "b"), shortest=1.5)[0] == []


def test_order_of_time_then_of_documents(paired):
    """Lines may come in any order; at the same time the smaller id comes first, as a text."""
    assert paired(("u", 20, "b"), ("u", 0, "a"), ("v", 10, "z"))[0] == [("a", "b", 1)]
    tied = ("u", 0, "a"), ("u", 20, "d9"), ("u", 20, "d10"), ("u", 40, "b")
    assert paired(*tied)[0] == [("a", "d10", 1), ("d9", "b", 1)]


def test_a_document_followed_by_itself_is_no_pair(paired):
    """It is dropped, and the next document follows the second of its downloads."""
    pairs, outcomes = paired(("u", 0, "a"), ("u", 20, "a"), ("u", 25, "b"), ("u", 45, "a"))
    assert pairs == [("b", "a", 1)]
    assert outcomes == {"pair": 1, "same": 1, "soon": 1, "late": 0, "last": 1}


def test_users_are_apart_and_pairs_have_a_direction(paired):
    """Other users' downloads in between change nothing; a→b and b→a are two pairs."""
    downloads = ("u", 0, "a"), ("v", 10, "x"), ("u", 20, "b"), ("v", 30, "b"), ("v", 50, "a")
    assert paired(*downloads)[0] == [("a", "b", 1), ("b", "a", 1), ("x", "b", 1)]


def test_mining_finds_the_truth_of_a_synthetic_log(log, mine, tmp_path):
    """All pairs, their counts and the outcomes equal the log's truth."""
    log.write(tmp_path / "log.parquet")
    found = mine(tmp_path / "log.parquet", all_pairs=True)
    truth = Counter((log.ids[first], log.ids[second]) for first, second in log.pairs)
    assert counted(found) == truth
    assert found.summary.outcomes == log.outcomes
    rows = zip(log.user.tolist(), log.time.tolist(), log.ids[log.doc])
    assert by_hand(rows) == (truth, log.outcomes)  # and a loop over the log agrees


@pytest.mark.parametrize("name", ["log.csv", "log.tsv", "log.jsonl", "log.jsonl.gz", "log.csv.gz"])
def test_every_form_gives_the_same(log, mine, tmp_path, name):
    """Samples and judgements are equal row by row for every file form."""
    log.write(tmp_path / "log.parquet")
    log.write(tmp_path / name)
    assert tables(mine(tmp_path / name)) == tables(mine(tmp_path / "log.parquet"))


def tables(found):
    """Return the tables as lists of rows, without the summary."""
    names = ("documents", "similar", "random", "queries", "judged", "others")
    return {name: getattr(found, name).to_pylist() for name in names}


def test_similar_pairs_are_those_of_least_md5(log, mine, tmp_path):
    """The k-th succession of a pair is drawn by md5 of seed, both ids and k; the smallest win."""
    log.write(tmp_path / "log.csv")
    found = mine(tmp_path / "log.csv", all_pairs=True)
    each = [(a, b, k) for (a, b), count in counted(found).items() for k in range(count)]
    each.sort(key=lambda one: md5("\t".join(map(str, (9, "pair", *one))).encode()).hexdigest())
    drawn = [(row["doc_id_a"], row["doc_id_b"]) for row in found.similar.to_pylist()]
    assert drawn == [(a, b) for a, b, _ in each[: SMALL.pairs]]


def test_random_pairs(log, mine, tmp_path):
    """As many as similar ones, of two different documents that never followed each other; every
    document is drawn about as often; `linked` lets all pairs in.
    """
    log.write(tmp_path / "log.csv")
    found = mine(tmp_path / "log.csv", all_pairs=True)
    drawn = [(row["doc_id_a"], row["doc_id_b"]) for row in found.random.to_pylist()]
    linked = {frozenset(pair) for pair in counted(found)}
    assert len(drawn) == len(found.similar) == 200
    assert all(a != b and frozenset((a, b)) not in linked for a, b in drawn)
    free = mine(tmp_path / "log.csv", Choices(pairs=600, linked=True, seed=9)).random.to_pylist()
    often = Counter(doc for row in free for doc in row.values())
    assert sum(frozenset(row.values()) in linked for row in free) > 60
    assert set(often.values()) == {20}  # 20 rounds of 30 pairs: each document once in each


def test_queries_and_their_pools(log, mine, tmp_path):
    """Queries have more than 8 different successors, one of them more than 3 times; their pools are
    all successors, of which those after it more than 3 times are relevant.
    """
    log.write(tmp_path / "log.csv")
    found = mine(tmp_path / "log.csv", all_pairs=True)
    after = defaultdict(dict)
    for (first, second), count in counted(found).items():
        after[first][second] = count
    can = [doc for doc, own in after.items() if len(own) > 8 and max(own.values()) > 3]
    can.sort(key=lambda doc: md5(f"9\tquery\t{doc}".encode()).hexdigest())
    assert found.summary.eligible == len(can) > 5
    queries = [row["query_id"] for row in found.queries.to_pylist()]
    assert queries == sorted(can[:5])
    assert [tuple(row.values()) for row in found.judged.to_pylist()] == [
        (query, doc, int(count > 3), count)
        for query in queries
        for doc, count in sorted(after[query].items())
    ]


@pytest.mark.parametrize("linked", [False, True])
def test_random_documents_take_the_place_of_the_others(log, mine, tmp_path, linked):
    """Relevant ones stay; beside them those of least md5 that are neither these nor the query, nor,
    unless `linked`, before or after it in the log: as many as there were others, if there are.
    """
    log.write(tmp_path / "log.csv")
    choices = Choices(pairs=200, queries=5, successors=8, relevant=3, seed=9, linked=linked)
    found = mine(tmp_path / "log.csv", choices, all_pairs=True)
    counts, expected = counted(found), []
    docs = [row["doc_id"] for row in found.documents.to_pylist()]
    for query in [row["query_id"] for row in found.queries.to_pylist()]:
        judged = {doc: count > 3 for (first, doc), count in counts.items() if first == query}
        relevant = [doc for doc in judged if judged[doc]]
        near = {first for first, second in counts if second == query} | judged.keys()
        free = set(docs) - {query} - (set(relevant) if linked else near)
        key = {doc: md5(f"9\tother\t{query}\t{doc}".encode()).hexdigest() for doc in free}
        drawn = sorted(free, key=key.get)[: len(judged) - len(relevant)]
        rows = [(query, doc, 1) for doc in relevant] + [(query, doc, 0) for doc in drawn]
        expected += sorted(rows)
    assert [tuple(row.values()) for row in found.others.to_pylist()] == expected
    assert found.summary.others == sum(1 - row[2] for row in expected) > 0


def test_a_log_restricted_to_documents(log, mine, tmp_path):
    """Pairs are those of a loop over the downloads of these documents; the others are counted."""
    log.write(tmp_path / "log.csv")
    only = log.ids[:30].tolist()
    rows = list(zip(log.user.tolist(), log.time.tolist(), log.ids[log.doc]))
    kept = [row for row in rows if row[2] in only]
    found = mine(tmp_path / "log.csv", only=only, all_pairs=True)
    assert (counted(found), found.summary.outcomes) == by_hand(kept)
    assert found.summary.kept == len(kept)
    dropped = len(rows) - len(kept)
    assert found.summary.dropped == {"header line": 1, "document not in `only`": dropped}
    log.write(tmp_path / "numbers.parquet", numbers=True)
    numbers = mine(tmp_path / "numbers.parquet", only=range(30))
    assert numbers.summary.outcomes == found.summary.outcomes


@pytest.mark.slow
@pytest.mark.parametrize("form", [set, pd.Series, iter, "ids.txt", "ids.txt.gz"])
def test_ids_in_whatever_form(log, mine, tmp_path, form):
    """A set, Series or stream, ids twice, and a file with blank lines and blanks give the same."""
    log.write(tmp_path / "log.csv")
    ids = [*log.ids[:30], *log.ids[:5], "elsewhere"]
    if isinstance(form, str):
        only, path = tmp_path / form, form.endswith("gz")
        (gzip.open if path else open)(only, "wb").write("\r\n\n ".join(ids).encode())
    else:
        only = form(ids)
    found = mine(tmp_path / "log.csv", only=only)
    assert tables(found) == tables(mine(tmp_path / "log.csv", only=log.ids[:30].tolist()))


@pytest.mark.parametrize(
    ("only", "error", "message"),
    [
        (["d1", None], ValueError, r"id None, of type NoneType: expected texts or whole numbers"),
        ([1.0], ValueError, r"id 1.0, of type float: .* write it as the log does"),
        ([], ValueError, r"only=\[\] has no document id: expected at least one"),
        (7, ValueError, "only=7: expected document ids in a list"),
        (pd.DataFrame({"id": ["d1"]}), ValueError, "pass the column of ids"),
        ("d000001", FileNotFoundError, r"'d000001' is no file: .* a list, \['d000001'\]"),
    ],
)
def test_ids_that_are_none(file, mine, only, error, message):
    """The error names the value, what was expected, and the remedy."""
    with pytest.raises(error, match=f"(?s){message}"):
        mine(file, only=only)


def test_the_seed_decides_alone(log, mine, tmp_path):
    """The same seed draws the same again; another one other pairs and queries."""
    log.write(tmp_path / "log.csv")
    first, again = (tables(mine(tmp_path / "log.csv")) for _ in range(2))
    other = tables(mine(tmp_path / "log.csv", Choices(pairs=200, queries=5, successors=8, seed=10)))
    assert first == again
    assert all(first[name] != other[name] for name in ("similar", "random", "queries"))


def test_where_no_pair_may_be_drawn(written, mine):
    """Two documents that followed each other make no random pair."""
    found = mine(written(("u", 0, "a"), ("u", 20, "b")))
    assert (found.summary.similar, found.summary.random) == (1, 0)


@pytest.mark.parametrize("count", [0, 1])
def test_hardly_a_log(written, mine, count):
    """An empty log and one of one row give no pairs, documents or queries, and no error."""
    found = mine(written(*[("u", 0, "a")][:count]), all_pairs=True)
    assert found.summary.kept == found.summary.outcomes["last"] == count
    assert not any(tables(found).values())
    assert found.pairs.num_rows == 0


def test_a_million_rows_from_one_robot(duckdb, tmp_path):
    """All robot downloads but the last are too soon; people's pairs are counted beside them."""
    from pyterrier_scholarly.logs.synthetic import synthetic_log

    log = synthetic_log(50, 2, 5, 20, robots=1, robot_downloads=1_000_000)
    log.write(tmp_path / "log.parquet", numbers=True)
    found = mine_downloads(str(tmp_path / "log.parquet"), duckdb, SMALL)
    assert found.summary.outcomes == log.outcomes
    assert found.summary.outcomes["soon"] > 999_000


def test_choices_that_make_no_sense():
    """Negative numbers and swapped time limits raise an error with the argument's name."""
    with pytest.raises(ValueError, match="queries=-1: expected a whole number of at least 0"):
        Choices(queries=-1)
    with pytest.raises(ValueError, match="mine_log, queries='7': expected a whole number"):
        Choices(queries="7")
    nan = float("nan"), Decimal("nan")
    for wrong in ({"shortest": 3600}, {"longest": float("inf")}, *({"shortest": n} for n in nan)):
        with pytest.raises(ValueError, match=r"expected (seconds from 0|a number of at least 0)"):
            Choices(**wrong)
    assert isinstance(Choices(shortest=Decimal(5)).shortest, float)

"""Malformed logs, and how every engine must read each of their lines."""

from pyterrier_scholarly.logs.mining_codes import Reason

KEPT = "kept"

#: line of CSV -> what it is; kept lines with (user, microseconds, document)
CSV = [
    (b"\xef\xbb\xbfuser,time,doc\r", "header line"),
    (b"u1,2020-03-08T02:30:00Z,d1", ("u1", 1583634600000000, "d1")),
    (b"u1,2020-03-08T02:30:10.4+00:00,d2\r", ("u1", 1583634610400000, "d2")),
    (b'"u1","2020-03-08 02:30:20,5","d""3"', ("u1", 1583634620500000, 'd"3')),
    (b" u1 ,2020-03-08T08:00:30+05:30, d,", "number of fields"),
    (b" u1 ,2020-03-08T08:00:30+05:30, d4 ", ("u1", 1583634630000000, "d4")),
    (b"u1,1583634640,d5", ("u1", 1583634640000000, "d5")),
    (b"u1,1583634650000,\xc3\xa9", ("u1", 1583634650000000, "é")),
    (b"u1,12:00,d1", "time not understood"),
    (b"u1,2020-02-30T00:00:00Z,d1", "time not understood"),
    (b"u1,2020-03-08,d1", "time not understood"),
    (b"u1,yesterday,d1", "time not understood"),
    (b"u1,,d1", "no time"),
    (b",2020-03-08T02:30:00Z,d1", "no user"),
    (b'"",2020-03-08T02:30:00Z,d1', "no user"),
    (b"NULL,2020-03-08T02:30:00Z,d1", "no user"),
    (b"\\N,2020-03-08T02:30:00Z,d1", "no user"),
    (b'"-",2020-03-08T02:30:00Z,d1', "no user"),
    (b" na ,2020-03-08T02:30:00Z,d1", "no user"),
    (b"(null),2020-03-08T02:30:00Z,d1", "no user"),
    (b"Anonymous,2020-03-08T02:30:00Z,d1", "no user"),
    (b"u1,2020-03-08T02:30:00Z, \t", "no document"),
    (b"u1,2020-03-08T02:30:00Z,NULL", "no document"),
    (b"nana,1583634670,null-1", ("nana", 1583634670000000, "null-1")),
    (b"u1,2020-03-08T02:30:00Z,d 1", "blank in a document id"),
    ("u1,2020-03-08T02:30:00Z,d\u30001".encode(), "blank in a document id"),
    (b'u1,2020-03-08T02:30:00Z,"d1', "quotation mark"),
    (b'"u1,2020-03-08T02:30:00Z,d1', "quotation mark"),
    (b'u1,2020-03-08T02:30:00Z,d"1', "quotation mark"),
    (b"u1,2020-03-08T02:30:00Z", "number of fields"),
    (b'"u1","2020-03-08T02:30:00Z"', "number of fields"),
    (b"u1,2020-03-08T02:30:00Z,d1,more", "number of fields"),
    (b"nonsense", "number of fields"),
    (b"u1,2020-03-08T02:30:00Z,d\xff", "not UTF-8"),
    (b"", None),
    (b" \t \r", None),
    (b"user,time,doc", "header line"),
    (b"u1,1999-03-08T02:30:00Z,d1", "time before `since`"),
    (b"u1,2999-03-08T02:30:00Z,d1", "time after `until`"),
    (b"u2,2020-03-08T02:30:00Z,d\x001", ("u2", 1583634600000000, "d\x001")),
]
#: the same for JSON lines
JSON = [
    (b'{"user":"u1","time":"2020-03-08T02:30:00Z","doc":"d1"}', ("u1", 1583634600000000, "d1")),
    (b'\t{"doc": 7, "time": 1583634640, "user": "u1"} ', ("u1", 1583634640000000, "7")),
    (b'{"user":"u1","time":1583634650000.5,"doc":"\\u00e9"}', ("u1", 1583634650000500, "é")),
    (b'{"user":"u1","time":1583634660,"doc":"d","more":{"user":2}}', ("u1", 1583634660000000, "d")),
    (b'{"user":"u1","time":"12:00","doc":"d1"}', "time not understood"),
    (b'{"user":"u1","time":1.58e9,"doc":"d1"}', "time not understood"),
    (b'{"user":"u1","time":null,"doc":"d1"}', "no time"),
    (b'{"user":true,"time":1583634640,"doc":"d1"}', "no user"),
    (b'{"time":1583634640,"doc":"d1"}', "no user"),
    (b'{"user":"None","time":1583634640,"doc":"d1"}', "no user"),
    (b'{"user":"u1","time":1583634640,"doc":"<null>"}', "no document"),
    (b'{"user":"u1","time":1583634640,"doc":["d1"]}', "no document"),
    (b'{"user":"u1","time":1583634640,"doc":"d1"', "not a JSON object"),
    (b'{"user":"u1","time":1583634640,"doc":"d1}', "not a JSON object"),
    (b'{"user":"u1","time":1583634640,"doc":"d1"} {}', "not a JSON object"),
    (b"{'user':'u1','time':1583634640,'doc':'d1'}", "not a JSON object"),
    (b'{"user":"u1","time":NaN,"doc":"d1"}', "not a JSON object"),
    (b'{"user":"u1","time":1583634640,"doc":"\\ud800"}', "not a JSON object"),
    (b'["u1",1583634640,"d1"]', "not a JSON object"),
    (b"null", "not a JSON object"),
    (b"[" * 100_000, "not a JSON object"),
    (b'{"user":"u1","time":1583634640,"doc":"\xff"}', "not UTF-8"),
    (b"  ", None),
    (b'{"user":"u1","time":9999999999,"doc":"d1"}', "time after `until`"),
]
LINES = {"csv": CSV, "jsonl": JSON}


def write(folder, form):
    """Write these lines, and return the file's path."""
    path = folder / f"bad.{form}"
    path.write_bytes(b"\n".join(line for line, _ in LINES[form]))
    return path


def expected(form):
    """Return the kept rows, sorted, and the number of lines per reason."""
    said = [what for _, what in LINES[form] if what is not None]
    kept = sorted(what for what in said if isinstance(what, tuple))
    reasons = [KEPT if isinstance(what, tuple) else what for what in said]
    return kept, {reason: reasons.count(reason) for reason in reasons}


def found(rows):
    """Return the same of a table of rows."""
    rows = rows.to_pyarrow().to_pylist()
    kept = [(row["user"], row["time"], row["doc"]) for row in rows if row["reason"] == Reason.KEPT]
    reasons = [Reason(row["reason"]).text for row in rows]
    return sorted(kept), {reason: reasons.count(reason) for reason in reasons}

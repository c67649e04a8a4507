"""What CSFCube and the archive of abstracts may not have."""

import io
import json
import zipfile

import ir_datasets
import pytest

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*was not compared with the release's", "ignore:.*is not the release's file"
)
METHOD, POOL = "test-pid2anns-csfcube-method.json", "test-pid2pool-csfcube.json"
SPLITS, QUERIES = "evaluation_splits.json", "queries-release.csv"
ABSTRACTS = "abstracts-csfcube-preds.jsonl"
RATED = {"cands": ["2", "3"], "relevance_adju": [1, 0]}
RATED |= {"relevance_max": [1, 0], "relevance_min": [1, -1], "relevance_ann2": [1, -1]}
SPLIT = {f"fold{fold}_{part}": [] for fold in (1, 2) for part in ("dev", "test")}


def annotated(**columns):
    """The annotations of a paper, some of them changed; None leaves a column out."""
    rated = {**RATED, **columns}
    return json.dumps({"1": {name: rated[name] for name in rated if rated[name] is not None}})


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"relevance_adju": [1, "3"]}, "Expected `int`, got `str` - at `$.relevance_adju[1]`"),
        ({"relevance_adju": [None, 1]}, "Expected `int`, got `null` - at `$.relevance_adju[0]`"),
        ({"relevance_adju": [99, 1]}, "Expected `int` <= 3 - at `$.relevance_adju[0]`"),
        ({"relevance_adju": [1, -1]}, "Expected `int` >= 0 - at `$.relevance_adju[1]`"),
        ({"relevance_ann2": [1, -2]}, "Expected `int` >= -1 - at `$.relevance_ann2[1]`"),
        ({"cands": [2, "3"]}, "Expected `str`, got `int` - at `$.cands[0]`"),
        ({"cands": None}, "Object missing required field `cands`"),
        ({"cands": "23"}, "Expected `array`, got `str` - at `$.cands`"),
    ],
)
def test_csfcubes_annotations(files, load, columns, said, refused):
    """Grades are 0 to 3, ratings of single annotators -1 to 3, ids texts."""
    files.write(METHOD, annotated())
    assert [rating.ann2 for rating in load("method").ratings_iter()] == [1, -1]
    files.write(METHOD, annotated(**columns))
    refused(load("method").qrels_iter, files.folder / METHOD, f", query paper 1: {said}")


@pytest.mark.parametrize("column", ["relevance_adju", "relevance_min", "relevance_ann2"])
def test_csfcubes_columns_are_of_one_length(files, load, column, refused):
    """The error names the query paper, the column and the length."""
    files.write(METHOD, annotated(**{column: [1]}))
    said = rf", query paper 1: expected 2 values of {column} for as many cands, got .*"
    refused(load("method").qrels_iter, files.folder / METHOD, said)


def paper(**fields):
    """A line of an abstract."""
    sound = {"paper_id": "4", "title": "T", "abstract": ["S."], "pred_labels": ["method_label"]}
    paper = {**sound, "metadata": {"year": 1999}, **fields}
    return json.dumps({name: value for name, value in paper.items() if value != "none"})


PAPERS = [
    (paper(metadata="none"), ": Object missing required field `metadata`"),
    (paper(abstract=3), ": Expected `array`, got `int` - at `$.abstract`"),
    (paper(abstract=["S.", None]), ": Expected `str`, got `null` - at `$.abstract[1]`"),
    (paper(abstract=["S."] * 3), ": Expected 3 pred_labels for as many sentences of abstract"),
    (paper(paper_id=4), ": Expected `str`, got `int` - at `$.paper_id`"),
    (
        paper(metadata={"year": "MM"}),
        ": Expected `str` matching regex '^[0-9]{0,4}(?![^0-9])$' - at `$.metadata.year`",
    ),
    (
        paper(metadata={"year": "\n"}),  # `$` would stand before it
        ": Expected `str` matching regex '^[0-9]{0,4}(?![^0-9])$' - at `$.metadata.year`",
    ),
    (
        paper(metadata={"authors": ["A", {"first": 1}]}),
        ": Expected `str | null`, got `int` - at `$.metadata.authors[1].first`",
    ),
    ("[]", ": Expected `object`, got `array`"),
    ("\n", ": expected JSON, whole and in UTF-8, got: Input data was truncated"),
    (paper()[:-9], ": expected JSON, whole and in UTF-8, got: Input data was truncated"),
]


@pytest.mark.parametrize(("line", "said"), PAPERS)
def test_csfcubes_abstracts(files, load, line, said, refused):
    """The error has the line and the field of the paper."""
    path = files.folder / ABSTRACTS
    path.write_text(path.read_text() + line)
    refused(lambda: load("method").docs_iter(), path, f", line 5{said}")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            POOL,
            {"1": {"cands": ["2"], "cand_source": [["a"], ["b"]]}},
            r", query paper 1: expected 1 values of cand_source for as many cands, got .*",
        ),
        (
            POOL,
            {"1": {"cands": ["2"], "cand_source": ["a"]}},
            ", query paper 1: Expected `array`, got `str` - at `$.cand_source[0]`",
        ),
        (POOL, [], ": Expected `object`, got `array`"),
        (POOL, '{"1": {', ": expected JSON, whole and in UTF-8, got: Expecting property name.*"),
        (SPLITS, {"method": SPLIT}, ": Object missing required field `background`"),
        (
            SPLITS,
            {key: {**SPLIT, "fold2_dev": [7]} for key in ("background", "method", "result", "all")},
            ": Expected `str`, got `int` - at `$.background.fold2_dev[0]`",
        ),
        (
            QUERIES,
            "pid,facet,year,title\n1,method,1999,T\n",
            ", row 1: Object missing required field `paper type`",
        ),
        (
            QUERIES,
            "pid,facet,year,title,paper type\n1,method,late,T,x\n",
            ", row 1: Expected `str` matching regex '^[0-9]{0,4}(?![^0-9])$' - at `$.year`",
        ),
        (
            QUERIES,
            "pid,facet,year,title,paper type\n1,method,1999\n",
            ", row 1: Expected `str`, got `null` - at `$.paper type`",
        ),
        (
            QUERIES,
            "pid,facet,year,title,paper type\n1,method,1999,Über,x\n".encode("latin-1"),
            ": expected CSV in UTF-8, got 'utf-8' codec can't decode byte 0xdc.*",
        ),
    ],
)
def test_csfcubes_other_files(files, load, name, content, said, refused):
    """Pools, splits, and the table of queries in another encoding or without a column."""
    text = content if isinstance(content, (str, bytes)) else json.dumps(content)
    (files.folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    reads = {POOL: ir_datasets.load("csfcube").pool_sources_iter}
    reads[SPLITS] = load("method/fold1/dev").qrels_iter
    refused(reads.get(name, load("method").queries_iter), files.folder / name, said)


def archived(content, name="abstracts-preds.json", extra=(), **how):
    """The bytes of a zip archive with one JSON file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", **how) as zipped:
        for each in (name, *extra):
            zipped.writestr(each, content)
    return file.getvalue()


def marked(content, at, bits):
    """An archive in whose two headers a byte is changed, counted from the local header's flags."""
    content = bytearray(content)
    content[6 + at] |= bits
    content[content.rindex(b"PK\1\2") + 8 + at] |= bits
    return bytes(content)


LINE, DEFLATED = paper() + "\n", zipfile.ZIP_DEFLATED
ZIP = ": expected a whole zip archive without a password, got "


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"no archive", f"{ZIP}BadZipFile: .*"),
        (archived(LINE * 99, compression=DEFLATED)[:150], f"{ZIP}BadZipFile: .*"),
        (marked(archived(LINE), 0, 1), f"{ZIP}RuntimeError: .* is encrypted.*"),
        (marked(archived(LINE), 2, 99), f"{ZIP}NotImplementedError: .* compression .*"),
        (marked(archived(LINE * 9, compression=DEFLATED), 2, 6), f"{ZIP}BadZipFile: .*"),
        (marked(archived(LINE * 9), 2, 12), f"{ZIP}OSError: .*"),
        (archived("x", "readme.txt"), ": expected one .json or .jsonl file in it, got readme.txt"),
        (
            archived("{}", extra=["b.json"]),
            ": expected one .json or .jsonl file in it, got abstracts-preds.json, b.json",
        ),
        (archived(""), f"{ZIP}IncompleteJSONError: .*"),
        (
            archived('{"1": {"title": "no more"}}'),
            ", paper 1: Object missing required field `abstract`",
        ),
        (archived('{"1": [1], "2": 3}'), ", paper 1: Expected `object`, got `array`"),
        (archived('{"1": {"title": "cut'), f"{ZIP}IncompleteJSONError: .*"),
        *((archived(LINE + line), f", line 2{said}") for line, said in PAPERS),
    ],
)
def test_the_archive_of_abstracts(files, offline, content, said, refused):
    """Encrypted, packed in an odd way, truncated, or with papers that are none."""
    path = files.folder / "abstracts-preds.zip"
    path.write_bytes(content)
    refused(lambda: ir_datasets.load("csfcube/s2orc").docs_iter(), path, said)

"""What DORIS-MAE's file may not have."""

import ir_datasets
import pytest

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*was not compared with the release's", "ignore:.*is not the release's file"
)
WHOLE, NONE = "expected a whole number", r": expected a value, got none .*"
NO_ABSTRACT = "expected an abstract_id of Corpus, got '6'"


@pytest.mark.parametrize(
    ("section", "number", "fields", "said"),
    [
        ("Annotation", 3, {"abstract_id": 6}, f"annotation 3, abstract_id: {NO_ABSTRACT}"),
        (
            "Annotation",
            18,
            {"aspect_id": "99"},
            "annotation 18, aspect_id: expected an id of aspect_id2aspect, got '99'",
        ),
        (
            "Annotation",
            2,
            {"score": -1},
            f"annotation 2, $.score: {WHOLE} >= 0, got -1",
        ),
        (
            "Annotation",
            2,
            {"score": 3},
            f"annotation 2, $.score: {WHOLE} <= 2, got 3",
        ),
        (
            "Annotation",
            2,
            {"score": "1"},
            f"annotation 2, $.score: {WHOLE}, got '1'",
        ),
        (
            "Annotation",
            2,
            {"score": 1.0},
            f"annotation 2, $.score: {WHOLE}, got 1.0",
        ),
        (
            "Annotation",
            1,
            {"score": ...},
            rf"annotation 1, \$\.score{NONE}",
        ),
        (
            "Annotation",
            1,
            {"aspect_id": None},
            "annotation 1, $.aspect_id: expected a whole number or a text, got None",
        ),
        ("Query", 1, {"candidate_pool": [9, 6]}, f"query 1, candidate_pool: {NO_ABSTRACT}"),
        ("Query", 1, {"candidate_pool": 9}, "query 1, $.candidate_pool: expected a list, got 9"),
        (
            "Query",
            0,
            {"aspects": {"10": ["77"]}},
            "query 0, aspects: expected an id of aspect_id2aspect, got '77'",
        ),
        ("Query", 1, {"aspects": None}, "query 1, $.aspects: expected an object, got None"),
        (
            "Query",
            0,
            {"aspects": {"10": [], "13": [12]}},
            "query 0, $.aspects.13[0]: expected a text, got 12",
        ),
        (
            "Query",
            1,
            {"aspect_id2sent": 5},
            "query 1, $.aspect_id2sent: expected an object or null, got 5",
        ),
        (
            "Query",
            1,
            {"query_text": ...},
            rf"query 1, \$\.query_text{NONE}",
        ),
        (
            "Corpus",
            1,
            {"abstract_id": ...},
            r"entry 1 of Corpus, \$\.abstract_id: expected a value, got none .*",
        ),
        (
            "Corpus",
            1,
            {"abstract_id": 5},
            "entry 1 of Corpus, abstract_id: expected each id once, got 5 again",
        ),
        (
            "Corpus",
            1,
            {"categories": ["cs.LG", 3]},
            "entry 1 of Corpus, $.categories[1]: expected a text, got 3",
        ),
        (
            "Corpus",
            0,
            {"outgoing_citations": [7, None]},
            f"entry 0 of Corpus, $.outgoing_citations[1]: {WHOLE} or a text, got None",
        ),
    ],
)
def test_doris_maes_records(doris, section, number, fields, said, refused):
    """Entries are counted within their list; nothing is left of what was being built."""
    entry = {**doris.content[section][number], **fields}
    doris.content[section][number] = {k: v for k, v in entry.items() if v is not ...}
    doris.write()
    refused(lambda: ir_datasets.load("doris-mae").qrels_iter(), doris.path, f", {said}")
    assert not [path for path in doris.folder.parent.rglob("*.json") if path != doris.path]


@pytest.mark.parametrize(
    ("section", "content", "said"),
    [
        ("Query", {"0": {}}, ", Query: expected a list, got {'0': {}}"),
        ("aspect_id2aspect", ["a"], ", aspect_id2aspect: expected an object, got ['a']"),
        ("aspect_id2aspect", {"10": 3}, ", aspect_id2aspect, $.10: expected a text, got 3"),
        *(
            (section, ..., f", {section}: expected a list or an object, got none")
            for section in ("Query", "Annotation", "aspect_id2aspect")
        ),
    ],
)
def test_doris_maes_lists(doris, section, content, said, refused):
    """A list that is missing or is none is named."""
    doris.content[section] = content
    doris.content = {k: v for k, v in doris.content.items() if v is not ...}
    doris.write()
    refused(lambda: ir_datasets.load("doris-mae").queries_iter(), doris.path, said)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (
            {"human_annotation": [1, 1]},
            "human_annotation: expected 3 scores, got [1, 1]",
        ),
        (
            {"human_annotation": [0, 1, 3]},
            "$.human_annotation[2]: expected a whole number <= 2, got 3",
        ),
        (
            {"human_annotation": {"annotator_1": 1, "annotator_2": 1, "annotator_3": None}},
            "$.human_annotation.annotator_3: expected a whole number, got None",
        ),
        (
            {"human_annotation": None},
            "$.human_annotation: expected an object or a list, got None",
        ),
        ({"aspect_id": "99"}, "aspect_id: expected an id of aspect_id2aspect, got '99'"),
    ],
)
def test_doris_maes_human_judgements(doris, fields, said, refused):
    """Three people, 0 to 2 each; datasets that do not use them are not concerned."""
    doris.content["Test_set"][1].update(fields)
    doris.write()
    said = f", entry 1 of Test_set, {said}"
    refused(lambda: ir_datasets.load("doris-mae/human").qrels_iter(), doris.path, said)
    assert len(list(ir_datasets.load("doris-mae/dev").qrels_iter())) == 3

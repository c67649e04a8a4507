"""What DORIS-MAE's file may not have."""

import ir_datasets
import pytest

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*was not compared with the release's", "ignore:.*is not the release's file"
)
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
            "annotation 2: Expected `int` >= 0 - at `$.score`",
        ),
        (
            "Annotation",
            2,
            {"score": 3},
            "annotation 2: Expected `int` <= 2 - at `$.score`",
        ),
        (
            "Annotation",
            2,
            {"score": "1"},
            "annotation 2: Expected `int`, got `str` - at `$.score`",
        ),
        (
            "Annotation",
            2,
            {"score": 1.0},
            "annotation 2: Expected `int`, got `float` - at `$.score`",
        ),
        (
            "Annotation",
            1,
            {"score": ...},
            "annotation 1: Object missing required field `score`",
        ),
        (
            "Annotation",
            1,
            {"aspect_id": None},
            "annotation 1: Expected `int | str`, got `null` - at `$.aspect_id`",
        ),
        ("Query", 1, {"candidate_pool": [9, 6]}, f"query 1, candidate_pool: {NO_ABSTRACT}"),
        (
            "Query",
            1,
            {"candidate_pool": 9},
            "query 1: Expected `array`, got `int` - at `$.candidate_pool`",
        ),
        (
            "Query",
            0,
            {"aspects": {"10": ["77"]}},
            "query 0, aspects: expected an id of aspect_id2aspect, got '77'",
        ),
        ("Query", 1, {"aspects": None}, "query 1: Expected `object`, got `null` - at `$.aspects`"),
        (
            "Query",
            0,
            {"aspects": {"10": [], "13": [12]}},
            "query 0: Expected `str`, got `int` - at `$.aspects[...][0]`",
        ),
        (
            "Query",
            1,
            {"aspect_id2sent": 5},
            "query 1: Expected `object | null`, got `int` - at `$.aspect_id2sent`",
        ),
        (
            "Query",
            1,
            {"query_text": ...},
            "query 1: Object missing required field `query_text`",
        ),
        (
            "Corpus",
            1,
            {"abstract_id": ...},
            "entry 1 of Corpus: Object missing required field `abstract_id`",
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
            "entry 1 of Corpus: Expected `str`, got `int` - at `$.categories[1]`",
        ),
        (
            "Corpus",
            0,
            {"outgoing_citations": [7, None]},
            "entry 0 of Corpus: Expected `int | str`, got `null` - at `$.outgoing_citations[1]`",
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
        ("Query", {"0": {}}, ", Query: Expected `array`, got `object`"),
        ("aspect_id2aspect", ["a"], ", aspect_id2aspect: Expected `object`, got `array`"),
        (
            "aspect_id2aspect",
            {"10": 3},
            ", aspect_id2aspect: Expected `str`, got `int` - at `$[...]`",
        ),
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
            ", human_annotation: expected 3 scores, got [1, 1]",
        ),
        (
            {"human_annotation": [0, 1, 3]},
            ": Expected `int` <= 2 - at `$.human_annotation[2]`",
        ),
        (
            {"human_annotation": {"annotator_1": 1, "annotator_2": 1, "annotator_3": None}},
            ": Expected `int`, got `null` - at `$.human_annotation[...]`",
        ),
        (
            {"human_annotation": None},
            ": Expected `object | array`, got `null` - at `$.human_annotation`",
        ),
        ({"aspect_id": "99"}, ", aspect_id: expected an id of aspect_id2aspect, got '99'"),
    ],
)
def test_doris_maes_human_judgements(doris, fields, said, refused):
    """Three people, 0 to 2 each; datasets that do not use them are not concerned."""
    doris.content["Test_set"][1].update(fields)
    doris.write()
    said = f", entry 1 of Test_set{said}"
    refused(lambda: ir_datasets.load("doris-mae/human").qrels_iter(), doris.path, said)
    assert len(list(ir_datasets.load("doris-mae/dev").qrels_iter())) == 3

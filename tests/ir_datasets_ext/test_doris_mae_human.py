"""What three people said of pairs, from the file made by hand."""

import warnings

import ir_datasets
import pytest

pytestmark = pytest.mark.filterwarnings("ignore:.*was not compared with the release's")


def judged(below):
    """Relevance by query and abstract, in order."""
    qrels = ir_datasets.load(f"doris-mae/{below}").qrels_iter()
    return [(qrel.query_id, qrel.doc_id, qrel.relevance) for qrel in qrels]


@pytest.mark.parametrize(
    ("below", "scores"),
    [
        ("human", (2, 1, 0)),  # of 2 2 1 two say 2; 2 0 1 all differ, so the middle; 0 1 0
        ("human/annotator-1", (2, 2, 0)),
        ("human/annotator-2", (2, 0, 1)),
        ("human/annotator-3", (1, 1, 0)),
    ],
)
def test_scores_of_all_and_of_each(doris, below, scores):
    """What two of three say, or the middle; or what one says. The pool is what was judged."""
    pairs = [("10", "7"), ("10", "5"), ("16", "9")]
    assert judged(below) == [(*pair, score) for pair, score in zip(pairs, scores)]
    dataset = ir_datasets.load(f"doris-mae/{below}")
    assert [(c.query_id, c.doc_id) for c in dataset.scoreddocs_iter()] == pairs
    assert {qrel.iteration for qrel in dataset.qrels_iter()} == {"1"}
    queries = list(dataset.queries_iter())
    assert queries == [("10", "Ten.", ("0",)), ("16", "Sixteen.", ("1",))]
    assert dataset.queries_count() == 2
    assert dataset.qrels_count() == dataset.scoreddocs_count() == 3


def test_a_list_of_three_scores_serves(doris):
    """The three scores may stand in a list instead."""
    doris.content["Test_set"][0]["human_annotation"] = [0, 2, 2]
    doris.write()
    assert judged("human")[0] == ("10", "7", 2)
    assert judged("human/annotator-1")[0] == ("10", "7", 0)


def test_two_people_judged_the_development_pairs(doris):
    """Of 2 1 the lower, of 2 2 both; a third score is one too many. A file may have none."""
    assert judged("human-dev") == [("10", "7", 1), ("16", "9", 2)]
    assert judged("human-dev/annotator-1") == [("10", "7", 2), ("16", "9", 2)]
    assert judged("human-dev/annotator-2") == [("10", "7", 1), ("16", "9", 2)]
    doris.content["Dev_set"][1]["human_annotation"] = [2, 2, 0]
    doris.write()
    with pytest.raises(
        ValueError,
        match=r"Dev_set, human_annotation: expected 2 scores, got \[2, 2, 0\]",
    ):
        judged("human-dev")


@pytest.mark.parametrize(("section", "below"), [("Test_set", "human"), ("Dev_set", "human-dev")])
def test_missing_judgements_of_people_are_an_error(doris, section, below):
    """A file without the section, or with an empty one, says so; it has all other judgements."""
    said = rf"v1\.json: expected people's judgements \({section}\), .*{below} are made, got none"
    for change in (dict.pop, lambda content, name: content.update({name: []})):
        change(doris.content, section)
        doris.write()
        for records in ("queries", "qrels", "scoreddocs"):
            with pytest.raises(ValueError, match=said):
                list(getattr(ir_datasets.load(f"doris-mae/{below}"), f"{records}_iter")())
        assert len(judged("dev")) == 3
        doris.content[section] = []


def test_a_pair_judged_twice_is_named(doris):
    """Six people did not judge any pair."""
    doris.content["Test_set"] *= 2
    doris.write()
    with pytest.raises(ValueError, match=r"entry 3 .* got aspect 10 and abstract 7"):
        judged("human")


def test_aspect_ids_of_another_version_are_noticed(doris):
    """All pairs were drawn from the annotations: any that is not among them is warned of."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*Test_set.*")
        judged("human")
    doris.content["Test_set"][0]["aspect_id"] = "15"
    doris.write()
    with pytest.warns(UserWarning, match="1 of the 3 pairs of Test_set are not among the annot"):
        judged("human")

"""The measures that collections report."""

import ir_datasets
import ir_measures
import pytest

from pyterrier_scholarly import official_measures

OURS = ("csfcube", "scholarly-mini", "litsearch", "doris-mae")


def test_csfcubes_are_those_of_its_paper_in_its_order():
    """R-Precision (`PLastRel`), P@20, R@20, NDCG%20 (section 5), and NDCG%100 (appendix F)."""
    expected = ["PLastRel(rel=2)", "P(rel=2)@20", "R(rel=2)@20", "NDCG%20", "NDCG%100"]
    for dataset in ("csfcube", "irds:csfcube/method", "csfcube/all/fold1/test", "scholarly-mini"):
        assert official_measures(dataset) == [ir_measures.parse_measure(text) for text in expected]


def test_every_dataset_of_ours_has_some():
    """All parse, and all can be written down again."""
    ids = [name for name in ir_datasets.registry if name.split("/")[0] in OURS]
    assert len(ids) > 40
    for name in ids:
        measures = official_measures(name)
        assert measures and all(ir_measures.parse_measure(str(m)) == m for m in measures), name


def test_other_peoples_datasets_have_theirs():
    """What ir_datasets documents for a dataset of its own."""
    assert official_measures("msmarco-passage/dev/small") == [ir_measures.RR @ 10]


def test_an_unknown_dataset_is_named():
    """With the nearest ids."""
    with pytest.raises(
        ValueError, match=r"Unknown dataset 'csfcube/methods'. Did you mean 'csfcube/method'"
    ):
        official_measures("csfcube/methods")


def test_a_dataset_without_official_measures_is_told():
    """Rather than an empty list, which an experiment would refuse later."""
    with pytest.raises(ValueError, match="vaswani has no official measures") as raised:
        official_measures("vaswani")
    assert "`reproduce` takes nDCG@10, AP, R@100" in str(raised.value)
    assert "register(Protocol('vaswani', …" in str(raised.value)

"""What papers, releases and their code say of systems and tables, typed in our own words."""

from pyterrier_scholarly import systems
from pyterrier_scholarly.protocols import PROTOCOLS


def test_gritlms_length_is_the_papers_and_the_codes_is_told():
    """2,048 tokens by footnote 6; the released code passes no length, and the default is 512."""
    rows = systems("litsearch").table.set_index("key").loc[["gritlm_7b", "gritlm_7b_full"]]
    assert set(rows["max_length"]) == {2048}
    for text in (*rows["note"], PROTOCOLS["litsearch"].remarks["5"]):
        assert "2,048" in text and "no length" in text and "512" in text

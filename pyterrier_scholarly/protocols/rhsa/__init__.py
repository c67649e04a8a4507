"""The paper that brought rHSA [Krstovski et al. 2016]: evaluation without judgements."""

from ..protocol import Protocol

RHSA = Protocol(
    "rhsa",
    "rHSA",
    subset=lambda row: row["measure"].partition("(")[2].rstrip(")"),
    measures={"MAP(100q)": "AP", "rHSA(100q)": "rHSA", "rHSA(1M)": "rHSA"},
    source="Krstovski et al. 2016",
    unit=1,
)
#: Its words read literally, for `histogram_slope` and `rHSA`: a bin's observed counts are their
#: variances, its values' variance is that of its position.
KRSTOVSKI_2016 = {"fit": "observed", "x_error": "spread"}

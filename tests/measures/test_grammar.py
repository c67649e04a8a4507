"""Measure strings in ir_measures' two parsers, and what registering must leave alone."""

import copy
import math
import os
import pickle
import subprocess
import sys
from itertools import product

import ir_measures
import pytest

from pyterrier_scholarly import measures
from pyterrier_scholarly.measures import NDCG, PLastRel

PARSERS = [
    pytest.param(lambda text: ir_measures.parse_measure(text), id="parse_measure"),
    pytest.param(lambda text: ir_measures.util.parse_measure(text), id="util.parse_measure"),
    pytest.param(lambda text: only(ir_measures.parse_trec_measure(text)), id="parse_trec_measure"),
    pytest.param(
        lambda text: only(ir_measures.util.parse_trec_measure(text)), id="util.parse_trec_measure"
    ),
]


def only(found):
    """The one measure of a list of one."""
    (measure,) = found
    return measure


def python(code):
    """What a fresh interpreter prints, where only an import of the measures registers them."""
    path = os.pathsep.join(filter(None, sys.path))
    env = {**os.environ, "PYTHONPATH": path, "PYTERRIER_SCHOLARLY_DISCOVERY": "0"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


WRITTEN = {
    "NDCG%20": NDCG(percent=20),
    " nDCG % 20 ": NDCG(percent=20),
    "PooledNDCG%20": NDCG(percent=20),
    "NDCG(discount='log2')%10": NDCG(percent=10, discount="log2"),
    "NDCG(discount='log2',pool='ranked')%10": NDCG(percent=10, discount="log2", pool="ranked"),
    "NDCG(gain='exp2', discount = 'log2') % 10": NDCG(percent=10, discount="log2", gain="exp2"),
    "NDCG(judged_only=False)%20": NDCG(percent=20, judged_only=False),
    "NDCG(discount='csfcube')@20": NDCG(cutoff=20),
    "PooledNDCG@20": NDCG(cutoff=20),
    "NDCG(percent=20)": NDCG(percent=20),
    "nDCG(discount='csfcube')": NDCG(),
    "PLastRel": PLastRel(rel=1),
    "PLastRel(rel=2)": PLastRel(rel=2),
}


@pytest.mark.parametrize("parse", PARSERS)
@pytest.mark.parametrize("text", WRITTEN)
def test_strings_name_our_measures(parse, text):
    """Each way to write a measure gives it, in either parser under either name."""
    assert parse(text) == WRITTEN[text]
    assert type(parse(text)) is type(WRITTEN[text])


def every_measure():
    """Each of our measures with each combination of its parameters' values."""
    options = (
        ("csfcube", "log2"),
        ("linear", "exp2", "exp2-1"),
        ("judged", "ranked"),
        (True, False),
    )
    for discount, gain, pool, judged_only in product(*options):
        measure = NDCG(discount=discount, gain=gain, pool=pool, judged_only=judged_only)
        yield from (measure, measure % 1, measure % 100, measure @ 1, measure @ 1000)
    yield from (PLastRel(rel=r, judged_only=j) for r, j in product((1, 2, 30), (True, False)))


@pytest.mark.parametrize("parse", PARSERS)
def test_every_measure_is_parsed_from_its_repr(parse):
    """parse(repr(m)) == m, m has the same parameters, and no two that differ share a repr."""
    written = [repr(measure) for measure in every_measure()]
    assert len(set(written)) == len(written) == 24 * 5 + 6
    for measure in every_measure():
        again = parse(repr(measure))
        assert again == measure and hash(again) == hash(measure)
        assert all(again[name] == measure[name] for name in measure.SUPPORTED_PARAMS)
        assert " " not in repr(measure)


def test_how_measures_are_written():
    """Defaults are left out, but the discount only with %: a bare NDCG@20 is ir_measures' own."""
    assert [
        repr(measure) for measure in (NDCG % 20, NDCG @ 20, NDCG, PLastRel, PLastRel(rel=2))
    ] == [
        "NDCG%20",
        "NDCG(discount='csfcube')@20",
        "NDCG(discount='csfcube')",
        "PLastRel",
        "PLastRel(rel=2)",
    ]
    assert (
        repr(NDCG(pool="ranked", discount="log2", judged_only=False) % 10)
        == "NDCG(discount='log2',pool='ranked',judged_only=False)%10"
    )
    assert repr(NDCG(discount="log2") @ 5) == "NDCG(discount='log2')@5"
    assert NDCG(discount="csfcube", judged_only=True) % 20 == NDCG % 20
    assert NDCG @ 20 != ir_measures.NDCG @ 20


def test_the_percent_operator_of_ir_measures_own_ndcg():
    """`NDCG % 20` with ir_measures' NDCG is ours; of its parameters judged_only carries over."""
    theirs = ir_measures.NDCG
    assert theirs % 20 == ir_measures.nDCG % 20 == NDCG % 20
    assert theirs(judged_only=False) % 20 == NDCG(judged_only=False) % 20
    with pytest.raises(ValueError, match="Instead of dcg='log2' write discount='log2'"):
        theirs(dcg="log2") % 20
    with pytest.raises(ValueError, match="gain='linear', 'exp2' or 'exp2-1'"):
        theirs(gains={1: 2}) % 20
    with pytest.raises(ValueError, match="percent and cutoff exclude each other"):
        theirs(cutoff=10) % 20


BAD = {
    "NDCG(gain='exp2',gain='linear')%20": "expected NDCG",
    "NDCG(percent=10)%20": "expected NDCG",
    "NDCG%0": "percent=0, expected a whole number from 1 to 100",
    "NDCG%101": "percent=101, expected a whole number",
    "NDCG%-5": "percent=-5, expected a whole number",
    "NDCG%2.5": "percent=2.5, expected a whole number",
    "NDCG%'20'": "percent='20', expected a whole number",
    "NDCG(discount='x')%20": "discount='x', expected one of 'csfcube', 'log2'",
    "NDCG(dcg='log2')%20": "Unknown parameter 'dcg'.*discount='log2'",
    "NDCG(gian='exp2')%20": "Did you mean 'gain'",
    "P%20": "P takes no %: only NDCG does",
    "PLastRel%20": "PLastRel takes no %",
    "PLastRel@20": "Unknown parameter 'cutoff' of PLastRel. Choose one of: rel, judged_only",
    "PLastRel(rel=0)": "rel=0, expected a whole number from 1",
    "NDCG%": "expected NDCG",
    "%": "expected NDCG",
    "NDCG%20%10": "expected NDCG",
    "NDCG@10%20": "expected NDCG",
    "NDCG%x": "expected NDCG",
    "NDCG%20(3)": "expected NDCG",
    "NDCG('log2')%20": "expected NDCG",
    "NDCG({[]: 1})%20": "expected NDCG",
    "NDCG%20;NDCG%10": "expected NDCG",
    "NDCG%" + "9" * 6000: "expected NDCG",
    "(" * 500 + "NDCG%20": "expected NDCG",
    "NDCG%20\0": "expected NDCG",
}


@pytest.mark.parametrize("parse", PARSERS)
@pytest.mark.parametrize("text", BAD, ids=lambda text: ascii(text[:25]))
def test_a_wrong_string_is_a_value_error(parse, text):
    """Whatever is wrong with a string of ours, it is a ValueError that says what."""
    with pytest.raises(ValueError, match=BAD[text]):
        parse(text)


@pytest.mark.parametrize("parse", PARSERS)
def test_an_unknown_name_is_a_name_error(parse):
    """An unknown measure is a NameError, as ir_measures has it."""
    with pytest.raises(NameError, match=r"Unknown measure 'ndcg'. .* NDCG%20"):
        parse("ndcg%20")


SHORT = {
    "DorisNDCG%10": NDCG(percent=10, discount="log2", pool="ranked"),
    "DorisNDCGexp%10": NDCG(percent=10, discount="log2", gain="exp2", pool="ranked"),
    "LitSearchNDCG@10": NDCG(cutoff=10, discount="reciprocal"),
}


@pytest.mark.parametrize("parse", PARSERS)
@pytest.mark.parametrize("text", SHORT)
def test_long_names_have_a_short_one_that_is_read_and_printed(parse, text):
    """A short name is the same measure as the long one, whose repr it is, with any cut-off."""
    assert parse(text) == SHORT[text]
    assert parse(text).params == SHORT[text].params
    assert repr(SHORT[text]) == text
    assert parse(repr(SHORT[text](judged_only=not SHORT[text]["judged_only"]))) != SHORT[text]


@pytest.mark.parametrize("text", ["nDCG@10", "R@5", "AP(rel=2)", "Judged@10", "RR", "nDCG"])
def test_experiments_read_the_strings_of_ir_measures(text):
    """What trec_eval's parser lacks is read as `ir_measures.parse_measure` reads it."""
    for module in (ir_measures, ir_measures.util):
        assert module.parse_trec_measure(text) == [ir_measures.parse_measure(text)]


def test_an_experiment_takes_them():
    """`pt.Experiment` computes strings of both kinds, and names its columns as they are written."""
    import pandas as pd
    import pyterrier as pt

    qrels = pd.DataFrame({"qid": ["q"] * 2, "docno": ["a", "b"], "label": [1, 0]})
    run = pd.DataFrame({"qid": ["q"] * 2, "docno": ["b", "a"], "score": [2.0, 1.0]})
    topics = pd.DataFrame({"qid": ["q"], "query": ["x"]})
    strings = ["nDCG@10", "RR@1", "recip_rank", "LitSearchNDCG@10"]
    found = pt.Experiment([run], topics, qrels, strings)
    assert found[["RR@1", "recip_rank"]].to_numpy().tolist() == [[0.0, 0.5]]
    assert found["LitSearchNDCG@10"][0] == pytest.approx(1 / 2)  # at rank 2, over 1
    assert found["nDCG@10"][0] == pytest.approx(1 / math.log2(3))


@pytest.mark.parametrize("module", [ir_measures, ir_measures.util])
def test_a_misspelt_measure_is_a_value_error_with_the_nearest_name(module):
    """Of an experiment's string; also one that trec_eval knows and nobody computes."""
    with pytest.raises(ValueError, match=r"Unknown measure 'nDGC'. Did you mean 'nDCG'"):
        module.parse_trec_measure("nDGC@10")
    with pytest.raises(ValueError, match="Unknown measure 'G'"):
        module.parse_trec_measure("G")


def outcome(parse, text):
    """What a parser gives or raises, so that two can be compared."""
    try:
        return parse(text)
    except Exception as error:
        return type(error), str(error)


def test_other_strings_go_through_untouched():
    """Without % and without a name of ours, the parsers give and raise what they always did.

    But PyTerrier's parser also reads ir_measures' strings; of wrong ones, its error is another.
    """
    texts = [
        "NDCG",
        "nDCG@10",
        "NDCG(judged_only=True)@10",
        "nDCG(gains={1:2})",
        "P(rel=2)@20",
        "AP",
    ]
    texts += [
        "map",
        "ndcg_cut_10",
        "official",
        "P_5,10",
        "R@",
        "P(20)",
        "Nothing@3",
        "",
        "x y",
        "P@1@2",
    ]
    texts += [None, 3, ["NDCG"], ir_measures.P @ 20]
    for module, name in product(
        (ir_measures, ir_measures.util), ("parse_measure", "parse_trec_measure")
    ):
        wrapped = getattr(module, name)
        for text in texts:
            got, before = outcome(wrapped, text), outcome(wrapped.__wrapped__, text)
            if name == "parse_trec_measure" and isinstance(text, str) and before[0] is ValueError:
                theirs = outcome(ir_measures.parse_measure, text)
                before = [theirs] if isinstance(theirs, ir_measures.Measure) else ValueError
                got = got if isinstance(got, list) else got[0]
            assert got == before


HOST = """
import ir_measures
from ir_measures import NDCG, nDCG
qrels = [ir_measures.Qrel("q", d, rel) for d, rel in zip("abcd", (0, 1, 2, 3))]
run = [ir_measures.ScoredDoc("q", d, score) for d, score in zip("dxab", (4, 3, 2, 1))]
def state():
    texts = ("NDCG", "nDCG", "NDCG@10", "nDCG(dcg='log2')@2")
    parsed = [ir_measures.parse_measure(text) for text in texts]
    found = [NDCG, nDCG, ir_measures.measures.registry["NDCG"], NDCG @ 10, *parsed]
    return [(repr(m), type(m), hash(m), m.calc_aggregate(qrels, run)) for m in found]
before, names = state(), set(ir_measures.measures.registry)
import pyterrier_scholarly.measures
assert state() == before, state()
print(sorted(set(ir_measures.measures.registry) - names), before[0][0], repr(NDCG % 20))
"""


def test_ir_measures_names_keep_their_meaning():
    """NDCG, nDCG and NDCG@10 are, print and compute the same before and after registering."""
    ours = ["DorisAP", "DorisNDCG", "DorisNDCGexp", "DorisR", "DorisRR", "DorisRprec"]
    ours += ["LitSearchNDCG", "PLastRel", "PooledNDCG", "rHSA"]
    assert python(HOST) == f"{ours} nDCG NDCG%20\n"


def test_importing_the_measures_loads_no_heavy_module():
    """Neither numpy nor pandas nor PyTerrier is loaded, so ``ir_measures --help`` stays quick."""
    code = "import sys, pyterrier_scholarly.measures; print(*sys.modules)"
    loaded = set(python(code).split())
    assert "ir_measures" in loaded and not loaded & {"numpy", "pandas", "pyterrier"}


TWICE = """
import importlib, sys, warnings
warnings.simplefilter("error")
import ir_measures
import pyterrier_scholarly.measures as ours
parser, registry = ir_measures.parse_measure, dict(ir_measures.measures.registry)
importlib.reload(ours)
importlib.reload(sys.modules["pyterrier_scholarly.measures._hosts"])
assert str(ir_measures.parse_measure("nDCG@10")) == "nDCG@10"
assert ir_measures.parse_trec_measure("P_5") == [ir_measures.P @ 5]
assert ir_measures.parse_measure is parser and ir_measures.measures.registry == registry
for name in [name for name in sys.modules if name.startswith("pyterrier_scholarly")]:
    del sys.modules[name]
from pyterrier_scholarly.measures import NDCG
assert ir_measures.parse_measure is parser and set(ir_measures.measures.registry) == set(registry)
print(ir_measures.parse_measure("NDCG%20") == NDCG % 20)
"""


def test_registering_twice_is_harmless():
    """A second import, a reload included, wraps nothing twice and warns of nothing."""
    assert python(TWICE) == "True\n"


TAKEN = """
import ir_measures
theirs = ir_measures.define(lambda qrels, run: [], name="PLastRel")
ir_measures.measures.register(theirs)
type(ir_measures.nDCG).__mod__ = lambda measure, percent: "theirs"
import pyterrier_scholarly.measures as ours
assert ir_measures.measures.registry["PLastRel"] is theirs
assert ir_measures.parse_measure("PLastRel") == theirs and ir_measures.NDCG % 20 == "theirs"
assert ir_measures.parse_measure("NDCG%20") == ours.NDCG % 20
"""


def test_a_name_that_is_taken_stays_with_its_owner():
    """The host's measure and the host's % stay; strings with % are read as before."""
    assert python(TAKEN) == ""


NEWER = """
import ir_measures, pyterrier as pt
read = ir_measures.parse_measure
ir_measures.parse_measure = lambda text: "theirs" if text == "NDCG%20" else read(text)
import pyterrier_scholarly.measures as ours
assert ir_measures.parse_measure("NDCG(gain='exp2')%20") == ours.NDCG(gain="exp2") % 20
print(ir_measures.parse_measure("NDCG%20"), *ir_measures.parse_trec_measure("NDCG%20"))
"""


def test_a_percent_that_the_host_reads_stays_the_host_s():
    """If ir_measures learns to read a string with %, it does, and so do experiments."""
    assert python(NEWER) == "theirs theirs\n"


LISTED = """
from pyterrier_scholarly.measures import NDCG, PLastRel
import pyterrier as pt
assert pt.measures.PooledNDCG % 20 == pt.measures.NDCG % 20 == NDCG % 20
assert pt.measures.PLastRel(rel=2) == PLastRel(rel=2) and "CSFCube" in pt.measures.PLastRel.__doc__
"""


@pytest.mark.parametrize("before", ["", "import pyterrier"])
def test_pyterrier_lists_them_among_its_measures(before):
    """pt.measures copies ir_measures' registry, and writes to its entries: ours bear it.

    If PyTerrier was imported before, ours are added to its copy.
    """
    assert python(before + LISTED) == ""


@pytest.mark.parametrize("measure", measures.MEASURES, ids=repr)
def test_measures_document_themselves(measure):
    """Title, sentence, documentation, each parameter's meaning, and the columns needed."""
    assert measure.PRETTY_NAME and measure.SHORT_DESC.endswith(".") and "Source:" in measure.__doc__
    assert all(info.desc for info in measure.SUPPORTED_PARAMS.values())
    assert set(ir_measures.run_inputs([measure])) == {"query_id", "doc_id", "score"}
    qrel_inputs = set(ir_measures.qrel_inputs([measure])) - {"iteration"}  # where |Q| is needed
    assert qrel_inputs == {"query_id", "doc_id", "relevance"}
    assert ir_measures.measures.registry[measure.NAME] == measure


@pytest.mark.parametrize("measure", [NDCG(discount="log2") % 10, PLastRel(rel=2)], ids=repr)
def test_measures_are_copied_and_pickled(measure):
    """A measure travels to another process (PyTerrier's parallel search does that)."""
    for again in (copy.deepcopy(measure), pickle.loads(pickle.dumps(measure))):
        assert again == measure and type(again) is type(measure)

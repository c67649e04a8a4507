"""CSFCube [Mysore et al. 2021]: papers like this one in their background, method or result."""

from dataclasses import replace

from ir_datasets_ext.csfcube.records import CONTEXT_ORDER, QREL_DEFS, WITH_QUERY_PAPER
from ir_datasets_ext.facets import FACETS

from ..annotation import ErrorTypes, Guidelines
from ..printed_subsets import PrintedSubset
from ..protocol import OtherTable, Protocol
from ..system import System
from .systems import LEFT_OUT, OWN, SYSTEMS  # noqa: F401 (OWN is public here)

KINDS = {
    "bi-encoder": (
        System(
            "",
            "facet_text",
            scoring={
                "similarity": "l2",
                "query": "{query_title} {query_text}",
                "document": "{title} {text}",
            },
            note="one embedding of each paper's title and abstract, as SPECTER",
        ),
    ),
    "sentence-encoder": (
        System(
            "_sentences",
            "facet_sentences",
            note="the best cosine of a facet's sentence and a candidate's, as SentBERT",
        ),
    ),
    "cross-encoder": (
        System(
            "",
            "facet_pairs",
            encoder="CrossEncoder",
            note="pairs of the facet's sentences with a candidate's title and abstract",
        ),
    ),
}
"""Forms for models of the user's; see `Protocol`."""

CSFCUBE = Protocol(
    "csfcube",
    "CSFCube",
    subset=lambda row: row["facet"],
    measures={
        "R-Precision": "PLastRel(rel=2)",
        "P@20": "P(rel=2)@20",
        "R@20": "R(rel=2)@20",
        "NDCG%20": "NDCG%20",
        "NDCG%100": "NDCG%100",
        "MAP": "AP(rel=2)",
    },
    systems=SYSTEMS,
    left_out=LEFT_OUT,
    statistics="csfcube",
    facets=(*FACETS, "all"),
    subsets=(
        PrintedSubset(
            WITH_QUERY_PAPER,
            queries="all",
            pools=WITH_QUERY_PAPER,
            pools_remark="over the pools as they are released (the code of ASPIRE): there paper "
            "8781666 is a candidate of itself, in background and result, and comes first. The "
            "collection's own figures are without it, and lower by .2 to .5",
        ),
    ),
    query_counts={"background": 16, "method": 17, "result": 17, "all": 50},
    remarks={
        "": "The rows of the paper's own tables are not included: printed rows are from the "
        "collection's script and from later papers, in the columns that they report. "
        "R-Precision is the script's: precision at the rank of the last relevant paper.",
    },
    other_tables={
        "1": OtherTable(
            "Statistics of the queries and their pools. Printed in the paper, not in our copy of "
            "it; ``statistics('csfcube')`` computes such figures from the release.",
            was_read=False,
        ),
        "2": OtherTable(
            "Agreement of the annotators before and after adjudication: ρ, α, κ, percent. Printed "
            "in the paper, not in our copy of it; ``agreement(single_ratings('csfcube/all'), "
            "'reference')`` computes them from the release.",
            was_read=False,
        ),
        "3": OtherTable(
            "Figures of the paper's systems on test, by facet and aggregated. Printed in the "
            "paper, not in our copy of it.",
            was_read=False,
        ),
        "F": OtherTable(
            "More figures of these systems, with NDCG%100 (appendix F). Printed in the paper, not "
            "in our copy of it.",
            was_read=False,
        ),
    },
    quoted={
        "pilot": "the texts of that study are not in the release",
        "comparisons": "two collections of others",
        "selection": "how papers were chosen; a test compares facets and years",
        "annotation": "who annotated, and how; a test compares how often both were over-ruled",
        "training-data": "sources of training data that appendix H names",
        "script": "what the authors' script computes of its SPECTER rankings, with F1@20, MRR and "
        "dev, for which the table of systems has no column; a test compares our measures",
    },
    kinds=KINDS,
    in_sample=dict.fromkeys(
        ("one_encoding", "six_parts"),
        "nothing is trained, but these variants were found with both folds in view, so the "
        "figures are not blind. Chosen on dev alone, such combinations reached 65 to 66.5 NDCG%20 "
        "on all with all-MiniLM-L6-v2.",
    ),
)
#: the embedded collection has the same systems and statistics
MINI = replace(
    CSFCUBE,
    collection="scholarly-mini",
    title="scholarly-mini",
    remarks={"": "No figures are printed for this collection."},
    other_tables={},
    quoted={},
    in_sample={},
)
GRADES = {"3": 3, "2": 2, "1": 1, "0": 0}
#: what the guidelines tell annotators of every facet, in our words
FOR_ALL_FACETS = (
    "Likeness of structure and of relations makes a 2 or a 3. Likeness of attributes and features "
    "alone makes a 0 or a 1.",
    "Read the facet's sentences in their abstract. The rest of the abstract matters most for "
    f"{CONTEXT_ORDER[0]}, less for {CONTEXT_ORDER[1]}, and least for {CONTEXT_ORDER[2]}.",
    "If a facet's sentences have several salient aspects, likeness in any one of them suffices.",
    "Labels of sentences are predictions: correct wrong ones in your mind.",
    "Go by titles and abstracts alone, without authors, venues and years. Look up terms that you "
    "do not know.",
)
#: what they tell of a single facet, in our words
FOR_ONE_FACET = {
    "method": (
        "A mere mention of a method merits nothing, as where one paper analyses the model of the "
        "other.",
    ),
}


def _write_facet_guidelines(facet: str) -> Guidelines:
    """Return the guidelines of a sheet in which all pairs have the same facet."""
    return Guidelines(
        source=(
            "the release's ann_guidelines.pdf (in our words) and Mysore et al. 2021, CSFCube, "
            f"section 4. Facet: {facet}"
        ),
        words=(*FOR_ALL_FACETS, *FOR_ONE_FACET.get(facet, ())),
        meanings={answer: QREL_DEFS[facet][grade] for answer, grade in GRADES.items()},
        grades=GRADES,
        shown=("query", "title", "text"),
    )


def _write_general_guidelines() -> Guidelines:
    """Return the guidelines of a sheet in which each pair has a facet of its own."""
    guidelines_by_facet = {facet: _write_facet_guidelines(facet) for facet in FACETS}

    definitions = []
    for facet, guidelines in guidelines_by_facet.items():
        definitions += [f"{facet}: {words}" for words in FOR_ONE_FACET.get(facet, ())]
        for answer, meaning in guidelines.meanings.items():
            definitions.append(f"{facet}, {answer}: {meaning}")

    return Guidelines(
        source=(
            "the release's ann_guidelines.pdf (in our words) and Mysore et al. 2021, CSFCube, "
            "section 4. What a grade means depends on the column facet"
        ),
        words=(*FOR_ALL_FACETS, *definitions),
        meanings={answer: QREL_DEFS["all"][grade] for answer, grade in GRADES.items()},
        grades=GRADES,
        shown=("facet", "query", "title", "text"),
        facets=guidelines_by_facet,
    )


#: The annotators' guidelines: of all facets, and of each. Sentences of theirs are not repeated.
GUIDELINES = {
    "csfcube": _write_general_guidelines(),
    **{f"csfcube/{facet}": _write_facet_guidelines(facet) for facet in FACETS},
}

#: the types of error of systems
ERROR_TYPES = {
    "csfcube": ErrorTypes(
        source="Mysore et al. 2021, CSFCube, section 6; examples are in its appendix G",
        words=(
            "The first results of systems, and relevant papers that they miss, with their grades.",
            "Where a system is wrong, write the type of its error into 'error'; else leave it "
            "empty.",
        ),
        shown=("rank", "label", "facet", "query", "title", "text"),
        types={
            "Salient Aspects": "What the facet is mainly about was missed. It is often said in a "
            "part of its sentences only.",
            "Multiple Aspects": "The facet has several finer aspects, and results match one of "
            "them alone.",
            "Domain specific similarities": "Technical terms that mean like things were not "
            'matched, such as "stacking", "ensemble strategy" and "bagging".',
            "Mechanistic similarities": "The mechanisms of methods were not compared, often a "
            "sequence of steps.",
            "Context dependence of facets": "Whether the facets are alike depends on other facets, "
            "above all for a result.",
            "Qualitative result statements": "The result sums up findings in words instead of "
            "figures on a data set, so it needs context and shares few terms.",
        },
    ),
}

#: what is printed about trainings; see `training.TrainingRecipe`
TRAINING = {
    "csfcube/specter-id": dict(
        source="Mysore et al. 2021, CSFCube: SPECTER-ID",
        model="allenai/scibert_scivocab_uncased",
        definition="specter",
        epochs=2,
        printed=(
            "about 660,000 triples of computer science papers",
            "SPECTER's hyper-parameters (which Cohan et al. 2020 print)",
        ),
        not_printed=("which papers, and how many", "the weights"),
    ),
}

"""DORIS-MAE [Wang et al. 2023]: paragraph-long needs made of aspects."""

from dataclasses import replace

from ..annotation import ErrorTypes, Guidelines
from ..printed_subsets import PrintedSubset
from ..prompts import JudgingPrompt
from ..protocol import Protocol
from ..system import System
from .systems import COSINE, LEFT_OUT, MEAN, SCIBERT, SYSTEMS

QUERIES = {"query": "", "aspects": "aspect-queries", "extended-pool": "(extended pools)"}
COSINES = {"similarity": "cosine", **COSINE}
BEST = "the mean over the query's sentences of the best cosine with one of the abstract"
PAIRS = System(
    "",
    "pairs",
    encoder="CrossEncoder",
    scoring={"document": "{text}"},
    note="pairs of the query with the abstract, as RocketQA-v2",
)
KINDS = {
    "bi-encoder": (System("", "text", scoring=COSINES, note="one embedding of each text"),),
    "sentence-encoder": (System("_sentences", "sentences", scoring=MEAN, note=BEST),),
    "cross-encoder": (
        PAIRS,
        replace(
            PAIRS,
            key="_sentences",
            form="pairs_sentences",
            scoring={**PAIRS.scoring, "sentences": True},
            note="the mean over pairs of the query's sentences with the abstract, as RocketQA-v2",
        ),
    ),
}
"""Forms for models of the user's; see `Protocol`."""

DORIS_MAE = Protocol(
    "doris-mae",
    "DORIS-MAE",
    subset=lambda row: QUERIES.get(row["queries"], row["queries"]),
    subsets=(PrintedSubset("(extended pools)", queries=None),),
    query_counts={"": 100, "test": 60, "aspect-queries": 100, "subqueries-2": 1003},
    measures={
        "R@5": "DorisR@5",
        "R@20": "DorisR@20",
        "RP": "DorisRprec",
        "NDCG%10": "DorisNDCG%10",
        "NDCGexp%10": "DorisNDCGexp%10",
        "MRR@10": "DorisRR@10",
        "MAP": "DorisAP",
    },
    source="Wang et al. 2023, DORIS-MAE, appendix C",
    systems=SYSTEMS,
    left_out=LEFT_OUT,
    kinds=KINDS,
    statistics="doris-mae",
    quoted={
        "A.3": "what is in the release, and what in the authors' codebase",
        "C.6": "over extended pools that are not in the release",
        "text": "figures of the paper's text; a test compares those of the release's queries",
    },
    unpublished={"16": "over extended pools that are not in the release"},
    resamples=1000,
)
#: verdict -> score
GRADES = {"DISAGREE": 0, "DISPUTE": 1, "AGREE": 1, "CONCUR": 2}
#: the prompt of the model that annotated
JUDGING = {
    "anno-gpt": JudgingPrompt(
        source=(
            "Wang et al. 2023, DORIS-MAE, appendix B.3 (one paragraph as printed); grades: B.1. "
            "There asked of gpt-3.5-turbo-0301, once"
        ),
        template=(
            "You are a reference librarian. A user wants to find a scientific paper that satisfies "
            "a particular requirement. Based on the abstract of the paper, you will determine "
            "whether the requirement is met. Here is the user requirement: {aspect} Here is the "
            "abstract: {abstract} Explain whether the abstract satisfies the user requirement. "
            "Think step by step, showing all of your reasoning. Use the following *rules* to "
            "determine whether the requirement is satisfied: Disagree means the abstract does not "
            "address the user requirement; Dispute means the abstract does not directly address "
            "the user requirement, but is adaptable to fulfill the user's need; Concur means the "
            "abstract directly and completely addresses the user requirement; Agree means the "
            "abstract directly addresses only a portion of the user requirement, but not in its "
            "entirety. Think carefully about the aforementioned *rules* to decide whether you "
            "[DISAGREE, DISPUTE, AGREE, CONCUR] based on the definition of these 4 options. After "
            "you have provided your reasoning, state your final selection in *all capital* letters "
            "at the *end* of your response."
        ),
        grades=GRADES,
    ),
}

#: the annotators' guidelines
GUIDELINES = {
    "doris-mae": Guidelines(
        source="Wang et al. 2023, DORIS-MAE, appendix B.1",
        words=(
            "Resource usage: Given the technical nature of the abstracts, annotators may "
            "occasionally need to look up unfamiliar terms. They can use traditional search "
            "engines for these instances. However, they are strictly prohibited from using any "
            "large language model (LLM) interfaces or search engines powered by LLMs.",
            "Annotation process: Annotators are required to read the entire abstract and question "
            "at least once before making a decision. They need to refresh their understanding of "
            "the four grading levels in their minds before finalizing their decision. On average, "
            "this process takes about 4 minutes, but no strict time limit is enforced. During the "
            "annotation process, annotators are strictly and explicitly prohibited from "
            "communicating in any way.",
            'Key component identification: The grading scale revolves around the concept of "key '
            "components\". It's up to the annotators, leveraging their research experience, to "
            "identify what constitutes as a key component in an aspect/sub-aspect. If there are "
            "multiple key components (e.g., 2 or 3), they are expected to monitor all of these "
            "components and verify whether the abstract mentions them.",
            "Inference rules: Annotators can leverage their expert knowledge to draw reasonable "
            "inferences from the abstract's content with respect to the key components. However, "
            "they should avoid unnecessary complications in the correlation between the aspect and "
            "the abstract. Each inference made must have a clear, straightforward justification. "
            "The aim here is to ensure accuracy without over-complicating the annotation process.",
        ),
        meanings={
            "DISAGREE": "The abstract is unrelated or does not provide any help to the key "
            "components of the aspect or sub-aspect.",
            "DISPUTE": "The abstract answers some key components and is adaptable to fulfill the "
            "aspect/sub-aspect. However, the abstract does not directly address the "
            "aspect/sub-aspect.",
            "AGREE": "The abstract directly addresses only a portion of the aspect/sub-aspect, but "
            "not in its entirety.",
            "CONCUR": "The abstract directly answers all the key components of the aspect or "
            "sub-aspect.",
        },
        grades=GRADES,
    ),
}

#: the types of error of the model that annotated
ERROR_TYPES = {
    "doris-mae": ErrorTypes(
        source="Wang et al. 2023, DORIS-MAE, appendix B.4, with an example of each",
        words=(
            "Pairs of an aspect and an abstract that a judge grades otherwise than people do.",
            "Read the judge's reply, and write the type of its error into 'error'; leave it empty "
            "where the judge is right.",
        ),
        shown=("label", "majority", "query", "text", "content"),
        types={
            "Definition": "The reasoning is right, but its label is not the one whose definition "
            "it meets: an aspect that is only implied is called directly addressed.",
            "Inference": "The judge does not infer what people infer, such as that a stripe "
            "pattern is a kind of occlusion.",
            "Key component": "The judge takes other parts of the aspect for its key components "
            "than people do. The paper finds this type most often; people disagree so, too.",
        },
    ),
}

#: what is printed about trainings; see `training.TrainingRecipe`
TRAINING = {
    "doris-mae/specter-id": dict(
        source="Wang et al. 2023, DORIS-MAE, appendix D.1: SPECTER ID",
        model="allenai/specter",
        definition="doris-mae",
        epochs=1,
        printed=(
            "282,121 abstracts with 76.327 related ones each, 21,533,311 triplets",
            "related: cited, or cited by a cited paper",
            "4 epochs, of which the first one's checkpoint is kept",
        ),
        not_printed=(
            "what it begins with (here SPECTER's own weights)",
            "how negatives are drawn",
            "learning rate, batch size, and how the rate falls (here over the one epoch)",
            "the weights",
        ),
    ),
    "doris-mae/scibert-id": dict(
        source="Wang et al. 2023, DORIS-MAE, appendix D.1: SciBERT ID",
        model=SCIBERT,
        definition="doris-mae",
        epochs=10,
        printed=(
            "retrained on 360k papers with citation information",
            "10 epochs on 8 GPUs in 12 hours, checkpoint 10 is kept",
        ),
        not_printed=(
            "the loss (here SPECTER's, on the relations that are printed for SPECTER ID)",
            "how many pairs or triplets (10 times SPECTER ID's would be 5,000 a second)",
            "learning rate, batch size, length of texts",
            "the weights",
        ),
    ),
}

"""What annotators are told, and the grades that they may give, as data with its source."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Guidelines:
    """The words above a sheet for grading.

    Args:
        source: where the words are from.
        words: paragraphs that annotators read first.
        meanings: from what may be filled in to what it means.
        grades: from what may be filled in to a grade (a whole number).

    Raises:
        ValueError: meanings and grades are not of the same words, or a grade is no whole number.
    """

    source: str
    words: tuple
    meanings: dict = field(hash=False)
    grades: dict = field(hash=False)

    def __post_init__(self):
        whole = all(isinstance(grade, int) for grade in self.grades.values())
        if self.meanings.keys() != self.grades.keys() or not whole:
            raise ValueError(
                f"meanings of {', '.join(self.meanings)}, grades {self.grades}: expected the same "
                "words, each with a whole number."
            )


GUIDELINES = {
    "csfcube": Guidelines(
        source=(
            "Mysore et al. 2021, CSFCube, section 4, which gives the grades for the facet "
            "'method' (shortened); the release's ann_guidelines.pdf has the other facets and "
            "examples"
        ),
        words=(
            "Broadly, we train annotators to rate structural/relational similarities between the "
            "candidate and query higher (3-2 ratings) than attribute/feature based similarities "
            "(1-0 ratings).",
        ),
        meanings={
            "3": "Near Identical. Methods described share a similar over-arching mechanistic "
            "similarity, further the methods must also be similar in terms of the details of the "
            "objects being manipulated.",
            "2": "Similar. The methods are mechanistically similar and the details are only "
            "comparable between the query and candidate.",
            "1": "Related. A wide range in being similar. Common cases include: 1. Details of the "
            "two methods are similar but there is only high level mechanistic similarity. 2. Small "
            "or not-so-important mechanistic parts of the methods in two papers are similar. 3. "
            "Where query and candidate abstracts may vary in the level of granularity in which "
            "they describe a method and a high level similarity is the only one you can establish "
            "by reading the abstract.",
            "0": "Unrelated.",
        },
        grades={"3": 3, "2": 2, "1": 1, "0": 0},
    ),
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
        grades={"DISAGREE": 0, "DISPUTE": 1, "AGREE": 1, "CONCUR": 2},
    ),
}
"""The guidelines of `write_grading` and `write_adjudication`, by name."""

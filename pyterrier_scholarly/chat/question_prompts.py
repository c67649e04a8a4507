"""Prompts that turn a paragraph with citations into questions, as data, each with its source."""

from dataclasses import dataclass
from typing import NamedTuple


class Demonstration(NamedTuple):
    """A paragraph, the titles of what it cites by key, and (question, keys of the answer) pairs."""

    text: str
    titles: dict
    questions: tuple


@dataclass(frozen=True)
class QuestionPrompt:
    """The words that ask for questions.

    Args:
        source: where the words are from.
        instruction: what the model is to do.
        demonstrations: examples of it.
        temperature, max_tokens: what a request asks for.
    """

    source: str
    instruction: str
    demonstrations: tuple = ()
    temperature: float = 0
    max_tokens: int = 2000

    def messages(self, text, titles) -> list:
        """One message: instruction, demonstrations, the paragraph `text` and `titles` by key."""
        shown = [
            _paragraph(one.text, one.titles)
            + "".join(f"\nQUESTION: {asked}\nANSWER: {', '.join(k)}" for asked, k in one.questions)
            for one in self.demonstrations
        ]
        content = "\n\n".join([self.instruction, *shown, _paragraph(text, titles)])
        return [{"role": "user", "content": content}]


def _paragraph(text, titles):
    lines = "".join(f"\n- {key}: {title}" for key, title in titles.items())
    return f"TEXT: {text}\nPAPER TITLES:{lines}"


_PERSUASION = Demonstration(
    text=(
        "We argue there are two underlying motivations for the ad text generation task, especially "
        "for product descriptions. Application-wise, the utility is to improve the seller "
        "experience for e-commerce services when registering a new product. The generated "
        "descriptions can reduce the need for manual data entry, and potentially improve sales due "
        "to better descriptions (in terms of attractiveness, structure, and persuasiveness). "
        "Research-wise, ad text generation is an under-studied task, and arguably a good proxy for "
        "persuasive text generation {cite_016}{cite_017}{cite_018}{cite_019}."
    ),
    titles={
        "cite_016": "Is this post persuasive? ranking argumentative comments in online forum",
        "cite_017": "On the role of discourse relations in persuasive texts",
        "cite_018": "Measuring online debaters’ persuasive skill from text over time",
        "cite_019": "Analyzing the Persuasive Effect of Style in News Editorial Argumentation",
        "cite_020": "Persuaide! an adaptive persuasive text generation system for fashion domain",
        "cite_021": "A statistical framework for product description generation",
        "cite_022": "SILVER: Generating persuasive Chinese product pitch",
    },
    questions=(
        (
            "I want to read some papers that try to study and quantify how persuasive text can be. "
            "I’m coming at this from an applications-perspective, as I’m interested in using these "
            "insights for product development. Could you give me a list of papers to read?",
            ("cite_016", "cite_017", "cite_018", "cite_019"),
        ),
        (
            "Has anyone looked at automating advertisement text generation specifically for "
            "fashion items?",
            ("cite_020",),
        ),
        (
            "I’m thinking about going into the computer-retail business and I’m wondering if it’s "
            "possible to generate persuasive text to sell more computers?",
            ("cite_021",),
        ),
        (
            "Could you recommend some readings for articles that generate persuasive text in "
            "Chinese aimed at advertising?",
            ("cite_022",),
        ),
    ),
)

QUESTIONS = {
    "litsearch": QuestionPrompt(
        source=(
            "Ajith et al. 2024, LitSearch, Table 12, whose second demonstration is not printed: "
            "here is one. Line breaks between the parts, temperature and tokens are not printed."
        ),
        instruction=(
            "I will provide you with a excerpt from an scientific article that cites various "
            "papers in the positions {cite_001}, {cite_002}, etc. I would like you to write "
            "*general* questions about the academic literature using this paragraph, which will be "
            "answered with the corresponding citations. Here are the constraints you must follow:\n"
            "(1) The questions should make sense and be interesting without reading the paragraph. "
            "The questions should be general, and you should only use the paragraph to find the "
            "ground-truth answer.\n"
            "(2) Try to ask questions which cover as many citations as possible and are as "
            "detailed as possible. Pack as much information into the question as you can.\n"
            "(3) If the context is not clear, skip the citation. Make sure that every question is "
            "of the highest quality, as these questions will be used for important work concerning "
            "information extraction from the scientific literature.\n"
            "(4) The answer should ONLY contain the citation key."
        ),
        demonstrations=(_PERSUASION,),
    ),
}
"""The presets of `questions_from_citations`, by name."""

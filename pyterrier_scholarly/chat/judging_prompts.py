"""Prompts that let a model judge whether a document meets a need, as data, each with its source."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class JudgingPrompt:
    """The words that ask for a judgement, and the verdicts that may come.

    Args:
        source: where the words are from.
        template: the one message, with ``{aspect}`` and ``{abstract}``.
        grades: verdict, as it stands in a reply, to grade (a whole number).
        temperature, max_tokens: what a request asks for.

    Raises:
        ValueError: a grade that is no whole number.
    """

    source: str
    template: str
    grades: dict = field(hash=False)
    temperature: float = 0
    max_tokens: int = 310

    def __post_init__(self):
        wrong = {name: grade for name, grade in self.grades.items() if not isinstance(grade, int)}
        if wrong:
            raise ValueError(f"grades={wrong}: they must be whole numbers, as judgements are.")

    def messages(self, aspect, abstract) -> list:
        """The message that asks about an aspect and an abstract, as they are."""
        content = self.template.format(aspect=aspect, abstract=abstract)
        return [{"role": "user", "content": content}]


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
        grades={"DISAGREE": 0, "DISPUTE": 1, "AGREE": 1, "CONCUR": 2},
    ),
}
"""The presets of `judge`, by name."""

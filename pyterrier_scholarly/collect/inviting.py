"""How authors are asked for questions about their own papers, as data, each with its source."""

import re
from dataclasses import dataclass

FIELD = re.compile(r"\{\{(.+?)\}\}")


@dataclass(frozen=True)
class Invitation:
    """An e-mail to authors, and the form in which they write a question that their paper answers.

    Both texts have fields such as ``{{author name}}``, as printed.

    Args:
        source: where the words are from.
        email: asks an author to take part, and names the form's address.
        form: the instructions above the form's field for the question.
    """

    source: str
    email: str
    form: str

    def written(self, text, **fields) -> str:
        """Return ``"email"`` or ``"form"`` with its fields filled in.

        Args:
            text: which of the two.
            fields: from a field's name, "_" for each blank, to what stands there.

        Raises:
            ValueError: another `text`; a field without a value, or a value without a field.
        """
        if text not in ("email", "form"):
            raise ValueError(f"text={text!r}: expected 'email' or 'form'")
        words = getattr(self, text)
        known = dict.fromkeys(name.replace(" ", "_") for name in FIELD.findall(words))
        if set(fields) != set(known):
            raise ValueError(
                f"{text}: expected the fields {', '.join(known)}, got {', '.join(fields) or 'none'}"
            )
        return FIELD.sub(lambda found: fields[found[1].replace(" ", "_")], words)


AUTHOR_QUESTIONS = {
    "litsearch": Invitation(
        source=(
            "Ajith et al. 2024, LitSearch, tables 10 and 11; {{names}} and {{institutions}} are "
            "redacted there. The form is Table 11's, a Google Form."
        ),
        email=(
            "Hi {{annotator name}},\n"
            "We hope this email finds you well!\n"
            "First, congrats on your paper’s acceptance to {{conference name}}! We are {{names}} "
            "from {{institutions}} who are working on constructing a new challenging retrieval "
            "benchmark where the task is to retrieve relevant research papers given a research "
            "query. Would you be willing to dedicate 2 minutes to write a literature-search "
            "question about your {{conference name}} paper? Here’s the link to the google form: "
            "{{link}}.\n"
            "Your contribution will help us build better, more challenging evaluations for large "
            "language models. We will make sure to list you as a contributor to our benchmark "
            "(unless you prefer otherwise). Thank you!\n"
            "Best,\n"
            "{{author 1}}\n"
            "{{author 2}}"
        ),
        form=(
            "Dear {{author name}},\n"
            "Thanks for contributing to our literature-search question collection effort!\n"
            "We are trying to create a new challenging retrieval benchmark where the task is to "
            "retrieve relevant research papers given a research query. For example, the research "
            'query "Which paper first found that large language models can do in-context '
            'learning?" should retrieve the GPT-3 paper. We could use your help for creating such '
            "a query that should be answered by your own paper!\n"
            "Could you provide one high-quality, literature-search-type query about your paper "
            "that you think would be challenging even for state-of-the-art retrieval systems? "
            "Please make sure to follow these guidelines when writing your query. Your query must "
            "be\n"
            "(1) Realistic: It should be plausible that a researcher working in a related field "
            "may ask this exact question. Do not ask a question that puts too many unrealistic "
            'constraints (such as "What work that uses the NaturalQuestions dataset trains for 15 '
            'epochs and uses a learning rate of 3e-5?").\n'
            "(2) Specific: Your query should be answered by/correspond to one particular "
            "(representative) paper or a small number of papers. Do not ask an overly broad "
            'question like "What are some multimodal models?" Instead, you can ask "Which '
            'multimodal model was the first to use interleaved image and text data?"\n'
            "(3) Challenging: Our goal is to collect a set of queries that are extremely "
            "challenging even for SOTA retrievers today. Make sure not to submit a query that can "
            'easily be answered via keyword matching or a Google search like "Which paper proposed '
            'masked language modeling?" (BERT). Instead, you can use the following formats to make '
            "the question more challenging:\n"
            '(a) Asking a detailed question that the abstract does not cover: "Which text '
            'pre-training paper first used the data mixture of wikipedia and bookscorpus?" (BERT)\n'
            '(b) Rephrasing (reducing word overlap to the paper): "Is there such a machine '
            "learning dataset, where for some questions, there is no correct answer and model "
            'should abstain?" (SQuAD v2)\n'
            '(c) Asking about the main technique innovation: "Is there any paper that combines '
            'distillation and structured pruning for language models?" (CoFi pruning)\n'
            "Thank you for your contribution! We will make sure that:\n"
            "- Your name will be credited in our paper unless you choose otherwise.\n"
            "- We will make the dataset available for open-source development."
        ),
    ),
}
"""The e-mail and form of collections whose authors wrote questions, by collection."""

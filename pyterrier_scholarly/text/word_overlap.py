"""How many of a question's words are in the texts of its papers."""

from collections.abc import Sequence


def mean_overlap(question: str, texts: Sequence[str]) -> float:
    """Compute the mean share of a question's distinct words that occur in a text, in 0..1.

    As in the authors' code, words are separated by blanks; case and punctuation matter
    [Ajith2024, 2.1, Table 2].

    Args:
        texts: of the question's papers.

    Raises:
        ValueError: there are no texts, or the question has no words.

    >>> mean_overlap("Which study of graphs?", ["A study of graphs", "A study"])
    0.375
    """
    question_words = set(question.split())
    if not question_words or not texts:
        missing = "papers" if question_words else "words"
        raise ValueError(f"The question {question!r} has no {missing}: pass one or more.")

    overlaps = []
    for text in texts:
        common_words = question_words & set(text.split())
        overlaps.append(len(common_words) / len(question_words))
    return sum(overlaps) / len(overlaps)

"""How many words of a question stand in what it is to find [Ajith2024, 2.1, Table 2]."""


def word_overlap(question, text) -> float:
    """The share of a question's distinct words that stand in a text, case and all; in 0..1.

    As the authors' code has it: words are what stands between blanks, punctuation included.

    Raises:
        ValueError: the question has no words.

    >>> word_overlap("Which study of graphs?", "A study of graphs")
    0.5
    """
    words = set(question.split())
    if not words:
        raise ValueError(f"{question!r} has no words, so no share of them stands anywhere.")
    return len(words & set(text.split())) / len(words)


def mean_overlap(question, texts) -> float:
    """The mean of `word_overlap` over the texts of a question's papers.

    Raises:
        ValueError: there are no texts, or the question has no words.
    """
    if not texts:
        raise ValueError(f"{question!r} has no papers whose texts it could overlap with.")
    return sum(word_overlap(question, text) for text in texts) / len(texts)

"""LitSearch's e-mail and form for questions that authors write about their own papers."""

import pytest

from pyterrier_scholarly.protocols import AUTHOR_QUESTIONS

LITSEARCH = AUTHOR_QUESTIONS["litsearch"]


def paper_lines(data, number):
    """What stands above the caption of a table in the paper's text, and its lines."""
    text = data("..", "papers", "litsearch.txt").read_text(encoding="utf-8")
    return text[: text.index(f"\nTable {number}:")].splitlines()


@pytest.mark.parametrize(("number", "words"), [(10, LITSEARCH.email), (11, LITSEARCH.form)])
def test_the_words_are_printed(data, number, words):
    """Line by line, those above the captions of tables 10 and 11; names are redacted there."""
    own = words.replace("{{names}}", "[REDACTED]").replace("{{institutions}}", "[REDACTED]")
    lines = own.splitlines()
    assert paper_lines(data, number)[-len(lines) :] == lines


def test_fields_are_filled_in():
    """Each wherever it stands, and nothing else is changed."""
    form = LITSEARCH.written("form", author_name="Ada")
    assert form == LITSEARCH.form.replace("{{author name}}", "Ada")
    names = ["annotator_name", "conference_name", "names", "institutions", "link"]
    fields = dict.fromkeys([*names, "author_1", "author_2"], "X")
    email = LITSEARCH.written("email", **fields)
    assert "{{" not in email and email.endswith("Best,\nX\nX") and email.count("X") == 8


@pytest.mark.parametrize(
    ("text", "fields", "message"),
    [
        ("letter", {}, "Unknown text 'letter'. Choose one of: email, form"),
        ("form", {}, "expected the fields author_name, got none"),
        ("form", {"author_name": "Ada", "year": "2024"}, "got author_name, year"),
    ],
)
def test_fields_that_do_not_fit(text, fields, message):
    """The error names the given and the expected fields."""
    with pytest.raises(ValueError, match=message):
        LITSEARCH.written(text, **fields)

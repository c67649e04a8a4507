r"""Tell texts that stand for a missing value from texts that say something.

R writes NA, pandas nan, databases NULL and \N, spreadsheets #N/A, and Scopus, Web of Science,
PubMed and publishers a phrase in brackets.

>>> means_nothing("[No abstract available]"), means_nothing("\\N"), means_nothing("On nothing")
(True, True, False)
"""

#: in lower case, without brackets, quotes and full stops around them
MEANS_NOTHING = r"""
-|--|---|–|—|_|?|/
na|n/a|n.a|n. a|n/d|n.d|n. d|nan|nat|none|null|\n|undefined|unknown|anonymous|anon
#n/a|#na|#null!|#name?|#value!|#ref!
not available|not applicable|not given|not provided|not found|unavailable
[no abstract]|no abstract.|no abstract available|no abstract is available|no abstract provided
no abstract found|no abstract given|no abstracts available|abstract missing|abstract
abstract not available|abstract is not available|abstract unavailable
an abstract is not available|abstract not provided|abstract not found
no abstract available for this article|no abstract is available for this article
there is no abstract available for this article|this article has no abstract
an abstract is not available for this article
no title|no title available|title not available|untitled
no author|no authors|no author name available|no authors listed|no author listed
no author id available|no author given|no authors given
no source title available|no source information available|no doi|no year
""".replace("\n", "|").split("|")
AROUND = " \t\r\n\xa0.,;:[](){}<>\"'"  # brackets, quotes and stops around such a text


def means_nothing(text: str) -> bool:
    """Return whether a text stands for a missing value: it is blank, or one of MEANS_NOTHING."""
    one_line = " ".join(text.casefold().split())
    return one_line in MEANS_NOTHING or one_line.strip(AROUND) in MEANS_NOTHING

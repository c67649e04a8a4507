"""DORIS-MAE's pairs of an aspect and an abstract that people judged, apart from each other.

Three people judged the 250 pairs of `Test_set`; the layout is that of the paper's appendix A.4,
unverified: it is empty in the file that this was written with. Two people judged the 90 pairs with
which the prompt was developed. The release leaves these out (A.3: they are in the authors'
repository); `Dev_set` is our name for a list of the same layout, read where a file has one.
"""

import warnings
from statistics import median_low

from ir_datasets_ext.doris_mae.judged import Judged, aspects_as_queries
from ir_datasets_ext.records import checked, refused

PEOPLE = {"Test_set": 3, "Dev_set": 2}


def human(section, annotator, contents, part=None):
    """Return the aspects of a list with the judgements of people: a list of `Judged`.

    The candidates are the judged abstracts.

    section: one of PEOPLE.
    annotator: 1, 2 or 3 for one person's scores, None for the majority's (where all three differ,
        the middle one, 1; where two differ, the lower one): that is the low median in any case.
    contents: what `Papers.contents` returns. part: there is none but None.

    Raises ValueError for an entry that is not as the paper's appendix A.4 describes it. Warns if
    pairs have no annotation, which all are said to have: their aspect ids may then be of another
    version of the release.
    """
    found, unannotated = {}, 0
    for number, entry in enumerate(contents[section]):
        aspect, abstract, scores = _pair(section, number, entry, contents)
        relevance = found.setdefault(aspect, {})
        if abstract in relevance:
            what = f"expected each pair once, got aspect {aspect} and abstract {abstract} again"
            raise refused(contents["file"], f"entry {number} of {section}", "", what)
        relevance[abstract] = scores[annotator - 1] if annotator else median_low(scores)
        unannotated += abstract not in contents["annotations"].get(aspect, ((), ()))[0]
    if unannotated:
        warnings.warn(
            f"{unannotated} of the {len(contents[section])} pairs of {section} are not among the "
            "annotations, from which they were drawn: are their aspect ids of another version? "
            "doris-mae/human and doris-mae/v0/human can be compared",
            stacklevel=2,
        )
    queries = aspects_as_queries(contents)
    return [
        Judged(queries[aspect], 1, tuple(relevance), relevance)
        for aspect, relevance in found.items()
    ]


def _pair(section, number, entry, contents):
    from ir_datasets_ext.doris_mae.contents import ASPECT, check_id
    from ir_datasets_ext.doris_mae.layout import HumanScores

    file, record = contents["file"], f"entry {number} of {section}"
    found = checked(entry, HumanScores, file, record)
    aspect, abstract, given = str(found.aspect_id), str(found.abstract_id), found.human_annotation
    scores, people = list(given.values() if isinstance(given, dict) else given), PEOPLE[section]
    if len(scores) != people:
        what = f"expected {people} scores, got {given}"
        raise refused(file, record, "human_annotation", what)
    check_id(aspect, contents["aspects"], ASPECT, file, record, "aspect_id")
    return aspect, abstract, scores

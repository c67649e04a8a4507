"""DORIS-MAE's test set: pairs of an aspect and an abstract that three people judged."""

import warnings
from statistics import median_low

from ir_datasets_ext._doris_mae_judged import Judged, aspects_as_queries


def human(annotator, contents, part=None):
    """Return the aspects of the test set with the judgements of people: a list of `Judged`.

    The candidates are the judged abstracts.

    annotator: 1, 2 or 3 for one person's scores, None for the majority's (where all three differ,
        the middle one, 1): that is the median in either case.
    contents: what `Release.contents` returns. part: there is none but None.

    Raises ValueError for an entry that is not as the paper's appendix A.4 describes it. Warns if
    pairs have no annotation, which all are said to have: their aspect ids may then be of another
    version of the release.
    """
    found, unannotated = {}, 0
    for number, entry in enumerate(contents["test_set"]):
        aspect, abstract, scores = _pair(number, entry, contents["aspects"])
        relevance = found.setdefault(aspect, {})
        if abstract in relevance:
            raise ValueError(
                f"entry {number} of Test_set is of aspect {aspect} and abstract {abstract}, as one "
                "before it: expected each pair once. Delete the release's file to download it anew"
            )
        relevance[abstract] = scores[annotator - 1] if annotator else median_low(scores)
        unannotated += abstract not in contents["annotations"].get(aspect, ((), ()))[0]
    if unannotated:
        warnings.warn(
            f"{unannotated} of the {len(contents['test_set'])} pairs of Test_set are not among the "
            "annotations, from which they were drawn: are their aspect ids of another version? "
            "doris-mae/human and doris-mae/v0/human can be compared",
            stacklevel=2,
        )
    queries = aspects_as_queries(contents)
    return [
        Judged(queries[aspect], 1, tuple(relevance), relevance)
        for aspect, relevance in found.items()
    ]


def _pair(number, entry, aspects):
    try:
        aspect, abstract = str(entry["aspect_id"]), str(entry["abstract_id"])
        given = entry["human_annotation"]
        scores = list(given.values() if isinstance(given, dict) else given)
    except (KeyError, TypeError) as error:
        scores = [error]
    if len(scores) != 3 or any(score not in (0, 1, 2) for score in scores) or aspect not in aspects:
        raise ValueError(
            f"entry {number} of Test_set is {entry}: expected aspect_id (of aspect_id2aspect), "
            "abstract_id, and human_annotation with three scores of 0, 1 or 2. Delete the "
            "release's file to download it anew"
        )
    return aspect, abstract, [int(score) for score in scores]

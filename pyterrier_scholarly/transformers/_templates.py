"""Texts that templates say, as `str.format` takes them: of columns, or of a dataset's documents."""

from string import Formatter

from .. import datasets, frames

PAPER = "query_"  # what fields of the query's paper begin with
REMEDY = "Give {} a dataset, or put a retriever, Pool(…) or FacetQuery(…) first."


def fields(template) -> list:
    """The names in braces, each once; ValueError if there are none."""
    names = list(dict.fromkeys(name for _, name, _, _ in Formatter().parse(template) if name))
    if not names:
        raise ValueError(
            f"The template {template!r} has no field: write it like '{{title}} {{text}}'."
        )
    return names


def both(results, step):
    """A frame, checked, and the texts of each row: of its query, of its document (lists (n,)).

    Args:
        results: a frame with `qid` and `docno`.
        step: a transformer with the templates `query` and `document`, and a `dataset` or None.
            With one, fields of the document, and those of the query that begin with `query_`, are
            taken from its documents `docno` and `query_docno`; else from columns.

    Raises:
        pt.validate.InputValidationError: a column is missing.
        ValueError: a template without a field or with one that documents do not have, texts that
            are NaN, a query without text; names the rows.
    """
    asked = fields(step.query)
    needed = [*asked, *fields(step.document)]
    if step.dataset is not None:
        needed = ["query_docno" if name.startswith(PAPER) else name for name in asked]
    remedy = REMEDY.format(type(step).__name__)
    results = frames.check(results, step, ["qid", "docno", *needed], remedy=remedy)
    return results, of_queries(results, step), of_documents(results, step)


def of_queries(results, step):
    """The query's text for each row, see `both`."""
    return _texts(results, step, step.query, "qid", PAPER, "query_docno")


def of_documents(results, step):
    """The document's text for each row, see `both`."""
    return _texts(results, step, step.document, "docno", "", "docno")


def filled(template, record) -> str:
    """`template` with the fields of a document's record."""
    return template.format(**{name: _of(record, name, template) for name in fields(template)})


def _texts(results, step, template, by, prefix, docno):
    names, dataset = fields(template), step.dataset
    stored = [n for n in names if dataset is not None and n.startswith(prefix)]
    values = results[[by]].assign(**{n: results[n] for n in names if n not in stored})
    if stored:
        records = datasets.documents(dataset, results[docno])
        for name in stored:
            key = name.removeprefix(prefix)
            found = {d: _of(record, key, template) for d, record in records.items()}
            values[name] = results[docno].map(found)
    for name in names:
        frames.texts_only(values, name, by=by, blank=by == "docno" or len(names) > 1)
    return frames.per_key(values, names, lambda *row: template.format(**dict(zip(names, row))))


def _of(record, name, template):
    if not hasattr(record, name):
        has = ", ".join(record._fields)
        raise ValueError(f"The template {template!r} has {name!r}; the documents have {has}.")
    return getattr(record, name)

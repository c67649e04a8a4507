"""Check the tables that describe a collection: recompute or quote each row."""

from decimal import ROUND_HALF_UP, Decimal

from pyterrier_scholarly import correlate, published, statistics, systems
from pyterrier_scholarly.evaluation import printed_tables

from .statuses import DATA, DIFFERS, EQUAL, QUOTED, UNPUBLISHED


def described(collection):
    """Yield (table, row, status, detail) for each row of the tables that describe a collection.

    Raises:
        ValueError: a figure differs from the printed one.
    """
    try:
        tables = printed_tables(collection)
    except ValueError:
        return
    for number, table in tables.items():
        if (collection, number) in WHOLE:
            command = f'``printed_tables("{collection}")["{number}"]``'
            yield number, "all figures", QUOTED, f"{WHOLE[collection, number]}: {command}"
            continue
        compute = COMPUTED.get((collection, number), _unknown)
        found = compute(table)
        for row in table.to_dict("records"):
            name, status, detail = found(row)
            yield number, name, status, detail


def _unknown(table):
    raise ValueError(f"no check, and no reason for none, of the columns {list(table)}")


def _quoted(reason):
    return lambda table: lambda row: (_name(row), QUOTED, reason)


def _papers(table):
    """Say which counts of section 2.5 the release can give: all papers, not whose they are."""

    def check(row):
        name = row["papers"]
        if name != "all":
            return name, UNPUBLISHED, "the release does not say which papers are whose"
        return (
            name,
            DATA,
            '``statistics("litsearch/full-text")["corpus"]`` counts papers and words of the whole '
            "release",
        )

    return check


def _halves(table_name):
    """Say from which dataset the two halves of DORIS-MAE's tables 9 and 10 are computed."""
    datasets = {"Query": "doris-mae", "Sub-query": "doris-mae/subqueries-2"}

    def compute(table):
        def check(row):
            return _name(row), DATA, f'``statistics("{datasets[row["of"]]}")["{table_name}"]``'

        return check

    return compute


def _questions(table_name, columns, row_of):
    """Check numbers and lengths of LitSearch's questions; the overlap needs all papers."""

    def compute(table):
        own = statistics("litsearch")[table_name]
        own = own.set_index([own.columns[0], "specificity"])

        def check(row):
            name = row_of[row[columns["name"]]]
            cells = 0
            for specificity in ("broad", "specific"):
                ours = own.loc[(name, specificity)]
                for label, column in columns["cells"].items():
                    printed = row[f"{specificity.capitalize()} {label}"]
                    decimals = columns["decimals"][label]
                    _same(f"{name} {specificity} {label}", printed, ours[column], decimals)
                    cells += 1
            return (
                row[columns["name"]],
                EQUAL,
                f'{cells} cells equal as printed: ``statistics("litsearch")["{table_name}"]``; '
                "overlap of words waits for all papers (482 of 597 questions have theirs here)",
            )

        return check

    return compute


def _same(where, printed, ours, decimals):
    """Raise ValueError unless `ours`, rounded half up, is the printed figure."""
    unit = Decimal(1).scaleb(-decimals)
    rounded = Decimal(str(round(ours, 9))).quantize(unit, ROUND_HALF_UP)
    if rounded != Decimal(str(printed)).quantize(unit):
        raise ValueError(f"{where}: printed {printed}, ours {ours}")


def _checkpoints(table):
    known = {row["name"]: row["run"] for row in systems("litsearch").table.to_dict("records")}

    def check(row):
        if known[row["Retriever"]] != row["HuggingFace Checkpoint"]:
            raise ValueError(f"{row}: systems has {known[row['Retriever']]}")
        return row["Retriever"], EQUAL, 'the same name: ``systems("litsearch").table``'

    return check


def _correlations(table):
    families = {"tf-idf": "1", "LDA": "2"}
    figures = published("rhsa")

    def check(row):
        rows = figures[figures["table"] == families[row["Doc. Sim. Model Type"]]]
        wide = rows.pivot(index="system", columns="label", values="value").reset_index()
        label = f"rHSA({row['Collection']})"
        found = correlate(wide, "MAP(100q)", label).set_index("coefficient")["value"]
        name, command = f"{row['Doc. Sim. Model Type']} {row['Collection']}", "correlate"
        _same(name, row["R"], found["R"], 2)
        if round(found["ρ"], 2) == row["ρ"]:
            return name, EQUAL, f"R and ρ equal to 2 decimals: ``{command}`` over tables 1 and 2"
        return (
            name,
            DIFFERS,
            f"R is equal to 2 decimals; ρ is {found['ρ']:.3f} from the printed values, of which "
            "two are equal, and is printed 1.00; the paper does not say how",
        )

    return check


def _name(row):
    """Return the row's labels: its texts before the first figure."""
    texts = []
    for value in row.values():
        if not isinstance(value, str) or len(texts) == 3:
            break
        texts.append(value)
    return " ".join(texts)


#: (collection, name) of figures that no code computes -> the reason; the page has one entry of each
WHOLE = {
    ("csfcube", "pilot"): "the texts of that study are not in the release",
    ("csfcube", "comparisons"): "two collections of others",
    ("csfcube", "selection"): "how papers were chosen; a test compares facets and years",
    ("litsearch", "figure-3"): "table 3's points; what else the curves show was not read",
    ("doris-mae", "A.3"): "what is in the release, and what in the authors' codebase",
    ("doris-mae", "C.6"): "over extended pools that are not in the release",
    ("rhsa", "log"): "counts of a log and of articles that are not public",
}
COMPUTED = {
    ("litsearch", "1"): _quoted(
        "the rubric; ``write_review`` puts it into the file to be filled in"
    ),
    ("litsearch", "2"): _questions(
        "questions",
        {
            "name": "questions",
            "cells": {"#Q": "questions", "Avg. Len": "words", "Avg. #P": "papers"},
            "decimals": {"#Q": 0, "Avg. Len": 1, "Avg. #P": 2},
        },
        {"Inline-citation Questions": "inline", "Author-written Questions": "author"},
    ),
    ("litsearch", "2.5"): _papers,
    ("litsearch", "9"): _checkpoints,
    ("litsearch", "14"): _questions(
        "sets",
        {
            "name": "set",
            "cells": {"#Q": "questions", "Avg. L": "words"},
            "decimals": {"#Q": 0, "Avg. L": 1},
        },
        {
            "ACL-sourced": "inline-acl",
            "Non-ACL-sourced": "inline-nonacl",
            "ACL 2023": "author-acl2023",
            "ICLR 2024": "author-iclr2024",
        },
    ),
    ("doris-mae", "9"): _halves("relevant"),
    ("doris-mae", "10"): _halves("scores"),
    ("rhsa", "3"): _correlations,
}

"""Three hundred papers that come out of every form alike."""

import csv
import io
import json
import random
import re

import pytest

from pyterrier_scholarly import Papers
from pyterrier_scholarly.papers import PaperRecord, read_source

COUNT = 300
WORDS = (
    "oaks elms façade naïve Ågren Łódź über señor 50% 12.5% R&D C# x_1 x<y p>0.05 H2O {sic} “so” "
    "α-helix 10^5 #1 $5 back\\slash tilde~x don't e.g. state-of-the-art größer Ωmega"
).split()
FAMILIES = "Oak Müller García Sørensen Łukasiewicz O'Neil Ng Çelik Nguyễn D’Arcy".split()


def make_papers():
    """Papers with accents, marks of every form, and missing fields."""
    draw = random.Random(38)
    papers = []
    for number in range(COUNT):
        words = draw.choices(WORDS, k=40)
        authors = [f"{draw.choice('ABCÉ')}nn {draw.choice(FAMILIES)}" for _ in range(number % 4)]
        papers.append(
            PaperRecord(
                paper_id=f"key{number}",
                title=f"Paper {number} on {' '.join(words[:5])}",
                abstract="" if number % 7 == 0 else f"We prune {' '.join(words)}.",
                year=None if number % 11 == 0 else 1990 + number % 30,
                doi="" if number % 5 == 0 else f"10.1000/(x)<{number}>a_b%c",
                authors=tuple(authors),
                venue="" if number % 3 == 0 else f"J. {words[0]} & {words[1]}",
                url=f"https://a.org/x_{number}?q=a%20b&r=1" if number % 2 else "",
            )
        )
    return papers


def escape_latex(text):
    """As Zotero writes it, with every third mark bare, as publishers do."""
    commands = {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "~": r"\textasciitilde{}",
    }
    commands |= {"ø": r"{\o}", "ü": r"{\"u}", "Ł": r"\L{}", "<": r"\textless{}", "α": r"$\alpha$"}
    commands |= {"&": r"\&", "#": r"\#", "_": r"\_"}
    return "".join(commands.get(letter, letter) for letter in text)


def flip(name):
    """Family name first."""
    given, family = name.split(" ", 1)
    return f"{family}, {given}"


def escape_doi(paper):
    """As addresses have it."""
    return paper.doi.replace("%", "%25")


def write_bibtex(paper):
    """An entry of BibTeX."""
    fields = {
        **{"title": f"{{{escape_latex(paper.title)}}}", "abstract": escape_latex(paper.abstract)},
        **{"date": paper.year, "doi": escape_doi(paper), "url": paper.url},
        "author": escape_latex(" and ".join(flip(name) for name in paper.authors)),
        "journal": escape_latex(paper.venue),
    }
    lines = [f"  {name} = {{{value or ''}}}," for name, value in fields.items()]
    return "\n".join([f"@article{{{paper.paper_id},", *lines, "}", ""])


def write_ris(paper):
    """A record of RIS, its abstract over several lines."""
    wrapped = re.sub(r"(.{30,60}) ", r"\1\n", paper.abstract) or "NA"
    lines = [("TY", "JOUR"), ("ID", paper.paper_id), ("TI", paper.title), ("AB", wrapped)]
    lines += [("AU", flip(name)) for name in paper.authors]
    lines += [("PY", f"{paper.year or ''}///"), ("JO", paper.venue), ("UR", paper.url)]
    if paper.doi:
        lines.append(("L2" if paper.url else "DO", f"https://doi.org/{escape_doi(paper)}"))
    lines.append(("ER", ""))
    return "".join(f"{tag}  - {value}\n" for tag, value in lines)


def write_csl(paper):
    """An item of CSL-JSON."""
    names = [name.split(" ", 1) for name in paper.authors]
    escaped = paper.abstract.replace("&", "&amp;").replace("<", "&lt;")
    return {
        **{"id": paper.paper_id, "title": paper.title, "DOI": escape_doi(paper)},
        **{"abstract": f"<p>{escaped}</p>", "container-title": paper.venue, "URL": paper.url},
        "author": [{"given": given, "family": family} for given, family in names],
        "issued": {"date-parts": [[paper.year]]},
    }


def write_openalex(paper):
    """A work of OpenAlex."""
    index = {}
    for place, word in enumerate(paper.abstract.split()):
        index.setdefault(word, []).append(place)
    return {
        **{"id": f"https://openalex.org/{paper.paper_id}", "title": paper.title},
        **{
            "doi": f"https://doi.org/{escape_doi(paper)}",
            "publication_year": paper.year,
        },
        "authorships": [{"author": {"display_name": name}} for name in paper.authors],
        "abstract_inverted_index": index or None,
        "primary_location": {
            "landing_page_url": paper.url,
            "source": {"display_name": paper.venue or None},
        },
    }


def write_semantic_scholar(paper):
    """A paper of Semantic Scholar."""
    return {
        **{"paperId": paper.paper_id, "title": paper.title, "abstract": paper.abstract or None},
        **{"externalIds": {"DOI": escape_doi(paper)}, "year": paper.year},
        **{"venue": paper.venue, "url": paper.url},
        "authors": [{"name": name} for name in paper.authors],
    }


#: the columns of services: id, title, abstract, year, DOI, authors, venue, address
COLUMNS = {
    "zotero.csv": "Key,Title,Abstract Note,Publication Year,DOI,Author,Publication Title,Url",
    "scopus.csv": "EID,Title,Abstract,Year,DOI,Authors,Source title,Link",
    "wos.tsv": "UT (Unique WOS ID)\tArticle Title\tAbstract\tPublication Year\tDOI\tAuthors"
    "\tSource Title\tLink",
    "pubmed.csv": "PMID,Title,Abstract,Publication Year,DOI,Authors,Journal/Book,Link",
    "embase.csv": "PUI,Title,Abstract,Publication Year,DOI,Author Names,Source title,Embase Link",
    "dimensions.csv": "Publication ID,Title,Abstract,PubYear,DOI,Authors,Source title,PDF link",
}


def write_table(name, papers):
    """A table with the columns of a service; missing values as R and pandas write them."""
    separator = "\t" if name.endswith(".tsv") else ","
    file = io.StringIO()
    writer = csv.writer(file, delimiter=separator)
    writer.writerow(COLUMNS[name].split(separator))
    for paper in papers:
        authors = "; ".join(flip(author) for author in paper.authors)
        row = [paper.paper_id, paper.title, paper.abstract or "[No abstract available]"]
        doi = escape_doi(paper)
        writer.writerow([*row, paper.year, doi, authors or "NA", paper.venue or "nan", paper.url])
    return file.getvalue()


def write_export(name, papers):
    """The text of an export."""
    if name in COLUMNS:
        return write_table(name, papers)
    if name.endswith((".bib", ".ris")):
        write = write_bibtex if name.endswith(".bib") else write_ris
        return "\n".join(map(write, papers))
    records = {"csl": write_csl, "openalex": write_openalex, "s2": write_semantic_scholar}
    made = [records[name.split(".")[0]](paper) for paper in papers]
    if name.endswith(".jsonl"):
        return "\n".join(map(json.dumps, made))
    return json.dumps({"results": made})


@pytest.mark.parametrize(
    "name", ["a.bib", "a.ris", "csl.json", "openalex.json", "s2.json", "s2.jsonl", *COLUMNS]
)
def test_three_hundred_papers(tmp_path, name):
    """Every form gives the same papers, and no word of an abstract is lost."""
    papers = make_papers()
    (tmp_path / name).write_text(write_export(name, papers), encoding="utf-8", newline="")
    found = list(read_source(tmp_path / name))
    assert [record for record in found if not isinstance(record, PaperRecord)] == []
    for record, paper in zip(found, papers, strict=True):
        assert set(paper.abstract.split()) == set(record.abstract.split())
        assert record._replace(place="") == paper


def test_three_hundred_papers_twice(tmp_path):
    """A library of all forms has each paper once, and names each record that is left out."""
    papers = make_papers()
    other = [paper._replace(paper_id=f"again{n}") for n, paper in enumerate(papers[:20])]
    taken = [
        paper._replace(title=f"Another work {n}", doi=f"10.1000/new{n}", abstract="Other words.")
        for n, paper in enumerate(papers[:20])
    ]
    for name, some in (("a.bib", papers), ("b.csv", other), ("c.ris", taken)):
        table = "scopus.csv" if name == "b.csv" else name
        (tmp_path / name).write_text(write_export(table, some), encoding="utf-8", newline="")
    library = Papers.build(tmp_path / "library", tmp_path, verbose=False)
    info = library.info()
    assert (info.papers, info.duplicates) == (COUNT + 20, 20)
    reasons = [remark.reason for remark in info.remarks]
    for number in range(20):
        assert any(f"again{number} is the same paper as key{number}," in text for text in reasons)
        assert (
            f"its id key{number} is that of another paper: it is called 10.1000/new{number}"
            in reasons
        )
    assert library.add(tmp_path / "c.ris", verbose=False).unchanged == 20

"""Hash every part of every dataset, to see whether two checkouts read the same from a home.

python benchmarks/dataset_hashes.py link HOME           # links to the data at hand
python benchmarks/dataset_hashes.py make HOME MADE_UP   # has what these lack, made up
PYTHONPATH=CHECKOUT python benchmarks/dataset_hashes.py hash HOME home.json
python benchmarks/dataset_hashes.py compare old.json new.json
"""

import hashlib
import json
import os
import random
import shutil
import sys
import warnings
import zipfile
from pathlib import Path

COLLECTIONS = ("csfcube", "litsearch", "doris-mae", "scholarly-mini")
KINDS = ("docs", "queries", "qrels", "scoreddocs", "ratings", "judgements", "annotations")
ANSWERS = ("count", "namespace", "lang", "defs")


def main():
    """Run the command of the arguments."""
    command, *paths = sys.argv[1:]
    {"link": link, "make": make, "hash": hash_home, "compare": compare}[command](*map(Path, paths))


def link(home):
    """Link the files of the releases at hand into an empty home."""
    data = Path(os.environ["SCHOLARLY_DATA"])
    for collection in COLLECTIONS:
        for file in (data / collection).rglob("*"):
            if file.is_file():
                place = home / file.relative_to(data)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.symlink_to(file)


def hash_home(home, output):
    """Write the hashes of all parts of all datasets."""
    os.environ["IR_DATASETS_HOME"] = str(home)
    warnings.simplefilter("ignore")
    import ir_datasets

    import ir_datasets_ext  # noqa: F401 (registers ours)

    hashes = {}
    documents = {}  # by the handler of documents, which datasets share
    for dataset_id in sorted(ir_datasets.registry):
        if dataset_id.split("/")[0] not in COLLECTIONS:
            continue
        dataset = ir_datasets.load(dataset_id)
        parts = {kind: try_to(hash_records, dataset, kind) for kind in (*KINDS[1:], "pool_sources")}
        handler = id(dataset.docs_handler())
        if handler not in documents:
            documents[handler] = {
                "docs": try_to(hash_records, dataset, "docs"),
                "look-ups": try_to(hash_look_ups, dataset),
                "citations": try_to(hash_citations, dataset),
            }
        parts.update(documents[handler])
        for kind in KINDS[:4]:
            for name in ANSWERS:
                answer = getattr(dataset, f"{kind}_{name}", None)
                parts[f"{kind}_{name}"] = answer and try_to(lambda answer: repr(answer()), answer)
        parts["documentation"] = hash_values([json.dumps(dataset.documentation(), sort_keys=True)])
        parts["parent"] = ir_datasets.docs_parent_id(dataset_id)
        hashes[dataset_id] = parts
    output.write_text(json.dumps(hashes, indent=1, sort_keys=True))
    print(len(hashes), "datasets,", sum(map(len, hashes.values())), "parts")


def hash_records(dataset, kind):
    """Return class, fields, number and hash of all records of a kind; None if there is no such."""
    if not hasattr(dataset, f"{kind}_iter"):
        return None
    cls = getattr(dataset, f"{kind}_cls", lambda: None)()
    records = list(getattr(dataset, f"{kind}_iter")())
    fields = {(type(record).__name__, record._fields) for record in records}
    return [cls and cls.__name__, sorted(fields), len(records), hash_values(map(tuple, records))]


def hash_look_ups(dataset):
    """Return a hash of documents by id, by position and by slices."""
    count = dataset.docs_count()
    positions = random.Random(count).sample(range(count), min(100, count))
    documents = dataset.docs_iter()
    some = [documents[position] for position in (0, count - 1, -1, *positions)]
    store = dataset.docs_store()
    by_id = [store.get(document.doc_id) for document in some]
    many = store.get_many([document.doc_id for document in some] + ["no such"])
    sliced = [*dataset.docs_iter()[2:9:3], *dataset.docs_iter()[-3:]]
    return hash_values([*some, *by_id, *sorted(many.items()), *sliced])


def hash_citations(dataset):
    """Return a hash of the citations of some documents; None if the collection has none."""
    if not hasattr(dataset, "citations"):
        return None
    documents = list(dataset.docs_iter()[:300])
    return hash_values(dataset.citations(document.doc_id) for document in documents)


def try_to(read, *arguments):
    """Return what a function returns, or the class of its error."""
    try:
        return read(*arguments)
    except Exception as error:
        return f"raises {type(error).__name__}"


def hash_values(values):
    """Return a hash of texts or tuples, in their order."""
    hasher = hashlib.sha256()
    for value in values:
        hasher.update(repr(value).encode())
    return hasher.hexdigest()


def compare(old, new):
    """Print the parts that differ between two outputs."""
    old_parts, new_parts = json.loads(old.read_bytes()), json.loads(new.read_bytes())
    equal = 0
    for dataset_id in sorted(old_parts.keys() | new_parts.keys()):
        ours, theirs = new_parts.get(dataset_id, {}), old_parts.get(dataset_id, {})
        for part in sorted(ours.keys() | theirs.keys()):
            if ours.get(part) == theirs.get(part):
                equal += 1
            else:
                print(f"{dataset_id} {part}: {theirs.get(part)} -> {ours.get(part)}")
    print(equal, "parts are equal")


def make(home, made_up_home):
    """Copy a home, and add what its files lack."""
    import pyarrow
    from pyarrow import parquet

    shutil.copytree(home, made_up_home, ignore=shutil.ignore_patterns(".*", "rankings", "runs"))
    rng = random.Random(5)
    make_archive(made_up_home / "csfcube", rng)

    schema = pyarrow.schema(
        {
            "corpusid": pyarrow.int64(),
            "title": pyarrow.string(),
            "abstract": pyarrow.string(),
            "citations": pyarrow.list_(pyarrow.int64()),
            "full_paper": pyarrow.string(),
        }
    )
    for path in sorted((made_up_home / "litsearch/corpus_clean").glob("*.parquet")):
        rows = parquet.read_table(path).to_pylist()
        for row in rows:
            row["citations"] = [rng.randrange(10**6) for _ in range(rng.randrange(5))]
            row["full_paper"] = None if rng.random() < 0.2 else f"Text é {rng.random()} " * 50
            row["abstract"] = None if rng.random() < 0.1 else row["abstract"]
        path.unlink()
        parquet.write_table(pyarrow.Table.from_pylist(rows, schema), path)

    folder = made_up_home / "doris-mae"
    release = json.loads((folder / "DORIS-MAE_dataset_v1.json").read_bytes())
    add_to_papers(release, rng)
    add_to_queries(release, rng)
    add_people(release, rng)
    write_anew(folder / "DORIS-MAE_dataset_v1.json", json.dumps(release, indent=1))
    release["Query"] = release["Query"][:50]
    write_anew(folder / "DORIS_MAE_dataset_v0.json", json.dumps(release, ensure_ascii=False))


def make_archive(folder, rng):
    """Write an archive of abstracts, some of them CSFCube's own."""
    lines = (folder / "abstracts-csfcube-preds.jsonl").read_text("utf-8").splitlines()
    papers = [json.loads(line) for line in rng.sample(lines, 300)]
    for number, paper in enumerate(papers[:200]):
        paper["paper_id"] = f"made-{number}"
        paper["metadata"] = {"year": rng.choice([1999, "2001", None]), "authors": ["A. Uthor"]}
    with zipfile.ZipFile(folder / "abstracts-preds.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("abstracts.jsonl", "".join(json.dumps(paper) + "\n" for paper in papers))


def add_to_papers(release, rng):
    """Add optional fields to the papers of DORIS-MAE."""
    ids = [paper["abstract_id"] for paper in release["Corpus"]]
    for number, paper in enumerate(release["Corpus"]):
        cited = [rng.choice([rng.choice(ids), f"s{rng.randrange(3000)}", 10**8]) for _ in range(4)]
        paper.update(
            title=f"Title {number}",
            url="http://x",
            categories=rng.choice(["cs.CL cs.LG", ["cs.CV"], None]),
            masked_abstract="mask",
            primary_category="cs.CL",
            ss_id=f"s{number}" if number % 3 else None,
            outgoing_citations=cited,
            incoming_citations=[f"s{rng.randrange(3000)}"],
        )


def add_to_queries(release, rng):
    """Add maps from sentences to aspects to most queries of DORIS-MAE, in all their forms."""
    for number, query in enumerate(release["Query"]):
        if number % 7 == 0:
            continue
        ids = list(query["aspects"])
        sentences = [f"Sentence {number} {position}." for position in range(len(ids) + 1)]
        several = [rng.sample(ids, min(len(ids), rng.choice([1, 1, 2]))) for _ in sentences]
        query["sent2aspect_id"] = {
            sentence: rng.choice([some_ids, ids[0], []])
            for sentence, some_ids in zip(sentences, several)
        }
        sentences_by_aspect = {}
        for sentence, found in query["sent2aspect_id"].items():
            for aspect_id in found if isinstance(found, list) else [found]:
                sentences_by_aspect.setdefault(aspect_id, []).append(sentence)
        query["aspect_id2sent"] = sentences_by_aspect
        pool = query["candidate_pool"]
        query["idea_from"] = rng.choice([pool[:2], pool[0] if pool else None, None])


def add_people(release, rng):
    """Add repeated pairs, replies, and people's judgements to DORIS-MAE."""
    annotations = release["Annotation"]
    annotations += annotations[:30]
    for annotation in annotations[::5]:
        annotation["gpt_response"] = "I think … CONCUR"
    some = rng.sample(annotations, 400)
    pairs = list(dict.fromkeys((one["aspect_id"], one["abstract_id"]) for one in some))
    release["Test_set"] = [judge(pair, rng, ["x", "y", "z"]) for pair in pairs[:250]]
    release["Dev_set"] = [judge(pair, rng, None) for pair in pairs[250:340]]


def judge(pair, rng, names):
    """Return a pair of aspect and abstract with the scores of two people, or of named ones."""
    scores = [rng.randrange(3) for _ in names or range(2)]
    if names and rng.random() < 0.5:
        scores = dict(zip(names, scores))
    return {"aspect_id": pair[0], "abstract_id": pair[1], "human_annotation": scores}


def write_anew(path, content):
    """Write a text in the place of a file or a link."""
    path.unlink(missing_ok=True)
    path.write_text(content, "utf-8")


if __name__ == "__main__":
    main()

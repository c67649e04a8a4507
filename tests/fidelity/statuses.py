"""The statuses of an entry."""

EQUAL, RANKING, DATA = "equal", "published ranking", "needs data"
WEIGHTS, UNPUBLISHED = "needs weights", "not public"
DIFFERS, QUOTED = "differs", "quoted"

#: status -> its meaning
MEANING = {
    EQUAL: "Our figure is the printed one, to the last printed digit, in every cell that the run "
    "answers. The check ran when this page was made.",
    RANKING: "From a ranking that its authors published, our measures give what the authors' own "
    "code computes. The check ran when this page was made.",
    DATA: "The row runs here without any weights. Its figure needs the whole release.",
    WEIGHTS: "The row runs with the weights that are named. They were not at hand, so no figure "
    "was compared.",
    UNPUBLISHED: "The weights, queries, pools or logs behind the row were never published.",
    DIFFERS: "Our figure is not the printed one, for the reason that is given.",
    QUOTED: "Text or figures of the paper that no code computes.",
}

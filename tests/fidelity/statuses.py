"""The statuses of an entry."""

EQUAL, RANKING, DATA = "equal", "published ranking", "needs data"
WEIGHTS, UNPUBLISHED = "needs weights", "not public"
CLIENT, UNLOADED = "needs a client", "not loaded"
DIFFERS, QUOTED, UNREAD = "differs", "quoted", "not read"

#: status -> its meaning
MEANING = {
    EQUAL: "Our figure is the printed one, to the last printed digit, in every cell that the run "
    "answers. The check ran when this page was made.",
    RANKING: "From a ranking that its authors published, our measures give what the authors' own "
    "code computes. The check ran when this page was made.",
    DATA: "The row runs here without any weights. Its figure needs the whole release.",
    WEIGHTS: "The row runs with the weights that are named. They were not at hand, so no figure "
    "was compared.",
    CLIENT: "The row asks the API that is named, so it needs an account and no weights. There was "
    "none, so no figure was compared.",
    UNLOADED: "The weights are public in a form that is not loaded here. The row raises, unless a "
    "model is passed in their place.",
    UNPUBLISHED: "The weights, queries, pools, logs or lists of papers behind the row were never "
    "published, or it is an average of runs.",
    DIFFERS: "Our figure is not the printed one, for the reason that is given.",
    QUOTED: "Text or figures of the paper that no code computes.",
    UNREAD: "Printed in the paper, but not in the copy that was read, so no figure of it is here.",
}

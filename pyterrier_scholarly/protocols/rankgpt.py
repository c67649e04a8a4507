"""RankGPT [Sun et al. 2023]: lists that a language model ranks."""

from .prompts import ListwisePrompt

#: what a model is asked
LISTWISE = {
    "rankgpt": ListwisePrompt(
        source="Sun et al. 2023, RankGPT, as in rerankers 0.10.0, models/rankgpt_rankers.py",
        system=(
            "You are RankGPT, an intelligent assistant that can rank passages based on their "
            "relevancy to the query."
        ),
        opening=(
            "I will provide you with {n} passages, each indicated by number identifier []. \n"
            "Rank the passages based on their relevance to query: {query}."
        ),
        ready="Okay, please provide the passages.",
        closing=(
            "Search Query: {query}. \nRank the {n} passages above based on their relevance to the "
            "search query. The passages should be listed in descending order using identifiers. "
            "The most relevant passages should be listed first. The output format should be [] > "
            "[], e.g., [1] > [2]. Only response the ranking results, do not say any word or "
            "explain."
        ),
        candidate="{text}",
        window=20,
        stride=10,
    ),
}

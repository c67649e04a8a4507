"""The systems that drew CSFCube's pools.

topics = pt.get_dataset("irds:csfcube/method").get_topics("query")
systems = pool_systems("csfcube/method")
runs = {name: system(topics) for name, system in systems.items()}
pools = make_pools(runs, k=15)
"""

import pyterrier as pt

from ..arguments import Count, check_arguments
from ..datasets import DatasetLike
from ..encoders import EncoderLike, WholeText, WordVectors
from .neighbours import Neighbours

SPECTER_TEMPLATE = "{title}[SEP]{text}"  # of a paper's text, as SPECTER was trained


@check_arguments
def pool_systems(
    dataset: DatasetLike,
    specter: EncoderLike | None = "allenai/specter",
    num_results: Count = 100,
) -> dict[str, pt.Transformer]:
    """Build the seven systems that drew CSFCube's pools [Mysore et al. 2021, section 3].

    They compare whole papers without facets, in any collection. Title and abstract are compared by
    tf-idf (`title_tfidf`, `abs_tfidf`), by the mean of word vectors (`…_cbow200`), and by their
    mean weighted by tf-idf (`…_tfidfcbow200`); `specter` compares by distance. Each system ranks
    all other papers by their similarity to the query's paper. `make_pools` takes their runs:
    ``{name: system(topics) for name, system in pool_systems(dataset).items()}``.

    Each query is compared with every paper: suited for tens of thousands of papers, not millions.
    The authors' word vectors are of 800,000 abstracts, these (extra `words`) of the collection's.
    The authors' tokens and weights are unknown.

    Args:
        dataset: an id, a PyTerrier or an ir_datasets dataset whose documents have `title`, `text`.
        specter: the model's name on the hub, its folder, or any encoder of whole texts; None for no
            such system.
        num_results: how many papers are returned for a query.

    Returns:
        Dict from the release's name to a pipeline. Its topics name the query's paper in a column
        `query_docno`, or are queries of a dataset whose queries are papers.
    """
    encoder_by_kind = {
        "tfidf": None,
        "cbow200": WordVectors(dataset),
        "tfidfcbow200": WordVectors(dataset, weighted=True),
    }
    template_by_part = {"title": "{title}", "abs": "{text}"}

    systems: dict[str, pt.Transformer] = {}
    for part, template in template_by_part.items():
        for kind, encoder in encoder_by_kind.items():
            system = Neighbours(dataset, encoder, template, num_results=num_results)
            systems[f"{part}_{kind}"] = system

    if specter is not None:
        model = WholeText(specter, pooling="cls") if isinstance(specter, str) else specter
        systems["specter"] = Neighbours(dataset, model, SPECTER_TEMPLATE, "l2", num_results)
    return systems

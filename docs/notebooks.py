"""Run the notebooks of `examples/` and save them with their outputs: `make notebooks`.

    python docs/notebooks.py [NAME …]

Each runs on `scholarly-mini`, whose texts may be shown. What is saved beside the outputs is a
digest of the code that made them; `tests/test_notebooks.py` compares it with the code.
"""

import argparse
import hashlib
import tempfile
from pathlib import Path

import nbclient
import nbformat

EXAMPLES = Path(__file__).parents[1] / "examples"
MINI = ("csfcube", "effectiveness", "explain", "rhsa_study")


def digest(notebook) -> str:
    """Return the digest of a notebook's code."""
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return hashlib.sha256("\n\n".join(code).encode()).hexdigest()


def run(path):
    """Execute a notebook in an empty folder, and save it with its outputs."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        resources = {"metadata": {"path": folder}}
        nbclient.NotebookClient(notebook, timeout=3000, resources=resources).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # times, which differ
        if cell.cell_type == "code":
            cell.outputs = [one for one in cell.outputs if one.get("name") != "stderr"]
    notebook.metadata["code"] = digest(notebook)
    nbformat.write(notebook, path)


def main():
    """Run those that are named, or all."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("names", nargs="*", default=MINI, metavar="NAME")
    for name in arguments.parse_args().names:
        run(EXAMPLES / f"{name}.ipynb")
        print(f"{name}: saved with its outputs")


if __name__ == "__main__":
    main()

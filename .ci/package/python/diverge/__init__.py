"""diverge from Python: starts the program and gives back its JSON as objects. No dependencies.

    import diverge
    result = diverge.compare("npu_dump", "gpu_dump", step=0)
    print(result["first_deviation"])

Keyword arguments are the command's options: `step=0` is `--step 0`, `exact=True` is `--exact`, a list repeats its
option. `diverge compare --help` lists them.
"""
import json
import os
import shutil
import subprocess
import sysconfig

__all__ = ["Error", "check", "compare", "program", "run"]
__version__ = "0.0.0"  # written by .ci/package/wheel

ALIGNED, DEVIATES, NOT_JUDGED = 0, 1, 5  # exit statuses that come with a result


class Error(Exception):
    """What the program said instead of a result; `status` is its exit status."""

    def __init__(self, message, status):
        super().__init__(message)
        self.status = status


def program():
    """The program's path: DIVERGE where it is set, else the one installed with this module, else one of PATH."""
    given = os.environ.get("DIVERGE")
    if given:
        return given
    beside = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # pip install --target FOLDER: FOLDER/bin
    for folder in (sysconfig.get_path("scripts"), sysconfig.get_path("scripts", "posix_user"), os.path.join(beside, "bin")):
        path = os.path.join(folder, "diverge")
        if os.access(path, os.X_OK):
            return path
    found = shutil.which("diverge")
    if not found:
        raise FileNotFoundError("the program diverge is not installed; set DIVERGE to its path")
    return found


def _words(options):
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                words.append(option)
            elif one is not False and one is not None:
                words += [option, os.fspath(one) if isinstance(one, os.PathLike) else str(one)]
    return words


def run(command, *arguments, **options):
    """The JSON of a command that has --json: run("curves", "npu.log", "gpu.log"). Statuses that come without a result raise
    Error."""
    words = [program(), command, *_words(options), "--json", "-q", "--", *map(os.fspath, arguments)]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode not in (ALIGNED, DEVIATES, NOT_JUDGED) or not done.stdout:
        raise Error(said or "diverge ended with status %d" % done.returncode, done.returncode)
    return json.loads(done.stdout.decode("utf-8"))


def compare(target, golden, **options):
    """Both runs compared, as `diverge compare --json` writes it. rows="all" brings every row."""
    return run("compare", target, golden, **options)


def check(dump, **options):
    """What is wrong with one dump alone, as `diverge check --json` writes it."""
    return run("check", dump, **options)

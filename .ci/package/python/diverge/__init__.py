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
import signal
import subprocess
import sysconfig
import threading

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


def _outputs(words):
    """Runs the program; its exit status and what it wrote. After a Ctrl-C, no program is left behind."""
    handler, interrupts = signal.getsignal(signal.SIGINT), []
    # an exception while the program is being started would leave it running, and its number unknown
    held = callable(handler) and threading.current_thread() is threading.main_thread()
    if held:
        signal.signal(signal.SIGINT, lambda *interrupt: interrupts.append(interrupt))
    try:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            if held:
                signal.signal(signal.SIGINT, handler)
            while interrupts:
                handler(*interrupts.pop())
            out, err = process.communicate()
        except BaseException:
            for stop in (process.terminate, process.kill):  # the keyboard's signal has reached it, too; others have not
                try:
                    process.wait(1)
                    break
                except subprocess.TimeoutExpired:
                    stop()
            process.wait()
            raise
        finally:
            process.stdout.close()
            process.stderr.close()
    finally:
        if held:
            signal.signal(signal.SIGINT, handler)
        while interrupts:
            handler(*interrupts.pop())
    if process.returncode == -signal.SIGINT and held:
        raise KeyboardInterrupt  # an exception that was raised in a finalizer is lost
    return process.returncode, out, err


def run(command, *arguments, **options):
    """The JSON of a command that has --json: run("curves", "npu.log", "gpu.log"). Statuses that come without a result raise
    Error."""
    words = [program(), command, *_words(options), "--json", "-q", "--", *map(os.fspath, arguments)]
    status, out, err = _outputs(words)
    said = err.decode("utf-8", "replace").strip()
    if status not in (ALIGNED, DEVIATES, NOT_JUDGED) or not out:
        raise Error(said or "diverge ended with status %d" % status, status)
    return json.loads(out.decode("utf-8"))


def compare(target, golden, **options):
    """Both runs compared, as `diverge compare --json` writes it. rows="all" brings every row."""
    return run("compare", target, golden, **options)


def check(dump, **options):
    """What is wrong with one dump alone, as `diverge check --json` writes it."""
    return run("check", dump, **options)

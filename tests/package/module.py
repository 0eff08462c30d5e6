"""The installed module, used as its own documentation says."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import diverge

samples, version = os.environ["SAMPLES"], os.environ["VERSION"]
pair = [os.path.join(samples, "tt_rope", side) for side in ("target", "bench")]

assert diverge.__version__ == version
result = diverge.compare(*pair)
assert result["first_deviation"]["verdict"] == "deviate", result["first_deviation"]
assert result["rows"] == []

rows = diverge.compare(*pair, rows="all", exact=True, threshold=["coverage=0.9", "float32.deviate=1e-4"])["rows"]
assert len(rows) == sum(result["summary"][k] for k in ("pairs", "target_only", "golden_only"))

assert diverge.check(pair[1])["rows"] > 0
assert diverge.run("formats")



def refused(status, words, command, *arguments, **options):
    try:
        command(*arguments, **options)
    except diverge.Error as e:
        assert e.status == status and words in str(e), (e.status, e)
    else:
        raise AssertionError("no error with %s" % words)


# the file is written and the result comes back all the same
with tempfile.TemporaryDirectory() as folder:
    rows = os.path.join(folder, "rows.csv")
    assert diverge.compare(*pair, output=rows)["summary"] == result["summary"]
    assert os.path.getsize(rows) > 1000
    refused(6, "nowhere", diverge.compare, *pair, output=os.path.join(folder, "nowhere", "rows.csv"))
    # names in any writing, and in none; one that an option could begin with
    for name in ("训练 é", os.fsdecode(b"\xff\xfe"), "-x"):
        os.symlink(pair[0], os.path.join(folder, name))
        assert diverge.compare(pathlib.Path(folder, name), pair[1])["summary"] == result["summary"]
        assert diverge.check(os.path.join(os.fsencode(folder), os.fsencode(name)))["rows"] > 0
    os.chdir(folder)
    assert diverge.check("-x")["rows"] > 0
    refused(3, "不在", diverge.check, "不在")

refused(3, "nowhere", diverge.compare, pair[0], os.path.join(samples, "nowhere"))
refused(2, "--nonsense", diverge.compare, *pair, nonsense=True)
logs = [os.path.join(samples, "logs", "aligned", side) for side in ("mindformers", "benchmark")]
assert diverge.run("curves", *logs)["verdict"] == "unknown"  # exit status 5 comes with a result

# Ctrl-C: the keyboard's own exception, and no program left behind
with tempfile.TemporaryDirectory() as folder:
    endless = os.path.join(folder, "endless")
    with open(endless, "w") as f:
        f.write("#!/bin/sh\nexec sleep 1000\n")
    os.chmod(endless, 0o755)
    # what runs in the background ignores the signal
    waiting = ("import diverge, os, signal, subprocess, sys\nos.setpgid(0, 0)\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
               "execute = subprocess.Popen._execute_child\n"
               "def interrupted(*words):\n    execute(*words)\n    os.kill(os.getpid(), signal.SIGINT)\n"
               "if 'early' in sys.argv:\n    subprocess.Popen._execute_child = interrupted\n"
               "try:\n    print(flush=True)\n    diverge.check('.')\n"
               "except KeyboardInterrupt:\n    print('interrupted', flush=True)\n"
               "try:\n    os.waitpid(-1, os.WNOHANG)\n    print('left behind')\nexcept ChildProcessError:\n    print('alone')\n")
    # from outside at once and a little later; early: while the program is being started, which alone gets no signal
    for when in (0, 0.001, 0.01, 0.1, "early"):
        with subprocess.Popen([sys.executable, "-c", waiting, str(when)], stdout=subprocess.PIPE, env=dict(os.environ, DIVERGE=endless)) as other:
            other.stdout.readline()
            if when != "early":
                time.sleep(when)
                os.killpg(other.pid, signal.SIGINT)
            said = other.stdout.read()
            assert (said, other.wait()) == (b"interrupted\nalone\n", 0), (when, said, other.returncode)

"""The installed module, used as its own documentation says."""
import os

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

try:
    diverge.compare(pair[0], os.path.join(samples, "nowhere"))
except diverge.Error as e:
    assert e.status == 3 and "nowhere" in str(e), (e.status, e)
else:
    raise AssertionError("what is not there was compared")

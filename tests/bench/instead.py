"""What people write instead: instead.py numpy|torch TARGET GOLDEN, two folders of .npy files of equal names."""
import os
import sys

import numpy as np

tool, target, golden = sys.argv[1:4]
if tool == "torch":
    import torch
worst = (0, 0, "")
for name in sorted(os.listdir(golden)):
    t, g = np.load(os.path.join(target, name)), np.load(os.path.join(golden, name))
    if tool == "torch":
        torch.testing.assert_close(torch.from_numpy(t), torch.from_numpy(g), rtol=1e-3, atol=1e-5)
        continue
    cosine = np.dot(t, g) / (np.linalg.norm(t) * np.linalg.norm(g))
    worst = max(worst, (1 - float(cosine), float(np.abs(t - g).max()), name))
print(worst)

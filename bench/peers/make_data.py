#!/usr/bin/env python3
"""Make the table that readers and naive Bayes are timed on.

usage: make_data.py OUT

Writes OUT/w1.csv and OUT/w1.parquet: 1,000,000 rows of 30 attributes with four
states and a class of four, integer codes, a header, the class last. Attribute j
depends on the class and on one earlier attribute; the seed is fixed, so the
file is always the same (for one version of numpy).
"""
import pathlib
import sys

import numpy as np
import pandas as pd


def tan_data(rows, attributes, states, classes, seed):
    """A draw from a random tree-augmented model with a weak class signal."""
    rng = np.random.default_rng(seed)
    prior = rng.dirichlet(np.full(classes, 5.0))
    y = rng.choice(classes, size=rows, p=prior).astype(np.uint8)
    x = np.empty((rows, attributes), np.uint8)
    for j in range(attributes):
        parent = rng.integers(0, j) if j else -1
        if parent < 0:
            config, table = y.astype(np.int64), rng.dirichlet(np.full(states, 1.0), size=classes)
        else:
            config = y.astype(np.int64) * states + x[:, parent]
            own = rng.dirichlet(np.full(states, 1.0), size=classes * states)
            shared = rng.dirichlet(np.full(states, 0.7), size=states)
            # three quarters of each column ignore the class
            table = 0.75 * np.tile(shared, (classes, 1)) + 0.25 * own
        steps = np.cumsum(table, axis=1)
        u = rng.random(rows)
        x[:, j] = (u[:, None] > steps[config][:, :-1]).sum(1)
    frame = pd.DataFrame(x, columns=[f"x{j}" for j in range(attributes)])
    frame["class"] = y
    return frame


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    frame = tan_data(1_000_000, 30, 4, 4, 1)
    frame.to_parquet(out / "w1.parquet")
    frame.to_csv(out / "w1.csv", index=False)
    print("w1", frame.shape)


if __name__ == "__main__":
    main()

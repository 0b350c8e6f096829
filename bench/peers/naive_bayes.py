#!/usr/bin/env python3
"""Time naive Bayes of scikit-learn on the benchmark table.

usage: naive_bayes.py DATA.parquet [--reps 3]

Prints JSON lines for fit and predict_proba of CategoricalNB with alpha = 1, on
a table already in memory. The table is laid out column after column, which suits
this peer (row after row its fit takes about half as long again), and is given
once as bytes, which it must widen itself ("u8"), and once as the 64-bit integers
it works on, widened before the clock starts ("i64"). CPU seconds are user +
system, least of the repetitions; memory is that of the process (Linux), its peak
taken anew for each line. The class prior is smoothed as sare smooths it,
(N_c + 1)/(N + r_C),
so that the answers can be compared: accuracy on the training rows and the mean
log posterior of the true class.
"""
import argparse

import numpy as np
import pandas as pd
import sklearn
from sklearn.naive_bayes import CategoricalNB

from measure import line, timed


def main():
    ap = argparse.ArgumentParser(description="time scikit-learn's naive Bayes")
    ap.add_argument("data")
    ap.add_argument("--reps", type=int, default=3)
    a = ap.parse_args()
    frame = pd.read_parquet(a.data)
    y = frame.pop("class").to_numpy()
    table = np.asfortranarray(frame.to_numpy())
    del frame
    count = np.bincount(y)
    prior = (count + 1.0) / (len(y) + len(count))
    for cell in ("u8", "i64"):
        x = table if cell == "u8" else table.astype(np.int64, order="F")
        run(x, y, prior, cell, a.reps)


def run(x, y, prior, cell, reps):
    peer = f"scikit-learn CategoricalNB {cell}"
    version = sklearn.__version__
    model, figures = timed(lambda: CategoricalNB(alpha=1.0, class_prior=prior).fit(x, y), reps)
    answer = {"rows": len(y), "attributes": x.shape[1]}
    line("fit-nb", peer, version, figures, answer)
    p, figures = timed(lambda: model.predict_proba(x), reps)
    line("predict-nb", peer, version, figures, {
        "accuracy": float((p.argmax(1) == y).mean()),
        "mean_log_posterior": float(np.log(p[np.arange(len(y)), y]).mean()),
    })


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Time scikit-learn's multinomial logistic regression on the benchmark table.

usage: logistic.py DATA.parquet [--reps 3]

The first 100,000 rows, attributes one-hot, sparse (which is faster here than dense), by L-BFGS with the
default penalty (C = 1: next to nothing on so many rows). Coding the columns is part of the time, as it is
for sare. Prints one JSON line; the answer is the mean log posterior of the true class on the training rows.
"""
import argparse

import numpy as np
import pandas as pd
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import OneHotEncoder

from measure import line, timed

ROWS = 100_000


def main():
    ap = argparse.ArgumentParser(description="time scikit-learn's logistic regression")
    ap.add_argument("data")
    ap.add_argument("--reps", type=int, default=3)
    a = ap.parse_args()
    frame = pd.read_parquet(a.data).iloc[:ROWS]
    y = frame.pop("class").to_numpy()
    x = frame.to_numpy()

    def fit():
        hot = OneHotEncoder(dtype=np.float64).fit_transform(x)
        return hot, LogisticRegression(solver="lbfgs", max_iter=500).fit(hot, y)

    (hot, model), figures = timed(fit, a.reps)
    p = model.predict_proba(hot)
    line("logistic", "scikit-learn LogisticRegression", sklearn.__version__, figures, {
        "mean_log_posterior": float(np.log(p[np.arange(len(y)), y]).mean()),
        "iterations": int(model.n_iter_[0]),
    })


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Multinomial logistic regression on one-hot columns, printed by scikit-learn and SciPy.

usage: print_logistic.py [FOLDER]     (default: the folder of this script)

Writes logistic.csv, a table of words with a three-level class whose optimum is not at infinity, and logistic.json with
the greatest conditional log-likelihood and the class posteriors there. Naive Bayes by conditional likelihood is the
same model, so it must find both. scikit-learn's answer (no penalty) is polished by Newton-CG on the exact Hessian
until the gradient vanishes.
"""
import csv
import json
import pathlib
import sys

import numpy as np
import scipy
import sklearn
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import OneHotEncoder

ROWS = 300
SEED = 41
LEVELS = {
    "a1": ["no", "yes"],
    "a2": ["blue", "green", "red"],
    "a3": ["east", "north", "south", "west"],
    "a4": ["high", "low", "mid"],
}
CLASSES = ["calm", "fair", "wild"]


def draw():
    """Attributes that hang together and tell a little about the class, so that naive Bayes is wrong and logistic regression finite."""
    rng = np.random.default_rng(SEED)
    y = rng.choice(len(CLASSES), size=ROWS, p=[0.45, 0.35, 0.2])
    columns = []
    last = y
    for levels in LEVELS.values():
        free = rng.integers(len(levels), size=ROWS)
        copied = rng.random(ROWS) < 0.4
        last = np.where(copied, (last + y) % len(levels), free)
        columns.append(last)
    return np.column_stack(columns), y


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    folder = folder if folder.is_dir() else folder.parent
    x, y = draw()
    with open(folder / "logistic.csv", "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([*LEVELS, "class"])
        for codes, c in zip(x, y):
            writer.writerow([levels[k] for levels, k in zip(LEVELS.values(), codes)] + [CLASSES[c]])
    hot = OneHotEncoder(sparse_output=False).fit_transform(x)
    model = LogisticRegression(C=np.inf, solver="lbfgs", tol=1e-12, max_iter=100_000).fit(hot, y)
    design = np.column_stack([np.ones(ROWS), hot])
    onehot = np.eye(len(CLASSES))[y]

    def loss(flat):
        beta = flat.reshape(len(CLASSES), -1)
        scores = design @ beta.T
        logs = scores - logsumexp(scores, axis=1, keepdims=True)
        gradient = (np.exp(logs) - onehot).T @ design
        return -(logs * onehot).sum(), gradient.ravel()

    def hessp(flat, v):
        beta, v = (z.reshape(len(CLASSES), -1) for z in (flat, v))
        scores = design @ beta.T
        p = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
        dv = design @ v.T
        return ((p * (dv - (p * dv).sum(1, keepdims=True))).T @ design).ravel()

    start = np.column_stack([model.intercept_, model.coef_]).ravel()
    best = minimize(loss, start, jac=True, hessp=hessp, method="trust-ncg", options={"gtol": 1e-11})
    value, gradient = loss(best.x)
    assert np.abs(gradient).max() < 1e-8, np.abs(gradient).max()
    scores = design @ best.x.reshape(len(CLASSES), -1).T
    posteriors = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
    golden = {
        "by": f"scikit-learn {sklearn.__version__}, SciPy {scipy.__version__}",
        "classes": CLASSES,
        "conditional_log_likelihood": -value,
        "scikit_learn": float(np.log(model.predict_proba(hot)[np.arange(ROWS), y]).sum()),
        "posteriors": [[float(f"{p:.12g}") for p in row] for row in posteriors[:60]],
    }
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in golden.items()]
    text = "{\n" + ",\n".join(lines).replace("], [", "],\n[") + "\n}\n"
    (folder / "logistic.json").write_text(text)


main()

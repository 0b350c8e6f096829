#!/usr/bin/env python3
"""Golden information measures and family scores, straight from their definitions.

usage: print_information.py [FOLDER]     (default: the folder of this script)

Reads categorical_nb.csv (made by print_categorical_nb.py) and writes
information.json. All logarithms are natural, and 0 ln 0 is 0.

    I(X;Y)    = sum p(x,y) ln( p(x,y) / (p(x) p(y)) )
    I(X;Y|C)  = sum p(x,y,c) ln( p(c) p(x,y,c) / (p(x,c) p(y,c)) )
    LL        = sum N_jk ln(N_jk / N_j)        j parent configuration, k state
    BIC       = LL - ln(N)/2 * q (r - 1),   AIC = LL - q (r - 1)
    marginal  = sum_j [ lnG(a_j) - lnG(a_j + N_j) + sum_k ( lnG(a_jk + N_jk) - lnG(a_jk) ) ]
    K2        : marginal with a_jk = 1;   BDeu : a_jk = ess / (q r)

q counts every combination of the parents' levels, seen together or not.
"""
import csv
import itertools
import json
import math
import pathlib
import sys

import numpy as np
import scipy
from scipy.special import gammaln, xlogy

ESS = 10.0
FAMILIES = [("a2", ["a1", "class"]), ("a3", [])]


def read(path):
    with open(path, newline="") as f:
        rows = list(csv.DictReader(f))
    coded, size = {}, {}
    for name in rows[0]:
        levels = sorted({r[name] for r in rows})
        coded[name] = np.array([levels.index(r[name]) for r in rows])
        size[name] = len(levels)
    return coded, size


def counts(coded, size, names):
    """Contingency table of the named columns, one axis per column."""
    table = np.zeros([size[n] for n in names])
    np.add.at(table, tuple(coded[n] for n in names), 1.0)
    return table


def entropy(table):
    p = table / table.sum()
    return -xlogy(p, p).sum()


def mutual_information(t):
    p = t / t.sum()
    outside = p.sum(1, keepdims=True) * p.sum(0, keepdims=True)
    return sum(v * math.log(v / o) for v, o in zip(p.flat, outside.flat) if v > 0)


def conditional_mutual_information(t):
    """Axes of t: x, y, condition."""
    p = t / t.sum()
    xc, yc, c = p.sum(1, keepdims=True), p.sum(0, keepdims=True), p.sum((0, 1), keepdims=True)
    top, bottom = p * c, xc * yc
    return sum(
        v * math.log(a / b) for v, a, b in zip(p.flat, top.flat, bottom.flat) if v > 0
    )


def family_scores(coded, size, child, parents):
    t = counts(coded, size, [*parents, child])
    r = size[child]
    t = t.reshape(-1, r)
    q, n = t.shape[0], t.sum()
    total = t.sum(1, keepdims=True)
    ll = float((xlogy(t, t).sum() - xlogy(total, total).sum()))

    def marginal(a):
        per_row = gammaln(r * a) - gammaln(r * a + total[:, 0])
        return float((per_row + (gammaln(a + t) - gammaln(a)).sum(1)).sum())

    return {
        "child": child, "parents": parents, "q": q, "r": r, "rows": int(n),
        "ll": ll,
        "bic": ll - math.log(n) / 2 * q * (r - 1),
        "aic": ll - q * (r - 1),
        "k2": marginal(1.0),
        "bdeu": marginal(ESS / (q * r)),
        "bdeu_ess": ESS,
    }


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    coded, size = read(folder / "categorical_nb.csv")
    attributes = [n for n in coded if n != "class"]
    golden = {
        "made_by": f"scipy {scipy.__version__}, numpy {np.__version__}, print_information.py",
        "unit": "nats",
        "entropy": {n: float(entropy(counts(coded, size, [n]))) for n in coded},
        "mutual_information_with_class": {
            n: mutual_information(counts(coded, size, [n, "class"])) for n in attributes
        },
        "conditional_mutual_information_given_class": [
            {"x": a, "y": b,
             "value": conditional_mutual_information(counts(coded, size, [a, b, "class"]))}
            for a, b in itertools.combinations(attributes, 2)
        ],
        "families": [family_scores(coded, size, c, p) for c, p in FAMILIES],
    }
    with open(folder / "information.json", "w") as f:
        json.dump(golden, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()

"""Prints latent_classes.json: maximum likelihood latent class models of published frequency tables.

The tables are the data sets of the R package poLCA (Linzer and Lewis 2011, Journal of Statistical Software 42(10)), written as
CSV files with one row per person: gss82.csv (McCutcheon 1987), carcinoma.csv (Agresti 2002), cheating.csv (Dayton 1998) and
values.csv (Goodman 2002). `printed` is what poLCA's help pages print. All else is by the EM algorithm below, which has nothing in
common with that of the library: 200 starts to a relative gain of 1e-8, the ten best of them to one of 1e-14.

Usage: python print_latent_classes.py FOLDER > latent_classes.json
"""

import csv
import json
import sys

import numpy as np

SETS = {
    "gss82": (["PURPOSE", "ACCURACY", "UNDERSTA", "COOPERAT"], {2: -2783.268, 3: -2754.545, 4: -2746.621}),
    "carcinoma": (list("ABCDEFG"), {2: -317.2568, 3: -293.705, 4: -289.2858}),
    "cheating": (["LIEEXAM", "LIEPAPER", "FRAUD", "COPYEXAM"], {2: -440.0271}),
    "values": (list("ABCD"), {2: -504.4677, 3: -503.3011}),
}


def table(path, names):
    with open(path) as file:
        rows = [tuple(row[n] for n in names) for row in csv.DictReader(file)]
    cells = sorted(set(rows))
    return cells, [rows.count(cell) for cell in cells]


def name_of(cell):
    """Its levels, written without the spaces within them."""
    return " ".join(level.replace(" ", "-") for level in cell)


def em(indicators, counts, classes, random, gain, shares=None, given=None):
    """Each column is a matrix rows x levels; classes x levels are its probabilities."""
    if shares is None:
        shares = random.dirichlet(np.ones(classes))
        given = [random.dirichlet(np.ones(x.shape[1]), classes) for x in indicators]
    last = -np.inf
    for _ in range(200_000):
        joint = np.tile(shares, (len(counts), 1))
        for x, p in zip(indicators, given):
            joint *= x @ p.T
        value = counts @ np.log(joint.sum(1))
        posterior = joint / joint.sum(1, keepdims=True) * counts[:, None]
        shares = posterior.sum(0) / counts.sum()
        given = [(posterior.T @ x) / posterior.sum(0)[:, None] for x in indicators]
        if value - last <= gain * abs(value):
            break
        last = value
    return value, shares, given


def fit(cells, counts, classes):
    random = np.random.default_rng(1)
    columns = np.array(cells).T
    indicators = [(c[:, None] == np.unique(c)[None, :]).astype(float) for c in columns]
    counts = np.array(counts, float)
    starts = [em(indicators, counts, classes, random, 1e-8) for _ in range(200)]
    starts.sort(key=lambda s: -s[0])
    ends = [em(indicators, counts, classes, random, 1e-14, s[1], s[2]) for s in starts[:10]]
    value, shares, given = max(ends, key=lambda e: e[0])
    order = np.argsort(-shares)
    # Ends of the same likelihood and other shares: the table does not determine the classes (Goodman 1974).
    equal = [np.sort(e[1]) for e in ends if value - e[0] < 1e-7]
    identified = max(np.abs(e - np.sort(shares)).max() for e in equal) < 1e-3
    probabilities = [[[round(x, 6) for x in row] for row in p[order].tolist()] for p in given]
    return {
        "classes": classes,
        "log_likelihood": round(value, 6),
        "identified": bool(identified),
        "shares": [round(x, 6) for x in shares[order].tolist()],
        "probabilities": probabilities,
    }


def main():
    found = {}
    for name, (columns, printed) in SETS.items():
        cells, counts = table(f"{sys.argv[1]}/{name}.csv", columns)
        fits = [dict(fit(cells, counts, k), printed=p) for k, p in printed.items()]
        found[name] = {"columns": columns, "cells": [name_of(c) for c in cells], "counts": counts, "fits": fits}
    lines = json.dumps(found, indent=1)
    print(lines)


main()

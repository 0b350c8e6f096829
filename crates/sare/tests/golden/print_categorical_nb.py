#!/usr/bin/env python3
"""Golden posteriors of naive Bayes, printed by scikit-learn.

usage: print_categorical_nb.py [FOLDER]     (default: the folder of this script)

Writes categorical_nb.csv, a small table of words with a three-level class, and
categorical_nb.json with the class posteriors of each of its rows for two
strengths of smoothing. sare smooths the class prior as well,

    p(c) = (N_c + alpha) / (N + alpha * r_C),

which CategoricalNB does not, so that prior is computed here and handed over.
Rows of the JSON follow the rows of the CSV, columns follow "classes".
"""
import csv
import json
import pathlib
import sys

import numpy as np
import sklearn
from sklearn.naive_bayes import CategoricalNB

ROWS = 120
SEED = 20
LEVELS = {
    "a1": ["no", "yes"],
    "a2": ["red", "green", "blue"],
    "a3": ["north", "east", "south", "west"],
    "a4": ["oak", "elm", "ash", "fir", "yew"],
    "a5": ["low", "mid", "high"],
    "a6": ["dry", "wet"],
}
CLASSES = ["calm", "fair", "wild"]


def draw():
    """Codes (rows x attributes) and classes; every level is seen at least once."""
    rng = np.random.default_rng(SEED)
    y = rng.choice(len(CLASSES), size=ROWS, p=[0.5, 0.3, 0.2])
    columns = []
    for levels in LEVELS.values():
        table = rng.dirichlet(np.full(len(levels), 1.5), size=len(CLASSES))
        columns.append([rng.choice(len(levels), p=table[c]) for c in y])
    x = np.array(columns).T
    for j, levels in enumerate(LEVELS.values()):
        assert len(set(x[:, j])) == len(levels), "choose another seed"
    assert len(set(y)) == len(CLASSES), "choose another seed"
    return x, y


def posteriors(x, y, alpha):
    count = np.bincount(y, minlength=len(CLASSES))
    prior = (count + alpha) / (len(y) + alpha * len(CLASSES))
    model = CategoricalNB(alpha=alpha, class_prior=prior).fit(x, y)
    return model.predict_proba(x)


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    x, y = draw()
    names = list(LEVELS.values())
    with open(folder / "categorical_nb.csv", "w", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow([*LEVELS, "class"])
        for row, c in zip(x, y):
            out.writerow([names[j][k] for j, k in enumerate(row)] + [CLASSES[c]])
    golden = {
        "made_by": f"scikit-learn {sklearn.__version__}, print_categorical_nb.py",
        "classes": CLASSES,  # already in alphabetical order
        "cases": [
            {"alpha": a, "posteriors": posteriors(x, y, a).tolist()} for a in (1.0, 0.5)
        ],
    }
    with open(folder / "categorical_nb.json", "w") as f:
        f.write(json.dumps(golden).replace("], [", "],\n [") + "\n")


if __name__ == "__main__":
    main()

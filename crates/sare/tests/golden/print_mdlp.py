#!/usr/bin/env python3
"""Golden cut points of Fayyad and Irani's MDLP discretisation.

usage: print_mdlp.py DATA [FOLDER]     (default FOLDER: that of this script)

Reads iris.csv and glass.csv from DATA (all attributes
continuous, the class last) and writes mdlp.json: file -> attribute -> cuts in
rising order; an empty list means one bin. The rule, entropies E in bits:

    among the boundary points of a set S of N rows take the cut with the least
    class entropy of the two sides (the first of equal ones); accept it while
        gain > ( log2(N-1) + log2(3^k - 2) - (k E - k1 E1 - k2 E2) ) / N,
    k, k1, k2 being the numbers of classes present in S and its sides; then go on
    with each side.

A boundary point lies between two neighbouring distinct values unless the rows
at both values are all of one and the same class; the cut is their midpoint. A
value equal to a cut belongs to the lower bin. Rows with the cell missing are
left out.
"""
import json
import math
import pathlib
import sys

import numpy as np
import pandas as pd

FILES = ["iris.csv", "glass.csv"]
TIE = 1e-12  # entropies nearer than this are equal but for rounding


def entropies(counts):
    """Entropy in bits of each row of a table of class counts."""
    total = counts.sum(1, keepdims=True)
    p = counts / np.maximum(total, 1)
    return -(p * np.log2(np.where(p > 0, p, 1.0))).sum(1)


def cut_points(values, classes, watch=None):
    """Accepted cuts of one attribute. `classes` are codes 0, 1, ...; `watch`, if a
    list, receives (margin of the acceptance test, number of tied best cuts)."""
    known = ~np.isnan(values)
    values, classes = values[known], classes[known]
    if len(values) == 0:
        return []
    distinct, place = np.unique(values, return_inverse=True)
    blocks = np.zeros((len(distinct), classes.max() + 1))
    np.add.at(blocks, (place, classes), 1.0)
    cuts = []

    def split(first, end):
        part = blocks[first:end]
        if len(part) < 2:
            return
        pure = (part > 0).sum(1) == 1
        same = part.argmax(1)
        inner = ~(pure[:-1] & pure[1:] & (same[:-1] == same[1:]))
        candidates = np.flatnonzero(inner)
        if len(candidates) == 0:
            return
        whole = part.sum(0)
        left = np.cumsum(part, axis=0)[candidates]
        right = whole - left
        n = whole.sum()
        e1, e2 = entropies(left), entropies(right)
        mixed = (left.sum(1) * e1 + right.sum(1) * e2) / n
        best = int(np.flatnonzero(mixed <= mixed.min() + TIE)[0])
        e = entropies(whole[None])[0]
        k, k1, k2 = ((c > 0).sum() for c in (whole, left[best], right[best]))
        delta = math.log2(3.0 ** int(k) - 2) - (k * e - k1 * e1[best] - k2 * e2[best])
        margin = (e - mixed[best]) - (math.log2(n - 1) + delta) / n
        if watch is not None:
            watch.append((float(margin), int((mixed <= mixed.min() + TIE).sum())))
        if margin <= 0:
            return
        at = first + candidates[best] + 1
        split(first, at)
        cuts.append(float((distinct[at - 1] + distinct[at]) / 2))
        split(at, end)

    split(0, len(distinct))
    return cuts


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    data = pathlib.Path(sys.argv[1])
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).parent)
    golden = {"made_by": f"numpy {np.__version__}, print_mdlp.py", "files": {}}
    for name in FILES:
        frame = pd.read_csv(data / name)
        classes = pd.factorize(frame.pop("class"), sort=True)[0]
        golden["files"][name] = {
            column: cut_points(frame[column].to_numpy(float), classes) for column in frame
        }
    with open(folder / "mdlp.json", "w") as f:
        f.write(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    main()

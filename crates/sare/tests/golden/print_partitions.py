#!/usr/bin/env python3
"""Agreement of two partitions, printed by scikit-learn and SciPy.

usage: print_partitions.py [FOLDER]     (default: the folder of this script)

Writes partitions.json: one case a line, two labelings of the same rows and

    adjusted_rand             sklearn.metrics.adjusted_rand_score
    normalised_information    sklearn.metrics.normalized_mutual_info_score (arithmetic mean, its default)
    accuracy                  scipy.optimize.linear_sum_assignment on the contingency matrix, over the rows
    hamming                   NumPy: entries in which the N x N co-membership matrices differ
"""
import json
import pathlib
import sys
import warnings

import numpy as np
import scipy
import sklearn
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix

RANDOM = np.random.default_rng(20240911)


def case(name, first, second):
    first, second = np.asarray(first, dtype=int), np.asarray(second, dtype=int)
    together = [labels[:, None] == labels[None, :] for labels in (first, second)]
    accuracy = None
    if len(first):
        table = contingency_matrix(first, second)
        rows, columns = linear_sum_assignment(table, maximize=True)
        accuracy = float(table[rows, columns].sum() / len(first))
    return {
        "name": name,
        "first": first.tolist(),
        "second": second.tolist(),
        "adjusted_rand": float(adjusted_rand_score(first, second)),
        "normalised_information": float(normalized_mutual_info_score(first, second)),
        "accuracy": accuracy,
        "hamming": int((together[0] != together[1]).sum()),
    }


def noisy(labels, share, clusters):
    """The same labels, some of them drawn anew."""
    drawn = RANDOM.integers(0, clusters, len(labels))
    return np.where(RANDOM.uniform(size=len(labels)) < share, drawn, labels)


def cases():
    one, own = np.zeros(6), np.arange(6)
    mixed = [0, 0, 1, 1, 2, 2]
    yield case("no rows", [], [])
    yield case("one row", [3], [8])
    yield case("one cluster, both", one, one)
    yield case("singletons, both", own, own[::-1])
    yield case("one cluster and singletons", one, own)
    yield case("singletons and one cluster", own, one)
    yield case("one cluster and some", one, mixed)
    yield case("singletons and some", own, mixed)
    yield case("equal", mixed, mixed)
    yield case("renamed", mixed, [9, 9, 4, 4, 7, 7])
    yield case("independent", [0, 0, 1, 1], [0, 1, 0, 1])
    yield case("independent, larger", np.repeat([0, 1, 2], 12), np.tile([0, 1, 2, 3], 9))
    yield case("worse than chance", [0, 0, 1, 1, 2, 2], [0, 1, 1, 2, 2, 0])
    yield case("two rows, opposite", [0, 0], [0, 1])
    yield case("split in halves", [0] * 10 + [1] * 10, [0] * 5 + [1] * 5 + [2] * 5 + [3] * 5)
    yield case("a greedy match fails", [0] * 9 + [1] * 4, [0] * 5 + [1] * 4 + [0] * 4)
    for rows, k_first, k_second in [(20, 3, 3), (35, 2, 6), (60, 7, 3), (60, 25, 30), (90, 4, 4)]:
        first = RANDOM.integers(0, k_first, rows)
        yield case(f"random {rows}", first, RANDOM.integers(0, k_second, rows))
    for share in [0.02, 0.2, 0.5, 0.8]:
        truth = RANDOM.choice(5, 150, p=[0.5, 0.2, 0.15, 0.1, 0.05])
        rename = RANDOM.permutation(5)
        yield case(f"noise {share}", truth, rename[noisy(truth, share, 5)])


def main():
    # Labels that are all different look like numbers of a regression to scikit-learn.
    warnings.filterwarnings("ignore", category=UserWarning)
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent
    lines = ",\n".join(json.dumps(c) for c in cases())
    made = json.dumps(f"scikit-learn {sklearn.__version__}, SciPy {scipy.__version__}, NumPy {np.__version__}")
    (folder / "partitions.json").write_text(f'{{"made_by": {made}, "cases": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Golden statistics and p-values of hypothesis tests, from SciPy's defaults.

usage: print_hypothesis.py [FOLDER]     (default: the folder of this script)

Writes hypothesis.json: one case a line, with its samples, statistic and
p-value at full precision. Tests:

    paired_t               scipy.stats.ttest_rel
    unpaired_t, welch_t    scipy.stats.ttest_ind, with equal_var True and False
    corrected_t            mean(d) / sqrt((1/n + ratio) var(d)), two-sided t tail, n - 1 df
    wilcoxon               scipy.stats.wilcoxon, all defaults
    mann_whitney           scipy.stats.mannwhitneyu, all defaults
    spearman               scipy.stats.spearmanr
    friedman               scipy.stats.friedmanchisquare (rows are data sets)
    iman_davenport         F = (N-1) chi2 / (N (k-1) - chi2), upper F tail; average ranks beside it
    nemenyi                scipy.stats.studentized_range with df = inf
    holm                   the definition, by a double loop

Only cases where SciPy gives finite numbers; the limits where it gives NaN are
unit tests of the Rust code.
"""
import json
import math
import pathlib
import sys

import numpy as np
import scipy
from scipy import special, stats

RANDOM = np.random.default_rng(20240817)


def numbers(values):
    return [float(v) for v in values]


def two(test, x, y, result, **more):
    """A case of two samples."""
    statistic, p = float(result[0]), float(result[1])
    assert math.isfinite(statistic) and 0.0 <= p <= 1.0, (test, x, y, statistic, p)
    return {"test": test, **more, "x": numbers(x), "y": numbers(y), "statistic": statistic, "p_value": p}


def corrected(x, y, ratio):
    d = np.asarray(x) - np.asarray(y)
    t = d.mean() / math.sqrt((1 / len(d) + ratio) * d.var(ddof=1))
    return t, 2 * special.stdtr(len(d) - 1, -abs(t))


def paired_samples():
    """Accuracies of two learners: by size, with ties and zeros by rounding, and some extremes."""
    for n in [2, 3, 5, 8, 10, 25, 30, 60]:
        y = RANDOM.uniform(0.6, 0.95, n)
        yield (y + RANDOM.normal(0.01, 0.03, n)).round(5), y.round(5)
    for n in [4, 10, 30, 60]:
        y = RANDOM.uniform(0.6, 0.95, n).round(2)
        yield (y + RANDOM.normal(0.01, 0.02, n)).round(2), y
    y = RANDOM.uniform(0.0, 1.0, 40).round(4)
    yield (y + 3.0 + RANDOM.normal(0.0, 0.02, 40)).round(4), y  # p near 1e-88
    yield np.arange(1.0, 101.0) + 300.0, np.arange(100.0, 0.0, -1.0)
    yield [1e-9, 2e-9, 4e-9], [0.0, 0.0, 1e-9]


def t_cases():
    for x, y in paired_samples():
        yield two("paired_t", x, y, stats.ttest_rel(x, y))
        yield two("unpaired_t", x, y, stats.ttest_ind(x, y))
        yield two("welch_t", x, y, stats.ttest_ind(x, y, equal_var=False))
        for ratio in [1 / 9, 0.5]:
            yield two("corrected_t", x, y, corrected(x, y, ratio), ratio=ratio)
    for n, m in [(1, 2), (1, 9), (2, 40), (7, 12)]:
        x, y = RANDOM.normal(0, 1, n), RANDOM.normal(1, 4, m)
        yield two("unpaired_t", x, y, stats.ttest_ind(x, y))
        if n > 1:
            yield two("welch_t", x, y, stats.ttest_ind(x, y, equal_var=False))
    same = RANDOM.normal(0, 1, 12)
    yield two("unpaired_t", same, same, stats.ttest_ind(same, same))
    # One constant sample.
    yield two("unpaired_t", [2.0] * 6, same, stats.ttest_ind([2.0] * 6, same))
    yield two("welch_t", [2.0] * 6, same, stats.ttest_ind([2.0] * 6, same, equal_var=False))


def wilcoxon(d):
    y = np.zeros(len(d))
    return two("wilcoxon", d, y, stats.wilcoxon(d, y))


def wilcoxon_cases():
    for n in [*range(1, 16), 20, 33, 49, 50, 51, 52, 60, 200]:
        size = RANDOM.permutation(np.arange(1.0, n + 1))
        yield wilcoxon(size * np.where(RANDOM.random(n) < 0.6, 1, -1))  # no ties
        if n < 2:
            continue
        tied = RANDOM.integers(1, max(2, n // 2), n) * np.where(RANDOM.random(n) < 0.7, 1, -1)
        yield wilcoxon(tied)
        tied[RANDOM.integers(0, n)] = 0
        if np.any(tied):
            yield wilcoxon(tied)
        one_zero = np.arange(1.0, n + 1)
        one_zero[n // 3] = 0.0
        yield wilcoxon(one_zero)
    for n in [6, 13, 50, 51, 60]:
        yield wilcoxon(np.arange(1.0, n + 1))  # one direction only
        yield wilcoxon(-np.ones(n))
    for n in [2, 13]:
        yield wilcoxon(np.zeros(n))
    for x, y in paired_samples():
        yield two("wilcoxon", x, y, stats.wilcoxon(x, y))


def mann_whitney_cases():
    def case(x, y):
        return two("mann_whitney", x, y, stats.mannwhitneyu(x, y))

    sizes = [(1, 1), (1, 5), (2, 2), (3, 4), (5, 5), (8, 8), (8, 9), (9, 8), (9, 9), (3, 60), (8, 60), (8, 150),
             (20, 30), (60, 60)]
    for n, m in sizes:
        x, y = RANDOM.normal(0.5, 1, n).round(6), RANDOM.normal(0, 1, m).round(6)
        yield case(x, y)
        if n + m > 2:
            yield case((x * 2).round(), (y * 2).round())  # ties
    for n, m in [(4, 4), (8, 30), (9, 30), (60, 60), (150, 150)]:
        yield case(np.arange(n) + 1000.0, np.arange(m))  # apart
    yield case([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    yield case([7.0] * 4, [7.0] * 12)
    yield case([1.0, 4.0], [2.0, 3.0])  # U at its centre, exact
    yield case(np.arange(0, 40, 2), np.arange(1, 41, 2))


def spearman_cases(random):
    def case(x, y):
        return two("spearman", x, y, stats.spearmanr(x, y))

    for n in [3, 4, 5, 10, 30, 100, 400]:
        x = random.normal(0, 1, n)
        for weight in [0.0, 0.5, 3.0]:
            y = weight * x + random.normal(0, 1, n)
            # Of perfect agreement SciPy's p-value is a matter of rounding.
            if abs(stats.spearmanr(x, y)[0]) < 1 - 1e-9:
                yield case(x.round(6), y.round(6))
            if n >= 10:
                yield case(x.round(), (2 * y).round())  # ties
    yield case([1.0, 2.0, 3.0, 4.0, 5.0], [1.0, 1.0, 1.0, 1.0, 2.0])
    x = np.arange(100.0)
    yield case(x, np.where(x == 50, 52.0, np.where(x == 52, 50.0, x)))  # nearly perfect


def friedman_cases():
    def cases(rows):
        rows = np.asarray(rows, dtype=float)
        n, k = rows.shape
        chi, p = map(float, stats.friedmanchisquare(*rows.T))
        out = {"rows": [numbers(r) for r in rows]}
        yield {"test": "friedman", **out, "statistic": chi, "p_value": p}
        if n > 1:
            f = (n - 1) * chi / (n * (k - 1) - chi)
            yield {
                "test": "iman_davenport", **out, "statistic": f,
                "p_value": float(special.fdtrc(k - 1, (k - 1) * (n - 1), f)),
                "ranks_larger_better": numbers(stats.rankdata(-rows, axis=1).mean(0)),
                "ranks_smaller_better": numbers(stats.rankdata(rows, axis=1).mean(0)),
            }

    for n, k in [(2, 3), (3, 3), (5, 4), (10, 5), (14, 4), (25, 10), (60, 3)]:
        effect = np.linspace(0, 0.06, k)
        rows = RANDOM.normal(0.8, 0.08, (n, 1)) + RANDOM.normal(0, 0.04, (n, k)) + effect
        rows = rows.round(6)
        yield from cases(rows)
        yield from cases((rows * 25).round() / 25)  # ties
    yield from cases([[3.0, 1.0, 2.0, 4.0]] * 20 + [[1.0, 1.0, 2.0, 2.0]] * 3)
    rows = np.arange(12.0) + RANDOM.normal(0, 0.6, (60, 12)).round(3)
    yield from cases(rows)  # p near 1e-130
    yield next(cases([[1.0, 3.0, 2.0]]))


def nemenyi_cases():
    for k in [2, 3, 4, 5, 7, 10, 20, 50]:
        for alpha in [0.1, 0.05, 0.01, 0.001]:
            q = float(stats.studentized_range.ppf(1 - alpha, k, np.inf))
            n = 3 * k + 1
            yield {
                "test": "nemenyi", "k": k, "n": n, "alpha": alpha, "q": q,
                "upper_at_3": float(stats.studentized_range.sf(3.0, k, np.inf)),
                "difference": q / math.sqrt(2) * math.sqrt(k * (k + 1) / (6 * n)),
            }


def holm(p):
    """The adjusted value of each: the greatest of min(1, (number of p not smaller-ranked) p_j) over those before it."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    place = {at: i for i, at in enumerate(order)}
    return [
        max(min(1.0, (len(p) - place[j]) * p[j]) for j in order if place[j] <= place[i]) for i in range(len(p))
    ]


def holm_cases():
    for n in [1, 2, 5, 12, 45]:
        p = numbers(RANDOM.uniform(0, 1, n) ** 4)
        yield {"test": "holm", "p_values": p, "adjusted": holm(p)}


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    made_by = f"scipy {scipy.__version__}, numpy {np.__version__}, print_hypothesis.py"
    cases = [*t_cases(), *wilcoxon_cases(), *mann_whitney_cases(), *friedman_cases(), *nemenyi_cases(),
             *holm_cases(), *spearman_cases(np.random.default_rng(20251003))]
    with open(folder / "hypothesis.json", "w") as f:
        f.write('{"made_by": ' + json.dumps(made_by) + ',\n"cases": [\n')
        f.write(",\n".join(json.dumps(c, allow_nan=False, separators=(",", ":")) for c in cases))
        f.write("\n]}\n")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Time StepMix's EM for latent classes on the benchmark table.

usage: clusters.py DATA.parquet [--reps 3]

50 iterations with five classes from one start, that of RandomState(1), which make_data.py
has written down for sare as well. Prints one JSON line; the answer is the log-likelihood
of the rows after the last iteration.
"""
import argparse
import warnings

import pandas as pd
import stepmix
from stepmix.stepmix import StepMix

from measure import line, timed

ITERATIONS, CLASSES = 50, 5


def main():
    ap = argparse.ArgumentParser(description="time StepMix's EM")
    ap.add_argument("data")
    ap.add_argument("--reps", type=int, default=3)
    a = ap.parse_args()
    warnings.filterwarnings("ignore")
    x = pd.read_parquet(a.data).to_numpy()

    def fit():
        model = StepMix(CLASSES, measurement="categorical", n_init=1, max_iter=ITERATIONS, abs_tol=0.0,
                        rel_tol=0.0, init_params="random", random_state=1, progress_bar=0, verbose=0)
        return model.fit(x)

    model, figures = timed(fit, a.reps)
    line("em-50", "StepMix", stepmix.__version__, figures, {"log_likelihood": float(model.score(x)) * len(x)})


if __name__ == "__main__":
    main()

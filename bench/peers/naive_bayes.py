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
import json
import resource
import time

import numpy as np
import pandas as pd
import sklearn
from sklearn.naive_bayes import CategoricalNB


def cpu():
    u = resource.getrusage(resource.RUSAGE_SELF)
    return u.ru_utime + u.ru_stime


def status_mb(field):
    with open("/proc/self/status") as f:
        for line in f:
            if line.startswith(field + ":"):
                return int(line.split()[1]) / 1024
    raise KeyError(field)


def forget_peak():
    """Start the high-water mark VmHWM afresh at the present size."""
    with open("/proc/self/clear_refs", "w") as f:
        f.write("5")


def timed(work, reps):
    """Result of the last call, least CPU seconds and least wall seconds."""
    forget_peak()
    cpus, walls = [], []
    for _ in range(reps):
        c0, t0 = cpu(), time.perf_counter()
        result = work()
        cpus.append(cpu() - c0)
        walls.append(time.perf_counter() - t0)
    return result, min(cpus), min(walls)


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
    before = status_mb("VmRSS")

    def line(work, seconds, wall, result):
        print(json.dumps({
            "work": work, "peer": f"scikit-learn CategoricalNB {cell}",
            "version": sklearn.__version__,
            "cpu_seconds": round(seconds, 3), "wall_seconds": round(wall, 3),
            "rss_before_mb": round(before, 1), "peak_rss_mb": round(status_mb("VmHWM"), 1),
            "answer": result,
        }), flush=True)

    model, c, w = timed(lambda: CategoricalNB(alpha=1.0, class_prior=prior).fit(x, y), reps)
    line("fit-nb", c, w, {"rows": len(y), "attributes": x.shape[1]})
    p, c, w = timed(lambda: model.predict_proba(x), reps)
    line("predict-nb", c, w, {
        "accuracy": float((p.argmax(1) == y).mean()),
        "mean_log_posterior": float(np.log(p[np.arange(len(y)), y]).mean()),
    })


if __name__ == "__main__":
    main()

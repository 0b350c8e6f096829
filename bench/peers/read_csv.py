#!/usr/bin/env python3
"""Time other CSV readers on the benchmark table.

usage: read_csv.py DATA.csv [--reps 3]

Prints one JSON line per reader. Each repetition is a fresh process that imports
its library, notes its memory, reads the file once and reports the difference
of getrusage (user + system, all threads), so start-up and import are not
counted; the least CPU time over the repetitions is kept, with the figures of
that run. Memory is read from /proc/self/status (Linux): rss_before_mb after the
import, peak_rss_mb the high-water mark after the read. Columns hold either one
byte per cell ("u8") or codes into a list of strings ("levels"). The answer
(rows, columns, counts of the class) is worked out after the clock has stopped.
"""
import argparse
import importlib.util
import json
import subprocess
import sys

from measure import line, timed


def header(path):
    with open(path) as f:
        return f.readline().strip().split(",")


def polars_u8(path):
    import polars as pl
    schema = dict.fromkeys(header(path), pl.UInt8)
    return pl.__version__, lambda: pl.read_csv(path, schema=schema)


def polars_levels(path):
    import polars as pl
    schema = dict.fromkeys(header(path), pl.Categorical)
    return pl.__version__, lambda: pl.read_csv(path, schema=schema)


def pyarrow_u8(path):
    import pyarrow as pa
    from pyarrow import csv
    kinds = dict.fromkeys(header(path), pa.uint8())
    options = csv.ConvertOptions(column_types=kinds)
    return pa.__version__, lambda: csv.read_csv(path, convert_options=options)


def pyarrow_levels(path):
    import pyarrow as pa
    from pyarrow import csv
    kinds = dict.fromkeys(header(path), pa.dictionary(pa.int32(), pa.string()))
    options = csv.ConvertOptions(column_types=kinds)
    return pa.__version__, lambda: csv.read_csv(path, convert_options=options)


def pandas_u8(path):
    import pandas as pd
    kinds = dict.fromkeys(header(path), "uint8")
    return pd.__version__, lambda: pd.read_csv(path, dtype=kinds)


READERS = {
    "polars u8": ("polars", polars_u8),
    "polars levels": ("polars", polars_levels),
    "pyarrow u8": ("pyarrow", pyarrow_u8),
    "pyarrow levels": ("pyarrow", pyarrow_levels),
    "pandas u8": ("pandas", pandas_u8),
}


def answer(table):
    rows, columns = table.shape
    values = table["class"]
    values = values.to_pylist() if hasattr(values, "to_pylist") else values.to_list()
    count = {}
    for v in values:
        count[str(v)] = count.get(str(v), 0) + 1
    return {"rows": rows, "columns": columns, "class": dict(sorted(count.items()))}


def child(name, path):
    """Body of one fresh process."""
    version, read = READERS[name][1](path)
    table, figures = timed(read, 1)
    line("read-csv", name, version, figures, answer(table))


def main():
    ap = argparse.ArgumentParser(description="time other CSV readers")
    ap.add_argument("data")
    ap.add_argument("--reps", type=int, default=3)
    ap.add_argument("--child", help=argparse.SUPPRESS)
    a = ap.parse_args()
    if a.child:
        return child(a.child, a.data)
    for name, (module, _) in READERS.items():
        if importlib.util.find_spec(module) is None:
            print(f"{name}: not installed, left out", file=sys.stderr)
            continue
        runs = []
        for _ in range(a.reps):
            p = subprocess.run([sys.executable, __file__, a.data, "--child", name],
                               stdout=subprocess.PIPE, text=True, check=True)
            runs.append(json.loads(p.stdout))
        print(json.dumps(min(runs, key=lambda r: r["cpu_seconds"])), flush=True)


if __name__ == "__main__":
    main()

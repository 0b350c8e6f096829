#!/usr/bin/env python3
"""Set sare's figures beside those of its peers.

usage: compare.py --data DIR --out FILE [--reps 3] [--only fit-tan,...] [--fast]

Runs sare's own benchmark (cargo bench) and the runners of the peers one after
the other on what make_data.py left in DIR and prints a Markdown table, work by
work in the order that sare's benchmark has them. All raw lines go to --out. Work
that only one side does is shown too. --only names the works to table; --fast
leaves out the peers that take minutes.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent

# The runners: what each is given of DIR, its works, and whether it knows --only and --fast.
STRUCTURES = ["fit-tan", "predict-tan", "fit-tan-wide", "hill-climbing", "selective"]
QUERIES = [f"query-{name}" for name in
           ["alarm", "andes", "hailfinder", "munin", "pathfinder", "pigs"]]
RUNNERS = [
    ("read_csv.py", "w1.csv", ["read-csv"], False),
    ("naive_bayes.py", "w1.parquet", ["fit-nb", "predict-nb"], False),
    ("structures.py", "", STRUCTURES, True),
    ("logistic.py", "w1.parquet", ["logistic"], False),
    ("inference.py", "", QUERIES, True),
    ("clusters.py", "w3.parquet", ["em-50"], False),
]

# Searches: two good ones need not find the same, so their answers are only shown.
SEARCHES = {"hill-climbing", "selective", "joined"}


def json_lines(text):
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def run_peers(data, reps, only, fast):
    records = []
    for script, given, works, choosy in RUNNERS:
        wanted = [w for w in works if only is None or w in only]
        if not wanted:
            continue
        command = [sys.executable, HERE / script, data / given, "--reps", str(reps)]
        if choosy:
            command += ["--only", ",".join(wanted)] + ["--fast"] * fast
        p = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        records += [r for r in json_lines(p.stdout) if r["work"] in wanted]
    return records


# Which of sare's benchmarks does works that begin so; the others are done by the first two.
BENCHES = {"inference": ("query-", "join-tree-"), "discriminative": ("pass-", "logistic", "cll-"),
           "clusters": ("em-", "ema-")}


def benches(only):
    """Those of sare's benchmarks that do the wanted works."""
    chosen = [b for b, begins in BENCHES.items() if only is None or any(w.startswith(begins) for w in only)]
    known = tuple(begin for begins in BENCHES.values() for begin in begins)
    others = only is None or not all(w.startswith(known) for w in only)
    return ["ground", "structures"] * others + chosen


def run_sare(data, only):
    records = []
    for bench in benches(only):
        command = ["cargo", "bench", "--quiet", "-p", "sare", "--bench", bench]
        p = subprocess.run(command, cwd=HERE, stdout=subprocess.PIPE, text=True, check=True,
                           env=os.environ | {"SARE_BENCH_DATA": str(data.resolve())})
        lines = [line for line in p.stdout.splitlines() if line.startswith("{")]
        records += [{"peer": "sare"} | json.loads(line) for line in lines]
    return records


def number(record, field, digits):
    value = record.get(field)
    return "-" if value is None else f"{value:.{digits}f}"


def short(answer):
    if isinstance(answer, dict):
        return ", ".join(f"{k} {short(v)}" for k, v in answer.items())
    if isinstance(answer, list):
        return " ".join(map(short, answer))
    if isinstance(answer, float):
        return f"{answer:.9g}"
    return "-" if answer is None else str(answer)


def by_work(records):
    """The records of each work, works in the order in which they first occur."""
    works = {}
    for r in records:
        works.setdefault(r["work"], []).append(r)
    return works


def name(record):
    rows = f", first {record['rows']} rows" if "rows" in record else ""
    return f"{record['peer']} {record.get('version', '')}".strip() + rows


def table(records):
    yield "| work | by | CPU seconds | peak memory, MB | before the work, MB | answer |"
    yield "|---|---|---:|---:|---:|---|"
    for work, runs in by_work(records).items():
        for r in runs:
            yield (f"| {work} | {name(r)} | {number(r, 'cpu_seconds', 3)} "
                   f"| {number(r, 'peak_rss_mb', 0)} | {number(r, 'rss_before_mb', 0)} "
                   f"| {short(r.get('answer'))} |")


def agreement(records):
    """Largest difference from sare of any number both sides answer, work by work."""
    for work, runs in by_work(records).items():
        # a run on fewer rows answers another question
        answers = {r["peer"]: r.get("answer") for r in runs if "rows" not in r}
        ours = answers.pop("sare", None)
        if work in SEARCHES or not isinstance(ours, dict):
            continue
        for peer, theirs in answers.items():
            if not isinstance(theirs, dict):
                continue
            # how many steps it takes is each one's own affair
            both = [k for k in ours if k != "iterations" and isinstance(ours[k], (int, float))
                    and isinstance(theirs.get(k), (int, float))]
            if both:
                worst = max(abs(ours[k] - theirs[k]) for k in both)
                yield f"{work}: sare and {peer} differ by at most {worst:.2g} in {', '.join(both)}."


def main():
    ap = argparse.ArgumentParser(description="set sare's figures beside those of its peers")
    ap.add_argument("--data", required=True, help="folder made by make_data.py")
    ap.add_argument("--out", required=True, help="file for all raw JSON lines")
    ap.add_argument("--reps", type=int, default=3)
    ap.add_argument("--only", help="works to table, with commas between")
    ap.add_argument("--fast", action="store_true", help="leave out peers that take minutes")
    a = ap.parse_args()
    data = pathlib.Path(a.data)
    only = a.only.split(",") if a.only else None
    records = [r for r in run_sare(data, only) if only is None or r["work"] in only]
    records += run_peers(data, a.reps, only, a.fast)
    pathlib.Path(a.out).write_text("".join(json.dumps(r) + "\n" for r in records))
    print("\n".join(table(records)))
    for line in agreement(records):
        print("\n" + line)


if __name__ == "__main__":
    main()

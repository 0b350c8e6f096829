#!/usr/bin/env python3
"""Set sare's figures beside those of its peers.

usage: compare.py --data DIR --out FILE [--reps 3]

Runs sare's own benchmark (cargo bench), read_csv.py and naive_bayes.py one after
the other on DIR/w1.csv and DIR/w1.parquet (made by make_data.py) and prints a
Markdown table. All raw lines go to --out. Work that no peer does is shown for
sare alone.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

WORKS = ["read-csv", "fit-nb", "predict-nb", "pairs"]
HERE = pathlib.Path(__file__).parent


def json_lines(text):
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def run_peer(script, data, reps):
    p = subprocess.run([sys.executable, HERE / script, data, "--reps", str(reps)],
                       stdout=subprocess.PIPE, text=True, check=True)
    return json_lines(p.stdout)


def run_sare(data):
    command = ["cargo", "bench", "--quiet", "-p", "sare", "--bench", "ground"]
    p = subprocess.run(command, cwd=HERE, stdout=subprocess.PIPE, text=True, check=True,
                       env=os.environ | {"SARE_BENCH_DATA": str(data.resolve())})
    lines = [line for line in p.stdout.splitlines() if line.startswith("{")]
    return [{"peer": "sare"} | json.loads(line) for line in lines]


def number(record, field, digits):
    value = record.get(field)
    return "-" if value is None else f"{value:.{digits}f}"


def short(answer):
    if isinstance(answer, dict):
        return ", ".join(f"{k} {short(v)}" for k, v in answer.items())
    if isinstance(answer, float):
        return f"{answer:.9g}"
    return "-" if answer is None else str(answer)


def table(records):
    yield "| work | by | CPU seconds | peak memory, MB | before the work, MB | answer |"
    yield "|---|---|---:|---:|---:|---|"
    for work in WORKS:
        for r in (r for r in records if r["work"] == work):
            yield (f"| {work} | {r['peer']} {r.get('version', '')} | {number(r, 'cpu_seconds', 3)} "
                   f"| {number(r, 'peak_rss_mb', 0)} | {number(r, 'rss_before_mb', 0)} "
                   f"| {short(r.get('answer'))} |")


def agreement(records):
    """Largest difference from sare of any number both sides answer, work by work."""
    for work in WORKS:
        answers = {r["peer"]: r.get("answer") for r in records if r["work"] == work}
        ours = answers.pop("sare", None)
        if not isinstance(ours, dict):
            continue
        for peer, theirs in answers.items():
            if not isinstance(theirs, dict):
                continue
            both = [k for k in ours if isinstance(ours[k], (int, float))
                    and isinstance(theirs.get(k), (int, float))]
            if both:
                worst = max(abs(ours[k] - theirs[k]) for k in both)
                yield f"{work}: sare and {peer} differ by at most {worst:.2g} in {', '.join(both)}."


def main():
    ap = argparse.ArgumentParser(description="set sare's figures beside those of its peers")
    ap.add_argument("--data", required=True, help="folder made by make_data.py")
    ap.add_argument("--out", required=True, help="file for all raw JSON lines")
    ap.add_argument("--reps", type=int, default=3)
    a = ap.parse_args()
    data = pathlib.Path(a.data)
    records = run_sare(data)
    records += run_peer("read_csv.py", data / "w1.csv", a.reps)
    records += run_peer("naive_bayes.py", data / "w1.parquet", a.reps)
    pathlib.Path(a.out).write_text("".join(json.dumps(r) + "\n" for r in records))
    print("\n".join(table(records)))
    for line in agreement(records):
        print("\n" + line)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Hold sare to the right answers about network files of other programs.

usage: networks.py FOLDER [--sare PATH] [--only TEXT] [--trips]

FOLDER holds network files and answers.json: for each file what should happen to it
(`accepted`: read, warn, refuse; where `later` stands, a refusal is right too), and
for files to read the counts (`nodes`, `arcs`, `parameters`, `cells`), `prior` and,
with `evidence`, `posterior` and `log10_evidence_probability`.

Every file goes through `sare convert` and `sare query`. A file is read without a word
or with a warning; it is refused with exit code 1 or 2, in one line that names the file.
Anything else fails. --trips also writes each file that was read in every format that
can be written, reads it back, and compares names and probabilities bit for bit.

Prints a line a file; exits with 1 if any fails.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

PROBABILITY, LOG10 = 1e-6, 1e-5
WRITABLE = ["bif", "xmlbif", "net"]


class Wrong(Exception):
    """What sare should not have done."""


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, timeout=600)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def convert(sare, source, target, *options):
    """What was printed about a file that is read; nothing and the message if it is refused."""
    code, out, error = run(sare, "convert", "--json", source, target, *options)
    lines = error.splitlines()
    if code == 0:
        said = json.loads(out)
        if len(lines) != len(said["notes"]) or len(set(lines)) != len(lines):
            raise Wrong(f"{len(said['notes'])} notes, but printed: {error}")
        return said, error
    if code not in (1, 2) or len(lines) != 1 or pathlib.Path(source).name not in lines[0]:
        raise Wrong(f"exit code {code}: {error}")
    return None, error


def quoted(name):
    return f'"{name}"' if any(c in name for c in '=,"') else name


def near(found, wanted, tolerance, what):
    if not math.isclose(found, wanted, rel_tol=0, abs_tol=tolerance):
        raise Wrong(f"{what} is {found} instead of {wanted}")


def marginals(sare, source, wanted, evidence, what):
    """Compares the marginals of some nodes; returns the answer."""
    command = [sare, "query", "--json", source]
    for node in wanted:
        command += ["--target", quoted(node)]
    for node, state in evidence.items():
        command += ["--given", f"{quoted(node)}={state}"]
    code, out, error = run(*command)
    if code != 0:
        raise Wrong(f"{what}: exit code {code}: {error}")
    answer = json.loads(out)
    for node, states in wanted.items():
        found = answer["marginals"][node]
        if set(found) != set(states):
            raise Wrong(f"the states of {node} are {list(found)} instead of {list(states)}")
        for state, p in states.items():
            near(found[state], p, PROBABILITY, f"{what} of {node} = {state}")
    return answer


def values(sare, source, network, said, entry):
    """Compares all that the answers hold about a file that was read."""
    cells = sum(len(row) for node in network["nodes"] for row in node["probabilities"])
    found = {"nodes": said["nodes"], "arcs": said["arcs"],
             "parameters": said["free_parameters"], "cells": cells}
    for key, count in found.items():
        if count != entry[key]:
            raise Wrong(f"{count} {key} instead of {entry[key]}")
    levels = {node["name"]: node["levels"] for node in network["nodes"]}
    for node, states in entry["prior"].items():
        if levels[node] != list(states):
            raise Wrong(f"the states of {node} are {levels[node]} instead of {list(states)}")
    if entry["prior"]:
        marginals(sare, source, entry["prior"], {}, "prior")
    if not entry["evidence"]:
        return
    if entry["log10_evidence_probability"] is None:
        targets = list(entry["prior"])[:1]
        command = [sare, "query", source, "--target", quoted(targets[0])]
        for node, state in entry["evidence"].items():
            command += ["--given", f"{quoted(node)}={state}"]
        if run(*command)[0] not in (1, 2):
            raise Wrong("impossible evidence is not refused")
        return
    answer = marginals(sare, source, entry["posterior"], entry["evidence"], "posterior")
    log10 = answer["log_evidence"] / math.log(10)
    near(log10, entry["log10_evidence_probability"], LOG10, "log10 of the evidence's probability")


def trips(sare, folder, network):
    """Through every format and back."""
    first = folder / "first.json"
    first.write_text(json.dumps(network))
    for name in WRITABLE:
        there, back = folder / f"there.{name}", folder / "back.json"
        for source, target in [(first, there), (there, back)]:
            said, error = convert(sare, source, target)
            if said is None:
                raise Wrong(f"as {name}: {error}")
        if json.loads(back.read_text()) != network:
            raise Wrong(f"it comes back from {name} as another network")


def check(a, folder, name, entry):
    source = pathlib.Path(a.folder) / name
    target = folder / "network.json"
    said, error = convert(a.sare, source, target)
    outcome = "refuse" if said is None else "warn" if said["notes"] else "read"
    if outcome not in entry["accepted"] and not (outcome == "refuse" and "later" in entry):
        raise Wrong(f"{outcome} instead of {' or '.join(entry['accepted'])}: {error.strip()}")
    if said is None:
        return outcome, error.strip()
    network = json.loads(target.read_text())
    if "nodes" in entry:
        values(a.sare, source, network, said, entry)
    if a.trips:
        trips(a.sare, folder, network)
    return outcome, error.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--sare", default="sare")
    parser.add_argument("--only", default="", help="only files with this text in their names")
    parser.add_argument("--trips", action="store_true")
    a = parser.parse_args()
    answers = json.loads((pathlib.Path(a.folder) / "answers.json").read_text())
    failed, counts = 0, {}
    for name, entry in answers.items():
        if a.only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                outcome, said = check(a, pathlib.Path(folder), name, entry)
            except Wrong as wrong:
                outcome, said = "WRONG", str(wrong).strip()
        failed += outcome == "WRONG"
        counts[outcome] = counts.get(outcome, 0) + 1
        print(f"{outcome:7} {name}  {said}".rstrip(), flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Time packages that answer queries of Bayesian networks.

usage: inference.py DATA [--only query-alarm,...] [--reps 3] [--fast]

DATA/networks holds networks in sare's JSON form, NAME.json, each with the queries
that make_data.py --queries draws for it, NAME.queries.json. Prints one JSON line a
run; each package works in a fresh process, on one thread, on a network already in
memory. The works:

query-NAME  the marginals of all variables for each query, every one of them
            materialised. The engine is made once before the clock starts.

The answers, computed off the clock: the mean over the queries of the sum of the
entropies of all marginals and of ln p(evidence), in nats. `marginals` names a file
that gets all marginals of all queries, for a comparison number by number.

--fast leaves out what takes minutes: networks of more than 1000 variables.
"""
import argparse
import importlib.util
import json
import math
import pathlib
import subprocess
import sys

import numpy as np

from measure import line, timed

LARGE = 1000


def load(a, name):
    folder = pathlib.Path(a.data) / "networks"
    nodes = json.loads((folder / f"{name}.json").read_text())["nodes"]
    queries = json.loads((folder / f"{name}.queries.json").read_text())
    return nodes, queries


def pyagrum_network(nodes):
    import pyagrum
    net = pyagrum.BayesNet()
    for node in nodes:
        net.add(pyagrum.LabelizedVariable(node["name"], node["name"], node["levels"]))
    for node in nodes:
        # the parent that was joined first changes fastest after the child
        for parent in reversed(node["parents"]):
            net.addArc(parent, node["name"])
        flat = [p for row in node["probabilities"] for p in row]
        net.cpt(node["name"]).fillWith(flat)
    return net


def pyagrum_query(a, name, engine):
    import pyagrum
    pyagrum.setNumberOfThreads(1)
    nodes, queries = load(a, name)
    net = pyagrum_network(nodes)
    maker = getattr(pyagrum, engine)(net)
    if hasattr(maker, "setNumberOfThreads"):
        maker.setNumberOfThreads(1)
    ids = [net.idFromName(node["name"]) for node in nodes]

    def answer(query):
        maker.setEvidence(query)
        maker.makeInference()
        return [maker.posterior(i) for i in ids]

    def work():
        for query in queries:
            answer(query)

    _, figures = timed(work, a.reps)
    entropy, log, kept = 0.0, 0.0, []
    for query in queries:
        marginals = [m.toarray() for m in answer(query)]
        kept.append([m.tolist() for m in marginals])
        flat = np.concatenate(marginals)
        flat = flat[flat > 0]
        entropy -= float((flat * np.log(flat)).sum())
        log += math.log(maker.evidenceProbability())
    if a.marginals:
        pathlib.Path(a.marginals).write_text(json.dumps(kept))
    count = len(queries)
    line(f"query-{name}", f"pyAgrum {engine}", pyagrum.__version__, figures, {
        "queries": count, "entropy": entropy / count, "log_evidence": log / count,
    })


PEERS = {
    "lazy": ("pyagrum", lambda a, name: pyagrum_query(a, name, "LazyPropagation")),
    "shafer-shenoy": ("pyagrum", lambda a, name: pyagrum_query(a, name, "ShaferShenoyInference")),
}


def main():
    ap = argparse.ArgumentParser(description="time packages that answer queries of networks")
    ap.add_argument("data", help="folder with networks and queries")
    ap.add_argument("--only", help="works, with commas between")
    ap.add_argument("--peers", help=f"which, with commas between, of {', '.join(PEERS)}")
    ap.add_argument("--reps", type=int, default=3)
    ap.add_argument("--fast", action="store_true", help="leave out what takes minutes")
    ap.add_argument("--marginals", help="a file for all marginals of one run")
    ap.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    a = ap.parse_args()
    folder = pathlib.Path(a.data) / "networks"
    names = sorted(p.name.removesuffix(".queries.json") for p in folder.glob("*.queries.json"))
    only = a.only.split(",") if a.only else None
    for name in names:
        if only is not None and f"query-{name}" not in only:
            continue
        if a.fast and len(load(a, name)[0]) > LARGE:
            continue
        for peer in a.peers.split(",") if a.peers else PEERS:
            module, function = PEERS[peer]
            if a.child:
                function(a, name)
                continue
            if importlib.util.find_spec(module) is None:
                print(f"{peer}: not installed, left out", file=sys.stderr)
                continue
            options = [f"--only=query-{name}", f"--peers={peer}", f"--reps={a.reps}"]
            options += [f"--marginals={a.marginals}"] if a.marginals else []
            p = subprocess.run([sys.executable, __file__, a.data, "--child", *options])
            if p.returncode != 0:
                print(f"{name}, {peer}: failed, left out", file=sys.stderr)


if __name__ == "__main__":
    main()

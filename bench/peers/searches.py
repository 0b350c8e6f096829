#!/usr/bin/env python3
"""Let packages search for known networks in samples of them.

usage: searches.py DATA [--only child,alarm] [--reps 1]

DATA holds a network as NAME.bif and samples of it as NAME-1.csv, NAME-2.csv, ...
(`sare sample NAME.bif -n 5000 --seed 1 -o NAME-1.csv`). Each package searches for
the graph of greatest BIC, on one thread, with the table already in memory. Prints
one JSON line for each network and package with the means over the samples: `bic`
in nats as `structures.py` computes it, `shd`, the pairs of columns that are joined
otherwise in the CPDAG than in that of the network, and CPU seconds.

`SARE_BENCH_DATA=DATA cargo bench --bench structures` prints the same of sare.
"""
import argparse
import itertools
import pathlib
import re

import pandas as pd
import pyagrum

from measure import line, timed
from structures import bic


def true_arcs(path):
    """The arcs of a BIF file. (pyAgrum refuses the level names of child.)"""
    family = re.compile(r"probability\s*\(\s*([^|)]+?)\s*\|\s*([^)]+?)\s*\)")
    found = family.finditer(path.read_text())
    return [(p.strip(), m[1]) for m in found for p in m[2].split(",")]


def marks(names, arcs):
    """How each pair of nodes is joined in the CPDAG of a graph."""
    net, place = pyagrum.BayesNet(), {name: i for i, name in enumerate(names)}
    for i in range(len(names)):
        net.add(pyagrum.RangeVariable(str(i), "", 0, 1))
    for parent, child in arcs:
        net.addArc(place[parent], place[child])
    pattern = pyagrum.EssentialGraph(net)
    directed, undirected = pattern.arcs(), {tuple(sorted(e)) for e in pattern.edges()}
    pairs = itertools.combinations(range(len(names)), 2)
    return [((a, b) in directed, (b, a) in directed, (a, b) in undirected) for a, b in pairs]


def distance(names, arcs, truth):
    return sum(a != b for a, b in zip(marks(names, arcs), marks(names, truth)))


def search(frame, reps, choose):
    def prepare():
        learner = pyagrum.BNLearner(frame)
        learner.setNumberOfThreads(1)
        learner.useScoreBIC()
        learner.useNoPrior()
        choose(learner)
        return learner

    def learn(learner):
        found = learner.learnDAG()
        return [tuple(learner.nameFromId(node) for node in arc) for arc in found.arcs()]

    return timed(lambda learner: learn(learner), reps, prepare)


PEERS = {
    "pyAgrum tabu list": lambda learner: learner.useLocalSearchWithTabuList(100, 2),
    "pyAgrum hill climbing": lambda learner: learner.useGreedyHillClimbing(),
    "(the network's graph)": None,
}


def main():
    ap = argparse.ArgumentParser(description="let packages search for known networks")
    ap.add_argument("data", type=pathlib.Path, help="folder of NAME.bif and NAME-1.csv, ...")
    ap.add_argument("--only", help="networks, with commas between")
    ap.add_argument("--reps", type=int, default=1)
    a = ap.parse_args()
    networks = a.only.split(",") if a.only else sorted(p.stem for p in a.data.glob("*.bif"))
    for network, (peer, choose) in itertools.product(networks, PEERS.items()):
        truth, runs = true_arcs(a.data / f"{network}.bif"), []
        for path in sorted(a.data.glob(f"{network}-*.csv")):
            frame = pd.read_csv(path, dtype=str, keep_default_na=False)
            arcs, figures = search(frame, a.reps, choose) if choose else (truth, {})
            shd = distance(list(frame.columns), arcs, truth)
            runs.append({"bic": bic(frame, arcs), "shd": shd} | figures)
        means = pd.DataFrame(runs).mean()
        figures = {"samples": len(runs)}
        if choose:
            figures["cpu_seconds"] = round(means["cpu_seconds"], 4)
        answer = {"bic": round(means["bic"], 2), "shd": round(means["shd"], 2)}
        line(f"search-{network}", peer, pyagrum.__version__, figures, answer)


if __name__ == "__main__":
    main()

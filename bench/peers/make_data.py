#!/usr/bin/env python3
"""Make the tables that the packages are timed on.

usage: make_data.py OUT [--alarm alarm.bif] [--only w1,w1wide,w3,w4,queries]

Each is written to OUT as CSV and parquet, with a header:

w1      1,000,000 rows of 30 attributes with four states and a class of four
w1wide  100,000 rows of 200 such attributes and such a class
w3      100,000 rows of 30 attributes with three states, in five latent classes, without
        the class; and w3.start.json, where EM starts: what responsibilities drawn by
        RandomState(1), as StepMix draws them, make of the rows, in sare's JSON form
w4      50,000 rows drawn from the ALARM network by pyAgrum, columns by name; needs
        --alarm, the network as a BIF file (one is in the wheel of pgmpy 0.1.26,
        pgmpy/utils/example_models/alarm.bif.gz). Its arcs go to OUT/alarm_arcs.txt,
        one `parent -> child` a line.

queries  for every network OUT/networks/NAME.json (in sare's JSON form) the file
        NAME.queries.json: 200 queries, or 20 where there are more than 1000
        variables. Each gives five random variables the levels of one row drawn from
        the network, so that the evidence is possible.

In the first two, cells are integer codes and the class is last; attribute j
depends on the class and on one earlier attribute. Seeds are fixed, so the files
are always the same (for one version of numpy and of pyAgrum).
"""
import argparse
import json
import pathlib

import numpy as np
import pandas as pd


def tan_data(rows, attributes, states, classes, seed):
    """A draw from a random tree-augmented model with a weak class signal."""
    rng = np.random.default_rng(seed)
    prior = rng.dirichlet(np.full(classes, 5.0))
    y = rng.choice(classes, size=rows, p=prior).astype(np.uint8)
    x = np.empty((rows, attributes), np.uint8)
    for j in range(attributes):
        parent = rng.integers(0, j) if j else -1
        if parent < 0:
            config, table = y.astype(np.int64), rng.dirichlet(np.full(states, 1.0), size=classes)
        else:
            config = y.astype(np.int64) * states + x[:, parent]
            own = rng.dirichlet(np.full(states, 1.0), size=classes * states)
            shared = rng.dirichlet(np.full(states, 0.7), size=states)
            # three quarters of each column ignore the class
            table = 0.75 * np.tile(shared, (classes, 1)) + 0.25 * own
        steps = np.cumsum(table, axis=1)
        u = rng.random(rows)
        x[:, j] = (u[:, None] > steps[config][:, :-1]).sum(1)
    frame = pd.DataFrame(x, columns=[f"x{j}" for j in range(attributes)])
    frame["class"] = y
    return frame


def latent_data(rows, attributes, states, classes, seed):
    """A draw from naive Bayes with a class that is not kept."""
    rng = np.random.default_rng(seed)
    z = rng.choice(classes, size=rows, p=rng.dirichlet(np.full(classes, 5.0)))
    x = np.empty((rows, attributes), np.uint8)
    for j in range(attributes):
        steps = np.cumsum(rng.dirichlet(np.full(states, 1.0), size=classes), axis=1)
        x[:, j] = (rng.random(rows)[:, None] > steps[z][:, :-1]).sum(1)
    return pd.DataFrame(x, columns=[f"x{j}" for j in range(attributes)])


def latent_start(frame, classes, seed):
    """What random responsibilities make of the rows; the classes alike."""
    share = np.random.RandomState(seed).uniform(size=(len(frame), classes))
    share /= share.sum(axis=1)[:, None]
    levels = [str(c + 1) for c in range(classes)]
    nodes = []
    for name in frame:
        codes = frame[name].to_numpy()
        states = int(codes.max()) + 1
        sums = np.stack([share[codes == s].sum(axis=0) for s in range(states)], axis=1)
        rows = (sums / sums.sum(axis=1, keepdims=True)).tolist()
        nodes.append({"name": name, "levels": [str(s) for s in range(states)],
                      "parents": ["cluster"], "probabilities": rows})
    nodes.append({"name": "cluster", "levels": levels, "parents": [],
                  "probabilities": [[1 / classes] * classes]})
    return {"nodes": nodes}


def alarm_data(bif, rows, seed):
    """Rows drawn from a network, and its arcs by name."""
    import pyagrum
    pyagrum.initRandom(seed)
    net = pyagrum.loadBN(bif)
    draw = pyagrum.BNDatabaseGenerator(net)
    draw.drawSamples(rows)
    draw.setVarOrder(sorted(net.names()))
    arcs = [tuple(net.variable(node).name() for node in arc) for arc in net.arcs()]
    return draw.to_pandas(with_labels=True), sorted(arcs)


def draw_row(nodes, order, rng):
    """One row of a network: the level of every variable by number."""
    row = {}
    for name in order:
        node, place = nodes[name], 0
        for parent in node["parents"]:
            place = place * len(nodes[parent]["levels"]) + row[parent]
        p = np.array(node["probabilities"][place])
        row[name] = int(rng.choice(len(p), p=p / p.sum()))
    return row


def parents_first(nodes):
    order, done = [], set()
    stack = list(reversed(nodes))
    while stack:
        name = stack[-1]
        missing = [p for p in nodes[name]["parents"] if p not in done]
        if missing and name not in done:
            stack += missing
            continue
        stack.pop()
        if name not in done:
            done.add(name)
            order.append(name)
    return order


def write_queries(path, seed):
    nodes = {n["name"]: n for n in json.loads(path.read_text())["nodes"]}
    rng = np.random.default_rng(seed)
    order, names = parents_first(nodes), sorted(nodes)
    queries = []
    for _ in range(200 if len(nodes) <= 1000 else 20):
        row = draw_row(nodes, order, rng)
        seen = rng.choice(names, min(5, len(names)), replace=False)
        queries.append({str(v): nodes[v]["levels"][row[v]] for v in seen})
    path.with_suffix(".queries.json").write_text(json.dumps(queries))
    print(path.stem, len(queries), "queries", flush=True)


def write(frame, out, name):
    frame.to_parquet(out / f"{name}.parquet")
    frame.to_csv(out / f"{name}.csv", index=False)
    print(name, frame.shape, flush=True)


def main():
    ap = argparse.ArgumentParser(description="make the tables that the packages are timed on")
    ap.add_argument("out")
    ap.add_argument("--alarm", help="the ALARM network as a BIF file")
    ap.add_argument("--only", default="w1,w1wide,w3,w4,queries", help="which tables, with commas between")
    a = ap.parse_args()
    wanted = a.only.split(",")
    out = pathlib.Path(a.out)
    out.mkdir(parents=True, exist_ok=True)
    if "w1" in wanted:
        write(tan_data(1_000_000, 30, 4, 4, 1), out, "w1")
    if "w1wide" in wanted:
        write(tan_data(100_000, 200, 4, 4, 2), out, "w1wide")
    if "w3" in wanted:
        frame = latent_data(100_000, 30, 3, 5, 3)
        write(frame, out, "w3")
        (out / "w3.start.json").write_text(json.dumps(latent_start(frame, 5, 1)))
    if "w4" in wanted and a.alarm:
        frame, arcs = alarm_data(a.alarm, 50_000, 4)
        write(frame, out, "w4")
        (out / "alarm_arcs.txt").write_text("".join(f"{p} -> {c}\n" for p, c in arcs))
    if "queries" in wanted:
        for path in sorted((out / "networks").glob("*.json")):
            if not path.name.endswith(".queries.json"):
                write_queries(path, 5)


if __name__ == "__main__":
    main()

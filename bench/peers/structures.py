#!/usr/bin/env python3
"""Time packages that learn structures: trees, graphs, sets of attributes.

usage: structures.py DATA [--only fit-tan,...] [--rows N] [--reps 3] [--fast]

DATA is the folder that make_data.py fills; for `selective` it must also hold
chess.csv (kr-vs-kp of the UCI repository with a header, the class in `class`).
Prints one JSON line a run; each package works in a fresh process, on a table
already in memory, on one thread where it can be told so. The works:

fit-tan, predict-tan  tree-augmented naive Bayes on w1, structure and parameters
                      (Laplace), and the class probabilities of all its rows.
                      Which attribute is the root is free and moves the smoothed
                      probabilities a little, not the `bic` of the tree.
                      pyAgrum predicts in a Python loop, so it gets 20,000 rows;
                      fields "rows" tell of every run on fewer rows than there are.
fit-tan-wide          the same fit on w1wide
hill-climbing         a graph for w4 by its BIC
selective             attributes for naive Bayes on chess, forward, by its accuracy
                      in ten folds

pyAgrum's BNClassifier writes the table to a file and reads it again inside fit,
and that is timed, being its way; its BNLearner takes the table in before the
clock starts. Weka, which needs a Java runtime, gets its table before the clock
starts too. It predicts through its Evaluation, which runs over the rows in Java
and adds a little of its own, and fits the tables of every graph it searches for.

For a fair answer every graph found is scored here (`bic`, in nats), and so is
every set of attributes (`accuracy`: leave-one-out, naive Bayes with Laplace). The
packages' own scores go by other folds and are not shown.

--fast leaves out what takes minutes: pyAgrum's trees, and Weka's on w1wide.
"""
import argparse
import importlib.util
import logging
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd

from measure import line, timed

PREDICT_ROWS = 20_000
CLASS = "class"


# How answers are scored


def codes(column):
    """Codes of the levels that occur, the rarest first, and how many there are."""
    rank = {level: i for i, level in enumerate(column.value_counts().index[::-1])}
    return column.map(rank).to_numpy(np.int64), len(rank)


def bic(frame, arcs):
    """Log-likelihood less ln(N)/2 for each free parameter, in nats."""
    code, levels = {}, {}
    for name in frame.columns:
        code[name], levels[name] = codes(frame[name])

    def plogp(key):
        count = np.bincount(key)
        count = count[count > 0]
        return float((count * np.log(count)).sum())

    total = 0.0
    for child in frame.columns:
        parents = [a for a, b in arcs if b == child]
        key, columns = np.zeros(len(frame), np.int64), 1
        for p in parents:
            # numbered anew each time, so that the keys stay below the number of rows
            key = np.unique(key * levels[p] + code[p], return_inverse=True)[1]
            columns *= levels[p]
        likelihood = plogp(key * levels[child] + code[child]) - plogp(key)
        total += likelihood - np.log(len(frame)) / 2 * columns * (levels[child] - 1)
    return total


def leave_one_out(frame, chosen):
    """Accuracy of naive Bayes with Laplace on `chosen`, each row classified without itself."""
    y, classes = codes(frame[CLASS])
    own = np.eye(classes)[y]
    size = own.sum(0) - own
    score = np.log((size + 1) / (len(y) - 1 + classes))
    for name in chosen:
        x, levels = codes(frame[name])
        count = np.zeros((levels, classes))
        np.add.at(count, (x, y), 1)
        score += np.log((count[x] - own + 1) / (size + levels))
    return float((score.argmax(1) == y).mean())


def posterior(p, y):
    return {
        "accuracy": float((p.argmax(1) == y).mean()),
        "mean_log_posterior": float(np.log(p[np.arange(len(y)), y]).mean()),
    }


def graph(frame, arcs):
    return {"arcs": len(arcs), "bic": bic(frame, arcs)}


def chosen(frame, names):
    return {"attributes": len(names), "accuracy": leave_one_out(frame, names), "chosen": names}


# The tables


def table(a, name, limit=True):
    """A table and a field that tells if it was cut short."""
    path = pathlib.Path(a.data) / name
    frame = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path, dtype=str)
    if limit and a.rows and a.rows < len(frame):
        return frame.iloc[:a.rows], {"rows": a.rows}
    return frame, {}


# pyAgrum


def pyagrum_tan(a, works):
    import pyagrum
    from pyagrum.lib.discreteTypeProcessor import DiscreteTypeProcessor
    from pyagrum.skbn import BNClassifier
    pyagrum.setNumberOfThreads(1)
    peer, version = "pyAgrum BNClassifier TAN", pyagrum.__version__
    wide = "fit-tan-wide" in works
    frame, short = table(a, "w1wide.parquet" if wide else "w1.parquet")
    x, y = frame.drop(columns=CLASS), frame[CLASS]

    def fit():
        # columns of fewer than 25 values are taken as they are
        kinds = DiscreteTypeProcessor(discretizationThreshold=25)
        return BNClassifier(type_processor=kinds, learningMethod="TAN", prior="Smoothing",
                            priorWeight=1.0).fit(x, y)

    # a model to predict with needs no second fit
    model, figures = timed(fit, a.reps if works != ["predict-tan"] else 1)
    net = model.bn_
    arcs = [tuple(net.variable(node).name() for node in arc) for arc in net.arcs()]
    if works != ["predict-tan"]:
        work = "fit-tan-wide" if wide else "fit-tan"
        line(work, peer, version, figures | short, graph(frame, arcs))
    if "predict-tan" in works:
        rows = min(PREDICT_ROWS, len(x))
        p, figures = timed(lambda: model.predict_proba(x.iloc[:rows]), a.reps)
        line("predict-tan", peer, version, figures | {"rows": rows},
             posterior(p, y.to_numpy()[:rows]))


def pyagrum_search(a, works, tabu):
    import pyagrum
    frame, short = table(a, "w4.csv")

    def prepare():
        learner = pyagrum.BNLearner(frame)
        learner.setNumberOfThreads(1)
        learner.useScoreBIC()
        if tabu:
            learner.useLocalSearchWithTabuList(100, 2)
        else:
            learner.useGreedyHillClimbing()
        return learner

    def search(learner):
        found = learner.learnDAG()
        return [tuple(learner.nameFromId(node) for node in arc) for arc in found.arcs()]

    arcs, figures = timed(search, a.reps, prepare)
    peer = "pyAgrum tabu list" if tabu else "pyAgrum hill climbing"
    line("hill-climbing", peer, pyagrum.__version__, figures | short, graph(frame, arcs))


def pyagrum_hill(a, works):
    pyagrum_search(a, works, tabu=False)


def pyagrum_tabu(a, works):
    pyagrum_search(a, works, tabu=True)


# Weka, in a Java machine inside this process


def weka():
    """A function from the name of a class of Weka to the class."""
    from weka.core import jvm
    jvm.start(max_heap_size="8g", logging_level=logging.ERROR)
    from jpype import JClass
    return lambda name: JClass("weka." + name)


def weka_version(java):
    return str(java("core.Version").VERSION)


def weka_table(java, frame, target):
    with tempfile.NamedTemporaryFile("w", suffix=".arff") as f:
        f.write("@relation data\n")
        for name in frame.columns:
            levels = ",".join(map(str, sorted(frame[name].unique())))
            f.write(f"@attribute {name} {{{levels}}}\n")
        f.write("@data\n")
        frame.to_csv(f, index=False, header=False)
        f.flush()
        data = java("core.converters.ConverterUtils$DataSource").read(f.name)
    data.setClassIndex(data.attribute(target).index())
    java_gc()
    return data


def java_gc():
    from jpype import JClass
    JClass("java.lang.System").gc()


def weka_net(java, search, *options):
    net = java("classifiers.bayes.BayesNet")()
    algorithm = java(f"classifiers.bayes.net.search.local.{search}")()
    algorithm.setOptions(list(options))
    net.setSearchAlgorithm(algorithm)
    estimator = java("classifiers.bayes.net.estimate.SimpleEstimator")()
    estimator.setAlpha(1.0)
    net.setEstimator(estimator)
    return net


def weka_arcs(net, names):
    for i, child in enumerate(names):
        parents = net.getParentSet(i)
        for j in range(parents.getNrOfParents()):
            yield names[parents.getParent(j)], child


def weka_tan(a, works):
    java = weka()
    peer, version = "Weka BayesNet TAN", weka_version(java)
    wide = "fit-tan-wide" in works
    frame, short = table(a, "w1wide.parquet" if wide else "w1.parquet")
    data = weka_table(java, frame, CLASS)

    def fit():
        # by entropies the tree is the one of most conditional information
        net = weka_net(java, "TAN", "-S", "ENTROPY")
        net.buildClassifier(data)
        return net

    def predict():
        evaluation = java("classifiers.Evaluation")(data)
        evaluation.setDiscardPredictions(True)
        evaluation.evaluateModel(net, data)
        return evaluation

    net, figures = timed(fit, a.reps if works != ["predict-tan"] else 1)
    if works != ["predict-tan"]:
        arcs = list(weka_arcs(net, list(frame.columns)))
        work = "fit-tan-wide" if wide else "fit-tan"
        line(work, peer, version, figures | short, graph(frame, arcs))
    if "predict-tan" in works:
        evaluation, figures = timed(predict, a.reps)
        line("predict-tan", peer, version, figures | short, {
            "accuracy": evaluation.pctCorrect() / 100,
            # Weka gives the mean log loss in bits
            "mean_log_posterior": -evaluation.SFMeanSchemeEntropy() * float(np.log(2)),
        })


def weka_search(a, peer, search, *options):
    java = weka()
    frame, short = table(a, "w4.csv")
    names = list(frame.columns)
    data = weka_table(java, frame, names[-1])

    def learn():
        # -N: start from no arcs; -R: arcs may be turned; MDL is the BIC
        net = weka_net(java, search, "-N", "-R", "-P", str(len(names)), "-S", "MDL", *options)
        net.buildClassifier(data)
        return net

    net, figures = timed(learn, a.reps)
    answer = graph(frame, list(weka_arcs(net, names)))
    line("hill-climbing", peer, weka_version(java), figures | short, answer)


def weka_hill(a, works):
    weka_search(a, "Weka HillClimber", "HillClimber")


def weka_tabu(a, works):
    # -U: steps in all, -L: length of the list
    weka_search(a, "Weka TabuSearch", "TabuSearch", "-U", "200", "-L", "10")


def weka_selective(a, works):
    java = weka()
    frame, _ = table(a, "chess.csv", limit=False)
    names = list(frame.columns)
    data = weka_table(java, frame, CLASS)
    for search in ("GreedyStepwise", "BestFirst"):

        def select():
            judge = java("attributeSelection.WrapperSubsetEval")()
            judge.setClassifier(java("classifiers.bayes.NaiveBayes")())
            judge.setFolds(10)
            judge.setSeed(1)
            judge.setThreshold(-1.0)  # the ten folds are gone through once
            selection = java("attributeSelection.AttributeSelection")()
            selection.setEvaluator(judge)
            selection.setSearch(java(f"attributeSelection.{search}")())
            selection.SelectAttributes(data)
            return selection

        selection, figures = timed(select, a.reps)
        found = sorted(names[i] for i in selection.selectedAttributes() if names[i] != CLASS)
        line("selective", f"Weka WrapperSubsetEval {search}", weka_version(java), figures,
             chosen(frame, found))


# scikit-learn


def sklearn_selective(a, works):
    import sklearn
    from sklearn.feature_selection import SequentialFeatureSelector
    from sklearn.model_selection import StratifiedKFold
    from sklearn.naive_bayes import CategoricalNB
    frame, _ = table(a, "chess.csv", limit=False)
    names = [name for name in frame.columns if name != CLASS]
    # the commonest level has the highest code, so no fold meets a code beyond those it learnt
    x = np.column_stack([codes(frame[name])[0] for name in names])
    y = codes(frame[CLASS])[0]

    def select():
        # a tolerance below one row in a fold: on while the accuracy grows at all
        return SequentialFeatureSelector(
            CategoricalNB(alpha=1.0), n_features_to_select="auto", tol=1e-5,
            direction="forward", cv=StratifiedKFold(10, shuffle=True, random_state=1),
        ).fit(x, y)

    selector, figures = timed(select, a.reps)
    found = sorted(name for name, on in zip(names, selector.get_support()) if on)
    line("selective", "scikit-learn SequentialFeatureSelector", sklearn.__version__, figures,
         chosen(frame, found))


# name: (works, module, file, whether it takes minutes, function)
TAN = ("fit-tan", "predict-tan")
PEERS = {
    "weka-tan": (TAN, "weka", "w1.parquet", False, weka_tan),
    "pyagrum-tan": (TAN, "pyagrum", "w1.parquet", True, pyagrum_tan),
    "weka-tan-wide": (("fit-tan-wide",), "weka", "w1wide.parquet", True, weka_tan),
    "pyagrum-tan-wide": (("fit-tan-wide",), "pyagrum", "w1wide.parquet", True, pyagrum_tan),
    "pyagrum-hill": (("hill-climbing",), "pyagrum", "w4.csv", False, pyagrum_hill),
    "pyagrum-tabu": (("hill-climbing",), "pyagrum", "w4.csv", False, pyagrum_tabu),
    "weka-hill": (("hill-climbing",), "weka", "w4.csv", False, weka_hill),
    "weka-tabu": (("hill-climbing",), "weka", "w4.csv", False, weka_tabu),
    "sklearn-selective": (("selective",), "sklearn", "chess.csv", False, sklearn_selective),
    "weka-selective": (("selective",), "weka", "chess.csv", False, weka_selective),
}


def true_graph(a):
    """What the graph scores that w4 was drawn from; nothing is timed."""
    path = pathlib.Path(a.data) / "alarm_arcs.txt"
    if path.exists():
        frame, short = table(a, "w4.csv")
        arcs = [tuple(text.split(" -> ")) for text in path.read_text().splitlines()]
        line("hill-climbing", "(the graph the rows were drawn from)", "", short,
             graph(frame, arcs))


def main():
    ap = argparse.ArgumentParser(description="time packages that learn structures")
    ap.add_argument("data", help="folder made by make_data.py")
    ap.add_argument("--only", help="works, with commas between")
    ap.add_argument("--peers", help=f"which, with commas between, of {', '.join(PEERS)}")
    ap.add_argument("--rows", type=int, help="only the first rows of w1, w1wide and w4")
    ap.add_argument("--reps", type=int, default=3)
    ap.add_argument("--fast", action="store_true", help="leave out what takes minutes")
    ap.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    a = ap.parse_args()
    only = a.only.split(",") if a.only else None
    names = a.peers.split(",") if a.peers else list(PEERS)
    for name in names:
        works, module, file, slow, function = PEERS[name]
        works = [w for w in works if only is None or w in only]
        if not works or (a.fast and slow):
            continue
        if a.child:
            return function(a, works)
        if importlib.util.find_spec(module) is None:
            print(f"{name}: not installed, left out", file=sys.stderr)
        elif not (pathlib.Path(a.data) / file).exists():
            print(f"{name}: no {file}, left out", file=sys.stderr)
        else:
            options = [f"--only={','.join(works)}", f"--peers={name}", f"--reps={a.reps}"]
            options += [f"--rows={a.rows}"] if a.rows else []
            p = subprocess.run([sys.executable, __file__, a.data, "--child", *options])
            if p.returncode != 0:
                print(f"{name}: failed, left out", file=sys.stderr)
    if not a.child and not a.peers and (only is None or "hill-climbing" in only):
        true_graph(a)


if __name__ == "__main__":
    main()

"""Networks that sare writes, read by pyAgrum (or, with --pgmpy, by pgmpy), written back and read by sare again.

    interop.py [--pgmpy] SARE FOLDER

FOLDER holds networks in sare's JSON; what a name starts with says how awkward its names are: `plain`, `awkward` (blanks,
quotes, commas, braces, other scripts) or `wild` (everything); `named` ones must keep their names too, but the program does not
write them (20_MG_L). Exits with 1 at the first difference. pgmpy is not part of
the tests because it needs so much beside it; install pgmpy==0.1.26 and run this by hand.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np


def sare_convert(sare, source, target):
    subprocess.run([sare, "convert", "--quiet", source, target], check=True, stdout=subprocess.DEVNULL)


def from_json(path):
    """name -> (levels, parents, array over parents and levels), in the file's order."""
    nodes = json.loads(Path(path).read_text(encoding="utf-8"))["nodes"]
    sizes = {n["name"]: len(n["levels"]) for n in nodes}
    table = lambda n: np.array(n["probabilities"]).reshape([sizes[p] for p in n["parents"]] + [len(n["levels"])])
    return {n["name"]: (n["levels"], n["parents"], table(n)) for n in nodes}


def compare(what, ours, theirs, tolerance, by_position=False, levels_too=True):
    """Both must be the same network; by position, where a format has identifiers instead of names."""
    assert len(ours) == len(theirs), f"{what}: {len(theirs)} nodes instead of {len(ours)}"
    called = dict(zip(ours, theirs)) if by_position else {name: name for name in ours}
    worst = 0.0
    for name, (levels, parents, table) in ours.items():
        their_levels, their_parents, their_table = theirs[called[name]]
        if levels_too:
            assert list(levels) == list(their_levels), f"{what}: {name} has the levels {their_levels}"
        wanted = [called[p] for p in parents]
        assert sorted(wanted) == sorted(their_parents), f"{what}: {name} has the parents {their_parents}"
        order = [their_parents.index(p) for p in wanted] + [len(wanted)]
        difference = np.abs(np.transpose(their_table, order) - table).max()
        assert difference <= tolerance, f"{what}: {name} differs by {difference}"
        worst = max(worst, difference)
    print(f"{what}: {len(ours)} nodes, largest difference {worst:.1e}")


class PyAgrum:
    # pyAgrum keeps probabilities of BIF and NET in single precision while it reads, and writes XMLBIF and DSL with six
    # digits; what it reads from XMLBIF and writes as BIF or NET is exact.
    reads = {"bif": 1e-7, "net": 1e-7, "bifxml": 1e-12}
    writes = {"plain": {"bif": 1e-12, "net": 1e-12, "bifxml": 1e-5, "dsl": 1e-5}, "named": {}, "awkward": {"bifxml": 1e-5}, "wild": {}}

    def __init__(self):
        import pyagrum

        self.gum = pyagrum

    def can_read(self, ending, kind):
        return True

    def load(self, path):
        return self.gum.loadBN(str(path))

    def nodes(self, net):
        found = {}
        for node in sorted(net.nodes()):
            variable = net.variable(node)
            names = list(net.cpt(node).names)[::-1]
            found[variable.name()] = (list(variable.labels()), names[:-1], np.asarray(net.cpt(node).toarray()))
        return found

    def save(self, net, path):
        self.gum.saveBN(net, str(path))


class Pgmpy:
    reads = {"bif": 1e-12, "net": 1e-12, "xml": 1e-12}
    writes = {"plain": {"bif": 1e-12, "net": 1e-4, "xml": 1e-12}, "named": {}, "awkward": {}, "wild": {}}

    def __init__(self):
        from pgmpy import readwrite

        self.readwrite = readwrite

    def can_read(self, ending, kind):
        # Its NET reader takes blanks, commas and parentheses inside quotes for the end of a state.
        return ending != "net" or kind in ("plain", "named")

    def load(self, path):
        kind = path.suffix[1:]
        if kind == "bif":
            return self.readwrite.BIFReader(str(path), n_jobs=1).get_model()
        if kind == "net":
            return self.readwrite.NETReader(str(path)).get_model()
        return self.readwrite.XMLBIFReader(str(path)).get_model()

    def nodes(self, net):
        found = {}
        for name in net.nodes():
            cpd = net.get_cpds(name)
            found[name] = (cpd.state_names[name], list(cpd.variables[1:]), np.moveaxis(np.asarray(cpd.values), 0, -1))
        return found

    def save(self, net, path):
        kind = path.suffix[1:]
        if kind == "bif":
            self.readwrite.BIFWriter(net).write_bif(str(path))
        elif kind == "net":
            self.readwrite.NETWriter(net).write_net(str(path))
        else:
            self.readwrite.XMLBIFWriter(net).write_xmlbif(str(path))


def main(arguments):
    tool = Pgmpy() if "--pgmpy" in arguments else PyAgrum()
    sare, folder = [a for a in arguments if a != "--pgmpy"]
    for source in sorted(Path(folder).glob("*.json")):
        kind = next(k for k in ("plain", "named", "awkward", "wild") if source.name.startswith(k))
        ours = from_json(source)
        exact = None
        for ending, tolerance in tool.reads.items():
            if not tool.can_read(ending, kind):
                continue
            path = source.with_suffix("." + ending)
            sare_convert(sare, source, path)
            net = tool.load(path)
            # NET knows the word class, so the class of the plain ones has another name there.
            same = "xml" in ending or kind == "named" or (kind == "plain" and ending == "bif")
            compare(path.name, ours, tool.nodes(net), tolerance, by_position=not same, levels_too=same)
            exact = net if tolerance == 1e-12 else exact
        for ending, tolerance in tool.writes[kind].items():
            back = source.with_suffix(".back." + ending)
            read_again = source.parent / "back" / (back.name + ".json")
            read_again.parent.mkdir(exist_ok=True)
            tool.save(exact, back)
            sare_convert(sare, back, read_again)
            compare(back.name, ours, from_json(read_again), tolerance)


if __name__ == "__main__":
    main(sys.argv[1:])

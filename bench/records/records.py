#!/usr/bin/env python3
"""Plans the records that ship, and says what they lose.

    records.py todo AUTOTUNE STATE      what is left to tune, as --problems reads it
    records.py members AUTOTUNE STATE   likewise of members of the classes, at three sizes each
    records.py proofs AUTOTUNE STATE    each record as the options of verify, the fewest bytes first
    records.py table AUTOTUNE STATE     a table for bench/results: what each class gains and loses

STATE is a folder of records. A problem is left where STATE has no record of it with the kernels of
today: so a changed kernel costs its own records alone. The most used come first, for a slice of
time may end anywhere.
"""
import csv
import io
import math
import os
import subprocess
import sys
import tempfile

SIZES = [1 << shift for shift in range(10, 33, 2)]  # 1Ki to 4Gi by factors of 4
WARM = [n for n in SIZES if n <= 1 << 24]  # what a cache may hold
MEMBER_SIZES = [1 << 12, 1 << 20, 1 << 28]
MAY_LOSE = 1.03  # a member that loses more than this gets records of its own

# Rows and columns: from few elements of each result to few results, whole loads and not, and small.
ROWS = [(2097152, 128), (16777216, 16), (262144, 1024), (16384, 16384), (100, 2684354),
        (333333, 777), (8388608, 31), (67108864, 4), (1000, 100)]
COLUMNS = [(262144, 1024), (16777216, 16), (2097152, 128), (16384, 16384), (4096, 65536),
           (333333, 777), (100, 2684354), (50000, 513), (1000, 100)]
FIRST = ["sum i32", "sum f32", "sum bf16", "min i32", "sum f64", "argmin f32"]
SHAPED = ["sum f32", "sum bf16"]  # of which matrices come before other classes
SCANNED = ["sum i32", "sum f32"]


class Problem:
    """Operation, type and dims; `options` is its line of a list."""

    def __init__(self, name, n=0, shape=(), axis=1, warm=False, scan=False):
        self.op, self.type = name.split()
        self.n, self.shape, self.axis, self.warm, self.scan = n, shape, axis, warm, scan

    def options(self):
        size = f"--n {self.n}"
        if self.shape:
            size = f"--rows {self.shape[0]} --len {self.shape[1]} --axis {self.axis}"
        more = (" --warm" if self.warm else "") + (" --scan inclusive" if self.scan else "")
        return f"--op {self.op} --type {self.type} {size}{more}"

    def key(self):
        n, kind = self.n, "scan" if self.scan else "value"
        if self.shape:
            n, kind = self.shape[0] * self.shape[1], "rows" if self.axis else "columns"
        return (self.op, self.type, kind, n, self.shape[0] if self.shape else 0,
                "warm" if self.warm else "cold")


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def read_classes(autotune):
    """The member that is tuned for each class, and all members."""
    rows = csv.DictReader(io.StringIO(run(autotune, "list", "classes", "--csv", "-")))
    classes = {row["tuned"]: row["members"].split(", ") for row in rows}
    order = FIRST + [name for name in classes if name not in FIRST]
    return {name: classes[name] for name in order}


def plan_sweep(name, is_matrix):
    cold = [Problem(name, n) for n in SIZES]
    warm = [Problem(name, n, warm=True) for n in WARM]
    shapes = []
    if is_matrix:
        shapes = [Problem(name, shape=shape, axis=axis)
                  for pair in zip(ROWS, COLUMNS) for axis, shape in zip((1, 0), pair)]
    return cold, warm, shapes


def plan_all(names):
    """The sweeps of the first classes, their matrices, the others', scans, and what is warm last."""
    sweeps = {name: plan_sweep(name, not name.startswith("arg")) for name in names}
    steps = [sweeps[name][0] for name in names[:2]]
    steps += [sweeps[name][2] for name in names if name in SHAPED]
    steps += [sweeps[name][0] for name in names[2:len(FIRST)]]
    steps += [[Problem(name, n, scan=True) for n in SIZES] for name in SCANNED]
    steps += [sweeps[name][1] for name in names[:len(FIRST)]]
    steps += [sweeps[name][0] for name in names[len(FIRST):]]
    steps += [sweeps[name][2] for name in names if name not in SHAPED]
    steps += [sweeps[name][1] for name in names[len(FIRST):]]
    return [problem for step in steps for problem in step]


def read_state(autotune, state):
    """The records of a folder as rows; what is stale is called so in `result`."""
    if not os.path.isdir(state) or not any(name.endswith(".ini") for name in os.listdir(state)):
        return []
    with tempfile.TemporaryDirectory() as folder:
        text = run(autotune, "merge", "--compact", folder, "--quiet", "--csv", "-", state)
    return list(csv.DictReader(io.StringIO(text)))


def key_of(row):
    return (row["op"], row["type"], row["shape"], int(row["n"]),
            int(row["rows"] or 0), row["regime"])



def print_todo(autotune, state, problems):
    done = {key_of(row) for row in read_state(autotune, state)
            if row["result"] == "ships" and row["order"] == "free"}
    for problem in problems:
        if problem.key() not in done:
            print(problem.options())


def worse_members(autotune, state):
    """Those that lose more than they may by the records of their class."""
    worse = []
    for row in show(autotune, state + "/members"):
        name = f"{row['op']} {row['type']}"
        if row["shipped_us"] and name not in worse and \
                float(row["shipped_us"]) > MAY_LOSE * float(row["us"]):
            worse.append(name)
    return worse


def show(autotune, folder):
    text = run(autotune, "show", "--cache", folder, "--csv", "-", "--quiet")
    return [row for row in csv.DictReader(io.StringIO(text)) if not row["n_from"]]


def print_proofs(autotune, state):
    """What `verify` proves of each record: its config, at its size, as `all_bytes options`."""
    lines = []
    for row in show(autotune, state):
        size = f"--n {row['n']}"
        if row["rows"]:
            axis = 0 if row["shape"] == "columns" else 1
            size = f"--rows {row['rows']} --len {row['len']} --pitch {row['pitch']} --axis {axis}"
        scan = "--scan inclusive" if row["shape"] == "scan" else ""
        elem = int(row["type"].lstrip("uibf")) // 8
        lines.append((int(row["n"]) * elem * (2 if scan else 1),
                      f"--op {row['op']} --type {row['type']} --acc {row['acc']} {size} {scan} "
                      f"--{row['regime']} --order {row['order']} --space {row['space']} "
                      f"--variant {row['params'].replace(' ', ',')}"))
    for all_bytes, line in sorted(lines):
        print(all_bytes, line)


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def print_table(autotune, state):
    """A line for each operation, type and kind of dims: its sizes, and beside each size's own winner
    what the default and what ships take."""
    print("| op | type | shape | regime | records | default: mean | most | shipped: mean | most |")
    print("|---|---|---|---|---:|---:|---:|---:|---:|")
    groups = {}
    for row in show(autotune, state) + show(autotune, state + "/members"):
        key = (row["op"], row["type"], row["shape"], row["regime"])
        groups.setdefault(key, []).append(row)
    for key, rows in groups.items():
        cells = []
        for column in ("default_us", "shipped_us"):
            ratios = [float(row[column]) / float(row["us"]) for row in rows if row[column]]
            cells += [f"{mean(ratios):.3f}", f"{max(ratios):.3f}"] if ratios else ["", ""]
        print("|", " | ".join([*key, str(len(rows)), *cells]), "|")


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("todo", "members", "proofs", "table"):
        sys.exit(__doc__)
    what, autotune, state = sys.argv[1:]
    classes = read_classes(autotune)
    if what == "table":
        print_table(autotune, state)
    elif what == "proofs":
        print_proofs(autotune, state)
    elif what == "todo":
        own = [name for name in worse_members(autotune, state) if name not in classes]
        print_todo(autotune, state, plan_all([*classes, *own]))
    else:
        members = [member for name, all_members in classes.items() for member in all_members
                   if member != name]
        print_todo(autotune, state + "/members",
                   [Problem(member, n) for member in members for n in MEMBER_SIZES])


main()

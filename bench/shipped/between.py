#!/usr/bin/env python3
"""Are records that ship the right ones between their sizes, on the GPU they were made on?

    between.py plan FOLDER RUNS SEED HIGH [NAME...]   writes RUNS/ID.ini and prints "ID OPTION..." for each race
    between.py report FOLDER RUNS                     reads RUNS/ID.json, writes RUNS/between.csv, prints what loses

FOLDER is one of configs/tuned; NAME, files of it without their endings (all). Of the values of a file, at
two n drawn at random in each gap between neighbours (as many in each factor, none above HIGH) three configs
race by turns, the two neighbours' and the space's default: one of them serves there. ID.ini is the space
with a rule that leaves these, and without what it prunes. The serving one loses where another is faster
by more than 1 % and the race told the two apart.
"""
import csv
import json
import math
import os
import random
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "bench/tuning")
from verdict import params_of_space, row_of, write_space  # noqa: E402

DRAWN = 2  # in each gap
APART = 1.2  # a gap between nearer sizes is none
LOSS = 1.01
COLUMNS = ["file", "regime", "low", "n", "high", "serves", "serving_us", "best", "best_us", "ratio", "told_apart"]


def sections(path):
    """By name, its entries by key."""
    out, at = {}, None
    with open(path, encoding="utf-8") as file:
        for line in map(str.strip, file):
            if line.startswith("["):
                at = out.setdefault(line.strip("[]"), {})
            elif at is not None and " = " in line:
                key, _, value = line.partition(" = ")
                at[key] = value
    return out


def read_configs(entries):
    """By number, "BLOCK=256 ITEMS=4": the first names its params, the others have their values alone."""
    out, names = {}, []
    for key, value in entries.items():
        words = value.split()[1:]
        if key == "checksum":
            continue
        if "=" in value:
            names = [word.partition("=")[0] for word in words]
        out[key] = " ".join(w if "=" in w else f"{name}={w}" for name, w in zip(names, words))
    return out


class Size:
    """A size of a file: what serves it, and from where to where."""

    def __init__(self, value, configs):
        regime, config, _, _, low, high, *dims = value.split()
        self.regime, self.params, self.low, self.high = regime, configs[config], int(low), int(high)
        self.is_value = dims[0] == "depth" and len(dims) == 3
        self.n = int(dims[1])


def read(folder, name):
    entries = sections(f"{folder}/{name}.ini")
    configs = read_configs(entries["configs"])
    sizes = [Size(value, configs) for key, value in entries["sizes"].items() if key != "checksum"]
    return entries["key"], [size for size in sizes if size.is_value]


def gaps(sizes):
    for regime in ("cold", "warm"):
        of_regime = sorted((s for s in sizes if s.regime == regime), key=lambda size: size.n)
        for low, high in zip(of_regime, of_regime[1:]):
            if high.n > APART * low.n:
                yield low, high


def draw(low, high, i):
    return int(low.n * (high.n / low.n) ** ((i + random.random()) / DRAWN)) | 1


def write_race(path, space, rows):
    write_space(path, space, rows)
    with open(path, encoding="utf-8") as file:
        before, _, after = file.read().partition("[prune]\n")
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + after[max(after.find("\n[") + 1, 0):])


def template_of(space):
    with open(space, encoding="utf-8") as file:
        return re.search(r"^template = (\S+)$", file.read(), re.MULTILINE).group(1)


def plan(folder, runs, seed, most, names):
    random.seed(seed)
    for name in names:
        key, sizes = read(folder, name)
        space = f"configs/{key['space']}.ini"
        options = " ".join(f"--{part} {key[part]}" for part in ("op", "type", "acc", "order", "scan") if part in key)
        for low, high in gaps(sizes):
            for n in (draw(low, high, i) for i in range(DRAWN)):
                if n <= most and low.params != high.params:
                    race = f"{name}.{low.regime}.{n}"
                    write_race(f"{runs}/{race}.ini", space, [low.params, high.params])
                    print(race, f"--{low.regime} --n {n} {options} --space {runs}/{race}.ini "
                                f"--template templates/{template_of(space)}")


def judge(path, folder):
    """A row of the table, or None where the race has not ended."""
    if not os.path.exists(path):
        return None
    name, regime, n, _ = os.path.basename(path).split(".")
    key, sizes = read(folder, name)
    low, high = next(pair for pair in gaps(sizes)
                     if pair[0].regime == regime and pair[0].n <= int(n) <= pair[1].n)
    with open(path, encoding="utf-8") as file:
        finalists = json.load(file)["finalists"]
    params = params_of_space(f"configs/{key['space']}.ini")
    raced = {row_of(finalist, params): finalist for finalist in finalists}
    names = {row: "default" for row in raced} | {low.params: str(low.n), high.params: str(high.n)}
    row = next((size.params for size in (low, high) if size.low <= int(n) <= size.high), None)
    if row not in raced:  # a rule refuses it here
        row = next((entrant for entrant in raced if names[entrant] == "default"), None)
    if row is None:  # the default is one of the two
        return None
    best = min(raced, key=lambda entrant: raced[entrant]["ratio"])
    is_apart = not any(word in raced[row]["outcome"] for word in ("winner", "tie"))
    return dict(zip(COLUMNS, [name, regime, low.n, n, high.n, names[row], raced[row]["us"],
                              names[best], raced[best]["us"],
                              f"{raced[row]['ratio'] / raced[best]['ratio']:.4f}", is_apart]))


def report(folder, runs):
    races = sorted(file[:-4] for file in os.listdir(runs) if file.endswith(".ini"))
    rows = [row for row in (judge(f"{runs}/{race}.json", folder) for race in races) if row]
    with open(f"{runs}/between.csv", "w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        table.writerows(rows)
    print(f"{len(rows)} of {len(races)} races at n between sizes; what serves takes longer than the best of both "
          f"neighbours and the default by")
    if rows:
        mean = math.exp(sum(math.log(float(row["ratio"])) for row in rows) / len(rows))
        print(f"{100 * (mean - 1):.2f} % in the mean; loses more than 1 %, told apart:")
    for row in rows:
        if float(row["ratio"]) > LOSS and row["told_apart"]:
            print("- {file} {regime} {n}: that of {serves} {ratio} times {best}'s time".format(**row))


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in ("plan", "report"):
        sys.exit(__doc__)
    folder, runs = sys.argv[2:4]
    names = sys.argv[6:] or sorted(file[:-4] for file in os.listdir(folder) if file.endswith(".ini"))
    if sys.argv[1] == "plan":
        plan(folder, runs, int(sys.argv[4]), int(sys.argv[5]), names)
    else:
        report(folder, runs)


main()

#!/usr/bin/env python3
"""Sums up what bench/shipped/run.sh wrote.

    summary.py OUT

Of what ships and of the space's default: the geometric mean and the most of their times over the
tuned winner's, each by turns with it; beside CUB and torch.sum the least and the mean ratio, and every
problem at which ours is slower.
"""
import csv
import math
import os
import sys


def read(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def name(row):
    size = row["n"] if row["shape"] == "value" else f"{row['rows']}x{row['len']} {row['shape']}"
    return f"{row['op']} {row['type']} {size}"


def say_tuned(rows, title):
    groups = {}
    for row in rows:
        if row["us"]:
            groups.setdefault((row["op"], row["type"], row["shape"]), []).append(row)
    print(f"\n{title}: time over the tuned winner's, by turns\n")
    print("| | problems | shipped: mean | most | default: mean | most |\n|---|---:|---:|---:|---:|---:|")
    for key, members in groups.items():
        cells = []
        for column in ("shipped_us", "default_us"):
            ratios = [float(row[column]) / float(row["us"]) for row in members if row[column]]
            cells += [f"{mean(ratios):.4f}", f"{max(ratios):.3f}"] if ratios else ["", ""]
        print(f"| {' '.join(key)} | {len(members)} | " + " | ".join(cells) + " |")
    for row in rows:
        for column in ("shipped_us", "default_us"):
            if row["us"] and row[column] and float(row[column]) > 1.05 * float(row["us"]):
                print(f"- {name(row)}: {column[:-3]} {float(row[column]) / float(row['us']):.3f}")


def say_cub(path):
    rows = [row for row in read(path) if row.get("ratio")]
    if not rows:
        return
    ratios = [float(row["ratio"]) for row in rows]
    slower = [f"{row['n']} ({row['ratio']})" for row in rows if float(row["ratio"]) < 0.98]
    print(f"- {os.path.basename(path)}: CUB over ours {mean(ratios):.3f} in the mean, "
          f"least {min(ratios):.3f}; slower: {', '.join(slower) or 'nowhere'}")


def say_torch(shapes, torch):
    times = {}
    for row in torch:
        cells = list(row.values())
        times[tuple(cells[:4])] = float(cells[4])
    for row in shapes:
        axis = "1" if row["shape"] == "rows" else "0"
        took = times.get((row["type"], row["rows"], row["len"], axis))
        if took and row["us"]:
            parts = [f"tuned {took / float(row['us']):.2f}"]
            for column in ("shipped_us", "default_us"):
                if row[column]:
                    parts.append(f"{column[:-3]} {took / float(row[column]):.2f}")
            print(f"- {name(row)}: torch.sum over ours: {', '.join(parts)}")


def read_torch(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        rows = [line.strip().split(",") for line in file]
    return [dict(enumerate(row)) for row in rows if len(row) == 5 and row[1].isdigit()]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = sys.argv[1]
    say_tuned(read(out + "/shipped-tuned.csv"), "Values")
    shapes = read(out + "/shipped-shapes.csv") + read(out + "/shipped-slow.csv")
    say_tuned(shapes, "Matrices")
    print("\nBeside CUB\n")
    for file in sorted(os.listdir(out)):
        if file.endswith("-cub.csv"):
            say_cub(os.path.join(out, file))
    print("\nBeside torch.sum\n")
    say_torch(shapes, read_torch(out + "/shipped-torch.csv"))


main()

#!/usr/bin/env python3
"""Sets sizes and starts that suit no load beside the power of two next to them.

Usage: bench/cub/ragged.py CSV...   (tables of `autotune bench --csv` of one operation and type)
The first aligned table, of offset 0, has the powers of two. Prints our time of each row over our time of
the power of two that is nearest in the ratio of sizes, then what is worst and the geometric mean beside
CUB at 2^k - 3.
"""
import csv
import math
import sys


def read(paths):
    for path in paths:
        with open(path, encoding="utf-8") as file:
            yield from csv.DictReader(file)


def is_power(n):
    return n & (n - 1) == 0


def nearest(n, powers):
    return min(powers, key=lambda power: abs(math.log(power / n)))


def main(paths):
    if not paths:
        sys.exit(__doc__)
    rows = [{"n": int(row["n"]), "offset": int(row["offset"]), "ours": float(row["ours_us"]),
             "ratio": float(row["ratio"]), "hi": float(row["ratio_hi"])} for row in read(paths)]
    aligned = {row["n"]: row["ours"] for row in rows if row["offset"] == 0 and is_power(row["n"])}
    if not aligned:
        sys.exit("ragged.py: none of these tables has a power of two at offset 0: give that one, too")
    print(f"{'n':>9} {'offset':>6} {'ours us':>8} {'aligned us':>10} {'ours / aligned':>14} {'CUB / ours':>10}")
    for row in rows:
        row["power"] = nearest(row["n"], aligned)
        row["over"] = row["ours"] / aligned[row["power"]]
        print(f"{row['n']:9} {row['offset']:6} {row['ours']:8.3f} {aligned[row['power']]:10.3f} "
              f"{row['over']:14.3f} {row['ratio']:10.3f}")
    worst = max(rows, key=lambda row: row["over"])
    least = min(rows, key=lambda row: row["ratio"])
    slower = sum(row["hi"] < 1 or row["ratio"] < 0.98 for row in rows)
    below = [row["ratio"] for row in rows if row["offset"] == 0 and row["n"] + 3 in aligned]
    print(f"worst beside aligned: {worst['over']:.3f} at n = {worst['n']}, offset {worst['offset']}")
    print(f"worst beside CUB:     {least['ratio']:.3f} at n = {least['n']}, offset {least['offset']}; "
          f"slower at {slower} of {len(rows)}")
    if below:
        mean = math.exp(sum(map(math.log, below)) / len(below))
        print(f"geometric mean of CUB / ours at 2^k - 3: {mean:.3f} of {len(below)}")


if __name__ == "__main__":
    main(sys.argv[1:])

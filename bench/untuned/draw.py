"""Draws problems at random, as many in each factor, and prints them as options of `autotune bench`.

    draw.py RANGE COUNT MOST SEED

RANGE is LOW..HIGH, of n, or LOW..HIGHxLOW..HIGH, of rows and lengths; MOST limits the elements. All n
stand in one line; shapes, a line each, have 10K to 400M elements, unless the range has fewer.
"""
import random
import re
import sys

FEWEST, MOST = 10_000, 400_000_000  # elements of a shape
TRIES = 1000
UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}


def number(text):
    count, unit = re.fullmatch(r"(\d+)([KMG]?i?)", text).groups()
    return int(count) * UNITS[unit]


def ends(text):
    low, _, high = text.partition("..")
    return number(low), number(high or low)


def draw(low, high):
    return int(low * (high / low) ** random.random())


def draw_n(text, count, most):
    low, high = ends(text)
    return [f"--n {','.join(map(str, sorted({draw(low, min(high, most)) for _ in range(count)})))}"]


def draw_shapes(text, count, most):
    rows, length = map(ends, text.split("x"))
    most = min(most, MOST)
    fewest = min(FEWEST, rows[1] * length[1] // 10)
    shapes = set()
    for _ in range(TRIES * count):
        shape = draw(*rows), draw(*length)
        if len(shapes) < count and min(shape) > 1 and fewest <= shape[0] * shape[1] <= most:
            shapes.add(shape)
    return [f"--rows {a} --len {b}" for a, b in sorted(shapes, key=lambda shape: shape[0] * shape[1])]


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    text, count, most, seed = sys.argv[1], *map(int, sys.argv[2:])
    random.seed(seed + most)
    if count:
        print("\n".join((draw_shapes if "x" in text else draw_n)(text, count, most)))


main()

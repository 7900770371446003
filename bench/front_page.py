#!/usr/bin/env python3
"""Makes the picture and the table of figures of the README from bench/results/.

Usage: bench/front_page.py           writes docs/speedup.svg and README.md
       bench/front_page.py --check   says what is out of date; exits 1 when something is
"""
import csv
import math
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PICTURE, README = "docs/speedup.svg", "README.md"
RESULTS = "bench/results/"
RUN = RESULTS + "h200-cub.md"  # the transcript of the run that both tables are of
# A name, its style and a table, which `report --bench` takes, too.
SERIES = (("i32", "a", RESULTS + "h200-cub-sum-i32-cold.csv"),
          ("f32", "b", RESULTS + "h200-cub-sum-f32-cold.csv"))
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 300, 52, 48, 40, 44


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def rows(path):
    return list(csv.DictReader(read(path).splitlines()))


def row_of(path, column, value):
    return next(row for row in rows(path) if row[column] == value)


def search(path, pattern):
    found = re.search(pattern, read(path))
    if not found:
        sys.exit(f"front_page.py: {path} has no line like {pattern!r}")
    return [float(number) for number in found.groups()]


def date():
    return re.search(r"^\d{4}-\d\d-\d\d", read(RUN), re.MULTILINE).group()


def points(path):
    """(log2 n, ratio, low, high) of the powers of two."""
    out = [(math.log2(int(row["n"])), *(float(row[key]) for key in ("ratio", "ratio_lo", "ratio_hi")))
           for row in rows(path)]
    return sorted(point for point in out if point[0].is_integer())


def apart(lines):
    """The index at which the lines are farthest from each other: room for their names."""
    return max(range(min(len(line) for _, _, line in lines)),
               key=lambda i: max(line[i][1] for _, _, line in lines)
               - min(line[i][1] for _, _, line in lines))


def count(bits):
    return f"{2 ** (bits % 10)}{' KMG'[bits // 10].strip()}i"


def picture():
    lines = [(name, style, points(path)) for name, style, path in SERIES]
    low = min(p[0] for _, _, line in lines for p in line)
    high = max(p[0] for _, _, line in lines for p in line)
    top = math.ceil(max(p[3] for _, _, line in lines for p in line) * 5) / 5

    def x(bits):
        return LEFT + (bits - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def y(ratio):
        return HEIGHT - BOTTOM - (ratio - 0.8) / (top - 0.8) * (HEIGHT - TOP - BOTTOM)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
           ' aria-label="How many times faster than CUB, by size">',
           "<style>text{font:12px sans-serif;fill:#333}.title{font-size:14px;font-weight:bold}"
           "line{stroke:#ccc}.one{stroke:#777}.a{stroke:#0a6ebd;fill:#0a6ebd}"
           ".b{stroke:#c2500a;fill:#c2500a}polyline{fill:none!important;stroke-width:2}"
           "text.a,text.b{stroke:none;font-weight:bold}@media(prefers-color-scheme:dark)"
           "{text{fill:#ddd}line{stroke:#444}.one{stroke:#999}.a{stroke:#58b2f5;fill:#58b2f5}"
           ".b{stroke:#ff9d5c;fill:#ff9d5c}}</style>",
           f'<text class="title" x="{LEFT}" y="20">How many times faster'
           f" than CUB: sum on an NVIDIA H200, data not in L2, {date()}</text>"]
    for tenths in range(8, round(top * 10) + 1, 2):
        ratio = tenths / 10
        out.append(f'<line class="{"one" if tenths == 10 else "grid"}" x1="{LEFT}"'
                   f' x2="{WIDTH - RIGHT}" y1="{y(ratio):.1f}" y2="{y(ratio):.1f}"/>'
                   f'<text x="{LEFT - 8}" y="{y(ratio) + 4:.1f}" text-anchor="end">'
                   f"{ratio:.1f}</text>")
    for bits in range(int(low), int(high) + 1, 2):
        out.append(f'<text x="{x(bits):.1f}" y="{HEIGHT - BOTTOM + 18}"'
                   f' text-anchor="middle">{count(bits)}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}"'
               ' text-anchor="middle">elements</text>')
    for name, style, line in lines:
        path = " ".join(f"{x(p[0]):.1f},{y(p[1]):.1f}" for p in line)
        out.append(f'<polyline class="{style}" points="{path}"/>')
        out += [f'<line class="{style}" x1="{x(p[0]):.1f}" x2="{x(p[0]):.1f}"'
                f' y1="{y(p[2]):.1f}" y2="{y(p[3]):.1f}"/>'
                f'<circle class="{style}" cx="{x(p[0]):.1f}" cy="{y(p[1]):.1f}" r="3"/>'
                for p in line]
        at = apart(lines)
        others = sum(other[at][1] for _, _, other in lines) / len(lines)
        above = line[at][1] >= others
        out.append(f'<text class="{style}" text-anchor="middle" x="{x(line[at][0]):.1f}"'
                   f' y="{y(line[at][1]) + (-10 if above else 20):.1f}">{name}</text>')
    return "\n".join(out) + "\n</svg>\n"


def table():
    """The five figures, each with the command that makes it."""
    i32 = RESULTS + "h200-cub-sum-i32-cold.csv"
    small, large = row_of(i32, "n", "16384"), row_of(i32, "n", "400000000")
    matrix = row_of(RESULTS + "h200-rows-f32.csv", "len", "128")
    ours, theirs = search(RESULTS + "h200-kernel-tuner.md",
                          r"process, start to end \| ([\d.]+) s \| ([\d.]+) s")
    def us(row, key):
        return f"{float(row[key]):.4g} us"

    start = sum(search(RESULTS + "h200-library.txt",
                       r"a fresh process: context (\d+) us; plan .* kept kernels (\d+) us"))
    lines = [("small: sum of 16Ki i32", us(small, "ours_us"), f"CUB {us(small, 'cub_us')}",
              "bench/cub/run.sh"),
             ("large: sum of 400M i32", f"{us(large, 'ours_us')}, {large['peak_pct']} % of peak",
              f"CUB {us(large, 'cub_us')}", "bench/cub/run.sh"),
             (f"rows: {int(matrix['rows']):,} of 128 f32", us(matrix, "ours_us"),
              f"CUB {us(matrix, 'cub_us')}, torch {us(matrix, 'torch_us')}",
              "bench/rows/run.sh"),
             ("tuning: each of 2,376 configs", f"{ours:.1f} s",
              f"Kernel Tuner {theirs:.1f} s", "bench/kernel_tuner/run.sh"),
             ("a new process, until it can call", f"{start / 1000:.1f} ms", "",
              "tests/gpu.sh build library")]
    out = ["| on an NVIDIA H200 | autotune | beside it | made by |", "|---|---|---|---|"]
    out += [f"| {what} | {ours} | {theirs} | `{command}` |"
            for what, ours, theirs, command in lines]
    return "\n".join(out) + "\n"


def main():
    text = read(README)
    begin, end = "<!-- figures -->\n", "<!-- end of figures -->\n"
    if begin not in text or end not in text:
        sys.exit(f"front_page.py: {README} has no place between '{begin.strip()}' and"
                 f" '{end.strip()}'")
    head, rest = text.split(begin, 1)
    wanted = {README: head + begin + table() + end + rest.split(end, 1)[1],
              PICTURE: picture()}
    if date() not in head + rest:
        sys.exit(f"front_page.py: {README} does not say that its picture is of {date()}")
    stale = [path for path, content in wanted.items()
             if not os.path.exists(os.path.join(ROOT, path)) or read(path) != content]
    if sys.argv[1:] == ["--check"]:
        for path in stale:
            print(f"{path} is not what bench/results/ gives: run bench/front_page.py")
        return 1 if stale else 0
    if sys.argv[1:]:
        sys.exit(__doc__)
    for path in stale:
        with open(os.path.join(ROOT, path), "w", encoding="utf-8") as file:
            file.write(wanted[path])
    return 0


sys.exit(main())

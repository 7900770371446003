#!/usr/bin/env python3
"""verdict: how good is what each seed found? Two halves of seeds.sh.

choose RUNS SEEDS SPACE  writes RUNS/chosen-I.ini: the space with one more rule that leaves the
                         exhaustive run's best three and up to seven distinct winners, as many
                         files as the winners need (a run reports eleven finalists, the default
                         among them).
report RUNS SEEDS SPACE  prints the table, from RUNS/chosen-I.json: in each of those races the
                         winners' times over the least of the best three, which are in all.
"""
import json
import os
import re
import sys

BEST = 3
WINNERS = 7
NEAR = 1.01
SOON = 5.0
PAIRS = 6


def load(runs, name):
    with open(os.path.join(runs, name + ".json"), encoding="utf-8") as file:
        return json.load(file)


def params_of_space(space):
    with open(space, encoding="utf-8") as file:
        return re.findall(r"^\[param (\w+)\]$", file.read(), re.MULTILINE)


def row_of(finalist, params):
    return " ".join(f"{name}={finalist[name]}" for name in params)


def rows(runs, seeds, space):
    """The best of the exhaustive run, and the winner of each seed."""
    params = params_of_space(space)
    truth = load(runs, "truth")
    best = [truth["params"]]  # the simplest of the ties comes first, then by place
    for finalist in truth["finalists"]:
        row = row_of(finalist, params)
        if row not in best and len(best) < BEST:
            best.append(row)
    return best, [load(runs, str(seed))["params"] for seed in range(1, seeds + 1)]


def batches(best, winners):
    others = sorted(set(winners) - set(best))
    return [best + others[i:i + WINNERS] for i in range(0, max(len(others), 1), WINNERS)]


def derived_of(i, row):
    """CHOSENi is 1 for this row; in parts, for a line has at most 199 bytes."""
    pairs = [pair.replace("=", " == ") for pair in row.split()]
    parts = [pairs[at:at + PAIRS] for at in range(0, len(pairs), PAIRS)]
    names = [f"CHOSEN{i}_{k}" for k in range(len(parts))]
    lines = [f"{name} = {' && '.join(part)}" for name, part in zip(names, parts)]
    return "\n".join([*lines, f"CHOSEN{i} = {' && '.join(names)}"]) + "\n"


def write_space(path, space, chosen):
    """Derived values for each row, and a rule that wants one of them."""
    with open(space, encoding="utf-8") as file:
        text = file.read()
    derived = "".join(derived_of(i, row) for i, row in enumerate(chosen))
    rule = "only these are raced = " + " || ".join(f"CHOSEN{i}" for i in range(len(chosen))) + "\n"
    text = text.replace("[derived]\n", "[derived]\n" + derived, 1)
    text = text.replace("[rule]\n", "[rule]\n" + rule, 1)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def choose(runs, seeds, space):
    for i, batch in enumerate(batches(*rows(runs, seeds, space)), 1):
        write_space(os.path.join(runs, f"chosen-{i}.ini"), space, batch)


def journal_us(runs, name):
    """The medians of a run's journal, by row: for those that did not come into the race."""
    times = {}
    with open(os.path.join(runs, name + ".journal"), encoding="utf-8", errors="replace") as file:
        for line in file:
            cells = line.rstrip("\n").split("\t")
            if len(cells) > 5 and cells[2] == "measured":
                taken = sorted(int(ps) for ps in cells[4].split(","))
                times[cells[3]] = taken[len(taken) // 2] / 1e6
    return times


def ratios(runs, seeds, space):
    """By row, its time over the best's. Paired ratios from the race; (value, was it raced)."""
    params = params_of_space(space)
    best, winners = rows(runs, seeds, space)
    out = {}
    for i, batch in enumerate(batches(best, winners), 1):
        race = load(runs, f"chosen-{i}")
        raced = {row_of(f, params): float(f["ratio"]) for f in race["finalists"]}
        times = journal_us(runs, f"chosen-{i}")
        least = min(raced[row] for row in best if row in raced)
        least_us = min(times[row] for row in best if row in times)
        for row in batch:
            if row in raced:
                out[row] = (raced[row] / least, True)
            elif row in times:
                out[row] = (times[row] / least_us, False)
    return best, winners, out


def report(runs, seeds, space):
    best, winners, found = ratios(runs, seeds, space)
    soon = near = 0
    print("| seed | seconds | winner | ratio |\n|---:|---:|---|---:|")
    for seed, winner in enumerate(winners, 1):
        with open(os.path.join(runs, f"{seed}.s"), encoding="utf-8") as file:
            seconds = float(file.read())
        ratio, is_raced = found.get(winner, (float("inf"), False))
        soon += seconds <= SOON
        near += ratio <= NEAR
        print(f"| {seed} | {seconds:.2f} | {winner} | {ratio:.4f}{'' if is_raced else ' (1)'} |")
    print()
    if not all(found.get(winner, (0, False))[1] for winner in winners):
        print("(1) not among the finalists of the race: from its first measurements.\n")
    print("Best three of the exhaustive run, in the last race:\n")
    for row in best:
        ratio, is_raced = found[row]
        print(f"- {row}: {ratio:.4f}{'' if is_raced else ' (1)'}")
    print(f"\n**{soon} of {seeds} <= {SOON:.0f} s, {near} of {seeds} within {100 * (NEAR - 1):.0f} %; "
          f"{len(set(winners))} distinct winners.**")


if __name__ == "__main__":
    if len(sys.argv) != 5 or sys.argv[1] not in ("choose", "report"):
        sys.exit(__doc__)
    {"choose": choose, "report": report}[sys.argv[1]](sys.argv[2], int(sys.argv[3]), sys.argv[4])

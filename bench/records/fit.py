#!/usr/bin/env python3
"""Fits the thresholds of a space's [default] to recorded trials, and judges them.

    fit.py judge SPACE JOURNAL...   what the default takes beside each problem's fastest trial
    fit.py fit SPACE JOURNAL...     the same for the fitted half after a search, whose lines it prints

SPACE is a file of configs/, JOURNAL a file or a folder of trials, as tuning leaves them. Problems are
dealt out by turns, by type, kind and size: the even ones are fitted, the odd ones judge. A threshold is
a number that stands behind a comparison; a search halves and doubles each as long as the geometric
mean over the fitted half falls. What the expressions look like is written by hand: they may name
the problem and the device, SMS, L2_BYTES, CC, not a GPU's own numbers.
"""
import math
import os
import re
import sys

GPU = {"SMS": 132, "L2_BYTES": 60 << 20, "CC": 90, "HOST": 0, "THREADS_PER_SM": 2048,
       "SHARED_PER_BLOCK": 49152, "SHARED_PER_SM": 233472, "REGISTERS_PER_SM": 65536}
BYTES = {"i8": 1, "u8": 1, "i16": 2, "u16": 2, "f16": 2, "bf16": 2, "i32": 4, "u32": 4,
         "f32": 4, "i64": 8, "u64": 8, "f64": 8}
COMBINE = {"sum": "ADD", "sumsq": "ADD", "prod": "MULTIPLY", "min": "LEAST", "max": "GREATEST",
           "and": "AND", "or": "OR", "xor": "XOR", "argmin": "FIRST_LEAST",
           "argmax": "FIRST_GREATEST"}
NOT_TRIED = 1.5  # what a config that has no trial counts for

DERIVED, DEFAULT = "[derived]", "[default]"
TOKEN = re.compile(r"\s*(\d+|[A-Za-z_]\w*|\|\||&&|[=!<>]=|[-+*/%<>!?:(),])")
LEVELS = [["||"], ["&&"], ["==", "!="], ["<", "<=", ">", ">="], ["+", "-"], ["*", "/", "%"]]


class Expression:
    """An integer expression of a space file, as a function of the names' values."""

    def __init__(self, text):
        self.tokens = TOKEN.findall(text)
        self.at = 0
        self.eval = self.choice()
        if self.at != len(self.tokens):
            raise ValueError(text)

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, token=None):
        got = self.peek()
        if token and got != token:
            raise ValueError(f"{token} expected, not {got}")
        self.at += 1
        return got

    def choice(self):
        test = self.binary(0)
        if self.peek() != "?":
            return test
        self.take()
        yes = self.choice()
        self.take(":")
        no = self.choice()
        return lambda names: yes(names) if test(names) else no(names)

    def binary(self, level):
        if level == len(LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while self.peek() in LEVELS[level]:
            left = self.join(self.take(), left, self.binary(level + 1))
        return left

    @staticmethod
    def join(op, a, b):
        return {"||": lambda n: a(n) or b(n), "&&": lambda n: a(n) and b(n),
                "==": lambda n: a(n) == b(n), "!=": lambda n: a(n) != b(n),
                "<": lambda n: a(n) < b(n), "<=": lambda n: a(n) <= b(n),
                ">": lambda n: a(n) > b(n), ">=": lambda n: a(n) >= b(n),
                "+": lambda n: a(n) + b(n), "-": lambda n: a(n) - b(n),
                "*": lambda n: a(n) * b(n), "/": lambda n: a(n) // b(n),
                "%": lambda n: a(n) % b(n)}[op]

    def unary(self):
        token = self.take()
        if token == "!":
            inner = self.unary()
            return lambda names: not inner(names)
        if token == "-":
            inner = self.unary()
            return lambda names: -inner(names)
        if token == "(":
            inner = self.choice()
            self.take(")")
            return inner
        if token.isdigit():
            return lambda names: int(token)
        if self.peek() == "(":
            return self.call(token)
        return lambda names: names.get(token, token)  # a symbol stands for itself

    def call(self, name):
        self.take("(")
        args = [self.choice()]
        while self.peek() == ",":
            self.take()
            args.append(self.choice())
        self.take(")")
        function = {"min": min, "max": max, "ceil_div": lambda a, b: -(-a // b),
                    "log2": lambda a: a.bit_length() - 1,
                    "floor_pow2": lambda a: 1 << (a.bit_length() - 1),
                    "is_pow2": lambda a: a > 0 and a & (a - 1) == 0}[name]
        return lambda names: function(*(arg(names) for arg in args))


def read_section(path, wanted):
    """The lines of a section: name and expression."""
    lines, section = {}, ""
    last = None
    for line in open(path):
        line = line.rstrip("\n")
        if line.startswith("["):
            section = line
        elif section == wanted and " = " in line and not line.startswith(";"):
            key, value = line.split(" = ", 1)
            if key == "+":
                lines[last] += " " + value
            else:
                lines[key], last = value, key
    return lines


def read_default(path):
    """The lines of [default], and of [derived] those that it needs."""
    params, derived, needed = read_section(path, "[default]"), read_section(path, "[derived]"), {}

    def need(text):
        for name in re.findall(r"[A-Za-z_]\w*", text):
            if name in derived and name not in needed and name not in params:
                needed[name] = derived[name]
                need(derived[name])

    for text in params.values():
        need(text)
    return {**{(DERIVED, name): text for name, text in needed.items()},
            **{(DEFAULT, name): text for name, text in params.items()}}


class Names(dict):
    """What is known of a problem, with the derived values, each computed when it is asked for."""

    def __init__(self, known, derived):
        super().__init__(known)
        self.derived = derived

    def get(self, name, symbol):
        if name in self.derived and name not in self:
            self[name] = self.derived[name].eval(self)
        return super().get(name, symbol)


class Recorded:
    """A problem and its trials."""

    def __init__(self, path):
        self.key, self.times = {}, {}
        is_trial = False
        for line in open(path):
            if line.startswith("[trials]"):
                is_trial = True
            elif is_trial:
                self.add(line.rstrip("\n").split("\t"))
            elif " = " in line:
                key, value = line.rstrip("\n").split(" = ", 1)
                self.key[key] = value
        self.names = self.make_names()
        self.best = min(self.times.values()) if self.times else 0

    def add(self, cells):
        if len(cells) < 7 or cells[2] != "measured":
            return
        times = [int(time) for time in cells[4].split(",")]  # two where all are tried
        reference = int(cells[5]) or 1
        score = min(times) / reference
        config = " ".join(sorted(cells[3].split()))
        self.times[config] = min(score, self.times.get(config, score))

    def dim(self, name):
        words = self.key.get(name, "1").split(" stride ")
        return int(words[0]), int(words[1]) if len(words) > 1 else 1

    def make_names(self):
        key, names = self.key, dict(GPU)
        acc = key["acc"]
        position = key["op"].startswith("arg")
        names.update(COMBINE=COMBINE[key["op"]], MAP="SQUARE" if key["op"] == "sumsq" else "SAME",
                     TYPE=key["type"].upper(), ACC=acc.upper(),
                     ELEM_BYTES=BYTES[key["type"]], POSITION=int(position),
                     ACCUM_BYTES=16 if position else BYTES[acc], ORDER="FREE", SCAN=0)
        for name in ("outer", "depth", "inner"):
            names[name.upper()], names[name.upper() + "_STRIDE"] = self.dim(name)
        names["N"] = names["OUTER"] * names["DEPTH"] * names["INNER"]
        return names

    def title(self):
        names = self.names
        shape = names["N"]
        if names["OUTER"] > 1:
            shape = f"{names['OUTER']}x{names['DEPTH']} rows"
        if names["INNER"] > 1:
            shape = f"{names['DEPTH']}x{names['INNER']} columns"
        return f"{self.key['op']} {self.key['type']} {shape} {self.key['regime']}"

    def ratio(self, default):
        """The default's time over the fastest's, and its config."""
        params, derived = default
        names = Names(self.names, derived)
        config = " ".join(sorted(f"{param}={int(v) if not isinstance(v, str) else v}"
                                 for param, v in ((p, e.eval(names))
                                                  for p, e in params.items())))
        time = self.times.get(config)
        return (time / self.best if time else NOT_TRIED), config, time is not None


def read_all(paths):
    files = []
    for path in paths:
        if os.path.isdir(path):
            files += [os.path.join(path, name) for name in os.listdir(path)]
        else:
            files.append(path)
    problems = [Recorded(path) for path in files if path.endswith(".journal")]
    problems = [problem for problem in problems if len(problem.times) > 20]
    return sorted(problems, key=lambda p: (p.key["op"], p.key["type"], p.key["regime"],
                                           p.names["OUTER"] > 1, p.names["INNER"] > 1,
                                           p.names["N"], p.names["DEPTH"]))


def parse(lines):
    return tuple({name: Expression(text) for (section, name), text in lines.items() if section == part}
                 for part in (DEFAULT, DERIVED))


def mean(problems, default):
    ratios = [problem.ratio(default)[0] for problem in problems]
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else 1.0


THRESHOLD = re.compile(r"((?:[<>]=?) )(\d+)")


def search(lines, problems):
    """Halves and doubles each threshold while that helps."""
    best, changed = mean(problems, parse(lines)), True
    while changed:
        changed = False
        for param, text in list(lines.items()):
            for index, found in enumerate(THRESHOLD.finditer(text)):
                for value in (int(found[2]) // 2, int(found[2]) * 2):
                    spans = list(THRESHOLD.finditer(lines[param]))
                    at = spans[index]
                    trial = dict(lines)
                    trial[param] = (lines[param][:at.start(2)] + str(value) +
                                    lines[param][at.end(2):])
                    got = mean(problems, parse(trial))
                    if got < best * 0.9995:
                        lines, best, changed = trial, got, True
    return lines


def report(problems, default):
    for half, name in ((0, "fitted"), (1, "judged")):
        part = problems[half::2]
        print(f"{name}: {len(part)} problems, geometric mean {mean(part, default):.4f}")
    print()
    for index, problem in enumerate(problems):
        ratio, config, is_tried = problem.ratio(default)
        winner = min(problem.times, key=problem.times.get)
        print(f"{'judged' if index % 2 else 'fitted'} {problem.title():44} {ratio:7.3f}"
              f"{'' if is_tried else ' not tried'}  {config}\n{'':60} best {winner}")


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in ("judge", "fit"):
        sys.exit(__doc__)
    lines, problems = read_default(sys.argv[2]), read_all(sys.argv[3:])
    space = os.path.basename(sys.argv[2]).removesuffix(".ini")
    problems = [problem for problem in problems if problem.key["space"] == space]
    if not problems:
        sys.exit(f"fit.py: no journal is of the space {space}")
    if sys.argv[1] == "fit":
        lines = search(lines, problems[0::2])
        for part in (DERIVED, DEFAULT):
            print(part)
            for (section, name), text in lines.items():
                if section == part:
                    print(f"{name} = {text}")
            print()
    report(problems, parse(lines))


main()

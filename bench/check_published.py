#!/usr/bin/env python3
"""Checks configs/published against the documents, by their texts.

Usage: bench/check_published.py FOLDER      (a folder with the documents as .txt files)

Each number of the lists in configs/published/*.ini has to stand in its document, written the same;
and each number of the document's tables has to stand in the lists or in the conditions and notes of
the files about it. Prints each that does not, then a line a document. Exit status: 0 when none is
missing, 1 otherwise, 2 when a document is not there.
"""
import configparser
import glob
import os
import re
import sys

NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w]|\.\d)")
TIMES = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)x\b")  # 2.33x

# A document: words that only it has, the files about it, and which of its lines are rows of tables.
DOCUMENTS = [
    ("Reduction (Sum): part 1", ["reduction-part-1"], r"^\|.*\d.*\|$"),
    ("CUDA 006 - Reduction", ["cuda-006"], r"^reduce_(naive|shared_memory|\d)(\d+\.\d\d){3}$"),
    ("Lab 04: CUDA Reduce Optimization", [], None),  # it has no table
    ("Reduction #5-9: Performance", ["cs599-lecture-6"], r"\t.*\d|^\d+\t"),
    (
        "Performance for 4M element reduction",
        ["cs759-lecture", "cs759-scan"],
        r"^\d+ \d+\.\d+ \d+\.\d+ \d+\.\d+$|^\d\.\d+ ms |^Kernel 7 on 32M elements",
    ),
]
LISTS_OF_NONE = {"kernel", "rung", "task", "n", "type"}


def numbers_of(text):
    """Its numbers as they are written, without the commas of thousands."""
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    return NUMBER.findall(text) + TIMES.findall(text)


def numbers_of_row(line):
    """Those of a row of a table; one document's text has lost the blanks between columns."""
    joined = re.match(r"^reduce_(?:naive|shared_memory|\d)((?:\d+\.\d\d){3})$", line)
    if joined:
        return re.findall(r"\d+\.\d\d", joined.group(1))
    return numbers_of(re.sub(r"\((?:\d+)\)|#\d+|kernel \d", " ", line))


def read_ini(path):
    """(section, key, word) of each number of a list; and all text that may hold numbers."""
    ini = configparser.ConfigParser(delimiters=("=",), comment_prefixes=(";",), interpolation=None)
    with open(path, encoding="utf-8") as file:
        ini.read_file(file)
    lists, texts = [], []
    for section in ini.sections():
        for key, value in ini[section].items():
            is_line = key.split()[0] in ("condition", "note")
            if is_line or key in ("n", "peak_gbs", "kernel"):
                texts.append(value)
            if section != "published" and not is_line and key not in LISTS_OF_NONE | {"remark"}:
                lists += [(section, key, word) for word in value.split() if word != "-"]
            if key == "peak_gbs":
                lists.append((section, key, value))
    return lists, texts


def check(document, names, rows, folder):
    """Prints what is missing; returns how much."""
    missing, known, stored = 0, set(), 0
    spoken = set(numbers_of(document)) | {
        number for line in document.split("\n") for number in numbers_of_row(line)
    }
    for name in names:
        lists, texts = read_ini(os.path.join(folder, name + ".ini"))
        for section, key, word in lists:
            stored += 1
            if word not in spoken:
                print(f"{name}.ini: [{section}] {key}: {word} is not in the document")
                missing += 1
        known |= {word for _, _, word in lists} | {n for text in texts for n in numbers_of(text)}
    in_tables = 0
    for line_number, line in enumerate(document.split("\n"), 1):
        for number in numbers_of_row(line) if rows and re.search(rows, line) else []:
            in_tables += 1
            if number not in known:
                print(f"line {line_number} of the document: {number} is in no file: {line.strip()!r}")
                missing += 1
    print(f"{', '.join(names) or 'no file'}: {stored} numbers stored, {in_tables} in the document's "
          f"tables, {missing} missing")
    return missing


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    texts = []
    for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.txt"))):
        with open(path, encoding="utf-8", errors="replace") as file:
            texts.append(file.read().replace("\r", ""))
    folder = os.path.join(os.path.dirname(__file__), "..", "configs", "published")
    missing, checked = 0, set()
    for mark, names, rows in DOCUMENTS:
        document = next((text for text in texts if mark in text), None)
        if document is None:
            print(f"no file of {sys.argv[1]} has the words {mark!r}", file=sys.stderr)
            sys.exit(2)
        print(f"--- {mark}")
        missing += check(document, names, rows, folder)
        checked |= set(names)
    for path in sorted(glob.glob(os.path.join(folder, "*.ini"))):
        if os.path.basename(path)[:-4] not in checked:
            print(f"{path}: no document is known for it")
            missing += 1
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()

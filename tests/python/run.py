"""Runs the tests of the Python package, and the examples in its docstrings and in docs/python.md.

Prints `ok NAME`, `not ok NAME: why` or `skip NAME: why` a test, as tests/command/helpers does.
Usage: run.py REPOSITORY
"""

import doctest
import pathlib
import sys
import traceback
import unittest

import autotune


class Result(unittest.TestResult):
    """Prints each test when it ends."""

    def _say(self, word, test, error=None):
        name = test.id().removeprefix("test_")
        why = (
            ": " + traceback.format_exception(*error)[-1].strip().replace("\n", " ")[:300]
            if error
            else ""
        )
        print(f"{word} {name}{why}", flush=True)

    def addSuccess(self, test):
        self._say("ok", test)

    def addFailure(self, test, err):
        self._say("not ok", test, err)
        traceback.print_exception(*err)

    addError = addFailure

    def addSubTest(self, test, subtest, err):
        if err:
            self._say("not ok", subtest, err)

    def addSkip(self, test, reason):
        print(f"skip {test.id()}: {reason}", flush=True)


def run_examples(name, text, names):
    """All examples of a text share their names."""
    example = doctest.DocTestParser().get_doctest(text, dict(names), name, name, 0)
    if not example.examples:
        return
    said = []
    failed = doctest.DocTestRunner(verbose=False).run(example, out=said.append).failed
    print(
        "".join(said)
        + f"{'not ok' if failed else 'ok'} examples of {name}{': see above' * bool(failed)}"
    )


def python_blocks(text):
    """The code of a page, its fences left out."""
    lines, is_code = [], False
    for line in text.splitlines():
        if line.startswith("```"):
            is_code = line == "```python"
            line = ""
        lines.append(line if is_code else "")
    return "\n".join(lines) + "\n"


def main():
    here, root = pathlib.Path(__file__).parent, pathlib.Path(sys.argv[1])
    page = root / "docs" / "python.md"
    run_examples(page.name, python_blocks(page.read_text()), {})
    public = {name: getattr(autotune, name) for name in autotune.__all__}
    for name, value in sorted(public.items()):
        text = getattr(value, "__doc__", None)
        if callable(value) and text:
            run_examples(name, text, {"autotune": autotune})
            autotune.set_default_device(None)
    run_examples("the package", autotune.__doc__, {})
    unittest.defaultTestLoader.discover(str(here)).run(Result())


if __name__ == "__main__":
    main()

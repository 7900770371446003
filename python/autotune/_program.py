"""The program ``autotune``, for what it alone does: records, and the command line."""

from __future__ import annotations

import os
import sys
from typing import Any

from ._devices import program
from ._errors import Error


def records() -> list[dict[str, Any]]:
    """The records kept so far, of all GPUs: a dict for each, as ``autotune show --json -`` has
    it."""
    import json
    import subprocess

    done = subprocess.run(
        [program(), "show", "--json", "-"], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Error(
            done.stderr.strip().removeprefix("autotune: ")
            or f"autotune show ended with {done.returncode}"
        )
    return json.loads(done.stdout)


def main() -> None:
    """Becomes the program, with the arguments of this process."""
    path = program()
    os.execv(path, [path, *sys.argv[1:]])

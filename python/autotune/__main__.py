"""``python -m autotune`` is the program ``autotune``."""

from ._program import main

main()

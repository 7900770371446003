"""Exceptions: one for each kind of failure that the library tells apart, with its own sentence."""

from __future__ import annotations


class Error(RuntimeError):
    """A failure of autotune. Its text is one sentence: what was wrong, where, what to do next.

    ``code`` is the number that C programs see (``enum autotune_code`` in ``autotune.h``).
    """

    code: int = -1


class BadArgument(Error, ValueError):
    """A value that cannot be: an unknown operation, type, axis or option."""


class OutOfMemory(Error, MemoryError):
    """No room on the GPU or on the host."""


class NoDevice(Error):
    """No GPU, no driver, or no NVRTC that compiles for it."""


class TooLarge(Error, ValueError):
    """More elements than a plan or any kernel takes."""


class NoRecord(Error, LookupError):
    """No record of this problem where one was asked for."""


class TuneFailed(Error):
    """The program ``autotune`` could not be started, or gave no record."""


_CLASSES = {
    -2: BadArgument,
    -3: OutOfMemory,
    -4: NoDevice,
    -5: NoDevice,
    -6: BadArgument,
    -7: TooLarge,
    -8: BadArgument,
    -9: NoRecord,
    -10: NoRecord,
    -11: TuneFailed,
    -12: TuneFailed,
}


# What a program in C would write, in sentences, and what one in Python does.
_WORDS = {"AUTOTUNE_FROM_BEST": 'source="best"'}


def make(code: int, text: str) -> Error:
    """The exception for a code of the library; called by the extension."""
    for theirs, ours in _WORDS.items():
        text = text.replace(theirs, ours)
    error = _CLASSES.get(code, Error)(text)
    error.code = code
    return error

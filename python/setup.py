"""Builds the extension and the program for a wheel, by the Makefile of the tree that it is in.

That tree is the folder above in a checkout, and the folder source/ in an sdist, which `sdist`
makes. It builds in its folder build/; where AUTOTUNE_BUILD names another, that is taken as it is.
"""

import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
ROOT = HERE / "source" if (HERE / "source").is_dir() else HERE.parent
FILES = ["Makefile", "library.mk", "check.mk", "setup", "LICENSE"]
FOLDERS = ["generator", "cache", "autotune", "configs", "templates", "include"]
STATIC = {"libinih.a": "libinih-dev", "libxxhash.a": "libxxhash-dev", "libmd.a": "libmd-dev"}
STABLE = "0x030a0000"  # the interface of Python 3.10, which all later ones have
IS_FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))  # and has no stable interface


def say_what_is_missing(compiler):
    """Ends with one sentence where the tree cannot be built."""
    missing = [tool for tool in (compiler, "make", "objcopy") if not shutil.which(tool)]
    if not missing:
        found = {}
        for name in STATIC:
            asked = [compiler, f"-print-file-name={name}"]
            found[name] = subprocess.run(asked, capture_output=True, text=True).stdout.strip()
        missing = [package for name, package in STATIC.items() if not os.path.isabs(found[name])]
    if missing:
        raise SystemExit(
            f"autotune: not here, but needed to build: {' '.join(missing)}; install what holds "
            "the same as these packages of Debian, or a wheel, which needs none of them"
        )


def make_tree():
    """The folder with the program and the archive of the library."""
    given = os.environ.get("AUTOTUNE_BUILD")
    if given:
        return Path(given).resolve()
    say_what_is_missing(os.environ.get("CC", "cc").split()[0])
    clean = {
        name: value
        for name, value in os.environ.items()
        if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")
    }
    targets = ["build/autotune", "build/libautotune.a"]
    subprocess.run(
        ["make", "-s", f"-j{os.cpu_count()}", "BUILD=build", *targets],
        cwd=ROOT,
        env=clean,
        check=True,
    )
    return ROOT / "build"


class BuildWithTree(build_ext):
    """Links the library into the extension, and puts the program beside it."""

    def run(self):
        built = make_tree()
        for extension in self.extensions:
            extension.depends.append(str(built / "libautotune.a"))
            extension.extra_link_args += [
                str(built / "libautotune.a"),
                "-lm",
                "-ldl",
                "-lpthread",
            ]
        super().run()
        package = Path(self.get_ext_fullpath("autotune._core")).parent
        (package / "bin").mkdir(parents=True, exist_ok=True)
        program = package / "bin" / "autotune"
        shutil.copy2(built / "autotune", program)
        shutil.copy2(ROOT / "LICENSE", package / "LICENSE")
        if shutil.which("strip"):
            subprocess.run(["strip", str(program)], check=True)


class SdistWithTree(sdist):
    """Takes along what the Makefile builds from."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        tree = Path(base_dir) / "source"
        tree.mkdir(exist_ok=True)
        for name in FILES:
            shutil.copy2(ROOT / name, tree / name)
        for name in FOLDERS:
            shutil.copytree(ROOT / name, tree / name)


setup(
    version=re.search(r"^VERSION *= *(\S+)", (ROOT / "Makefile").read_text(), re.MULTILINE).group(
        1
    ),
    ext_modules=[
        Extension(
            "autotune._core",
            sorted(str(path.relative_to(HERE)) for path in (HERE / "core").glob("*.c")),
            depends=sorted(str(path.relative_to(HERE)) for path in (HERE / "core").glob("*.h")),
            include_dirs=[str(ROOT)],
            define_macros=[
                ("_GNU_SOURCE", None),
                *([] if IS_FREE_THREADED else [("Py_LIMITED_API", STABLE)]),
            ],
            extra_compile_args=["-std=c11", "-fvisibility=hidden"],
            extra_link_args=["-s", f"-Wl,--version-script={HERE / 'core' / 'core.map'}"],
            py_limited_api=not IS_FREE_THREADED,
        )
    ],
    options={} if IS_FREE_THREADED else {"bdist_wheel": {"py_limited_api": "cp310"}},
    cmdclass={"build_ext": BuildWithTree, "sdist": SdistWithTree},
)

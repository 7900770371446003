#!/bin/sh
# Tests that the program still prints the golden kernels, byte by byte, and that the command written in
# each prints it again. `make golden` writes what changed on purpose.
set -u
: "${AUTOTUNE:?the program to ask}"
golden=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME="$scratch/cache"
passed=0 failed=0

# check WHAT FILE FILE
check() {
    if difference=$(diff "$2" "$3" 2>&1); then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf '%s\n%s\n' "$1" "$difference" | head -n 40
    fi
}

mkdir "$scratch/made"
"$golden/make.sh" "$scratch/made" || failed=$((failed + 1))
awk -v parts="$scratch/parts.cu" -v kernels="$scratch/kernels" -f "$golden/parts.awk" "$scratch"/made/*.cu
for name in parts.cu kernels; do
    check "$name is not what make.sh prints" "$golden/$name" "$scratch/$name"
done
for file in "$scratch"/made/*.cu; do
    arguments=$(sed -n 's|^// autotune ||p' "$file" | head -n 1)
    # shellcheck disable=SC2086
    "$AUTOTUNE" ${arguments:-no command} --quiet > "$scratch/again"
    check "$(basename "$file") is not what its command prints: $arguments" "$file" "$scratch/again"
done
[ "$passed" -ge 40 ] || failed=$((failed + 1))
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]

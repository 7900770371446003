#!/bin/bash
# Plants faults in the C of cache, generator, measure, search and tune for SECONDS_ALL (600) seconds, other ones
# each day: see tests/mutate/folders.sh, which prints those that no test finds. Fails where fewer than LEAST
# (70) percent are found, of what changes what the program does.
set -u
build=$(dirname "${AUTOTUNE:-build/autotune}")
if [ ! -x "$build/mutate" ]; then
    echo "skipped mutate_folders: $build/mutate is not built"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
LEAST=${LEAST:-70} bash tests/mutate/folders.sh "$build" "${SECONDS_ALL:-600}" "${SEED:-$(date +%Y%m%d)}"

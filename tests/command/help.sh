#!/bin/sh
# Tests the help and the version that the program prints.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"

is_help_of() {
    has_status 0 && [ ! -s err ] && grep -q "^Usage: autotune $1" out &&
        grep -Eq "^Exit: 0 (done|all)" out && tr '\n' ' ' < out > joined &&
        grep -q "$(exit_of "$1")" joined
}
# Those that run nothing have no status of what is run.
exit_of() {
    case $1 in
    check) echo '75 some could not be told, are stale or were left out' ;;
    show | merge) echo 'Exit: 0 done, 1 failed, 64 usage, 74 input or output failed\. *$' ;;
    compare | report)
        echo 'Exit: 0 done, 1 failed, 64 usage, 69 no such NVRTC, 74 input or output failed\. *$' ;;
    *) echo '75 too noisy to decide, 130 interrupted' ;;
    esac
}
is_narrow() {
    ! grep -n '.\{81\}' out && ! grep -n '^-' out # an example is not cut in two
}
names_verb() {
    grep -Eq "^  $1 +[a-z]" all
}

"$AUTOTUNE" --help > all
for verb in tune check show merge list emit verify bench ladder profile export compare report doctor; do
    run "$verb" --help
    check "help-$verb" is_help_of "$verb"
    check "help-$verb-narrow" is_narrow
    check "help-names-$verb" names_verb "$verb"
    cp out long
    run help "$verb"
    check "help-verb-$verb" cmp out long
    run "$verb" -h
    check "help-short-$verb" cmp out long
done
run --help
check help is_help_of ""
check help-says-tune-is-default grep -q "tune work without the verb" out
run -h
check help-short cmp out all
run help
check help-verb cmp out all
run --device host --help
check help-of-the-main-job is_help_of tune
run version
check version grep -Eqx 'autotune [0-9]+\.[0-9]+\.[0-9]+' out
cp out version
run --version
check version-option cmp out version

# Every verb's examples are command lines that the program understands.
for verb in tune check show merge list emit verify bench ladder profile export compare report; do
    "$AUTOTUNE" help "$verb" | sed -n 's/^  autotune //p' > examples
    check "examples-$verb" test -s examples
    while read -r example; do
        # shellcheck disable=SC2086 # the words of the example
        run ${example%%>*} --help
        check "example: $example" has_status 0
    done < examples
done
# What is here, also for programs.
run doctor
check doctor-names-tools sh -c 'for tool in ncu nvdisasm nvcc cub; do grep -q "^$tool " out || exit 1; done'
run doctor --json -
check doctor-json grep -q '{"what": "autotune", "is": "' out
if command -v python3 > /dev/null; then
    check doctor-json-parses python3 -c 'import json
lines = {row["what"]: row["is"] for row in json.load(open("out"))}
assert {"autotune", "host", "cache", "ncu", "nvdisasm", "nvcc", "cub"} <= lines.keys()'
fi
finish

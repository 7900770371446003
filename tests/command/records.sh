#!/bin/sh
# Tests records: a second run answers from the record, and notices what has changed since.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
small_space small.ini
set -- --device host --n 1K --space small.ini
RECORDS=$XDG_CACHE_HOME/autotune/host.ini

measured() {
    has_status 0 && grep -q '^took ' err && [ "$(grep -c '^record .*exact' err)" -eq 0 ]
}
answered() {
    has_status 0 && grep -q '^record .*exact' err && [ "$(grep -c '^took ' err)" -eq 0 ]
}
grep_winner() {
    sed -n '/^winner/,$p' "$1" | head -n 3
}

run "$@"
check first measured
grep_winner out > first
check record-written test -s "$RECORDS"
run "$@"
check second answered
grep_winner out > second
check second-says-the-same cmp first second
cp "$RECORDS" before.ini
run "$@"
check second-changes-nothing cmp before.ini "$RECORDS"
run tune "$@"
check with-the-verb answered
run "$@" --retune
check retune measured

# Every part of the problem is in the key.
with_other() {
    case $1 in
    --n) run --device host --space small.ini "$@" ;;
    *) run --device host --n 1K --space small.ini "$@" ;;
    esac
}
for other in "--n 1001" "--op max" "--type u32" "--warm" "--type f32"; do
    # shellcheck disable=SC2086 # an option and its value
    with_other $other
    check "other: $other" measured
    # shellcheck disable=SC2086
    with_other $other
    check "other again: $other" answered
done
run "$@"
check the-first-is-still-there answered

# A template that gives other kernels makes the record no answer, and so does a space that may have
# more to try; a comment does not.
{ echo "// changed"; cat "$ROOT/templates/reduce.cu"; } > changed.cu
run "$@" --template changed.cu
check other-comment answered
{ cat "$ROOT/templates/reduce.cu"; echo "struct changed;"; } > changed.cu
run "$@" --template changed.cu
check other-template measured
run "$@" --template changed.cu
check other-template-again answered
{ cat small.ini; echo "; changed"; } > changed.ini
run --device host --n 1K --space changed.ini --template changed.cu
check other-comment-in-the-space answered
sed 's/^meaning = threads per block/meaning = threads of a block/' small.ini > changed.ini
run --device host --n 1K --space changed.ini --template changed.cu
check other-space measured
check other-space-is-named grep -q '^record .*of the space before it was changed: going on' err

# Another compiler makes it stale: found, named, measured again.
run "$@" --retune
family=$(sed -n 's/^compiler = \([a-z]*\) .*/\1/p' "$RECORDS" | head -n 1)
mkdir bin
for name in cc gcc clang; do # builds with a sanitizer take one of the others
    real=$(command -v "$name") || continue
    sed "s|REAL|$real|" > "bin/$name" <<'EOF'
#!/bin/sh
[ "$1" = --version ] || exec REAL "$@"
REAL --version | sed '1s/(.*)//; 1s/[0-9].*/1.2.3/'
EOF
    chmod +x "bin/$name"
done
PATH=$SCRATCH/bin:$PATH "$AUTOTUNE" "$@" > out 2> err
status=$?
check stale measured
check stale-is-named grep -q '^record .*stale.*compiler' err
PATH=$SCRATCH/bin:$PATH "$AUTOTUNE" "$@" > out 2> err
status=$?
check stale-is-replaced answered
check stale-record-names-it grep -q "^compiler = $family 1.2.3" "$RECORDS"

# Each field of the key makes a record of the same problem no answer, and is named: so are its kernels
# and the space it was of. Seen to fail for each without the notes of verb_tune.c.
run "$@" --retune
fields_of "$RECORDS" > fields
# unlike FIELD VALUE PATTERN
unlike() {
    sed "s/^$1 = .*/$1 = $2/" fields > other
    ! cmp -s other fields || { not_ok "unlike-$1" "nothing was changed"; return; }
    rm "$RECORDS"
    "$SIGN" "$RECORDS" < other
    set -- "$1" "$3"
    run --device host --n 1K --space small.ini
    check "unlike-$1" measured
    check "unlike-$1-is-named" grep -Eq "^record .*$2" err
}
for field in "space other" "method 1" "gpu other" "cc 7" "sms 7" "memory_clock_khz 7" "bus_bits 7" \
    "driver other" "compiler other"; do
    # shellcheck disable=SC2086 # a field and its value
    unlike $field "${field% *} is another now: measuring again"
done
unlike code 0123456789abcdef "passed over: "
unlike space_hash 0123456789abcdef "before it was changed"

# A field changed by hand does not pass the checksum.
for field in params median_ps depth driver tuned; do
    run "$@" --retune
    awk -v field="$field" '$1 == field && $2 == "=" { sub(/[0-9A-Za-z]$/, "7"); } { print }' \
        "$RECORDS" > edited.ini
    if cmp -s edited.ini "$RECORDS"; then
        awk -v field="$field" '$1 == field && $2 == "=" { sub(/.$/, "8"); } { print }' \
            "$RECORDS" > edited.ini
    fi
    rm -f "$RECORDS".damaged
    cp edited.ini "$RECORDS"
    run "$@"
    check "edited-$field" measured
    check "edited-$field-warns" grep -q '^autotune: warning: .*host.ini' err
done
finish

#!/bin/sh
# Tests what a terminal of 60 to 132 columns shows: no line is longer, and no word is cut in two.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
if ! command -v python3 > /dev/null; then
    skip widths "no python3 to open a terminal"
    finish
fi
export TERM=xterm LC_ALL=C.UTF-8
small_space small.ini

# shown_at COLUMNS FILE ARGUMENT...: what a terminal of so many columns shows of the program, without
# colours and lines that were drawn over.
shown_at() {
    columns=$1 file=$2
    shift 2
    python3 - "$columns" "$file" "$AUTOTUNE" "$@" <<'END'
import fcntl, os, pty, re, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, int(sys.argv[1]), 0, 0))
    os.execv(sys.argv[3], sys.argv[3:])
shown = b""
while True:
    try:
        some = os.read(terminal, 65536)
    except OSError: # the program has ended
        break
    shown += some
os.waitpid(pid, 0)
shown = re.sub(rb"\x1b\[[0-9;]*[A-Za-z]", b"", re.sub(rb"[^\n]*\r", b"", shown.replace(b"\r\n", b"\n")))
open(sys.argv[2], "wb").write(shown)
END
}

# is_whole COLUMNS: narrow has no longer line, but of a single word, and only words that wide has.
is_whole() {
    python3 - "$1" <<'END'
import re, sys
narrow, wide = (open(name, encoding="utf-8").read() for name in ("narrow", "wide"))
def words(text): # numbers are measured anew, bars are drawn, and a folded cell has a comma behind it
    return {re.sub(r"[0-9.]+", "0", word).strip(",") for word in re.sub("[\u2588-\u258f]+", " ", text).split()}
long = [line for line in narrow.split("\n") if len(line) > int(sys.argv[1]) and " " in line.strip()]
cut = words(narrow) - words(wide) - {"in", "all"}
assert narrow.strip(), "nothing is shown"
assert not long, "too long: " + long[0]
assert not cut, "in no line of a wide terminal: " + " ".join(sorted(cut))
END
}

# fits NAME ARGUMENT...: at every width.
fits() {
    fitted=$1 # a check has a name of its own
    shift
    shown_at 1000 wide "$@"
    for columns in ${widths:-60 80 100 132}; do
        shown_at "$columns" narrow "$@"
        check "$fitted-at-$columns" is_whole "$columns"
    done
}

for problem in "--n 1K" "--n 3K --type f32" "--n 1K --op max"; do
    # shellcheck disable=SC2086 # the words of the problem
    run --device host --space small.ini $problem --quiet
done
fits tune-from-a-record --device host --n 1K --space small.ini
fits show show
fits show-one show --n 3K
fits doctor doctor
fits help help
fits help-of-tune help tune
fits help-of-reduce help reduce
fits options list options
fits classes list classes
fits published list published
fits problems list problems --op sum --type f32
widths="60 80"
fits compare compare v100 rtx5070
fits rungs compare v100 h200 --rungs
fits report report
fits ladder ladder --device host --n 1K --rung harris-1
widths=
fits usage reduce some.f32 --n 10
fits unknown --type c64

# A tuning's own words differ from one to the next: only its lines are looked at.
for columns in 60 80; do
    shown_at "$columns" narrow --device host --n 2K --space small.ini --retune --verbose
    cp narrow wide
    check "tune-at-$columns" is_whole "$columns"
    check "tune-says-its-limit-at-$columns" grep -q '^time  *until all are tried' narrow
done
shown_at 60 narrow --device host --n 1K..2K --space small.ini --retune
cp narrow wide
check sweep is_whole 60
shown_at 80 narrow show --n 3K
check day-is-whole grep -q "$(date -u +%Y-%m-%d)" narrow
finish

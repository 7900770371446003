#!/bin/sh
# Tests a sweep: each size is tuned and kept, intervals cover the range, an interruption costs one
# size, and the records draw what the sweep printed.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
small_space small.ini
RECORDS=$XDG_CACHE_HOME/autotune/host.ini
JOURNALS=$XDG_CACHE_HOME/autotune/journal
set -- --device host --space small.ini

refuses backwards 64 'ends below its start' "$@" --n 16K..1K
refuses from-nothing 64 'range from 1 on' "$@" --n 0..1K
refuses no-end 64 "--n is '1K..', a range without" "$@" --n 1K..
refuses past-all-memory 64 'room for' "$@" --n 1K..1000000000G
refuses loss-without-range 64 'are of a sweep' "$@" --n 1K --loss 1
for wrong in x -1 1% 51 0.0001 1e1 ''; do
    refuses "loss-is-'$wrong'" 64 "loss is '|'$wrong'|empty" "$@" --n 1K..2K --loss "$wrong"
done
refuses loss-too-exact 64 "at most [0-9] of them after the point" "$@" --n 1K..2K --loss 0.0001
refuses loss-past-all 64 'from 0 to 50' "$@" --n 1K..2K --loss 50.001
refuses confirm-without-range 64 'confirm are of a sweep' "$@" --n 1K --confirm
refuses confirm-and-retune 64 'choose one' "$@" --n 1K..2K --confirm --retune
refuses replay 64 'leave one' --replay some.journal --n 1K..2K
refuses verify-takes-one 64 "'1K\.\.2K'" verify "$@" --n 1K..2K
run show --sweep
check none-yet has_status 0
check none-yet-is-said grep -q "no sweeps.*1K\.\.4G" err
run show --sweep --json -
check none-yet-json test "$(tr -d ' \n' < out)" = '{"sizes":[],"intervals":[]}'

# holds FILE EXPRESSION: strict JSON of which it is true.
holds() {
    python3 - "$1" "$2" <<'PYTHON'
import json, sys
def refuse(word):
    raise ValueError(word)
def once(pairs):
    assert len({key for key, _ in pairs}) == len(pairs), "a key twice"
    return dict(pairs)
it = json.loads(open(sys.argv[1], encoding="utf-8").read(), parse_constant=refuse,
                object_pairs_hook=once)
sizes = [size for size in it["sizes"] if size["n"] % 2 == 0] # odd ones are between them
of = lambda regime: [size for size in sizes if size["regime"] == regime]
def covers(regime, low, high):
    part = [i for i in it["intervals"] if i["regime"] == regime]
    return (part[0]["n_from"] == low and part[-1]["n_to"] == high and
            all(a["n_to"] + 1 == b["n_from"] for a, b in zip(part, part[1:])) and
            all(i["n_from"] <= i["n_to"] for i in part) and
            all(sum(i["n_from"] <= s["n"] <= i["n_to"] for i in part) == 1 for s in of(regime)) and
            all((s["n_from"], s["n_to"], s["params"]) in
                [(i["n_from"], i["n_to"], i["params"]) for i in part] for s in of(regime)) and
            sum(i["sizes"] for i in part) == sum(s["regime"] == regime for s in it["sizes"]))
def loses(limit):
    return all(s["loss_pct"] <= limit + .05 and
               abs(s["us"] / s["own_us"] - 1 - s["loss_pct"] / 100) < 0.002 for s in it["sizes"])
names = {"it": it, "sizes": sizes, "of": of, "covers": covers, "loses": loses, "all": all, "len": len, "set": set}
assert eval(sys.argv[2], names), sys.argv[2]
PYTHON
}

# The compilers, which list the kernels that they compile.
mkdir bin
for name in cc gcc clang; do
    cat > bin/$name << END
#!/bin/sh
for word; do
    case \$word in *unit*.c) grep -o 'pass .* --variant .*' "\$word" >> "$SCRATCH/kernels" ;; esac
done
exec $(command -v $name) "\$@"
END
    chmod +x bin/$name
done

# Cold and warm; the sizes of 1K..16K.
PATH=$SCRATCH/bin:$PATH run "$@" --n 1K..16K --loss 8 --json sweep.json --csv sweep.csv
cp out swept
check sweep has_status 0
check says-what-it-does grep -q '^sweep  *sum i32 1K\.\.16K: 5 sizes cold, 5 sizes warm.* 8 %' err
check line-says-how-many grep -Eq '^size  *1 of [0-9]+  ' err
check line-no-place-twice test -z "$(grep -Eo '^size +[0-9]+ of' err | sort | uniq -d)"
check line-again grep -Eq '^size +again +16K cold ' err
check line-aligned test "$(grep '^size ' err | sed 's/ us .*//' | awk '{ print length }' | sort -u | wc -l)" -eq 1
check line-fits sh -c "! grep -Eq '^.{101}' err"
check line-leaves-defaults-out sh -c "! grep -Eq 'ACCUMS=1' err"
check line-a-size test "$(grep -c '^size ' err)" -ge 10
check draws grep -Eq '^ *16K  cold ' out
check draws-intervals grep -Eq '^A  *1K ' out
check draws-params grep -q 'BLOCK=' out
check plain sh -c '! LC_ALL=C grep -q "$(printf "[\033\r]")" out err'
check json holds sweep.json 'len(sizes) == 10'
check sizes holds sweep.json '[s["n"] for s in of("warm")] == [1000, 2000, 4000, 10000, 16000]'
check intervals-cold holds sweep.json 'covers("cold", 1000, 16000)'
check intervals-warm holds sweep.json 'covers("warm", 1000, 16000)'
check losses holds sweep.json 'loses(8)'
check single holds sweep.json 'set(s["single_n"] for s in sizes) == {16000}'
check single-times holds sweep.json \
    'all(abs(s["single_us"] / s["us"] - s["single_ratio"]) < .01 for s in it["sizes"])'
check csv test "$(wc -l < sweep.csv)" -eq "$((1 + $(grep -c '"own_us"' sweep.json)))"
# The default is compiled by the worker that measures, too.
check kernels-are-listed test "$(sort -u kernels | wc -l)" -ge 6
check compiled-once test "$(sort kernels | uniq -d | grep -vc 'BLOCK=64,.*WARP=SHUFFLE,.*FINISH=PASSES')" -eq 0
check default-compiled-twice test "$(sort kernels | uniq -c | awk '$1 > 2' | wc -l)" -eq 0
# Small proofs are of each variant once cold and once warm: times of others are 0.
journal_lines "$JOURNALS"/*.journal | awk -F '\t' '{ print $4, ($12 > 0) }' | sort | uniq -c > proofs
check proven-at-one-size test "$(awk '$NF == 1 && $1 > 2' proofs | wc -l)" -eq 0
check proven-all test "$(awk '$NF == 1' proofs | wc -l)" -eq "$(awk '$NF == 0' proofs | wc -l)"
check gained grep -Eq '^gained  *.* at 4 n drawn at random' err
check csv-keys grep -q '^gpu,op,type,acc,order,n,regime,n_from,n_to,us,gbs,' sweep.csv

# The same command, and show, draw the same from the records; nothing is measured again.
before=$(journal_lines "$JOURNALS"/*.journal | wc -l)
cp "$RECORDS" before.ini
run "$@" --n 1K..16K
check again-from-records grep -q '^records  *exact' err
check again-is-the-same cmp out swept
run "$@" --n 1K..32K --confirm
check confirm-of-none has_status 64
check confirm-of-none-is-said grep -q 'leave --confirm out' err
run show --sweep
check show-is-the-same cmp out swept
check nothing-measured test "$(journal_lines "$JOURNALS"/*.journal | wc -l)" -eq "$before"
check nothing-written cmp "$RECORDS" before.ini
run show --sweep --json -
check show-json cmp out sweep.json
run show --sweep --n 2K..4K --json -
check show-part holds out 'len(sizes) == 4 and it["sizes"][0]["single_n"] == 16000'
run "$@" --n 2K..4K --cold --json -
check part-from-records holds out '[s["n"] for s in sizes] == [2000, 4000]'
run show --n 1K..4K
check show-records-of-a-range test "$(grep -Ec ' (1K|2K|4K) +(cold|warm) ' out)" -eq 6
check show-intervals grep -Eq ' 1K\.\.[0-9]+[A-Za-z]* +cold ' out
run show --sweep --type f32
check show-none-of-a-kind grep -q 'no sweeps of this kind' err

# Each size has an exact record; what lies between has an interval, which tune does not take.
run "$@" --n 4K
check exact grep -q '^record  *exact' err
run verify "$@" --n 3K
check between grep -q '(same GPU, other size)' err
check between-says-where grep -q '^ *which serves n from' err
run "$@" --n 3K
check tuned-itself grep -q '^to try ' err

# An odd n, at which it raced what was at hand, is served by that, and tuned when it is asked for. There is
# one at the border of 1K and 2K, which have different winners.
between=$(grep -o '"n": [0-9]*[13579],' sweep.json | grep -o '[0-9]*' | head -n 1)
check between-sizes test "${between:-0}" -gt 1000
run verify "$@" --n "${between:-1001}" --cold
check raced-serves grep -q "^variant .*host's record .*exact" err
run "$@" --n "${between:-1001}" --cold
check raced-is-tuned grep -q '^record .*did not search' err

# Measured again, the times of the winners and of their intervals' variants are others from then on.
cp "$RECORDS" before.ini
run "$@" --n 1K..16K --confirm --loss 50 --json -
check confirm has_status 0
check confirm-measures holds out 'len(sizes) == 10'
check confirm-keeps-what-it-measured grep -q '^records ' err
check confirm-keeps-winners test "$(grep '^config' "$RECORDS" | sort)" = "$(grep '^config' before.ini | sort)"
check confirm-takes-the-limit test "$(grep -c '^loss_ppm = ' "$RECORDS")" -eq "$(grep -c '^loss_ppm = 500000' "$RECORDS")"
run show --sweep --json -
check confirm-covers holds out 'covers("cold", 1000, 16000) and covers("warm", 1000, 16000) and loses(50)'

# Another sweep of a part with another loss takes the place of the intervals that it overlaps.
run "$@" --n 1K..4K --cold --loss 50
check loss-measures-again grep -q '^size ' err
check loss-tries-nothing-new test "$(journal_lines "$JOURNALS"/*4000-cold.journal | cut -f 1 |
    sort | uniq -d | wc -l)" -eq 0
run show --sweep --n 1K..4K --json -
check replaced holds out 'covers("cold", 1000, [i["n_to"] for i in it["intervals"] if i["regime"] == "cold"][-1])'
run show --sweep --json -
check replaced-that-alone holds out 'len(sizes) == 10 and covers("cold", 1000, 16000) and covers("warm", 1000, 16000)'
check replaced-compares-with-one holds out 'all(s.get("single_n") in (16000, None) for s in it["sizes"]) and all(s["single_n"] == 16000 for s in sizes if s["regime"] == "warm" or s["n"] > 4000)'
run "$@" --n 2K..4K --cold --loss 0
run show --sweep --json -
check replaced-within holds out 'len(sizes) == 10 and covers("cold", 1000, 16000)'

# Records of a sweep are merged like others.
mkdir shared
run merge --cache shared "$RECORDS"
check merged has_status 0
check merged-all cmp "$RECORDS" shared/host.ini
check merged-sizes grep -Eq '^host +sum i32 1K cold .* added$' out
check merged-each-line-once test "$(sed 1d out | awk '{ print $2, $3, $4, $5 }' | sort | uniq -d | wc -l)" -eq 0

# Without its trials a record is raced again, but not tuned.
rm -r "$JOURNALS"
run "$@" --n 1K..4K --cold --loss 10
check without-journals has_status 0
check without-journals-none-tried test "$(cat "$JOURNALS"/*.journal | wc -c)" -lt 4000

has_sizes() {
    [ "$(grep -c '^size ' err)" -ge "$1" ]
}

# Ctrl-C: the sizes that are done are kept, and the same command goes on.
set -- --device host --space small.ini --n 2K..64K --type u32 --cold
begin "$@"
wait_until has_sizes 3
end INT
check interrupted has_status 130
check interrupted-is-said grep -q '^autotune: interrupted: .*kept, and the same command goes on' err
check interrupted-no-process no_process
check interrupted-draws-nothing test ! -s out
done=$(grep -c '^size ' err)
run show --type u32
check interrupted-keeps test "$(grep -c '^host ' out)" -ge "$((done - 1))"
run "$@" --json resumed.json
check resumed has_status 0
check resumed-covers holds resumed.json 'covers("cold", 2000, 64000) and len(sizes) == 6'
twice=$(for journal in "$JOURNALS"/*u32*.journal; do
    journal_lines "$journal" | awk -F '\t' '$3 == "measured"' | cut -f 1 | sort | uniq -d
done | wc -l)
check resumed-measures-none-twice test "$twice" -eq 0

# A folder that cannot be written costs one warning and the exit status, not the sweep.
run --device host --space small.ini --n 1K..2K --cold --cache /proc/autotune
check unwritable has_status 74
check unwritable-draws grep -q '^A ' out
check unwritable-warns test "$(grep -c 'warning: ' err)" -eq 1
check unwritable-warns-first grep -q 'warning: neither the trials nor the record can be kept: ' err
# Where its interval's variant loses too much, measured again, another serves the size from then on.
set -- --device host --cold --cache cut --n 1K..4K
run "$@" --loss 50 --quiet
run show --sweep --json before.json --cache cut
run --device host --cold --cache cut --n 3K --quiet # a record between two sizes, and of no sweep
cut=0
for try in $(seq 20); do # the smallest sizes have other winners, by a percent or two
    [ "$cut" -gt 0 ] || { run "$@" --confirm --loss 0; cut=$(grep -c '^cut ' err); }
done
check cut has_status 0
check cut-something test "$cut" -gt 0
check cut-writes-once test "$(grep -c '^records ' err)" -eq 1
run show --sweep --json - --cache cut
check cut-covers holds out 'covers("cold", 1000, 4000)'
check cut-adds-intervals holds out "len(it['intervals']) > $(grep -c '"sizes": [0-9]' before.json)"
check cut-own-winners holds out "len([s for s in it['sizes'] if s['loss_pct'] == 0]) >= $cut"

# A budget is of each size, and each has a result: one candidate is measured, however long that takes.
set -- --device host --space small.ini --op max --cold
run "$@" --n 4K --quiet
run "$@" --n 1K..10K --budget 1ms --json spent.json
check spent has_status 0
check spent-says-the-budget grep -q '^sweep .*: 4 sizes cold, each searched for 0.001 s at most; ' err
check spent-sizes holds spent.json 'covers("cold", 1000, 10000) and len(sizes) == 4'
check spent-is-in-the-records test "$(grep -c '^untried = [1-9]' "$XDG_CACHE_HOME/autotune/host.ini")" -eq 3
run "$@" --n 1K..10K --json more.json
check spent-goes-on has_status 0
check spent-then-all holds more.json 'covers("cold", 1000, 10000) and len(sizes) == 4'
run "$@" --n 1K..1K
check one-size grep -q '^sweep .*: 1 size cold; ' err
check one-size-drawn grep -q ' on host: 1 size, 1 interval;' out

finish

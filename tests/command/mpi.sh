#!/bin/sh
# Tests autotune-mpi on the emulator, by Open MPI over shared memory and over TCP, and by MPICH, whichever are
# here: a list by 1 to 4 ranks, ranks that are killed, SIGTERM, a rank with another template, records from
# journals, a rank 0 that is busy for long, a rank whose autotune is killed, and --broadcast.
# shellcheck disable=SC2034,SC2086,SC2154 # status is of helpers; options are words
. "$(dirname "$0")/helpers"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_plm_rsh_agent=false PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
small_space tiny.ini

# by LAUNCHER: what starts ranks from now on, and the program.
by() {
    case $1 in
    openmpi) launcher=mpirun MPI=$AUTOTUNE-mpi rank_variable=OMPI_COMM_WORLD_RANK ;;
    tcp) launcher='mpirun --mca btl tcp,self' MPI=$AUTOTUNE-mpi rank_variable=OMPI_COMM_WORLD_RANK ;;
    mpich) launcher=mpiexec.mpich MPI=${AUTOTUNE%/*}/mpich/autotune-mpi rank_variable=PMI_RANK ;;
    esac
}

# shared RANKS OPTION...: autotune-mpi by so many ranks; streams and status as those of run.
shared() {
    ranks=$1
    shift
    # shellcheck disable=SC2086 # words
    timeout "$PATIENCE" $launcher -n "$ranks" "$MPI" "$@" > out 2> err < /dev/null
    status=$?
}
begin_shared() {
    ranks=$1
    shift
    : > err
    # shellcheck disable=SC2086 # words
    $launcher -n "$ranks" "$MPI" "$@" > out 2> err < /dev/null &
    running=$!
}
# Waits for the end of the job, whose status is in $ended. mpirun of Open MPI 4.1 can wait for a lock of
# its own for ever when all its ranks have ended: it is killed then.
wait_for_job() {
    quiet=0
    while is_running && [ $quiet -lt 20 ]; do
        sleep 0.5
        [ -n "$(processes | grep -vx $running)" ] && quiet=0 || quiet=$((quiet + 1))
    done
    ! is_running || { echo "mpirun has outlived its ranks"; kill -KILL $running; }
    wait $running
    ended=$?
}
# The process of rank $1 in this test: its environment is as it was started.
rank_process() {
    for number in $(processes); do
        if tr '\0' '\n' < "/proc/$number/cmdline" 2> /dev/null | head -n 1 | grep -q 'autotune-mpi$' &&
            tr '\0' '\n' < "/proc/$number/environ" 2> /dev/null | grep -qx "$rank_variable=$1"; then
            echo "$number"
        fi
    done
}
# The autotunes that ranks have started, and the one of rank $1.
tunings() {
    for number in $(processes); do
        ! tr '\0' ' ' < "/proc/$number/cmdline" 2> /dev/null | grep -q '^[^ ]*/autotune tune --problems ' ||
            echo "$number"
    done
}
tuning_of() {
    parent=$(rank_process "$1")
    for number in $(tunings); do
        ! grep -qs "^PPid:	$parent\$" "/proc/$number/status" || echo "$number"
    done
}
once() {
    for journal in "$1"/journal/*.journal; do
        journal_lines "$journal" | cut -f 1 | sort | uniq -d
    done > twice
    [ ! -s twice ] || { echo "tried twice:"; cat twice; return 1; }
}
records() { cat "$1/host.ini" 2> /dev/null | grep -c '^op = ' || true; }
trials() { journal_lines "$1"/journal/*.journal 2> /dev/null | wc -l; }
# When each problem was tuned: what a record that is made again changes.
dates() { awk '/^(op|type|acc|depth) = / { key = key " " $3 } /^tuned = / { print key, $3; key = "" }' "$1/host.ini" | sort; }
# keeps_dates FILE CACHE: all that were in the file are in the cache.
keeps_dates() {
    dates "$2" > dates.now
    [ -z "$(comm -23 "$1" dates.now)" ]
}


check autotune-has-no-mpi test "$(ldd "$AUTOTUNE" 2> /dev/null | grep -c libmpi)" -eq 0
OPTIONS="--device host --space $PWD/tiny.ini"
"$AUTOTUNE" list problems --n 1K 2> /dev/null |
    grep -E 'op (sum|sumsq|min|max|and|or|xor) --type ([iu](8|16|32)|f32)' | grep -v -- --determ |
    head -n 8 > eight
head -n 3 eight > three

# Lists of three and a known one, by each MPI.
lists() {
    shared 3 $OPTIONS --problems three --cache "$1" --csv "$1.csv"
    check "$1" has_status 0
    check "$1-line-each" test "$(grep -c ' tuned in .* on ' out)" -eq 3
    check "$1-records" test "$(records "$1")" -eq 3
    check "$1-csv" test "$(grep -c ',tuned,' "$1.csv")" -eq 3
    check "$1-once" once "$1"
    check "$1-leaves-none" no_process
    before=$(trials "$1")
    cp "$1/host.ini" before.ini
    shared 4 $OPTIONS --problems three --cache "$1"
    check "$1-again" test "$(grep -c ' known on ' out)" -eq 3
    check "$1-again-tries-nothing" test "$(trials "$1")" -eq "$before"
    check "$1-again-changes-nothing" cmp before.ini "$1/host.ini"
}

# Rank $3 of four is killed as it is with a list of $2, each time a few more trials have come to the cache $1:
# what was recorded is not made again, and no trial is made twice.
has_gone_on() { [ "$(trials "$cache")" -ge $((had + more)) ] && [ -n "$(rank_process "$victim_rank")" ]; }
kills() {
    cache=$1 list=$2 at=0
    problems=$(wc -l < "$list")
    shift 2
    for victim_rank; do
        at=$((at + 1)) had=$(trials "$cache") more=$((1 + at % 3))
        dates "$cache" > dates.before 2> /dev/null
        begin_shared 4 $OPTIONS --problems "$list" --cache "$cache"
        wait_until has_gone_on
        victim=$(rank_process "$victim_rank")
        [ -z "$victim" ] || kill -KILL "$victim" 2> /dev/null
        wait_for_job
        [ -z "${MPI_KILLS:-}" ] || echo "kill $at: status $ended, $(records "$cache") records, $(trials "$cache") trials"
        check "$cache-ends-the-job-$at" test -n "$victim" -a "$ended" -ne 0 -a "$(records "$cache")" -lt "$problems"
        check "$cache-once-$at" once "$cache"
        check "$cache-keeps-records-$at" keeps_dates dates.before "$cache"
        check "$cache-leaves-none-$at" no_process
    done
    dates "$cache" > dates.before 2> /dev/null
    shared 4 $OPTIONS --problems "$list" --cache "$cache"
    check "$cache-goes-on" has_status 0
    check "$cache-all" test "$(records "$cache")" -eq "$problems"
    check "$cache-nothing-twice" once "$cache"
    check "$cache-keeps-records" keeps_dates dates.before "$cache"
}

# SIGTERM to what has started the ranks, as a time limit has it: by Open MPI all that ranks had tried is kept;
# MPICH may kill them before, and its own status says nothing then.
has_tried() { [ "$(trials "$cache")" -ge 1 ]; }
here() { journal_lines "$TMPDIR"/autotune-*/parts/*/journal/*.journal 2> /dev/null | wc -l; }
ends() {
    cache=$1
    begin_shared 3 $OPTIONS --problems three --cache "$cache"
    wait_until has_tried
    had=$(here)
    kill -TERM $running
    wait_for_job
    check "$cache-by-signal" test "$ended" -ne 0 -o -n "$(grep "^autotune-mpi: interrupted: " err)"
    [ "$launcher" = mpiexec.mpich ] || check "$cache-keeps-all" test "$had" -gt 0 -a "$(trials "$cache")" -ge "$had"
    check "$cache-leaves-none" no_process
    shared 3 $OPTIONS --problems three --cache "$cache"
    check "$cache-goes-on" test "$(records "$cache")" -eq 3
    check "$cache-nothing-twice" once "$cache"
}

# By MPICH and over TCP by turns.
if [ -x "${AUTOTUNE%/*}/mpich/autotune-mpi" ] && command -v mpiexec.mpich > /dev/null; then
    if is_turn 0 2; then
        by mpich
        lists by-mpich
        kills killed-mpich three 1
        ends ended-mpich
    fi
else
    skip mpich "no MPICH is here (Debian: mpich libmpich-dev)"
fi
by openmpi
if [ ! -x "$MPI" ] || ! mpirun --version 2> /dev/null | grep -q 'Open MPI'; then
    skip mpi "no Open MPI is here (Debian: libopenmpi-dev openmpi-bin)"
    finish
fi
if is_turn 1 2; then
    by tcp
    lists by-tcp
    kills killed-tcp three 2
fi

by openmpi
shared 1 --device host
check list-is-asked-for has_status 64
check list-is-asked-for-why grep -q 'give --problems FILE' err

# More ranks than problems: one tunes as one process does, the others wait.
echo "--n 1K" > one
shared 4 $OPTIONS --problems one --cache one-cache
check one has_status 0
check one-line grep -q '^1 of 1  sum i32 1K cold .* tuned in .* on ' out
check one-record test "$(records one-cache)" -eq 1
check one-once once one-cache
"$AUTOTUNE" $OPTIONS --n 1K --cache alone --quiet > alone.out 2> /dev/null
check one-tries-what-one-process-does test "$(trials one-cache)" -eq "$(trials alone)"
run $OPTIONS --n 1K --cache one-cache
check one-is-known grep -q 'record    exact' err

# Folders of ranks that were killed are removed; those of ranks of other machines, which share the folder,
# and of others stay.
GONE=4194305 # the number of no process here
start=$TMPDIR/autotune-$(this_host)-1-$GONE
left=$start-Ab3dE9 elsewhere=$start-Cd4fG8 others=$start-of-mine
mkdir -m 700 "$left" "$elsewhere" "$others"
for folder in "$left" "$elsewhere" "$others"; do
    echo precious > "$folder/one.ini"
    : > "$folder/lock"
done
env -u XDG_CACHE_HOME flock -F "$elsewhere/lock" sleep 1000 &
holder=$!
is_held() { ! flock -n "$elsewhere/lock" true; }
running=$holder
wait_until is_held
lists shared-cache
check folder-of-a-killed-rank-is-swept test ! -e "$left"
check folders-of-others-stay test -s "$elsewhere/one.ini" -a -s "$others/one.ini"
kill $holder
rm -r "$elsewhere" "$others"

# Records from these journals alone: equal byte for byte, whoever makes them.
run $OPTIONS --problems three --replay shared-cache --cache whole
shared 3 $OPTIONS --problems three --replay shared-cache --cache by-three
check replay has_status 0
check replay-line-each test "$(grep -c ' from its journal on ' out)" -eq 3
check replay-equal cmp whole/host.ini by-three/host.ini
shared 1 $OPTIONS --problems three --replay shared-cache --cache by-one
check replay-equal-of-one cmp whole/host.ini by-one/host.ini

# Ranks are killed at three moments of eight problems, rank 0 last. With MPI_KILLS=N rank 2 is, N times.
# shellcheck disable=SC2046 # words
if [ -n "${MPI_KILLS:-}" ]; then
    "$AUTOTUNE" list problems --n 1K 2> /dev/null | grep -v -- --determ | head -n 30 > thirty
    kills killed thirty $(yes 2 | head -n "$MPI_KILLS")
else
    kills killed eight 1 2 0
fi
ends ended

# What ranks have started has no MPI in its environment, and their folders are held.
begin_shared 3 $OPTIONS --problems three --cache alive
cache=alive
wait_until has_tried
are_held() {
    for folder in "$TMPDIR"/autotune-*-*-*-??????; do ! flock -n "$folder/lock" true || return 1; done
}
check folders-of-ranks-are-held are_held
check environment test -n "$(tunings)" -a "$(for number in $(tunings); do
    tr '\0' '\n' < "/proc/$number/environ"; done 2> /dev/null | grep -cE '^(OMPI|PMIX|PMI)_')" -eq 0

# A rank whose autotune is killed gets no more to do; another does its problem.
victim=$(tuning_of 1)
kill -KILL $victim
wait_for_job
check lost-tuning test -n "$victim" -a "$ended" -eq 0
check lost-tuning-is-named grep -q "rank 1 on $(hostname) gets no more to do: its autotune was ended by signal 9" err
check lost-tuning-is-done-by-others test "$(records alive)" -eq 3

# A problem that fails costs its line.
{ cat one; echo "--n 1K --type i64"; } > failing
shared 2 $OPTIONS --problems failing --cache failing-cache --csv failing.csv
check failing has_status 64
check failing-others-are-tuned test "$(records failing-cache)" -eq 1
check failing-line grep -q '^2 of 2  sum i64 1K cold .* failed: .* on ' out
check failing-row grep -q ',failed,' failing.csv
check failing-says grep -q '^autotune-mpi: 1 of 2 problems failed, the first because: ' err

# A rank with another template is refused, and named.
mkdir other
sed 's/^meaning = threads per block.*/meaning = threads of a block/' tiny.ini > other/tiny.ini
cp three other
mpirun -n 2 "$MPI" --device host --space tiny.ini --problems three --cache "$PWD/refused" : \
    -n 1 -wdir "$PWD/other" "$MPI" --device host --space tiny.ini --problems three --cache "$PWD/refused" \
    > out 2> err < /dev/null
status=$?
check other-template test $status -ne 0
check other-template-is-named grep -q 'rank 2 on .* has other templates, spaces' err
check other-template-tries-nothing test "$(trials refused)" -eq 0 -a "$(records refused)" -eq 0

# One problem under two spaces has one name of trials.
sed 's/^meaning = threads per block.*/meaning = threads of a block/' tiny.ini > second.ini
printf -- '--n 1K --space tiny.ini\n--n 1K --space second.ini\n' > twice
shared 2 --device host --problems twice --cache twice-cache
check one-problem-twice test $status -ne 0
check one-problem-twice-is-named grep -q 'twice has sum i32 1K cold twice, under two spaces or templates' err

# Of records of two spaces each list is told its own.
sed 's/^name = .*/name = other/' tiny.ini > third.ini
echo "--n 1K" > single
for space in tiny third tiny third; do
    shared 2 --device host --space $space.ini --problems single --cache spaces --csv $space.csv
    cp out $space.out
done
check both-spaces-are-known test "$(cat tiny.out third.out | grep -c ' known on ')" -eq 2
for name in reduce other; do # the record's name of each space
    awk -v name=$name '$0 == "space = " name { is_it = 1 } is_it && /^median_ps = / { printf "%.2f\n", $3 / 1e6; exit }' \
        spaces/host.ini
done > medians
{ tail -n 1 tiny.csv; tail -n 1 third.csv; } | cut -d , -f 9 > told
check known-of-its-space cmp medians told

# Ranks of two kinds, here by two compilers, each do the whole list.
if command -v clang > /dev/null; then
    mkdir clang && ln -s "$(command -v clang)" clang/cc
    timeout "$PATIENCE" mpirun -n 1 "$MPI" $OPTIONS --problems three --cache kinds : \
        -n 1 env PATH="$PWD/clang:$PATH" "$MPI" $OPTIONS --problems three --cache kinds > out 2> err < /dev/null
    status=$?
    check kinds has_status 0
    check kinds-do-all-each test "$(grep -c ' tuned in ' out)" -eq 6
    check kinds-by-people grep -q '^list      6 tuned, 0 known, 0 failed by 2 ranks' err
else
    skip kinds "no clang is here"
fi

# Rank 0 has by far the longest problem, which is the first to be given: rank 1 gets all others meanwhile.
{ head -n 5 eight; echo "--n 4M"; } > uneven
shared 2 $OPTIONS --problems uneven --cache uneven-cache --csv uneven.csv
check uneven has_status 0
tail -n 1 out > last
check uneven-long-one-is-last grep -q '^6 of 6  sum i32 4M cold ' last
# All others in the seconds that they took, and half a second each.
nobody_waits() {
    awk -F , 'NR > 1 { if ($1 == 6) long = $12; else { others += $12; count++ } }
        END { print long, others, count; exit !(count == 5 && long > others / count * 4 && others < long + count / 2) }' uneven.csv
}
check uneven-nobody-waits nobody_waits

# --broadcast: a rank on another host gets the records, for its own cache.
if unshare --uts true 2> /dev/null; then
    timeout "$PATIENCE" mpirun -n 1 "$MPI" $OPTIONS --problems three --cache shared-cache --broadcast : \
        -n 2 unshare --uts sh -c 'hostname elsewhere; exec "$@"' sh "$MPI" $OPTIONS --problems three \
        --cache there --broadcast > out 2> err < /dev/null
    status=$?
    check broadcast has_status 0
    check broadcast-is-known test "$(grep -c ' known on ' out)" -eq 3
    check broadcast-arrives cmp shared-cache/host.ini there/host.ini
else
    skip broadcast "no host name of its own can be had here"
fi
check no-process-left no_process
finish

#!/bin/sh
# Runs the commands of README.md and docs/*.md on the host device, page by page in their order, with
# small sizes in the place of large ones, as `rules` says; prints each as it is run, and why the
# others are not. docs.sh runs the examples that are marked for it as they stand.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"

PAGES=$(cd "$ROOT" && ls README.md docs/*.md)

# What is changed in a command before it is run, so that it ends in seconds without a GPU.
cat > rules << 'END'
s/--device 0/--device host/
s/--n [0-9]*[A-Za-z]*\.\.[0-9]*[A-Za-z]*/--n 1K..2K/
s/--n [0-9][0-9]*[KMGTi]*\( \|$\)/--n 20K\1/
s/--rows [0-9]*[A-Za-z]*\.\.[0-9]*[A-Za-z]*/--rows 16..32/
s/--len [0-9]*[A-Za-z]*\.\.[0-9]*[A-Za-z]*/--len 16..32/
s/--rows [0-9][0-9]*[KMGTi]*\( \|$\)/--rows 64\1/
s/--len [0-9][0-9]*[KMGTi]*\( \|$\)/--len 96\1/
s/--blocks [0-9]*\.\.[0-9]*/--blocks 32..64/
s/\([a-z]\)|[a-z|]*/\1/
s/--cover/--small/
s/merge FOLDER/merge ./
/--gpu/!s/--format [a-z,]*/& --gpu h200/
END

# A command that matches the first word of a line is left out, because of the rest.
cat > left << 'END'
profile         needs a GPU and Nsight Compute
1K..4G          takes minutes on the emulator; sweep.sh has sweeps
--problems      takes minutes on the emulator; list.sh has lists
~/.cache/autotune/parts/*  needs parts of a list; list.sh has them
/shared/autotune/parts/*   needs parts of a list; list.sh has them
--markdown      tells of a wrong kernel, so that its status is 70; judge.sh has it
report.html     needs tables of this very GPU; report.sh has them
END

# commands PAGE: those in a block or indented, one a line, without comments and what they printed;
# not those of blocks that docs.sh runs.
commands() {
    awk '/^<!-- run -->/ { marked = 1 }
        /^```/ { code = !code; if (!code) marked = 0; next }
        !marked && (code || /^    /)' "$ROOT/$1" |
        sed -e ':a' -e '/\\$/N; s/\\\n//; ta' |
        sed -n 's/^ *\(\$ \)\{0,1\}\(build\/\)\{0,1\}autotune\( [^#;]*\)\{0,1\}\(#.*\)\{0,1\}$/autotune\3/p' |
        sed 's/ *$//' | awk '!seen[$0]++'
}

# A verb that may be told a device is told it; the verb is the first word, or there is none.
on_host() {
    verb=$(printf '%s\n' "$1" | awk '{ print $2 ~ /^[a-z]+$/ ? $2 : "tune" }')
    "$AUTOTUNE" "$verb" --help > help.txt 2> /dev/null || "$AUTOTUNE" tune --help > help.txt
    case $1 in *--device*) echo "$1" && return ;; esac
    if grep -q -e '--device=DEVICE' help.txt; then echo "$1 --device host"; else echo "$1"; fi
}

# The files that pages speak of: a template and a space of one's own, as docs/kernels.md has them,
# what bench and ladder wrote, and elements, which any bytes are.
take_block() {
    awk -v first="$1" '/^```/ { if (inside && keeps) printf "%s", text
            inside = !inside; keeps = 0; text = ""; next }
        inside { text = text $0 "\n"; if (index($0, first)) keeps = 1 }' "$ROOT/docs/kernels.md"
}
mkdir run bin && ln -s "$AUTOTUNE" bin/autotune
take_block '__global__ void' > run/grid_stride.cu
take_block 'name = grid_stride' > run/grid_stride.ini
cp run/grid_stride.cu run/mine.cu
cp run/grid_stride.ini run/mine.ini
for page in $PAGES; do
    awk '/^    cat > [a-z_.]* <<END$/ { name = $3; next }
        /^    END$/ { name = "" }
        name { sub(/^    /, ""); print > ("run/" name) }' "$ROOT/$page"
done
cp "$ROOT/bench/records/nvidia-h200.ini" run
for machine in a b; do cp "$ROOT/bench/records/nvidia-h200.ini" run/$machine.ini; done
cp "$ROOT/bench/results/h200-cub-sum-f32-cold.csv" run/cub.csv
cp "$ROOT/bench/results/h200-ladder-f32.csv" run/ladder.csv
head -c 400000 "$AUTOTUNE" | tee run/samples.f32 > run/a.i32
printf '\0\0\0\0\144\0\0\0\0\1\0\0' > run/ends.i32
# npy TYPE COUNT: the header, as NumPy writes it.
npy() {
    printf '\223NUMPY\001\000v\000%-117s\n' "{'descr': '$1', 'fortran_order': False, 'shape': ($2,), }"
}
{ npy '<f4' 100000 && cat run/samples.f32; } > run/values.npy
{ npy '<i4' 3 && cat run/ends.i32; } > run/indptr.npy

for page in $PAGES; do
    commands "$page" > all
    while read -r command; do
        why=$(awk -v command="$command " 'index(command, " " $1 " ") { $1 = ""; print substr($0, 2); exit }' left)
        if [ -n "$why" ]; then
            echo "left out: $page: $command: $why"
            continue
        fi
        changed=$(on_host "$(printf '%s\n' "$command" | sed -f rules)")
        start=$(date +%s)
        check "$page: $changed" sh -c "cd run && PATH=../bin:\$PATH $changed" < /dev/null
        echo "   $(($(date +%s) - start)) s"
    done < all
done
finish

# profile: a step of tests/gpu.sh, read by it. Nsight Compute on two rungs and the default, and whether it
# counts in shared memory what the ladder computes.
# shellcheck shell=bash disable=SC2154 # what gpu.sh sets

# figure FILE COLUMN: of the first launch in a CSV of profile, whose kernel's name is in quotes.
figure()
{
    tr -d '\r' <"$1" | awk -v column="$2" '
    NR == 1 { n = split($0, names, ","); next }
    NR == 2 {
        gsub(/"[^"]*"/, "quoted")
        split($0, values, ",")
        for (i = 1; i <= n; i++) if (names[i] == column) print values[i]
    }'
}

# is_within FILE COLUMN LOW HIGH
is_within()
{
    local got
    got=$(figure "$1" "$2")
    echo "$2 is '$got', expected $3 to $4"
    awk -v got="$got" -v low="$3" -v high="$4" \
        'BEGIN { exit !(got ~ /^[0-9.]+$/ && got + 0 >= low && got + 0 <= high) }'
}

# is_as_computed RUNG TYPE SIZE...: what the emulator counted of a block is what ncu counted of all, exactly:
# instructions that use shared memory, the wavefronts they took, and those without bank conflicts. Of
# batched-1, whose bound the compiler knows, it may join the first step's two loads of each thread, which are
# neighbours: 2 instructions and the 4 wavefronts of their conflicts fewer. For sm_120 it does not.
is_as_computed()
{
    local ladder=$scratch/ladder.csv profile=$scratch/shared.csv column counted=()
    local problem=(--device "$device" --type "$2" "${@:3}")
    timeout -k 10 60 "$program" ladder "${problem[@]}" --rung "$1" --csv "$ladder" &&
        timeout -k 10 180 "$program" profile "${problem[@]}" --csv "$profile" "$1" || return
    for column in shared_requests shared_wavefronts shared_wavefronts_ideal grid; do
        counted+=("$(figure "$ladder" $column)")
    done
    for column in shared_instructions shared_wavefronts shared_wavefronts_ideal grid; do
        counted+=("$(figure "$profile" $column)")
    done
    echo "${counted[*]}" | awk -v name="$1 $2" '{
        joined = name ~ /^batched-1 / && $1 * $4 != $5 ? 2 : 0
        same = $4 > 0 && $4 == $8 && ($1 - joined) * $4 == $5 && ($2 - 2 * joined) * $4 == $6 && $3 * $4 == $7
        printf "%s: a block computed %d instructions, %d wavefronts, %d without conflicts; ncu %.3f, %.3f, %.3f\n",
            name, $1, $2, $3, $5 / $8, $6 / $8, $7 / $8
        exit !same
    }'
}

# issues_as_computed RUNG TYPE SIZE...: the instructions of warps that the ladder computes from machine code and
# the block's barriers are those that ncu counts, within 2 %; of PTX they are not compared.
issues_as_computed()
{
    local ladder=$scratch/ladder.csv profile=$scratch/shared.csv
    local problem=(--device "$device" --type "$2" "${@:3}")
    timeout -k 10 60 "$program" ladder "${problem[@]}" --rung "$1" --csv "$ladder" || return
    if [ "$(figure "$ladder" instructions_of)" != SASS ]; then
        echo "$1 $2: no disassembler here"
        return
    fi
    timeout -k 10 180 "$program" profile "${problem[@]}" --csv "$profile" "$1" || return
    echo "$(figure "$ladder" instructions) $(figure "$ladder" n) $(figure "$profile" instructions)" |
        awk -v name="$1 $2" '{
            computed = $1 * $2 / 32
            printf "%s: computed %.0f instructions of warps; ncu %.0f\n", name, computed, $3
            exit !($3 > 0 && computed > 0.98 * $3 && computed < 1.02 * $3)
        }'
}

# Rungs whose trees are in shared memory, each with a type and a size: with bank conflicts
# (harris-2, cs599-2, wangyu-1, batched-1, the trees of scans without padding) and without.
SHARERS=()
for rung in harris-1 harris-2 harris-3 cs599-1 cs599-2 cs599-3; do
    SHARERS+=("$rung i32 --n 64Mi" "$rung f64 --n 64Mi")
done
SHARERS+=("wangyu-1 i32 --n 64Mi" "batched-1 f32 --rows 512Ki --len 128")
for rung in scan-naive scan-buffers scan-tree scan-tree-padded; do
    SHARERS+=("$rung i32 --scan inclusive --n 1Mi")
done
SHARERS+=("scan-up f32 --n 1Mi" "scan-up-padded f32 --n 1Mi")

# No clock is set, so the percentages have wide limits.
step_profile()
{
    local status=0 kernel file column sharer words
    if [ "$device" = host ]; then
        check profile-run timeout -k 10 60 "$program" profile --device host --n 20K --run harris-2
        check profile-run-rows timeout -k 10 60 "$program" profile --device host --rows 100 \
            --len 128 --run batched-1
        echo "skip    profile: it needs a GPU"
        return
    fi
    for kernel in harris-2 harris-3 BLOCK=256; do
        file=$scratch/$kernel.csv
        status=0
        timeout -k 10 180 "$program" profile --device "$device" --n 400M --csv "$file" $kernel \
            >"$scratch/profile" 2>&1 || status=$?
        sed 's/^/        /' "$scratch/profile"
        if [ "$status" -eq 69 ]; then
            echo "skip    profile: $(grep '^autotune: ' "$scratch/profile")"
            return
        fi
        check "profile-$kernel" test "$status" -eq 0
        for column in memory_pct compute_pct dram_pct l2_pct l1_pct issue_pct occupancy_pct stall_pct; do
            check "profile-$kernel-$column" is_within "$file" $column 1 100.5
        done
        check "profile-$kernel-us" is_within "$file" us 300 5000
        check "profile-$kernel-registers" is_within "$file" registers 8 255
    done
    # By hand from the machine code of sm_90: of the 102 and 123 instructions of a warp 20 lanes carry out.
    for kernel in harris-2 harris-3; do
        check "profile-$kernel-threads" is_within "$scratch/$kernel.csv" threads_on_per_instruction 16 26
    done
    for sharer in "${SHARERS[@]}"; do
        read -ra words <<<"$sharer"
        check "conflicts-${words[0]}-${words[1]}" is_as_computed "${words[@]}"
        tail -n 1 "$scratch/said"
    done
    for kernel in harris-1 harris-2 harris-3 harris-4 cs599-1 cs599-2 cs599-3 cs599-6; do
        check "issues-$kernel" issues_as_computed "$kernel" i32 --n 64Mi
        tail -n 1 "$scratch/said"
    done
}

#!/bin/sh
# Tests `ladder` on the host: every rung is proven; the tables, the sources, and what is refused.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"

# rows FILE PATTERN: how many rows of the CSV match.
rows() {
    tr -d '\r' < "$1" | grep -Ec "$2"
}
# are_proven ROWS REJECTED
are_proven() {
    has_status 0 && [ "$(rows out '^(harris|cs599|single|tensor|next|wangyu|lab04|loads|scan|apart),')" -eq "$1" ] &&
        [ "$(rows out ',measured,[0-9]+\.[0-9]{4},')" -eq $(($1 - $2)) ] &&
        [ "$(rows out '^(tensor,tensor-2|wangyu,wangyu-4-redux),.*,rejected,')" -eq "$2" ]
}
# Tensor cores take no type of these, redux none but integers.
run ladder --device host --type f32 --n 7K --csv - --rung tensor --rung wangyu-4-redux --rung cs599-6
check rungs-f32 are_proven 4 2
run ladder --device host --type i32 --n 7K --csv -
check rungs-i32 are_proven 44 1
check proofs-are-said grep -Eq '^proved +[1-9][0-9]{3,} runs' err
tr -d '\r' < out | sed 1d | cut -d, -f2 > names
check in-order test "$(sed -n '1p;7p;10p;20p;25p;35p' names | tr '\n' ' ')" = \
    "harris-1 harris-7 cs599-1 tensor-1 wangyu-naive lab04-atomic "
check no-record test ! -e "$XDG_CACHE_HOME/autotune"

# Tables.
run ladder --device host --type i32 --n 3K --rung wangyu --rung harris-5 --json table.json
check table has_status 0
check table-titles grep -Eq '^kernel +threads +ms +GB/s +% peak +step +total$' out
check table-rung grep -Eq '^5 last warp unrolled +128 +[0-9.]+ +[0-9.]+$' out
check table-step grep -Eq '^3 two loads.* +256 +[0-9.]+ +[0-9.]+ +[0-9.]+x +[0-9.]+x$' out
check table-small-speed grep -Eq '^5 last warp unrolled +128 +[0-9.]+ +0\.0*[1-9][0-9]{2}$' out
check table-differs grep -q '^harris-5 differs: .*__syncwarp()' out
check table-differs-of-these test "$(grep -c 'lock-step' out)" -eq 1
check table-all-differ grep -q "^all rungs differ from the documents' kernels: " out
check table-of-these test "$(grep -c 'sequential\|CS599' out)" -eq 1
check emulated grep -qx "emulated: no model of a GPU's speed" out
check json grep -q '"rung": "wangyu-naive", .*"threads": 256, "status": "measured", "ms": 0' table.json
run ladder --device host --type f32 --n 2K --rung cs599-5 --rung harris-5 --blocks 32..64,1024 --quiet
check sizes has_status 0
check sizes-titles grep -Eq '^ms by threads per block +32 +64 +1024$' out
check sizes-row grep -Eq '^#5 4 per thread at load +[0-9.]+ +[0-9.]+ +[0-9.]+$' out
check sizes-that-are-not grep -Eq '^5 last warp unrolled +- +[0-9.]+ +[0-9.]+$' out
check quiet test ! -s err
run ladder --device host --type i32 --n 1K --op prod --rung lab04 --quiet
check rejected has_status 0
check rejected-row grep -Eq '^atomic_reduce.* 256 +rejected$' out
check rejected-reason grep -qx 'lab04-atomic: rejected: CUDA has no atomic product' out
check rejected-not-the-other grep -Eq '^shared_reduce.* 256 +[0-9.]+ +[0-9.]+$' out
for type in f16 bf16 i8; do
    run ladder --device host --type $type --n 20K --rung tensor --quiet
    check "tensor-$type" has_status 0
    check "tensor-$type-row" grep -Eq '^the same loads, added by tensor cores +256 +[0-9.]+ ' out
done
run ladder --device host --type i32 --n 1K --rung tensor-2 --quiet
check tensor-needs grep -qx 'tensor-2: rejected: tensor cores add f16, bf16, i8 and u8 in 32 bits' out

# Times by n, each twice the one before.
run ladder --device host --type i32 --n 1K..5K --rung harris-3 --rung harris-7 --csv by_n.csv --quiet
check by-n has_status 0
check by-n-titles grep -Eq '^ms by n +1K +2K +4K$' out
check by-n-row grep -Eq '^7 several adds per thread, grid-stride +[0-9.]+ +[0-9.]+ +[0-9.]+$' out
check by-n-csv test "$(rows by_n.csv '^harris,harris-3,.*,measured,.*,(1000|2000|4000),sum,i32,')" -eq 3
check by-n-bytes test "$(rows by_n.csv '^harris,harris-3,.*,4068,.*,1000,sum,')" -eq 1
refuses by-n-is-no-chart 64 'a table by n' report --ladder by_n.csv -o by_n.html
refuses by-n-too-many 64 'more than 32 sizes' ladder --device host --n 1..1T
refuses by-n-and-blocks 64 'has a table of its sizes' ladder --device host --n 1K..4K --blocks 64
refuses by-n-of-a-source 64 'has a table of its sizes' ladder --n 1K..4K --source harris-1

# Why: figures of a block, and with --gpu of that GPU; the same in CSV.
run ladder --device host --type i32 --n 2K --rung harris --rung wangyu-naive --csv why.csv --quiet
check why has_status 0
check why-fits sh -c "! grep -Eq '^.{101}' out"
unwrap
check why-titles grep -Eq '^rung +lanes of 32 +conflicts +wavefronts +sectors$' out
check why-row grep -Eq '^harris-2 +17\.6 +4-way +18\.50 +4/4$' out
check why-none grep -Eq '^harris-3 +17\.6 +none +7\.25 +4/4$' out
check why-divergence grep -q '^harris-1: divergence: 6\.9 of 32 lanes active .* (32 16 8 4 2 1 1 1 by step), 18\.5 acc' out
check why-conflicts grep -q '^harris-2: bank conflicts, up to 4-way (1 2 4 4 4 4 2 1 by step): 74 wave' out
check why-tree grep -q '^harris-3: the tree, which combines few elements: 7\.2 accesses' out
check why-atomics grep -q '^wangyu-naive: atomic operations: 256 for the 256 elements of a block' out
check why-csv-titles test "$(tr -d '\r' < why.csv | head -n 1 | cut -d, -f1-4,16-22,40-43)" = \
    "group,rung,kernel,threads,device,source,n,op,type,items,grid,cause,requests_by_site,excess_by_site,computed_for"
check why-csv grep -q \
    ',host,ladder/interleaved_modulo,2000,sum,i32,1,16,74,74,74,1,6.89,32 16 8 4 2 1 1 1,1 1' why.csv
check why-csv-loads grep -q ',computed_for,sm_blocks_by_limit,load_requests,load_sectors,load_sectors_ideal,' why.csv
run ladder --device host --type f32 --n 9K --rung loads --rung next --quiet
check why-next has_status 0
unwrap
check why-scattered grep -qx 'loads-parts: loads that are not coalesced: 32 sectors a request where 4 would do' out
check why-pairs grep -q '^loads-pairs: the tree.*; 8 sectors a request of a load where 4 would do$' out
check why-vectors grep -Eq '^next-barrier .* 16/16$' out
check why-emulated grep -q '^of a block, as the emulator sees it: ' out
run ladder --device host --type f64 --n 1K --rung harris-2 --blocks 32,1024 --csv - --quiet
check why-by-size grep -Eq ',1024,measured.*,16,.*,1 2 4 8 16 16 16 8 4 2 1,' out
run ladder --device host --type f32 --rung cs599-3 --gpu v100 --quiet --json gpu.json
check gpu has_status 0
if grep -q 'some figures are not computed' err; then # no NVRTC compiles for it here
    check gpu-why grep -q 'NVRTC' err
else
    check gpu-titles grep -Eq '^rung .* warps an SM +limit +kB in flight +instructions$' out
    check gpu-says-which grep -q 'computed for Tesla V100.*, n = 400M$' out
    check gpu-json grep -q '"sm_warps": 64' gpu.json
fi

# The grid: two spaces have elements per thread, CS599's and WangYu's.
run ladder --device host --type f32 --n 3K --grid --rung cs599 --blocks 32..64 --csv grid.csv --quiet
check grid has_status 0
check grid-titles grep -Eq '^ms by threads per block +32 +64$' out
check grid-row grep -Eq '^16 elements per thread +[0-9.]+ +[0-9.]+$' out
check grid-best grep -Eq '^best: (4|8|16|32|64) elements per thread, (32|64) threads: .* GB/s$' out
check grid-csv test "$(rows grid.csv '^grid-several_at_load,several_at_load-[0-9]+,.*,measured')" -eq 10
check grid-emulated grep -qx "emulated: no model of a GPU's speed" out
run ladder --device host --type i32 --n 1K --grid --rung wangyu-5 --quiet
check grid-all-sizes grep -Eq '^ms by threads per block +32 +64 +128 +256 +512 +1024$' out
check grid-of-another grep -q '^Grid of ladder/chunks, the kernel of wangyu-5$' out
run ladder --device host --type i32 --n 100K --csv - --quiet --rung harris-7-64 --rung harris-7-256
check grid-of-64 test "$(rows out '^harris,harris-7-64,.*,sum,i32,[0-9]+,64,')" -eq 1
check grid-of-256 test "$(rows out '^harris,harris-7-256,.*,sum,i32,[0-9]+,256,')" -eq 1

# Sources: the historical form is shown, and is wrong indeed where it is run all the same.
run ladder --source harris-5 --type i32
check source has_status 0
check source-right grep -q '__syncwarp();' out
check source-historical grep -q 'shared\[t\] = combine(shared\[t\], shared\[t + 32\]);' out
check source-why grep -q '^// warps are not in lock-step' out
run ladder --source batched-lanes --rows 4096 --len 128 --type f32
check source-fits-the-rows grep -q 'LANES=8,' out
run ladder --source batched-lanes --rows 4096 --len 1024 --type f64
check source-fits-the-type grep -q 'LANES=32,VECTOR=2,' out
run ladder --source wangyu-naive --type f32 --quiet
check source-passes test "$(grep -c '^// autotune emit --space ladder/atomic_each ' out)" -eq 2
sed -n '2s|^// autotune ||p' out > command
# shellcheck disable=SC2046 # its words
run $(cat command)
check source-by-its-command grep -q 'pass .init. of atomic_each' out
for space in last_warp unrolled grid_stride; do
    refuses "historical-$space" 70 'wrong result' verify --device host --n 1K --type i32 \
        --space ladder/$space --variant LOCKSTEP=HISTORICAL --quiet
done

# What the documents say: their tables whole, nothing run.
run ladder --published
check published has_status 0
check published-all test "$(grep -c ', published: ' out)" -eq 5
check published-gbs grep -Eq '^#4 first add at load .* 32 +2 +26\.61 +166\.56 +2\.03 +2\.03$' out
check published-tflops grep -Eq '^ +1024 +1 +34\.50 +0\.03 +124\.75$' out
check published-ncu grep -Eq '^0 interleaved, modulo +7\.15 +89\.75 +89\.75$' out
check published-occupancy grep -Eq '^ +1024 +1024 +10193\.5 +210\.878 +23\.53 +66\.67$' out
check published-scan-sizes grep -q '^CS759 .*, published: sum f32 1024 to 16777216 on a GPU not named$' out
check published-scan grep -Eq '^ +16777216 +15\.854781 +94\.794598 +5\.98$' out
check published-without-a-time grep -Eq '^7 several adds per thread, grid-stride +32M +73$' out
check published-nothing-computed test "$(grep -c '97\.6' out)" -eq 0
check published-conditions grep -q '^condition GB/s counts the bytes of all kernel levels' out
check published-cut-figures grep -q '^remark    some steps and totals are cut, not rounded, as 0.99 for 54.05 / 54.06' out
cp out whole
run list published
check published-is-listed cmp whole out
# Computed again: docs/documents.md has what does not follow, and what part 1's blocks are.
run list published --check --csv checked.csv
check checked has_status 0
check checked-counts grep -q '^CS599 Lecture 6 on V100: 88 of 93 figures follow from others of it' out
check checked-rate grep -q '^12 of 49 start 638 to 641 blocks a us, as many as this GPU can' out
wrong=$(tr -d '\r' < checked.csv | awk -F , '$(NF - 1) == "no" { print $(NF - 4) }')
check checked-wrong test "$(echo $wrong)" = "1.57 786.22 856.16 864.60 873.41 423.229"
for figure in $wrong; do
    check "checked-documents-have-$figure" grep -qF "$figure" "$ROOT/docs/documents.md"
done
lives=$(tr -d '\r' < checked.csv | awk -F , '/Reduction .Sum/ && /,block_us,/ { printf "%s%.2f", sep, $(NF - 2); sep = " " }')
check checked-lives test "$lives" = "1.00 1.02 1.13 1.36 0.99"
check checked-lives-documents sh -c "tr '\\n' ' ' < '$ROOT/docs/documents.md' | tr -s ' ' | \
    grep -q '4194304 blocks = 1.00 us, then 1.02, 1.13 and 1.36,'"
refuses checked-others 64 "list published --check" list rungs --check
run ladder --published --rung harris-2 --csv -
check published-rung test "$(rows out '^CS759 .*,G80,86\.4,"?2 .*,harris-2,,sum,i32,4194304,128,.*,3\.456,')" -eq 1
check published-rung-alone test "$(wc -l < out)" -eq 2
run ladder --device host --rung scan-tree --rung scan-tree-padded --scan exclusive --n 1Ki..2Ki --quiet
check published-beside grep -Eq '^scan-tree-padded +1024 +f32 +0\.079492 ms +its CPU 0\.002231 ms, 0\.03 times ' out
check published-beside-alone test "$(grep -c '^scan-tree-padded ' out)" -eq 2
run ladder --device host --rung scan-tree --csv usual.csv
check scan-of-the-usual-n grep -q '^problem   sum i32 20K inclusive scan' err
run ladder --device host --rung harris-2 --n 3K --quiet
check published-beside-none test "$(grep -c '^published' out)" -eq 0
refuses published-none 64 'no document gives figures' ladder --published --rung lab04
refuses published-size 64 'only prints what documents say' ladder --published --n 3K
run list rungs --csv -
check list-rungs test "$(rows out '^(harris-1|wangyu-4-redux|loads-pairs|batched-lanes),')" -eq 4
check list-rungs-says-where-streams-are grep -q "^besides   streams-1 to 14, of data in the host's memory" err
run list rungs --quiet
check list-rungs-quiet test ! -s err

# What is refused.
refuses rung-of-streams 64 "run together: 'autotune ladder --data pinned'" ladder --device host --rung streams-11
refuses rung 64 "'harris-8' is no rung or group .*did you mean 'harris-[0-9]'\?.*autotune list rungs" \
    ladder --device host --rung harris-8
refuses rung-like-none 64 "'nope' is no rung or group of the ladder: 'autotune list rungs'" \
    ladder --device host --rung nope
refuses source-of-none 64 "'nothing' is no rung" ladder --source nothing
refuses blocks 64 "--blocks is '2048'" ladder --device host --blocks 2048
refuses blocks-word 64 "--blocks is 'many'" ladder --device host --blocks many
refuses blocks-of-none 64 'no rung .* such a size' ladder --device host --type i32 --blocks 96
refuses blocks-of-this 64 'harris-5 has 64 128 256 512 1024$' ladder --device host --rung harris-5 --blocks 32
refuses grid-of-none 64 'no rung that was chosen has a param ITEMS' ladder --grid --rung harris
refuses grid-source 64 'leave --rung, .* out' ladder --grid --source harris-1
for option in --blocks=64 --gpu=H200 --rung=harris-1 --json=- --csv=source.csv; do
    refuses "source-alone$option" 64 'leave --rung, --blocks, .* out' ladder --source harris-5 "$option"
done
refuses position 64 'not where it stands: choose another --op' ladder --device host --op argmin
refuses position-of-a-rung 64 'not where it stands' profile --device host harris-1 --op argmax
run ladder --device host --type i32 --n 2K --rung harris-3 --blocks 64,32..64 --quiet
check sizes-once grep -Eq '^ms by threads per block +64 +32$' out
refuses gpu-unknown 64 "nothing" ladder --device host --n 1K --rung harris-3 --gpu nothing
refuses device 64 'no such device' ladder --device foo
refuses space 64 'ladder has no --space' ladder --space reduce
for option in --blocks=64,128 --grid; do
    refuses "gpu-of-several-sizes$option" 64 'the table of several sizes has times alone: add --csv' \
        ladder --device host --n 1K --rung cs599-5 --gpu v100 $option
done
run ladder --device host --n 1K --type f32 --rung cs599-3 --gpu v100 --blocks 64,128 --quiet --csv sizes.csv
check gpu-of-several-sizes-in-a-file has_status 0
refuses nvrtc 69 '(--nvrtc /nowhere: no such file|built without)' ladder --device host --n 1K --rung harris-3 --gpu v100 \
    --nvrtc /nowhere
finish

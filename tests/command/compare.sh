#!/bin/sh
# Tests `compare`: GPUs by name, by file, by document; published, emulated and predicted times, and
# the messages where something is missing.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
mkdir nothing # a folder of records that has none

refuses nothing 64 "nothing to compare" compare
refuses one 64 "nothing to compare" compare v100
refuses unknown 64 "'v10' is no GPU of the table: did you mean 'V100'\? it has V100, .*RTX 5070 Ti.*cs599-lecture-6" compare v100 v10
refuses part-of-a-name 64 "did you mean 'RTX 6000 Ada'\\?" compare rtx6000 a100
refuses no-such-file 74 "none\.ini: there is no such file" compare v100 none.ini
refuses too-many 64 "more than 8" compare t4 t4 t4 t4 t4 t4 t4 t4 t4
refuses no-device-option 64 "compare has no --device" compare v100 t4 --device 0
echo '[space]' > wrong.ini
refuses wrong-file 74 "wrong\.ini: no record, and no published figures" compare v100 wrong.ini
printf '[published]\nschema = 1\nspeed = 3\n' > wrong.ini
refuses wrong-figures 64 "wrong\.ini:3: \[published\] speed" compare v100 wrong.ini
for library in /nowhere.so wrong.ini; do
    refuses "no-nvrtc $library" 69 "(--nvrtc $library: .*; give the path of a libnvrtc.so|built without)" \
        compare v100 rtx5070ti --nvrtc $library
    refuses "no-nvrtc-of-a-report $library" 69 "(--nvrtc $library: .*give the path|built without)" \
        report h200 --nvrtc $library
done
: > empty.ini
refuses empty-file 74 "empty\.ini: no record" compare v100 empty.ini
cp "$ROOT/configs/published/cuda-006.ini" shared.ini
chmod a+w shared.ini
refuses hostile-file 74 "shared\.ini" compare v100 shared.ini

# The first screen: who is faster, what decides a port; nothing is compiled for it.
run compare v100 rtx5070ti
check screen has_status 0
check screen-is-one test "$(wc -l < out)" -le 23 # of 80 columns by 24 lines
check screen-fits test "$(awk 'length > n { n = length } END { print n }' out)" -le 110
check screen-verdict sh -c 'head -n 1 out | grep -q "^faster    neither, probably, on large inputs: the memory of V100 gives up to 898 GB/s"'
check screen-port sh -c 'tr -s " " < out | grep -qx "warps on an SM 64 48" && tr -s " " < out | grep -qx "blocks on an SM 32 24"'
check screen-balance sh -c 'tr -s " " < out | grep -qx "bytes for an SM in a clock 7.3 5.2"'
check screen-instructions grep -qx 'lacks     V100: redux, cp.async, bulk copies, clusters, 32-byte loads' out
check screen-variants sh -c 'tr -s " " < out | grep -qx "kernel variants that run there 165 293"'
check screen-alike grep -qx 'alike     registers of an SM 65536' out
check screen-has-more grep -q "^more      --more has" out
check screen-has-no-kernel sh -c '! grep -Eq "BLOCK=|at most|^note" out'
for arch in sm_70 sm_120; do
    "$AUTOTUNE" list variants --arch $arch --type f32 --n 400M 2>&1 > listed | sed -n 's/^\([0-9]*\) variants.*/\1/p'
done | tr '\n' ' ' > counted
check screen-variants-as-listed grep -qx '165 293 ' counted

# What to do so that what was tuned on one serves on another.
run compare --port h200 v100 --type i32 --op sum --cache nothing
check carry has_status 0
check carry-begins grep -Eq '^carry     [0-9]+ winners of H200 to V100$' out
check carry-needs-no-redux grep -Eq '^ +[0-9]+  WARP=SHUFFLE +redux.sync takes 32-bit integers, from sm_80 on$' out
check carry-compiles grep -q "^compile   for sm_70, 'nvcc -gencode arch=compute_70,code=sm_70'" out
check carry-measures grep -q "^measure   on V100: 'autotune --device 0 --op sum --type i32 --n 1K\.\.4Gi'" out
check carry-embeds sh -c 'tr -s " \n" " " < out | grep -q "export --gpu \"H200,V100\" --op sum --type i32"'
check carry-lacks grep -q '^lacks     V100: redux' out
run compare --port h200 v100 --type i32 --op sum --cache nothing --csv -
check carry-for-programs grep -q '^H200,V100,[0-9]*,WARP=SHUFFLE,"redux.sync takes' out
run compare --port v100 rtx5070ti
check carry-nothing grep -q '^carry     nothing of V100 to RTX 5070 Ti yet' out
refuses carry-alone 64 "page by itself" compare --port --more v100 t4

# Out of the box. rows PATTERN: how many lines of the table match.
rows() {
    grep -Ec "$1" out
}
run compare --more v100 rtx5070ti
check pair has_status 0
check pair-heading grep -q "^sum f32 cold: autotune's kernels$" out
check pair-published test "$(rows '^1Gi  *A published  4\.90 ms  876\.63  [(]97\.6[)] ')" -eq 1
check pair-documents grep -q '^sum f32: kernels of documents$' out
check pair-begins-with-it sh -c 'head -n 1 out | grep -q ^faster'
check pair-cache-that-fits sh -c 'tr -s " \n" " " < out | grep -q "1.6 million to 12 million elements fit the L2 cache of RTX 5070 Ti alone"'
check pair-names-its-latency sh -c 'tr -s " \n" " " < out | grep -q "read in 5 us, 10 times the latency assumed"'
check pair-parentheses sh -c 'tr -s " \n" " " < out | grep -q "no document has: computed from its GB/s, else from its time"'
check pair-occupancy-apart sh -c '! grep -q "^warps:" out && grep -Eq "^occupancy by +V100 +RTX 5070 Ti$" out'
check pair-evidence grep -q '^evidence  data sheets; no times of V100 or RTX 5070 Ti are here' out
check pair-settles grep -q "^to settle run 'autotune --op sum --type f32 --n 1K..1G' on V100 and RTX 5070 Ti" out
check pair-own-kernel-first sh -c 'grep "^400M\|^1Gi" out | head -n 1 | grep -q ^400M'
check pair-predicts-nothing test "$(rows ' predicted')" -eq 0
# Nothing keeps these from the peaks, which is no finding: no figure, and no portability of it.
check pair-no-bound test "$(rows '^400M  A no bound  +A no bound *$')" -eq 1
check pair-no-bound-of-a-document test "$(rows '^1Gi  A published  4\.90 ms  876\.63  [(]97\.6[)]  A no bound *$')" -eq 1
check pair-no-bound-is-said grep -q '^no bound  another GPU.s winner, or the default, runs there' out
check pair-no-hundred sh -c '! grep -Eq "at most|(^| )100( |$|\.0)|^portable" out'
check pair-other test "$(rows '^512Ki x 1Ki rows .*D published  10193\.5 us  210\.878  23\.53$')" -eq 1
check pair-no-figure-of-its-own test "$(rows '^1Gi .*published.*published')" -eq 0
check pair-none-measured test "$(rows ' measured  ')" -eq 0
check pair-measured-is-no-word sh -c '! grep -q "^measured " out'
check pair-words grep -q '^published .*not measured here' out
check pair-kernel grep -q '^A  *#6 8 elements per thread at load, blocks of 1024' out
check pair-source grep -q '^source  *RTX 5070 Ti: Reduction (Sum): part 1' out
check pair-counts grep -Eq '^V100  *sm_70  *80  *1530  *2048  *6\.3 MB  *898  *5  *1 ' out
check pair-fits test "$(awk 'length > n { n = length } END { print n }' out)" -le 120
run compare --more "NVIDIA GeForce RTX 5070 Ti" "Tesla V100 SXM2" --quiet
check spelt-out has_status 0
check spelt-out-order sh -c 'grep -A1 "^GPU " out | grep -q "^RTX 5070 Ti"'

refuses itself 64 "'v100' is named twice: name another GPU" compare v100 v100
refuses itself-spelt-out 64 "'v100' and 'Tesla V100 SXM2' are the same GPU, V100: name another" \
    compare v100 "Tesla V100 SXM2"
run compare --more v100 cs599-lecture-6 --quiet
check itself-and-document has_status 0
check itself-and-document-warns grep -q 'v100 and cs599-lecture-6 are both of V100: .*no verdict' err
check itself-and-document-no-verdict sh -c '! grep -q "^faster" out'

# A document by its name, by its file, and the GPU that it is about give the same figures.
run compare cs599-lecture-6 cuda-006 --csv by-name.csv
check document has_status 0
sed 's/^n = .*/n = 0/' "$ROOT/configs/published/cs599-lecture-6.ini" > zero.ini
refuses no-elements 64 "zero.ini:[0-9]*: .*n: is 0" compare v100 zero.ini
cp "$ROOT/configs/published/cs599-lecture-6.ini" mine.ini
run compare ./mine.ini cuda-006 --csv by-file.csv
check document-file has_status 0
check document-same cmp by-name.csv by-file.csv
run compare --more cs759-lecture v100
check old-gpu has_status 0
check old-gpu-row test "$(rows '^4Mi  *A published  0\.268 ms  62\.671  \(72\.5\) ')" -eq 1
cp out by-document
run compare --more g80 v100
check old-gpu-by-name has_status 0
check old-gpu-by-name-same cmp by-document out
check old-gpu-runs-no-kernel-of-ours test "$(sed -n "/autotune's kernels/,/^$/p" out | grep -c 'no bound')" -eq 1
check old-gpu-settles-nothing test "$(rows '^to settle')" -eq 0
check old-gpu-not-analysed grep -q '^note  *G80: its architecture is not in' out
run compare --more g80 v100 --n 32M # a bandwidth, and no time
check no-time test "$(rows '^32M  *A published  *73  *[(]84[)] ')" -eq 1

# Forms.
run compare v100 rtx5070 --json - --quiet
check json has_status 0
check json-keys grep -q '"gpu": "V100", "basis": "published", "us": 4900, "time": "4.90 ms", "gbs": 876.63, "peak_pct": 97.6' out
check json-source grep -q '"source": "CUDA 006 - Reduction (WangYu::Space)"' out
if command -v python3 > /dev/null; then
    check json-parses python3 -c 'import json, sys; assert len(json.load(open("out"))) == 6'
fi
run compare v100 rtx5070 --n 400M --type i32 --csv -
check filter-has-one-problem test "$(wc -l < out)" -eq 5 # ours, and the document's
run compare v100 rtx5070 --op max --csv - # no figure of either: the space's default on both
check other-problem has_status 0
check other-problem-default test "$(grep -c 'the default of reduce' out)" -eq 2
run compare --more v100 rtx5070 --n 0
check nothing-to-reduce has_status 0

# Without a compiler for these GPUs, as this stand-in is none, the figures that are known are shown
# all the same. A program without CUDA has none anyway.
cat > stand_in.c << 'END'
int nvrtcVersion(int *major, int *minor) { *major = 12; *minor = 0; return 0; }
int nvrtcGetNumSupportedArchs(int *count) { *count = 1; return 0; }
int nvrtcGetSupportedArchs(int *archs) { *archs = 50; return 0; }
int nvrtcGetErrorString, nvrtcCreateProgram, nvrtcDestroyProgram, nvrtcAddNameExpression,
    nvrtcCompileProgram, nvrtcGetProgramLogSize, nvrtcGetProgramLog, nvrtcGetLoweredName,
    nvrtcGetCUBINSize, nvrtcGetCUBIN, nvrtcGetPTXSize, nvrtcGetPTX;
END
cc -shared -fPIC -o libnvrtc.so stand_in.c || finish
none=--nvrtc=$SCRATCH/libnvrtc.so
! "$AUTOTUNE" doctor | grep -q 'built without the CUDA headers' || none=--quiet
run compare --more v100 rtx5070ti "$none"
check no-nvrtc has_status 0
check no-nvrtc-published test "$(rows ' published ')" -ge 5
check no-nvrtc-bound-by-memory test "$(rows '^1Gi .*A no bound *$')" -eq 1
check no-nvrtc-nothing-in-flight sh -c '"$AUTOTUNE" compare v100 rtx5070ti "$1" --quiet --json - | grep -c "\"registers\": null.*\"in_flight_kib\": null, \"wanted_kib\": null" | grep -qx 12' sh "$none"
check no-nvrtc-is-the-peak grep -Eq '^the peak alone +A +A$' out
check no-nvrtc-is-by-nothing sh -c '! grep -Eq "^(memory|not by its bound|latency|bytes in flight|instructions) " out'
check no-nvrtc-is-said-once test "$(tr -s ' \n' ' ' < out | # which breaks lines by how long the path is
    grep -oE 'note V100: [^:]*:?[^:]*(libnvrtc.so .NVRTC 12.0, sm_50|built without)' | wc -l)" -eq 1
run compare v100 rtx5070ti "$none" --csv -
check no-nvrtc-bounds-of-both test "$(grep -c ',,the peak alone,' out)" -eq 12

# With one, predictions: of an architecture that it has.
if "$AUTOTUNE" emit --arch sm_120 --ptx --quiet > ptx 2> err; then
    run compare --more rtx5070 rtx5090
    check bound test "$(rows '^400M .*A published .*A no bound *$')" -eq 1
    check caches-by-name sh -c '"$AUTOTUNE" compare rtx5070 v100 | tr -s " \n" " " | grep -q "fit the L2 cache of RTX 5070 alone"'
    check computed-is-doubted sh -c 'tr -s " \n" " " < out | grep -q "remark RTX 5070.s document: were they 400 x 2^20, computed .* 4.9 % higher, the best 94.2 %"'
    check remark-on-a-kernel sh -c '"$AUTOTUNE" compare --more rtx5070 rtx5070ti | tr -s " \n" " " | grep -q "remark RTX 5070 Ti, 0 interleaved .* 256 threads: 5098.87 us give 422.81 GB/s"'
    check computed-is-said test "$(rows '^400M .*A published  2\.65 ms  \(604\)  \(89\.8\) ')" -eq 1
    check predicted-accuracy grep -Eq '^evidence  *RTX 5070, .*the bounds of its published kernels are.*published' out
    run compare --more rtx5070 rtx5090 --n 4Mi
    check bound-of-few test "$(rows '^4Mi +A at most +[0-9]+ +9[0-9.]+ +[AB] at most +[0-9]+ +9[0-9.]+$')" -eq 1
    check bound-says-so grep -q '^at most .*cannot be faster there: a latency' out
    check predicted-portability grep -Eq "^portable  *at most 9[0-9.]+( to [0-9.]+)? % of peak" out
    run compare --more h200 rtx5090 --n 400M --op sum --type i32 --cache nothing
    check measured-says-by-whom grep -q '^measured  *by autotune on that GPU: a record that is kept here or named, or ships' out
    run compare --more h200 rtx5090 --n 300K --type i32 --cache nothing
    check small-sizes-are-known sh -c 'tr -s " \n" " " < out | grep -q "no times of these sizes of "'
    check withheld-three-digits grep -Eq 'below 1[45][0-9]0K on H200' out
    run compare rtx5070 rtx5090 --n 1K --op max --csv -
    check withheld grep -q ',cold,RTX 5090,withheld,,,,,,,,,latency,' out
    run compare --more rtx5070 rtx5090 --n 1K --op max
    check withheld-says-why grep -q '^withheld  below .* on RTX 5070, below .* on RTX 5090: latency' out
    run compare rtx5070ti rtx5090 --csv -
    check occupancy grep -q ',66.7,threads,1,' out
else
    skip predicted "no NVRTC for sm_120"
fi

# One compiler for both: nothing of the pair is unknown.
if "$AUTOTUNE" emit --arch sm_70 --ptx --quiet > ptx 2> err; then
    run compare --more v100 rtx5070ti
    check both-rows test "$(rows '^1Gi .*A published .*A no bound *$')" -eq 1
    check both-known test "$(rows ' unknown|^note ')" -eq 0
    check both-limits grep -Eq '^not by its bound +A-D$' out
    # Divergent kernels take more than twice what is predicted of them where they are published.
    check both-refuted test "$(rows '^ *[0-9]+[MK]i x .* rows .* withheld  *[A-D] published ')" -eq 4
    check both-refuted-says-why grep -q '^withheld  at 4 of 4 sizes (512Mi) on V100: such a bound' out
    check both-portability sh -c '! grep -q "^portable" out' # 97.6 published, a bound of 100
else
    skip both "no NVRTC for sm_70"
fi

# The emulator's records are shown as what they are.
small_space small.ini
run --device host --n 1K --space small.ini
run compare --more "$XDG_CACHE_HOME/autotune/host.ini" v100 --n 1K
check emulated has_status 0
check emulated-is-no-gpu grep -q '^note  *host: it is the emulator: nothing is analysed for it' out
check emulated-row test "$(rows '^1K  *A emulated ')" -eq 1
check emulated-is-said grep -q "no model of a GPU's speed" out
check emulated-predicts-nothing sh -c '! grep -q "predicted" out'
run compare "$XDG_CACHE_HOME/autotune/host.ini" v100 --n 1K --csv - --quiet
check emulated-is-not-fitted grep -q 'V100,.*the default of reduce' out
check emulated-no-portability sh -c '! grep -q "portable %" out'

# What people call a GPU finds its records, where the table knows another by that name or none.
mkdir -m 700 called
for gpu in a100.80.108.NVIDIA_A100-SXM4-80GB a6000.86.84.NVIDIA_RTX_A6000; do
    IFS=. read -r name cc sms driver << END
$gpu
END
    fields_of "$XDG_CACHE_HOME/autotune/host.ini" |
        sed "s/^gpu = .*/gpu = $(echo "$driver" | tr _ ' ')/; s/^cc = .*/cc = $cc/; s/^sms = .*/sms = $sms/
             s/^source = .*/source = measured/" > fields
    "$SIGN" "called/$name.ini" < fields
done
run compare --more a100 a6000 --n 1K --cache called "$none"
check called-by-a-part-of-its-name sh -c 'grep -q "A100 80GB" out && grep -q "NVIDIA RTX A6000" out'
check called-has-its-record test "$(rows '^1K  *A measured ')" -eq 1

# What is damaged or cannot be read among the records kept here is said, once.
mkdir damaged
sed 's/^checksum = .*/checksum = 0000000000000000/' "$XDG_CACHE_HOME/autotune/host.ini" > damaged/host.ini
run compare --more v100 rtx5070 rtx5070ti --cache damaged "$none"
check damaged has_status 0
check damaged-is-said-once test "$(grep -c 'warning: .*damaged/host.ini' err)" -eq 1
run --device host --n 2K --space small.ini
awk '/^\[record 1\]/ { is_first = 1 } is_first && /^checksum = / { $0 = "checksum = 0000000000000000"; is_first = 0 } 1' \
    "$XDG_CACHE_HOME/autotune/host.ini" > partly.ini
run compare --more partly.ini v100 "$none"
check partly-damaged has_status 0
check partly-damaged-is-said-once test "$(grep -c 'warning: .*partly.ini' err)" -eq 1
: > file
refuses cache-is-a-file 74 '--cache file: it is no folder' compare v100 rtx5070 --cache file
mkdir folder.ini
refuses folder 74 'move it away or name another' compare folder.ini v100
# A GPU that the table lacks, from a file; what is no such file is said.
cat > mine.gpus << 'INI'
[gpu Mine]
name = My GPU
arch = sm_90
sms = 10
peak_gbs = 1000
source = mine
INI
run compare --more mine rtx6000ada --gpu-file mine.gpus "$none"
check gpu-file has_status 0
check gpu-file-row grep -Eq '^Mine  *sm_90  *10  ' out
check gpu-without-l2 grep -Eq '^RTX 6000 Ada  *sm_89  *142 .* 960 ' out
refuses gpu-file-missing 74 "cannot open no.gpus: No such file" compare mine l40s --gpu-file no.gpus
sed 's/^arch = .*/arch = sm_1/' mine.gpus > wrong.gpus
refuses gpu-file-of-no-arch 64 'unknown architecture "sm_1"' compare mine l40s --gpu-file wrong.gpus
sed 's/^peak_gbs = .*/peak_gbs = -1/' mine.gpus > wrong.gpus
refuses gpu-file-out-of-range 1 "wrong.gpus:5: peak_gbs: -1 is out of range" compare mine l40s --gpu-file wrong.gpus
sed 's/^sms = .*/sms = 0/' mine.gpus > wrong.gpus
refuses gpu-file-of-no-sm 64 "wrong.gpus: \[gpu Mine\] lacks sms; add it$" compare mine l40s --gpu-file wrong.gpus
run compare --more "Tesla V100-SXM2-16GB" "NVIDIA GB10" --quiet "$none"
check names-that-cuda-reports grep -q '^DGX Spark  *sm_121' out
for arch in sm_87 sm_88 sm_103 sm_110 sm_121; do
    run emit --arch $arch --n 1M --quiet
    check "emit $arch" has_status 0
done

# Rung by rung: 212.01 of 898 GB/s, 2.083 of 86.4; 1.6 GB in 7.15 ms of 672; published as it stands.
run compare --rungs --csv rungs.csv
check rungs has_status 0
check rungs-titles grep -Eq '^kernel +V100 f32 +block +G80 i32 +block +RTX 5070 i32 +block +RTX 5070 Ti f32 +block$' out
check rungs-same-kernel grep -Eq '^interleaved modulo +\(23\.6\) +128 +\(2\.4\) +128 +\(33\.3\)$' out
check rungs-published-share grep -Eq '^rows modulo, rows of 128 +48\.14 +128$' out
check rungs-rows-are-problems grep -Eq '^rows modulo, rows of 1024 +23\.53 +1024$' out
check rungs-are-alike sh -c 'head -n 1 out | grep -q "^Kernels that are alike, on several GPUs"'
check rungs-grid-of-no-document sh -c '! grep -q "GRID=0" out'
check rungs-remark sh -c 'tr -s " \n" " " < out | grep -q "remark RTX 5070 i32: were they 400 x 2^20, computed .* the best 94.2 %"'
check rungs-other-n grep -Eq '^grid stride, n = 32M +\(84\)$' out
check rungs-names grep -q '^  interleaved modulo: harris-1, cs599-1, wangyu-0$' out
check rungs-no-cause grep -q '^unknown   what holds each back' out
check rungs-measured-none sh -c '! grep -q measured, rungs.csv'
cat > rungs.py << 'PY'
import csv
rows = list(csv.DictReader(open("rungs.csv", newline="")))
def half(number):  # of the unit of its last digit
    return 0.5000001 * 10.0 ** -len(number.partition(".")[2])
def digits(number):
    return len(number.replace(".", "").lstrip("0"))
given = {"V100": 898, "G80": 86.4, "RTX 5070": 672, "RTX 5070 Ti": 896}
alone = [row for row in rows if not row["peak_pct"]]
assert [row["n"] for row in alone] == [str(1 << i) if i != 23 else "8388688"
                                       for i in [10] + list(range(15, 25))]
assert {(row["gpu"], row["rung"]) for row in alone} == {("a GPU not named", "scan-tree-padded")}
rows = [row for row in rows if row["peak_pct"]]
assert {row["gpu"] for row in rows} == set(given)
for row in rows:
    assert float(row["peak_gbs"]) == given[row["gpu"]], row
    exact = float(row["gbs"]) if row["gbs_is"] == "published" else 1600 / float(row["ms"])
    share = exact / given[row["gpu"]] * 100
    assert abs(share - float(row["peak_pct"])) < (0.01 if row["peak_pct_is"] == "published"
                                                  else half(row["peak_pct"])), row
    assert row["peak_pct_is"] == "published" or digits(row["peak_pct"]) <= digits(row["gbs"]), row
    assert (row["peak_pct_is"] == "published") == (row["gpu"] == "RTX 5070 Ti"), row
    assert row["gbs_is"].startswith("computed: " if row["gpu"] == "RTX 5070" else "published"), row
    assert row["basis"] == "published" and row["cause"] == "", row
    if row["gpu"] == "RTX 5070":
        assert abs(float(row["gbs"]) - exact) < half(row["gbs"]) and digits(row["gbs"]) == 3, row
assert {row["ms"] for row in rows if row["rung"] == "cs599-7"} == {"5.03", "5.00", "4.91", "4.90"}
assert [row["ms"] for row in rows if row["rung"] == "harris-7"] == ["0.268", ""]
assert [row["ms"] for row in rows if row["rung"] == "batched-1"] == ["4.96233"]
best = {}
for row in rows:
    key = row["kernel"], row["gpu"]
    best[key] = max(best.get(key, 0), float(row["peak_pct"]))
for row in rows:
    assert row["is_best"] == "no" or float(row["peak_pct"]) == best[row["kernel"], row["gpu"]], row
PY
if command -v python3 > /dev/null; then
    check rungs-arithmetic python3 rungs.py
else
    skip rungs-arithmetic "no python3"
fi
cat > ladder.csv << 'CSV'
group,rung,kernel,threads,status,ms,gbs,peak_percent,device,n,op,type,cause
harris,harris-1,1 interleaved,128,measured,4,400,10.00,NVIDIA H200,400000000,sum,i32,"divergence: much; more"
cs599,cs599-1,#1,256,measured,2,800,20.00,NVIDIA H200,400000000,sum,i32,"divergence: less; more"
wangyu,wangyu-naive,naive,256,measured,700,2.28,0.05,NVIDIA H200,400000000,sum,i32,
tensor,tensor-2,x,256,rejected,,,,NVIDIA H200,400000000,sum,i32,
CSV
run compare --rungs g80 --ladder ladder.csv
check rungs-measured has_status 0
check rungs-measured-best grep -Eq '^interleaved modulo +\(2\.4\) +128 +20\.00 +256$' out
check rungs-measured-least grep -Eq '^atomic each +0\.05 +256$' out
run compare --rungs
check rungs-in-rows grep -Eq '^RTX 5070 Ti f32 +896 +the document +23\.53 to 48\.67 +sum f32 512Mi in rows +published' out
run compare --rungs g80 --ladder ladder.csv
check rungs-own-peak grep -Eq '^H200 i32 +4000 +its own clock +0\.05 to 20\.00 +sum i32 400M +measured +ladder.csv$' out
check rungs-cause grep -q 'wangyu-0; on H200 i32 divergence: less$' out
sed 's/NVIDIA H200/host/' ladder.csv > emulated.csv
refuses rungs-emulated 64 "emulated.csv: its times are the emulator's" compare --rungs --ladder emulated.csv
printf 'gpu,op,type\nV100,sum,i32\n' > other.csv
refuses rungs-other-table 64 "other.csv: not a table of the ladder: it needs the columns" compare --rungs --ladder other.csv
refuses rungs-mixed 64 "rungs.csv: line .*split the table" compare --rungs --ladder rungs.csv
refuses rungs-no-table 74 "none.csv" compare --rungs --ladder none.csv
refuses rungs-empty-name 64 "empty name" compare --rungs --ladder ladder.csv,
refuses rungs-none 64 "no figure of a rung" compare --rungs t4
refuses ladder-alone 64 "give --rungs too" compare v100 t4 --ladder ladder.csv
printf 'rung,kernel,threads,ms,gbs,peak_percent,device,n,op,type\n%s\n%s\n' \
    'scan-tree-padded,tree,256,0.2298,584.05,12.13,NVIDIA H200,16777216,sum,i32' \
    'scan-naive,naive,256,0.3737,359.14,7.46,NVIDIA H200,16777216,sum,i32' > scans.csv
run compare --rungs --ladder scans.csv
check rungs-times grep -Eq '^rung +problem +published +H200 i32$' out
check rungs-time-beside grep -Eq '^scan-tree-padded +sum f32 16777216 +15\.854781 ms +0\.2298 ms$' out
check rungs-time-alone grep -Eq '^scan-tree-padded +sum f32 4194304 +4\.062923 ms$' out
check rungs-time-by grep -q '^published CS759 lecture (scan, .* on a GPU not named: ' out
run compare --rungs --csv -
check rungs-times-csv grep -q '^exclusive prefix scan,scan-tree-padded,.*,sum,f32,1048576,,,1.118091,,' out
refuses rungs-evidence 64 "has none" compare --rungs --evidence
refuses rungs-order 64 "leave --order out" compare --rungs --order n
refuses rungs-deterministic 64 "leave --order out" compare --rungs --deterministic
run compare --more h200 v100 --order n
check order-n-alone test "$(grep ": autotune's kernels$" out | grep -vc ' order n: ')" -eq 0
check bounds-have-no-us grep -Eq '^ +n +H200 +us +GB/s +% +V100 +GB/s +%' out
check order-n-is grep -q "^sum f32 cold order n: autotune's kernels$" out
check order-n-to-settle grep -q "type f32 --order n --n 1K..1G" out
run compare --more v100 t4 --order n
check order-n-of-floats grep -q "^sum f32 cold order n: autotune's kernels$" out
run compare --more h200 v100 --order n --type i32 --op sum
check order-of-integers grep -q "^sum i32 cold: autotune's kernels$" out
check order-of-integers-is-said grep -q 'sum of i32 has the same bits in any order' err
# Of hundreds of records that ship, those of what documents measured; others are asked for.
run compare --more h200 v100 --cache nothing
check ships-what-documents-have test "$(grep ": autotune's kernels$" out)" = "sum f32 cold: autotune's kernels"
check others-that-ship-are-said grep -Eq '^left out  *[1-9][0-9]+ more records ship with the program' out
run compare --more h200 v100 --cache nothing --op min --type i32 --n 1Mi
check ships-what-is-asked-for test "$(grep -c '^1Mi  A measured' out)" -eq 2 # cold, warm
check none-is-left-out test "$(grep -c '^left out' out)" -eq 0
run compare --rungs --type f32
check rungs-of-a-type sh -c 'grep -q "^V100 f32 " out && ! grep -q i32 out'
finish

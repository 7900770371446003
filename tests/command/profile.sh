#!/bin/sh
# Tests `profile`: --run launches one kernel for Nsight Compute, on the emulator too; how ncu is found,
# run and read is tested with a stand-in for it and one for the driver (tests/device/fake_cuda.c).
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"

is_silent() {
    has_status 0 && [ ! -s out ] && [ ! -s err ]
}

# The launches alone, checked.
run profile --device host --n 20K --run
check run is_silent
run profile --device host --n 20K --run BLOCK=64,GRID=2
check run-variant is_silent
run profile --run --device host --n 3K --type f32 --op max harris-5
check run-rung is_silent
sed 's/accum a = identity();/accum a = (accum)1;/' "$ROOT/templates/reduce.cu" > wrong.cu
refuses run-wrong 70 "wrong result at n = 20000: expected " profile --device host --n 20K --run \
    --template wrong.cu
refuses run-broken-space 64 "neither a file" profile --device host --run --space none

# What cannot be meant, or not here.
refuses run-group 64 "'harris' is a group.*harris-1" profile --device host --run harris
refuses rung 64 "no rung or group of the ladder: did you mean 'harris-7'\?" profile --device host harris-77
refuses variant 64 "BLOCK=3.* has the values" profile --device host BLOCK=3
refuses rung-with-space 64 "of its own" profile --device host harris-1 --space reduce
refuses two 64 "one argument too many" profile --device host harris-1 harris-2
refuses on-the-host 69 "not on the host emulator: name one" profile --device host --n 1K --quiet

# The stand-ins. A program without CUDA or NVRTC cannot open even a stand-in GPU.
mkdir fake bin
cc -shared -fPIC -Wl,-soname,libcuda.so.1 -o fake/libcuda.so.1 "$ROOT/tests/device/fake_cuda.c" ||
    finish
export LD_LIBRARY_PATH="$SCRATCH/fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
if ! "$AUTOTUNE" doctor | grep -q '^gpu 0 .*Stand-in'; then
    skip stand-in "the stand-in driver cannot be opened: no NVRTC, or a build without CUDA"
    finish
fi
if ls /usr/local/cuda*/bin/ncu /opt/nvidia/nsight-compute/*/ncu > /dev/null 2>&1 ||
    command -v ncu > /dev/null; then
    skip no-ncu "this machine has ncu"
else
    refuses no-ncu 69 "install Nsight Compute, or run where it is: ncu .* profile --run --n 1K" \
        profile --n 1K --quiet
    mkdir 'a b'
    refuses no-ncu-quotes 69 "profile --run --n 1K --cache 'a b' --quiet\$" profile --n 1K --cache "a b" \
        --quiet
fi

# Says what it was asked, as real ones do: a line of names, one of units, one for each launch.
cat > bin/ncu << 'END'
#!/bin/sh
echo "$LC_ALL" "$@" > asked
echo "==PROF== Connected to process 1 ($*)"
if [ -e refuse ]; then
    echo "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission"
    exit 1
fi
while [ $# -gt 0 ]; do
    case $1 in
    --metrics) metrics=$2 ;;
    --launch-count) launches=$2 ;;
    esac
    shift
done
echo "$metrics" | awk -v launches="$launches" -v busiest="${BUSIEST:-89.12}" -F , '
function value(name, i) {
    if (name ~ /time_duration/) return "1,234,500"
    if (name ~ /^gpu__compute_memory/) return "96.50"
    if (name ~ /^sm__throughput/) return "36.17"
    if (name ~ /^dram__throughput/) return "15.70"
    if (name ~ /^lts__throughput/) return "12.25"
    if (name ~ /^l1tex__throughput/) return busiest
    if (name ~ /^sm__inst_issued/) return "40.44"
    if (name ~ /thread_inst_executed_per/) return "31.50"
    if (name ~ /thread_inst_executed_pred_on/) return "17.60"
    if (name ~ /t_sectors/) return "3,200"
    if (name ~ /t_requests/) return "100"
    if (name ~ /latency/) return "50"
    if (name ~ /long_scoreboard/) return "40"
    if (name ~ /shared_ideal/) return "1,000"
    if (name ~ /wavefronts_shared$/) return "2,500"
    if (name ~ /op_shared/) return "1000"
    return name ~ /gmma/ ? "n/a" : i
}
{
    printf "\"ID\",\"Kernel Name\",\"Grid Size\""
    for (i = 1; i <= NF; i++) printf ",\"%s\"", $i
    printf "\n\"\",\"\",\"\""
    for (i = 1; i <= NF; i++) printf ",\"%s\"", $i ~ /time/ ? "ns" : ""
    for (k = 0; k < launches; k++) {
        printf "\n\"%d\",\"v0::reduce(const int *, int)\",\"(1, 1, 1)\"", k
        fflush()
        print "==WARNING== in the middle of a line" > "/dev/stderr"
        for (i = 1; i <= NF; i++) printf ",\"%s\"", value($i, k)
    }
    printf "\n"
}'
echo "==PROF== Disconnected"
END
chmod +x bin/ncu
PATH=$SCRATCH/bin:$PATH
run profile --n 10K --op max harris-2 --csv figures.csv
check profile has_status 0
check profile-table grep -Eq '^main +79 +128 +1234.50 +96.50 +36.17 .* 1000 +1.50 +17.60 +32.00  long_scoreboard +80.0$' out
check profile-each-launch test "$(grep -c '^[a-z]* .*long_scoreboard' out)" -eq "$(
    sed 's/.*--launch-count \([0-9]*\).*/\1/' asked)"
# Of WangYu's and ours: the memory's 96.5 % is a part of an SM, and DRAM has little to do.
check profile-limit grep -q '^limit     main: shared memory and L1 cache, at 89.1 % of its peak; DRAM 15.7 %, L2 cache 12.2 %, issue of instructions 40.4 %$' out
check profile-stall grep -q '^stall .*50.0 cycles .* 80 % are waits for data of global' out
check profile-banks grep -q '^banks .* 1.50 wavefronts more' out
check profile-threads grep -q '^threads .*main: 17.6 of 32 carry an instruction out; 31.5 are in it.*the emulator counts 17.6 in an access of shared' out
check profile-loads grep -q '^loads .*main: 32.00 sectors a request .*emulator counts 4.00, where 4.00 would do$' out
check profile-csv-loads grep -q ',threads_per_instruction,threads_on_per_instruction,sectors_per_request,emulated_shared_lanes,' figures.csv
check profile-csv-names grep -q '^pass,kernel,grid,block,us,memory_pct,compute_pct,dram_pct,l2_pct,l1_pct,issue_pct,' figures.csv
check profile-csv grep -q '^main,"v0::reduce(const int \*, int)",79,128,1234.50,96.50,36.17,15.70,12.25,89.12,40.44,' figures.csv
check asks-in-c grep -q '^C --csv --page raw --print-units base --metrics gpu__time' asked
check asks-for-one-call grep -Eq -- '--launch-skip ([0-9]+) --launch-count \1 ' asked
check sets-no-clock grep -q -- '--clock-control none --cache-control all --kernel-name regex:reduce' asked
check runs-itself grep -Eq "autotune profile --run .*--n 10K .*harris-2" asked
# Each rung of a group that runs here, by its own command; of several launches the longest.
run profile --n 10K --op max harris --csv group.csv
check group has_status 0
check group-rungs test "$(sed -n 's/^\(harris-[0-9]*\) .*1234\.50 .*/\1/p' out | tr '\n' ' ')" = "harris-1 harris-2 harris-3 harris-4 harris-5 harris-6 harris-7 "
check group-two-throughputs grep -Eq '^rung +pass +grid +block +us +memory % +compute % ' out
check group-limits test "$(grep -c '^limit     harris-[1-7]' out)" -eq 9
check group-each-launch test "$(grep -c '^harris-1,' group.csv)" -gt 1
check group-asks-for-the-rung grep -Eq 'autotune profile --run .*harris-7-256' asked
run profile --n 10K --type f32 wangyu
check group-leaves-out grep -q '^left out  wangyu-4-redux does not run here: ' err
export BUSIEST=59.9
run profile --n 10K --op max harris-2
check profile-latency grep -q '^limit     main: latency, for no unit is busy 60 % of the time: DRAM 15.7 %, L2 cache 12.2 %, shared memory and L1 cache 59.9 %, issue of instructions 40.4 %$' out
unset BUSIEST
run profile --n 10K --warm --quiet --json -
check warm grep -q -- '--cache-control none' asked
check json grep -q '"pass": "[a-z]*", .*"memory_pct": 96.50,' out
check quiet test ! -s err
touch refuse
refuses no-permission 69 "ERR_NVGPUCTRPERM.*run as root" profile --n 10K --quiet
rm refuse
cat > bin/ncu << 'END'
#!/bin/sh
echo "==PROF== Connected to process 1"
echo "==WARNING== No kernels were profiled." >&2
echo "==ERROR== The application returned an error code (9)." >&2
exit 9
END
refuses in-its-words 69 "no launch here: The application returned an error code .9.; see the command" \
    profile --n 10K --quiet
printf '#!/nonexistent/sh\n' > bin/ncu
refuses cannot-start 69 "no launch here: .*bin/ncu.*No such file or directory; see" profile --n 10K --quiet
printf '#!/bin/sh\necho "autotune: no room" >&2\nexit 1\n' > bin/ncu
refuses kernel-failed 1 "could not be profiled: no room" profile --n 10K --quiet
chmod -x bin/ncu
run profile --n 10K --quiet
check not-a-program has_status 69
finish

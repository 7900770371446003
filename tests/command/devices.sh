#!/bin/sh
# Tests missing devices, drivers and compilers: exit status 69 and what to install; no room: 1.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"

small_space small.ini

# A machine with a driver cannot show what one without it does.
run list devices --json -
if grep -q '"device": "0"' out; then
    skip no-driver "this machine has a GPU"
    skip auto-falls-back "this machine has a GPU"
    skip no-driver-all "this machine has a GPU"
    skip no-driver-list "this machine has a GPU"
else
    refuses no-driver 69 "(install|built without)" --device 0
    refuses no-driver-verify 69 "(install|built without)" verify --device 0
    refuses no-driver-all 69 "--device all.*no GPU" --device all
    refuses no-driver-list 69 "(install|built without)" --device 0,host
    run --n 1K --space small.ini
    check auto-falls-back has_status 0
    check auto-says-so grep -q '^note .*emulator' err
fi
refuses nvrtc-missing 69 "(/nonexistent|built without)" \
    emit --arch sm_90 --ptx --nvrtc /nonexistent --quiet
refuses nvrtc-not-one 69 "(passwd|built without)" \
    emit --arch sm_90 --ptx --nvrtc /etc/passwd --quiet
mkfifo fifo
refuses nvrtc-fifo 69 "(it is not a regular file|built without)" \
    emit --arch sm_90 --ptx --nvrtc ./fifo --quiet
refuses nvrtc-folder 69 "(it is not a regular file|built without)" emit --arch sm_90 --ptx --nvrtc . --quiet
echo 'int f(void) { return 1; }' | cc -shared -fPIC -o whole.so -x c -
head -c 9000 whole.so > cut.so
refuses nvrtc-cut 69 "(it is cut short|built without)" emit --arch sm_90 --ptx --nvrtc ./cut.so --quiet
run doctor --nvrtc ./cut.so
check doctor-nvrtc-cut grep -Eq "cut.so: it is cut short|built without" out
mkdir loader
cp cut.so loader/libnvrtc.so
LD_LIBRARY_PATH=$SCRATCH/loader run doctor
check doctor-nvrtc-of-the-loader grep -Eq "^nvrtc .*loader/libnvrtc.so: it is cut short|built without" out
TMPDIR=/nowhere/here run doctor
check doctor-no-tmpdir grep -q "^host  *cannot be used: .*/nowhere/here .*: No such file or directory; name another" out
check doctor-status has_status 0
run emit --arch sm_70 --ptx --quiet
if [ "$status" -eq 0 ]; then
    skip nvrtc-too-new "an NVRTC here compiles for sm_70"
else
    check nvrtc-too-new refused 69 "(sm_70|NVRTC|built without)"
    check nvrtc-says-what-to-do grep -Eq "pip install|install the CUDA|install" err
fi
mkdir nothing
PATH=$SCRATCH/nothing "$AUTOTUNE" --device host --n 1K --quiet > out 2> err
status=$?
check no-c-compiler refused 69 "C compiler.*install"

refuses no-room 1 "no room.*smaller" --device host --n 4T --quiet
refuses no-room-at-all 64 "no memory" --device host --n 18446744073709551615 --quiet
refuses no-room-f64 64 "no memory" --device host --n 4000000T --type f64 --quiet
refuses no-room-bytes 1 "no room.*smaller" --device host --n 500000T --type f64 --quiet
refuses no-room-verify 1 "no room.*smaller" verify --device host --n 500000T --quiet

# Lists of devices.
for list in 0,0 1,host,1 0,1,2,0 0,00 00,0 0,host,-0 01,1; do
    refuses "twice: $list" 64 "--device names [01] twice" --device $list --n 1K
done
for list in auto,0 0,auto auto,auto auto,host host,all; do
    refuses "not alone: $list" 64 "--device: (auto|all) stands alone" --device $list --n 1K
done
for list in "" "," "host," ",host" "host,,host" "host, host" "host,gpu" 0-3 "host,-1" "host,+0" +0 \
    99999999999999999999 "host,99999999999999999999"; do
    refuses "no list: '$list'" 64 "(--device|no such device|empty value)" --n 1K \
        --device "$list"
done
refuses list-of-too-many 64 "--device.*at most" --n 1K \
    --device "$(seq -s , 0 99)"
refuses list-to-verify 64 "device" verify --device host,host --n 1K

# Two of a kind share the work, and one answers for the other.
run --device host,host --n 20K --space small.ini --strategy exhaustive --json two.json
check two has_status 0
check two-are-said grep -q '^devices  *2 alike' err
check two-measure-all grep -Eq '^tried +([0-9]+) measured;' err
two=$(sed -n 's/^tried *\([0-9]* measured\).*/\1/p' err)
run --device host --n 20K --space small.ini
check two-answer-for-one grep -q '^record .*exact' err
run --device host --n 20K --space small.ini --strategy exhaustive --retune
check one-measures-the-same grep -q "^tried *$two;" err
run --device host,host,host --n 20K --space small.ini
check one-answers-for-three grep -q '^record .*exact' err

# Whatever is missing, these answer.
for verb in show doctor help version "list types" "emit --arch sm_90 --quiet"; do
    # shellcheck disable=SC2086 # the words of the verb
    PATH=$SCRATCH/nothing "$AUTOTUNE" $verb > out 2> err
    status=$?
    check "without-anything: $verb" has_status 0
done
finish

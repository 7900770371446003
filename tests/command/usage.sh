#!/bin/sh
# Tests errors of the command line: one sentence, exit status 64, nothing done.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"

# Sizes.
for n in 0x -5 1e30 4Z "" 4.5M "1 000" +7 0x10 KM 99999999999999999999 20000000T; do
    refuses "n=$n" 64 '--n is ' --device host --n "$n"
done
refuses n=-5-joined 64 '--n is ' --device host --n=-5
refuses seed 64 '--seed is ' --device host --seed x

# Names.
refuses type 64 "unknown type 'i33': .*f64" --device host --type i33
refuses type-empty 64 "unknown type" --device host --type ""
refuses op 64 "unknown operation 'harmonic': choose one of .*xor .*, or write your own: docs/operations.md" --device host --op harmonic
refuses op-mean 64 "'average': it is called mean; choose one of" --op average
refuses type-complex 64 "'c64': no type is complex; sum the real and the imaginary parts" --type c64
check pages-name-what-errors-name grep -q '^## Adding a type' "$ROOT/docs/kernels.md"
refuses acc 64 "unknown type" --device host --acc i33
refuses op-of-floats 64 "'and' needs an integer type" --device host --op and --type f32
refuses acc-too-narrow 64 "narrower" --device host --type i64 --acc i32
refuses acc-of-8-bits 64 "no type to accumulate in: use i32" --device host --type i8 --acc i8
refuses acc-of-other-kind 64 "cannot be accumulated" --device host --type f32 --acc i32
refuses strategy 64 "unknown strategy 'best'" --device host --strategy best
refuses device 64 "no such device" --device foo
refuses device-negative 64 "no such device" --device -1
refuses arch 64 "unknown architecture" emit --arch sm_99
refuses variant-name 64 "FOO=3.* names no param" emit --arch sm_90 --variant FOO=3
refuses variant-value 64 "BLOCK=3.* has the values" emit --arch sm_90 --variant BLOCK=3
refuses variant-alone 64 "BLOCK" emit --arch sm_90 --variant BLOCK
refuses variant-overflow 64 "BLOCK" emit --arch sm_90 --variant BLOCK=18446744073709551680
refuses pass 64 "no such pass" emit --arch sm_90 --pass middle
refuses topic 64 "called 'colours'" list colours
refuses space 64 "neither a file nor a built-in space" emit --arch sm_90 --space nope
refuses template 64 "no such file" emit --arch sm_90 --template nope.cu
refuses cubin-of-host 64 "source only" emit --arch host --ptx

# Options.
echo '--typ f32' > typed.txt
refuses option 64 "no option --bogus" --bogus
refuses verb-similar 64 "no command 'shwo': did you mean 'show'\?" shwo
refuses help-similar 64 "no command 'dcotor': did you mean 'doctor'\?" help dcotor
refuses op-similar 64 "unknown operation 'summ': did you mean 'sum'\?" --op summ
refuses type-similar 64 "unknown type 'f33': did you mean 'f32'\?" --type f33
refuses type-unlike 64 "unknown type 'string': choose one of .* docs/kernels.md" --type string
refuses type-of-c 64 "unknown type 'float': it is called f32" --type float
refuses strategy-similar 64 "'rase': did you mean 'race'\?" --strategy rase
refuses topic-similar 64 "'parms': did you mean 'params'\?" list parms
refuses space-similar 64 "redcue: .*did you mean 'reduce'\?" list variants --space redcue
refuses param-similar 64 "'BLOK=256' names no param .*did you mean 'BLOCK'\?" \
    emit --n 1K --arch sm_90 --variant BLOK=256
refuses arch-similar 64 "\"sm_9O\"; did you mean 'sm_90'\?" emit --arch sm_9O
refuses gpu-similar 64 "'rtx5070tii' is no GPU of the table: did you mean 'RTX 5070 Ti'" compare rtx5070tii h200
refuses repeated 64 "--n is given twice: give it once" --n 1K --n 2K
refuses repeated-output 64 "--output is given twice" export -o a --output b
refuses seed-is-no-count 64 "--seed is 'x': give a whole number" --seed x
refuses count-in-another-case 64 "--n is '400m'; if 400000000 is meant write 400M" --n 400m
refuses count-of-bytes 64 "--n is '4KiB'; if 4096 is meant write 4Ki" --n 4KiB
run list variants --n 1e6
check count-with-an-exponent has_status 0
refuses option-similar 64 "did you mean --json" --jsn x
refuses option-of-another-verb 64 "tune has no --ptx: emit has it; see 'autotune help tune'" --ptx
refuses option-of-tune 64 "emit has no --retune: tune has it" emit --retune
refuses option-of-several 64 "reduce has no --n: tune, check, show, .* and report have it; see 'autotune help reduce'" \
    reduce f.bin --n 10
refuses option-of-several-joined 64 "reduce has no --n: " reduce --n=10 f.bin
refuses option-short 64 "no option -x" -x
refuses option-short-first 64 "no option -x" -xq
refuses option-short-last 64 "no option -x" -qx
refuses option-short-after-value 64 "no option -x" --device host -xq
refuses option-ambiguous 64 "no option --c: did you mean --cold, --confirm, --candidates, --cache or --csv" --c x
refuses option-of-no-letters 64 "no option --: 'autotune tune" --=3
refuses value-missing 64 "--n needs a value" --n
refuses value-missing-short 64 "-n needs a value" -n
refuses value-unwanted 64 "--quiet takes no value" --quiet=3
refuses value-empty 64 "--cache has an empty value" --cache=
run --help --bogus
check help-before-all has_status 0
refuses option-behind-a-file 64 "no option --bogus" merge x.ini --bogus
refuses no-option-behind-dashes 64 "'--bogus' is one argument too many" show -- --bogus
refuses option-in-a-list 64 "no option --typ: did you mean --type" --device host --problems typed.txt

# No verb takes an option that is not written in full, each with its last letter left out.
short_options() {
    "$AUTOTUNE" help "$1" | sed -n 's/^ *\(-[a-z], \)\{0,1\}--\([a-z-]*\).*/\2/p' > names
    cp names all-names
    while read -r name; do
        short=${name%?}
        ! grep -qx -- "$short" all-names || continue
        # An own exit status, so that a value cannot be refused in place of the option.
        if "$AUTOTUNE" "$1" "--$short=1" > out 2> err || ! grep -Eq "no option --|has no --" err; then
            echo "$1 --$short"
        fi
    done < names
}
for verb in tune show merge list emit verify bench ladder profile reduce export compare report doctor; do
    short_options "$verb" >> taken
    check "has-options-$verb" test -s names
done
check option-abbreviated test ! -s taken

# Options that exclude each other.
for option in --op=max --type=f32 --warm --deterministic --space=rows; do
    refuses "replay$option" 64 'of its journal: leave out --op' --replay some.journal "$option"
done
refuses cold-warm 64 "--cold and --warm" --device host --cold --warm
refuses order-twice 64 "give one of them" --device host --order n --deterministic
refuses order-unknown 64 "choose one of free run n" --device host --order m
refuses order-other-space 64 "its kernels are not for --order n: use --space ordered" --device host --order n \
    --type f32 --space reduce
refuses order-other-rows 64 "use --space ordered-rows" --device host --order n --type f32 --space rows --rows 5 \
    --len 5
refuses order-not-asked 64 "its kernels are for --order n: use --space reduce" --device host --order run \
    --type f32 --space ordered
refuses ptx-sass 64 "choose one" emit --ptx --sass
refuses ptx-cubin 64 "choose one" emit --ptx --cubin x
refuses cover-all 64 "choose one" verify --device host --cover --all
refuses small-cover 64 "leave it out" verify --device host --small --cover
refuses cover-variant 64 "--variant" verify --device host --cover --variant BLOCK=64
refuses part-alone 64 "give one of them" verify --device host --part 1/2
refuses json-csv-stdout 64 "mix on stdout" --device host --json - --csv -
refuses json-csv-file 64 "same file" --device host --json x --csv x
for part in 3/2 0/2 1/0 1 1/2/3 a/b 1/-2 -1/2 1/2x "" 1/9999999999; do
    refuses "part=$part" 64 "--part is " verify --device host --all --part "$part"
done

# Arguments.
refuses command 64 "no command 'frob'" frob
refuses command-late 64 "'emit' is a command" --n 4 emit
refuses argument 64 "one argument too many" show extra
refuses argument-second 64 "one argument too many" list types extra
refuses argument-help 64 "one argument too many" help emit extra
refuses argument-version 64 "one argument too many" version extra
refuses help-of-none 64 "no command 'frob'" help frob

# What a name says reaches no terminal as it is, wherever it comes from.
odd=$(printf 'x\033[31m\nautotune: all is well')
shows() {
    odd_name=odd-$1
    shift
    run "$@"
    check "$odd_name" test "$status" -ne 0
    check "$odd_name-is-shown" grep -qF 'x\x1b[31m\x0aautotune: all is well' err
    check "$odd_name-is-all" test "$(cat out err | LC_ALL=C grep -c "$(printf '\033')\|^autotune: all")" -eq 0
}
for option in op type n space template order strategy problems; do
    shows $option --device host --$option "$odd"
done
shows device --device "$odd"
for verb in list help merge; do shows $verb $verb "$odd"; done
shows reduce reduce --device host "$odd"
shows against bench --device host --against "$odd"
shows option "--$odd"
shows verb "$odd"
printf -- '--n 1K --op %s' "$odd" | head -n 1 > list
run --device host --problems list
check odd-line-of-a-file grep -qF 'x\x1b[31m' err
finish

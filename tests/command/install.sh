#!/bin/sh
# Tests `make install`: the program, its manual page and its completion, which name the options that
# the program has; and what uninstall leaves.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
PAGE=$ROOT/docs/autotune.1 COMPLETION=$ROOT/docs/autotune.bash
status=0
: > err

# What the program itself says.
"$AUTOTUNE" help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p' | sort > verbs
check verbs grep -qx merge verbs
WITH_OPTIONS=$(grep -vx -e help -e version verbs)
for verb in $WITH_OPTIONS; do
    "$AUTOTUNE" "$verb" --help | sed -n 's/^  *\(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' |
        sort -u > "options-$verb"
    check "options-$verb" grep -qx -e --help "options-$verb"
done
sort -u options-* > options

# What they say of options is what `make docs` writes.
mkdir made
"$ROOT/docs/generate.sh" "$AUTOTUNE" made
for page in autotune.1 autotune.bash usage.md; do
    check "made-$page" cmp "$ROOT/docs/$page" "made/$page"
done

# --- The manual page ----------------------------------------------------------------------

sed 's/\\-/-/g; s/\\f.//g' "$PAGE" > page
options_of() {
    grep -o -e '--[a-z][a-z-]*' | sort -u
}
section() {
    awk -v name="$1" '/^\.S[HS]/ { inside = $0 == name; next } inside' page
}
sed -n '/^\.SH VERBS/,/^\.SH OPTIONS/s/^\.SS //p' page | sort > have
check page-verbs cmp verbs have
for verb in $WITH_OPTIONS; do
    section ".SS $verb" | options_of > have
    check "page-options-$verb" cmp "options-$verb" have
done
options_of < page > have
check page-options cmp options have
sed -n '/^\.SH OPTIONS/,/^\.SH "EXIT/p' page | grep -e '^\.BR* -' | options_of > have
check page-each-option-explained cmp options have
for name in NAME SYNOPSIS DESCRIPTION '"EXIT STATUS"' FILES ENVIRONMENT EXAMPLES; do
    check "page-$name" grep -qx "\.SH $name" page
done
"$AUTOTUNE" help | tr '\n' ' ' | sed 's/.*Exit: //' | grep -Eo '(^|, )[0-9]+ ' |
    tr -d ', ' > codes
section '.SH "EXIT STATUS"' | sed -n 's/^\.B \([0-9]*\)$/\1/p' > have
check page-exit-status cmp codes have
section .SH\ EXAMPLES | sed -n 's/^autotune //p' > examples
check page-has-examples test "$(wc -l < examples)" -ge 5
while read -r example; do
    # shellcheck disable=SC2086 # the words of the example
    run ${example%%>*} --help
    check "page-example: $example" has_status 0
done < examples
if command -v groff > /dev/null; then
    groff -man -Tascii -ww -P-cbou "$PAGE" > rendered 2> warnings
    check page-rendered grep -q 'EXIT STATUS' rendered
    check page-no-warnings test ! -s warnings
else
    skip page-rendered "no groff here"
fi

# --- Completion ---------------------------------------------------------------------------

# shellcheck disable=SC2016 # for bash to expand
COMPLETE='. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _autotune
          [ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\n" "${COMPREPLY[@]}"'
# completes NAME "WANTED..." WORD...: what is offered for the last word.
completes() {
    completes_name=$1
    printf '%s\n' "$2" | tr ' ' '\n' | sed '/^$/d' | sort > want
    shift 2
    PATH=${AUTOTUNE%/*}:$PATH bash -c "$COMPLETE" "$COMPLETION" "$@" 2> err | sort > have
    check "complete-$completes_name" cmp want have
    check "complete-$completes_name-quiet" test ! -s err
}
if command -v bash > /dev/null; then
    # Those of the words that begin so; there are some.
    starting() {
        printf '%s\n' "$2" | tr ' ' '\n' | grep "^$1" || echo none
    }
    run list operations
    OPS=$(sed '1d; s/ .*//' out | tr '\n' ' ')
    run list types
    TYPES=$(sed '1d; s/ .*//' out | tr '\n' ' ') ACCS="i32 u32 i64 u64 f32 f64"
    completes verbs "$(cat verbs)" autotune ""
    completes verb "verify version" autotune ve
    for verb in $WITH_OPTIONS; do
        completes "options-$verb" "$(cat "options-$verb")" autotune "$verb" --
    done
    completes options-of-none "$(cat options-tune)" autotune --
    completes option "--retune --replay" autotune --n 1K --re
    completes op "$OPS" autotune --op ""
    completes op-begun "$(starting m "$OPS")" autotune emit --op m
    completes op-of-three-words "$(starting p "$OPS")" autotune --op = p
    completes op-after-equals "$OPS" autotune show --op =
    completes op-of-one-word "$(starting s "$OPS" | sed 's/^/--op=/')" autotune --op=s
    completes type "$TYPES" autotune tune --type ""
    completes accs "$ACCS" autotune tune --acc ""
    completes acc "f32 f64" autotune --acc f
    completes strategy "race exhaustive random cover" autotune --strategy ""
    completes device "auto host all" autotune --device ""
    completes device-short "host" autotune -d h
    completes device-of-verify "auto host" autotune verify --device ""
    completes number "" autotune --n ""
    completes options-after-a-flag "--candidates --cold --confirm --cache --csv" autotune tune --warm --c
    TOPICS=$("$AUTOTUNE" list nonsense 2>&1 | sed 's/.*choose //; s/,//g; s/ or / /')
    completes topics "$TOPICS" autotune list ""
    completes topic "params problems published" autotune list p
    completes topic-of-options "operations options" autotune list o
    FORMATS=$("$AUTOTUNE" list formats --csv - | tr -d '\r' | sed '1d; s/,.*//' | tr '\n' ' ')
    completes formats "$FORMATS" autotune export --format ""
    completes second-format "cu,cmake cu,cubin" autotune export --format cu,c
    completes no-format-twice "$(echo "$FORMATS" | tr ' ' '\n' | grep -vx -e cu -e json -e '' | sed 's/^/cu,json,/')" \
        autotune export --format cu,json,
    completes second-format-after-equals "cu,cmake cu,cubin" autotune export --format = cu,c
    completes second-format-of-one-word "--format=cu,cmake --format=cu,cubin" autotune export --format=cu,c
    completes second-gpu "h200,rtx5070 h200,rtx5070ti" autotune export --gpu h200,rtx507
    completes second-arch "sm_90,sm_120 sm_90,sm_121" autotune export --arch sm_90,sm_12
    completes one-arch-of-emit "" autotune emit --arch sm_90,sm_12
    completes param "BLOCK=" autotune emit --variant BL
    completes second-param "BLOCK=256,ITEMS=" autotune verify --variant BLOCK=256,IT
    completes second-param-of-words "256,ITEMS=" autotune verify --variant BLOCK = 256,IT
    completes no-param-twice "" autotune emit --variant BLOCK=256,BL
    completes param-value "WARP=REDUX" autotune emit --variant WARP=R
    completes param-value-of-words "REDUX" autotune emit --variant WARP = R
    completes param-of-a-space "LANES=" autotune emit --space rows --variant LAN
    completes param-of-a-space-of-words "LANES=" autotune emit --space = rows --variant LAN
    completes param-of-a-space-of-one-word "LANES=" autotune emit --space=rows --variant LAN
    completes param-value-after-equals "--variant=BLOCK=32" autotune emit --variant=BLOCK=3
    completes axes "BLOCK,GRID" autotune report --axes BLOCK,G
    completes scan "inclusive exclusive none" autotune --scan ""
    completes data "pinned pageable" autotune --data p
    completes order "free run n any" autotune show --order ""
    completes gpu "rtx5070 rtx5070ti" autotune export --gpu rtx507
    completes arch "sm_80 sm_86 sm_87 sm_88 sm_89" autotune emit --arch sm_8
    completes rung "harris harris-1 harris-1-masked harris-2 harris-2-padded harris-3 harris-4 harris-5 harris-6 harris-7 harris-7-256 harris-7-64" autotune ladder --rung harris
    completes space-of-the-program "columns" autotune --space col
    completes help "$(echo "$WITH_OPTIONS" | tr '\n' ' ')" autotune help ""
    : > record-a.ini
    : > "record-b.ini"
    mkdir record-folder
    completes files "record-a.ini record-b.ini record-folder" autotune merge --quiet record-
    completes file "record-a.ini" autotune --json record-a
    completes file-after-equals "--space=record-b.ini" autotune --space=record-b
    completes folder "record-folder" autotune --cache record-
    completes unknown-verb "" autotune frob ""

    # Each value that is offered is one that the program takes.
    for op in $OPS; do
        run list types --op "$op" --type f32
        has_status 0 || run list types --op "$op" --type i32
        check "value-$op" has_status 0
    done
    for type in $TYPES; do
        run list types --type "$type"
        check "value-$type" has_status 0
    done
    for acc in $ACCS; do
        run list types --type "$acc" --acc "$acc"
        check "value-acc-$acc" has_status 0
    done
    for topic in $TOPICS; do
        run list "$topic" --n 1K
        check "value-$topic" has_status 0
    done
    for option in "--scan inclusive" "--scan exclusive" "--scan none" "--data pinned" "--data pageable" "--order any"; do
        # shellcheck disable=SC2086 # two words
        run $option --help
        check "value-$option" has_status 0
    done
    for strategy in race exhaustive random cover; do
        run --strategy "$strategy" --help
        check "value-$strategy" has_status 0
    done
else
    skip completion "no bash here"
fi

# --- make install and uninstall -----------------------------------------------------------

# Of the program as it is: it is not built again.
quiet_make() {
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$ROOT" "$@"
}
make_target() {
    make_folder=$(dirname "$AUTOTUNE")
    make_folder=${make_folder#"$ROOT"/} # by a name without those above, which may have a blank
    make_version=$("$AUTOTUNE" --version | sed -n '1s/^autotune //p')
    quiet_make -o "$make_folder/autotune" -o "$make_folder/libautotune.a" \
        -o "$make_folder/libautotune.so.$make_version" BUILD="$make_folder" \
        DESTDIR="$SCRATCH/root" PREFIX=/opt/here "$@"
}
if command -v make > /dev/null && [ "$(basename "$AUTOTUNE")" = autotune ]; then
    AT=root/opt/here
    old=$(umask) # whoever installs may keep new files private: these are for all
    umask 077
    check install make_target install
    umask "$old"
    check install-program cmp "$AUTOTUNE" $AT/bin/autotune
    check install-program-is-executable test -x $AT/bin/autotune
    check install-page cmp "$PAGE" $AT/share/man/man1/autotune.1
    check install-completion cmp "$COMPLETION" \
        $AT/share/bash-completion/completions/autotune
    check install-readme cmp "$ROOT/README.md" $AT/share/doc/autotune/README.md
    check install-license cmp "$ROOT/LICENSE" $AT/share/doc/autotune/LICENSE
    # No link of an installed page leads nowhere, and the picture is there.
    find $AT/share/doc -name '*.md' > pages
    while read -r page; do
        awk '/^```/ { code = !code } !code' "$page" | sed 's/`[^`]*`//g' | grep -ao '](\([^)]*\))' |
            sed 's/^](//; s/)$//; s/#.*//' | grep -v '^http' | grep . | sort -u | while read -r link; do
            [ -e "$(dirname "$page")/$link" ] || echo "$page: $link"
        done
    done < pages > dead
    check install-has-pages test "$(wc -l < pages)" -gt 15
    check install-no-dead-link test ! -s dead
    cat dead
    check install-picture test -s $AT/share/doc/autotune/docs/speedup.svg
    check install-readable test -z "$(find root -type f ! -perm -444)"
    check install-folders-readable test -z "$(find root -mindepth 1 -type d ! -perm -555)"
    small_space small.ini
    built=$AUTOTUNE AUTOTUNE=$SCRATCH/$AT/bin/autotune
    run --device host --n 1K --space small.ini
    check installed-tunes grep -q '^winner ' out
    # What only a checkout has is not asked of who has none.
    refuses installed-no-cub 64 "there is no cub-toolkit.so .*bench/cub/build.sh of autotune's sources" bench --device host --against cub
    run doctor
    check installed-doctor sh -c '! grep -q "make bench" out && grep -q "^cub  *none: bench/cub/build.sh of autotune.s sources" out'
    AUTOTUNE=$built
    check install-again make_target install
    # What is another's stays where it is.
    : > $AT/share/man/man1/other.1
    : > $AT/bin/other
    mkdir $AT/lib/other
    : > $AT/lib/libautotune.so.9 # of another version, with another interface
    check uninstall make_target uninstall
    find $AT -mindepth 1 | sort > left
    printf 'root/opt/here/%s\n' bin bin/other lib lib/libautotune.so.9 lib/other share share/man share/man/man1 \
        share/man/man1/other.1 > want
    check uninstall-leaves-what-is-anothers cmp want left
    rm -r $AT/bin/other $AT/lib/other $AT/lib/libautotune.so.9 $AT/share/man/man1/other.1
    check install-once-more make_target install
    check uninstall-all make_target uninstall
    find $AT -mindepth 1 > left
    check uninstall-leaves-nothing test ! -s left
    check uninstall-again make_target uninstall
    check install-library make_target install-library
    check uninstall-library make_target uninstall-library
    find $AT -mindepth 1 > left
    check uninstall-library-leaves-nothing test ! -s left
    rmdir $AT
    check uninstall-of-nothing make_target uninstall
    # With a name that has a blank in it nothing is removed, nor what is before the blank.
    for variable in DESTDIR PREFIX LIBDIR BUILD; do
        for blank in "$SCRATCH/kept ace" "$SCRATCH/kept "; do # make drops those in front
            mkdir -p "$SCRATCH/kept"
            : > "$SCRATCH/kept/file"
            for target in uninstall clean; do
                quiet_make -i BUILD="$SCRATCH/none" PREFIX=/opt/here DESTDIR="$SCRATCH/none" \
                    "$variable=$blank" "$target" > blank 2>&1
                status=$?
                check "$target: $variable='$blank' is refused" test "$status" -ne 0
                check "$target: $variable='$blank' is said" grep -q "$variable=.* has a blank in it" blank
                check "$target: $variable='$blank' keeps" test -e "$SCRATCH/kept/file"
            done
        done
    done
    # Nor with what a shell or sed takes for more: files would stay, or lie elsewhere.
    for variable in DESTDIR PREFIX LIBDIR BUILD; do
        for odd in '\' '&' ';' "'" '"' '%' '*' '|' '('; do
            quiet_make -n BUILD="$SCRATCH/none" PREFIX=/opt/here DESTDIR="$SCRATCH/none" \
                "$variable=/opt/a${odd}b" install > odd 2>&1
            status=$?
            check "$variable with $odd is refused" test "$status" -ne 0
            check "$variable with $odd is said" grep -q "$variable=.* in it: choose a folder without" odd
        done
    done
    for variable in PREFIX LIBDIR; do
        quiet_make -n BUILD="$SCRATCH/none" DESTDIR="$SCRATCH/none" "$variable=here" install > odd 2>&1
        check "a relative $variable is refused" grep -q "$variable='here' does not begin with /" odd
    done
    for variable in PREFIX LIBDIR BUILD; do
        quiet_make BUILD="$SCRATCH/none" DESTDIR="$SCRATCH/none" "$variable=" clean > blank 2>&1
        check "an empty $variable is refused" grep -q "$variable is empty: name a folder" blank
    done
    # A checkout may lie anywhere: `same_bytes` builds the whole in such a folder.
    for folder in "a b" "d'e" 'f"g$h'; do
        mkdir "$folder"
        (cd "$ROOT" && tar -cf - --exclude=./build --exclude=./.git .) | tar -xf - -C "$folder"
        check "a checkout in $folder" env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$folder" BUILD=build \
            build/obj/generator/text.o build/obj/embedded_library.o
        check "a checkout in $folder is in no object" test "$(grep -c "$SCRATCH" "$folder/build/obj/generator/text.o")" -eq 0
    done
    quiet_make -n CUDA_HOME="/opt/cu da" all > blank 2>&1
    check "CUDA_HOME with a blank is refused" grep -q "CUDA_HOME='/opt/cu da' has a blank in it" blank
    check install-lib64 make_target install LIBDIR=/elsewhere/lib64
    check uninstall-lib64 make_target uninstall LIBDIR=/elsewhere/lib64
    find root -mindepth 1 | sort > left
    printf 'root/%s\n' elsewhere elsewhere/lib64 opt opt/here > want
    check uninstall-lib64-leaves-its-folder cmp want left

    # Where it is built is not in what is built: of C, and of the embedded files.
    for folder in build-one build-the-other; do
        check $folder quiet_make BUILD="$SCRATCH/$folder" \
            "$SCRATCH/$folder/obj/generator/error.o" "$SCRATCH/$folder/obj/embedded.o"
    done
    check same-bytes cmp build-one/obj/generator/error.o build-the-other/obj/generator/error.o
    check same-bytes-embedded cmp build-one/obj/embedded.o build-the-other/obj/embedded.o
else
    skip install "no make here, or the program has another name"
fi
finish

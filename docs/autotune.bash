# Completion of autotune's command line for bash: verbs, the options of each, and the values of
# those that have a few. Installed as share/bash-completion/completions/autotune.

# The options of a verb, as its --help lists them.
_autotune_options() {
    local problem="--n --op --type --acc" matrix="--rows --len --pitch --axis --shape" sources="--space --template" tables="--json --csv"
    local common="--cache --quiet --help"
    case $1 in
    tune)
        echo "$problem $matrix --order --deterministic --cold --warm --loss --confirm --device --strategy --budget --seed --retune --replay --problems --part --dry-run" \
            "$sources --nvrtc $tables $common"
        ;;
    show) echo "--n --shape --op --type --order --deterministic --sweep $tables $common" ;;
    merge) echo "$tables $common" ;;
    list) echo "$problem $matrix --order --deterministic --cold --warm --arch --sources $sources $tables --quiet --help" ;;
    emit)
        echo "$problem $matrix --order --deterministic --arch --variant --pass --ptx --cubin --sass $sources" \
            "--nvrtc $common"
        ;;
    verify)
        echo "$problem $matrix --order --deterministic --cold --warm --device --variant --small --cover --all --part --limit --seed $sources" \
            "--nvrtc $common"
        ;;
    bench)
        echo "--against $problem $matrix --order --deterministic --cold --warm --offset --stream --rounds --device --seed $sources" \
            "--nvrtc $tables $common"
        ;;
    ladder)
        echo "$problem $matrix --rung --blocks --grid --gpu --source --published --device --seed --nvrtc $tables" \
            "--quiet --help"
        ;;
    export)
        echo "--format --output --prefix --gpu --arch $problem $matrix --order --deterministic --cold --warm" \
            "$sources --nvrtc $common"
        ;;
    profile)
        echo "$problem $matrix --order --deterministic --cold --warm --device --run --seed $sources --nvrtc $tables" \
            "$common"
        ;;
    compare) echo "--n --op --type --gpu-file --evidence --rungs --ladder --nvrtc $tables $common" ;;
    report) echo "--n --op --type --gpu-file --bench --ladder --axes --output --md --nvrtc $common" ;;
    doctor) echo "--nvrtc --cache --json --csv --help" ;;
    esac
}

# One column of a list, as sed leaves it of a line.
_autotune_list() {
    autotune list "$1" --csv - 2> /dev/null | tr -d '\r' | sed "1d; $2" | sort -u
}

# The values of an option. Status 1: the option takes none.
_autotune_values() {
    case $1 in
    --op) _autotune_list operations "s/,.*//" ;;
    --rung | --source) _autotune_list rungs "s/\([^,]*\),\([^,]*\),.*/\1\n\2/" ;;
    --gpu) _autotune_list gpus "s/,.*//" | tr -d ' ' | tr '[:upper:]' '[:lower:]' ;;
    --arch) _autotune_list archs "s/,.*//" ;;
    --space) _autotune_list spaces "s/,.*//" ;;
    --type) _autotune_list types "s/,.*//" ;;
    --acc) _autotune_list types "s/.*,//" ;;
    --format) _autotune_list formats "s/,.*//" ;;
    --part) echo auto ;;
    --axis) echo "0 1" ;;
    --shape) echo "rows columns" ;;
    --order) if [[ $2 == show ]]; then echo "run n"; else echo "free run n"; fi ;;
    --strategy) echo "race exhaustive random cover" ;;
    --device | -d) [[ $2 == verify || $2 == bench || $2 == ladder || $2 == profile ]] && echo "auto host" || echo "auto host all" ;;
    --prefix | -n | --n | --rows | --len | --pitch | --loss | --budget | --limit | --seed | --variant | --pass | --offset | --rounds | --blocks | --axes) ;;
    *) return 1 ;;
    esac
}

_autotune_words() {
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

_autotune_files() {
    compopt -o filenames 2> /dev/null # not when called by hand
    mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
}

# What may follow an option; status 1: the option takes no value.
_autotune_after() {
    local option=$1 verb=$2 current=$3 values
    case $option in
    --space)
        _autotune_files -f "$current"
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$(_autotune_values --space)" -- "$current")
        ;;
    --gpu-file | --template | --nvrtc | --json | --csv | --cubin | --replay | --problems | --against | --bench | --ladder | -o)
        _autotune_files -f "$current"
        ;;
    --output)
        if [[ $verb == report ]]; then _autotune_files -f "$current"; else _autotune_files -d "$current"; fi
        ;;
    --cache) _autotune_files -d "$current" ;;
    *)
        values=$(_autotune_values "$option" "$verb") || return
        _autotune_words "$values" "$current"
        ;;
    esac
}

_autotune_argument() {
    case $1 in
    list) _autotune_words "devices types operations problems params variants spaces rungs published formats archs gpus" "$2" ;;
    help) _autotune_words "tune show merge list emit verify bench ladder profile export compare report doctor" "$2" ;;
    merge) _autotune_files -f "$2" ;;
    compare | report)
        _autotune_files -f "$2"
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$(_autotune_values --gpu)" -- "$2")
        ;;
    esac
}

_autotune() {
    local verbs="tune show merge list emit verify bench ladder profile export compare report doctor help version"
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb=tune
    COMPREPLY=()
    if ((COMP_CWORD > 1)) && [[ ${COMP_WORDS[1]} != -* ]]; then
        verb=${COMP_WORDS[1]}
    fi
    # --op=su is three words where '=' breaks words, which is bash's default, and else one.
    if [[ $current == "=" ]]; then
        current=
    elif [[ $before == "=" ]] && ((COMP_CWORD > 2)); then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    elif [[ $current == --*=* ]]; then
        _autotune_after "${current%%=*}" "$verb" "${current#*=}"
        COMPREPLY=("${COMPREPLY[@]/#/${current%%=*}=}")
        return
    fi
    if [[ $before == -* ]] && _autotune_after "$before" "$verb" "$current"; then
        return
    fi
    if [[ $current == -* ]]; then
        _autotune_words "$(_autotune_options "$verb")" "$current"
    elif ((COMP_CWORD == 1)); then
        _autotune_words "$verbs" "$current"
    else
        _autotune_argument "$verb" "$current"
    fi
}

complete -F _autotune autotune

# parts.awk: splits kernels into their parts, of which most are those of other kernels too: what stands between two
# empty lines at the left edge. Writes each part once, under a name, and each kernel as the names of its parts.
# Usage: awk -v parts=FILE -v kernels=FILE -f parts.awk KERNEL.cu...
# The name: of the function, the type or the first constant, and the how-manieth text of that name it is.
function name_of(text,    lines, count, i, line) {
    count = split(text, lines, "\n")
    for (i = 1; i <= count; i++) {
        line = lines[i]
        if (line ~ /^\/\// || line == "enum {")
            continue
        if (line ~ /^typedef/) {
            line = lines[count]
            gsub(/[^A-Za-z_0-9 ]/, "", line)
            sub(/.* /, "", line)
            return line
        }
        if (line ~ /^__global__/)
            line = line " " lines[i + 1] " " lines[i + 2]
        gsub(/__(align|launch_bounds|cluster_dims)__\([^)]*\)/, "", line)
        sub(/ *[(=[{].*/, "", line)
        sub(/.*[^A-Za-z_0-9]/, "", line)
        return line
    }
    return "text"
}
function end_part(    name) {
    if (part == "")
        return
    if (is_head)
        print part > kernels
    else {
        if (!(part in names)) {
            name = name_of(part)
            names[part] = name "." ++seen[name]
            print (made++ ? "\n" : "") "//// " names[part] "\n" part > parts
        }
        add_word(names[part])
    }
    is_head = 0
    part = ""
}
function add_word(word) {
    if (length(words) + length(word) > 94)
        end_words()
    words = words (words == "" ? "" : " ") word
}
function end_words() {
    if (words != "")
        print words > kernels
    words = ""
}
function keep_empty() {
    for (; empty > 0; empty--)
        part = part "\n"
}
function end_kernel() {
    keep_empty()
    end_part()
    end_words()
}
FNR == 1 {
    end_kernel()
    name = FILENAME
    sub(/.*\//, "", name)
    print (NR > 1 ? "\n" : "") "== " name > kernels
    is_head = 1
    empty = 0
}
$0 == "" {
    empty++
    next
}
{
    if (empty == 1 && /^[^ }#]/)
        end_part()
    else
        keep_empty()
    empty = 0
    part = part (part == "" ? "" : "\n") $0
}
END { end_kernel() }

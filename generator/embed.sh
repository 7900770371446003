#!/bin/sh
# Writes an assembly file that holds each named file, zero-terminated, and the table
# embedded_files of autotune/embedded.h. Usage: embed.sh FILE... > embedded.S
printf '\t.section .rodata\n'
i=0
for file; do
    printf 'bytes_%d:\t.incbin "%s"\nend_%d:\t.byte 0\nname_%d:\t.asciz "%s"\n' \
        $i "$file" $i $i "$file"
    i=$((i + 1))
done
printf '\t.globl embedded_count\n\t.hidden embedded_count, embedded_files\n\t.balign 8\nembedded_count:\t.quad %d\n' $i
printf '\t.section .data.rel.ro,"aw"\n\t.globl embedded_files\n\t.balign 8\nembedded_files:\n'
j=0
while [ $j -lt $i ]; do
    printf '\t.quad name_%d, bytes_%d, end_%d - bytes_%d\n' $j $j $j $j
    j=$((j + 1))
done
printf '\t.section .note.GNU-stack,"",%%progbits\n'

/* Fuzzes cache/line.c, which reads a journal's lines, and cache/journal.c, which reads its first:
 * no bytes crash them, and a trial that was read is written so that it reads back as the same.
 * Checksums are 0 in what is read first. */
#include "cache/journal.h"
#include "cache/line.h"
#include "generator/text.h"
#include "tests/fuzz/checksum.h"
#include "tests/unit/named_op.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds)
        abort();
}

static void check_again(const struct journal_trial *trial)
{
    struct text line = {0}, again = {0};
    struct journal_trial back;
    line_emit(&line, trial);
    demand(line.length > 1 && line.length <= LINE_MAX_BYTES &&
           line.at[line.length - 1] == '\n');
    line.at[line.length - 1] = '\0';
    demand(!strchr(line.at, '\n'));
    char *copy = strdup(line.at);
    demand(copy && line_parse(&back, copy, line.length - 1));
    line_emit(&again, &back);
    demand(again.length == line.length && memcmp(again.at, line.at, line.length - 1) == 0);
    free(copy);
    text_dispose(&line);
    text_dispose(&again);
}

static void check_lines(const uint8_t *data, size_t size)
{
    while (size > 0) {
        const uint8_t *end = memchr(data, '\n', size);
        const size_t length = end ? (size_t)(end - data) : size;
        struct journal_trial trial;
        char *line = malloc(length + 1);
        demand(line != NULL);
        memcpy(line, data, length);
        line[length] = '\0';
        checksum_is_zero = true;
        const bool is_trial = line_parse(&trial, line, length);
        checksum_is_zero = false;
        free(line);
        if (is_trial)
            check_again(&trial);
        data += length + (end != NULL);
        size -= length + (end != NULL);
    }
}

/* The file of this process; it is removed at once after each input. */
static void check_file(const uint8_t *data, size_t size)
{
    struct journal journal;
    struct record key;
    struct error error = {0};
    char path[80];
    snprintf(path, sizeof path, "/tmp/fuzz-journal-%ld", (long)getpid());
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    demand(file >= 0 && write(file, data, size) == (ssize_t)size);
    close(file);
    checksum_is_zero = true;
    if (journal_load(&journal, &key, path, &error) == 0) {
        demand(key.problem.op && key.problem.type < TYPE_COUNT);
        journal_close(&journal);
    } else
        demand(*error.text);
    checksum_is_zero = false;
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_lines(data, size);
    check_file(data, size);
    return 0;
}

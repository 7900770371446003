/* sass: counts a disassembly line by line, and finds its loops by their jumps back. */
#include "autotune/analysis/sass.h"

#include "autotune/analysis/sass_line.h"
#include "generator/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Loops -------------------------------------------------------------------------------- */

/* The place of an instruction, by label and by address, and the counts before it. */
struct place {
    char name[SASS_WORD];
    uint64_t total, bytes;
};

struct counter {
    struct sass_mix *mix;
    struct place *places;
    size_t count;
    uint64_t last_target; /* instructions before the start of the last loop found */
    uint64_t last_end;    /* instructions up to the last one that ends all threads that reach
                           * it */
    bool has_bulk;        /* somewhere in the kernel */
    bool failed;
};

static void copy_word(char out[SASS_WORD], const char *at)
{
    snprintf(out, SASS_WORD, "%.*s", SASS_WORD - 1, at);
}

static void note_place(struct counter *counter, const char *name)
{
    struct error ignored;
    if (!*name || counter->failed)
        return;
    counter->failed =
        array_grow(&counter->places, counter->count, sizeof *counter->places, &ignored);
    if (counter->failed)
        return;
    struct place *place = &counter->places[counter->count++];
    *place = (struct place){.total = counter->mix->total, .bytes = counter->mix->load_bytes};
    copy_word(place->name, name);
}

/* A jump back to a known place closes a loop. One that holds a loop found before has it in its
 * bytes already: of such a pair the inner counts. One over the kernel's end is none: it comes
 * back from what the compiler moved out of the way, as the wait for a bulk copy. */
static void close_loop(struct counter *counter, const char *target)
{
    struct sass_mix *mix = counter->mix;
    for (size_t i = counter->count; *target && i-- > 0;) {
        const struct place *place = &counter->places[i];
        if (strcmp(place->name, target) != 0)
            continue;
        if (place->total < counter->last_end)
            return;
        const uint64_t bytes = mix->load_bytes - place->bytes;
        const bool is_outer = mix->loop_total && place->total <= counter->last_target;
        if (bytes > (is_outer ? 2 * mix->loop_bytes : mix->loop_bytes)) {
            mix->loop_bytes = bytes;
            mix->loop_total = mix->total - place->total;
            counter->last_target = place->total;
        }
        return;
    }
}

static void count_line(struct counter *counter, const struct sass_line *line)
{
    struct sass_mix *mix = counter->mix;
    note_place(counter, line->label);
    if (line->label[0])
        return;
    note_place(counter, line->address);
    const enum sass_kind kind = sass_kind_of(line->opcode, mix->is_ptx);
    if (strncmp(line->opcode, "NOP", 3) == 0) /* NOPs pad the end of a kernel */
        return;
    mix->total++;
    mix->counts[kind]++;
    mix->load_bytes += sass_bytes_of(line->opcode, kind, mix->is_ptx, counter->has_bulk);
    if (kind == SASS_BRANCH)
        close_loop(counter, line->target);
    if (sass_is_end(line))
        counter->last_end = mix->total;
}

/* A compiler may copy a loop that matters several times, for the remainder of unrolling; a loop
 * with less of the loads than this many copies would have is not one. */
enum { LEFT_OVER = 8 };

int sass_count(struct sass_mix *out, const char *text, bool is_ptx, struct error *error)
{
    struct counter counter = {.mix = out, .has_bulk = strstr(text, sass_bulk_copies[is_ptx])};
    *out = (struct sass_mix){.is_ptx = is_ptx};
    for (const char *at = text; *at && !counter.failed;) {
        struct sass_line line;
        if (sass_next_line(&line, at, &at, is_ptx))
            count_line(&counter, &line);
    }
    free(counter.places);
    if (out->loop_bytes * LEFT_OVER < out->load_bytes)
        out->loop_bytes = out->loop_total = 0;
    if (counter.failed)
        return error_memory(error, 2 * counter.count * sizeof *counter.places);
    return out->total ? 0
                      : error_set(error, ERROR_FAILED, "no instruction stands in the %s",
                                  is_ptx ? "PTX" : "disassembly");
}

double sass_per_element(const struct sass_mix *mix, int elem_bytes)
{
    const uint64_t bytes = mix->loop_bytes ? mix->loop_bytes : mix->load_bytes;
    const uint64_t total = mix->loop_bytes ? mix->loop_total : mix->total;
    return bytes ? (double)total * elem_bytes / (double)bytes : 0;
}

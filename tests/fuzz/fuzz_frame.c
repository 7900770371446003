/* Fuzzes autotune/search/frame.c and job.c, which read what another process sends: no bytes crash
 * them, nothing that they hand out lies outside the frame, and a message that was read is written
 * to the same bytes. The first byte says which message it is, the rest is its body. */
#include "autotune/search/job.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WIDTH = 3 };

static void demand(bool holds)
{
    if (!holds)
        abort();
}

static void check_header(const uint8_t *data, size_t size)
{
    unsigned char header[FRAME_HEADER_BYTES] = {0};
    uint32_t kind;
    size_t length;
    memcpy(header, data, size < sizeof header ? size : sizeof header);
    if (frame_read_header(header, &kind, &length) == 0)
        demand(length <= FRAME_BODY_MAX);
}

/* What is written of a message that was read. */
static void check_same(const struct frame *from, const struct frame *to)
{
    demand(to->body.length == from->at);
    demand(memcmp(to->body.at, from->body.at, from->at) == 0);
}

static void check_unit(struct frame *frame)
{
    static struct job_unit unit;
    struct frame again = {.kind = frame->kind};
    struct error error;
    memset(&unit, 0, sizeof unit);
    if (job_code_unit(frame, &unit, WIDTH, true, &error))
        return;
    demand(unit.count <= COMPILER_UNIT && unit.image.count <= COMPILER_KERNELS);
    demand(job_code_unit(&again, &unit, WIDTH, false, &error) == 0);
    check_same(frame, &again);
    frame_dispose(&again);
}

static void check_race(struct frame *frame)
{
    struct job_race race = {0};
    struct frame again = {.kind = frame->kind};
    struct error error;
    if (job_code_race(frame, &race, WIDTH, true, &error) == 0) {
        demand(race.count <= JOB_RACE_UNITS);
        demand(job_code_race(&again, &race, WIDTH, false, &error) == 0);
        check_same(frame, &again);
        frame_dispose(&again);
        free(race.units);
    }
}

static void check_setup(struct frame *frame)
{
    struct job_setup setup = {0};
    struct frame again = {.kind = frame->kind};
    struct error error;
    if (job_code_setup(frame, &setup, true, &error))
        return;
    demand(job_code_setup(&again, &setup, false, &error) == 0);
    check_same(frame, &again);
    frame_dispose(&again);
}

static void check_others(struct frame *frame)
{
    union job_told told;
    struct job_configs configs = {0};
    struct job_other_space space = {0};
    struct error error;
    if (job_read_told(frame, &told, &error) == 0) {
        demand(frame->kind != JOB_PROVEN || told.proven.is_right || !told.proven.is_right);
        demand(frame->kind != JOB_TRIED || told.tried.is_cut || !told.tried.is_cut);
    }
    frame->at = 0;
    frame->is_short = false;
    if (job_code_configs(frame, &configs, WIDTH, true, &error) == 0 && configs.count)
        demand(configs.configs != NULL);
    frame->at = 0;
    frame->is_short = false;
    job_code_other_space(frame, &space, true, &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct frame frame = {.kind = size ? data[0] : 0};
    if (size > 0)
        frame_put(&frame, data + 1, size - 1);
    check_header(data, size);
    if (frame.kind == JOB_SETUP)
        check_setup(&frame);
    else if (frame.kind == JOB_TRY || frame.kind == JOB_COMPILED)
        check_unit(&frame);
    else if (frame.kind == JOB_RACE)
        check_race(&frame);
    else
        check_others(&frame);
    frame_dispose(&frame);
    return 0;
}

/* request_part: finds the part for --part auto in the variables that launchers set. A launcher
 * within another, as mpirun in a job of Slurm, comes first in the table; a job array counts
 * beside both. */
#include "autotune/cli/request_part.h"

#include "generator/number.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = 1000000 };

/* PMIx has no variable of its own for the number of processes. */
static const struct launcher {
    const char *rank, *sizes[3];
    const char *beside; /* without this variable the others are not of this process; or NULL */
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", {"OMPI_COMM_WORLD_SIZE"}, NULL},
    {"PMIX_RANK", {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "PMI_SIZE"}, NULL},
    {"PMI_RANK", {"PMI_SIZE"}, NULL},
    /* A job's script has them too, and is one process: that of a step alone counts. */
    {"SLURM_PROCID", {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"}, "SLURM_STEP_ID"},
};
enum { LAUNCHERS = sizeof launchers / sizeof *launchers };

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

static int read_number(uint64_t *out, const char *name, struct error *error)
{
    struct error ignored;
    const char *value = getenv(name);
    if (value && strspn(value, "0123456789") == strlen(value) &&
        number_parse_count(out, value, name, &ignored) == 0 && *out <= PARTS_MAX)
        return 0;
    return error_set(
        error, ERROR_USAGE,
        "--part auto: %s is '%.40s', no number that it could go by: give --part K/M", name,
        value ? value : "");
}

static int read_size(uint64_t *out, const struct launcher *launcher, struct error *error)
{
    enum { SIZES = sizeof launcher->sizes / sizeof *launcher->sizes };
    for (size_t i = 0; i < SIZES && launcher->sizes[i]; i++)
        if (is_set(launcher->sizes[i]))
            return read_number(out, launcher->sizes[i], error) || *out == 0
                       ? error_set(error, ERROR_USAGE,
                                   "--part auto: %s is no number of parts: give --part K/M",
                                   launcher->sizes[i])
                       : 0;
    return error_set(error, ERROR_USAGE,
                     "--part auto: %s is set and %s is not, so the number of parts is unknown: "
                     "give --part K/M",
                     launcher->rank, launcher->sizes[0]);
}

/* Among the processes that were started together; `*size` is 0 where none says so. */
static int read_launcher(uint64_t *rank, uint64_t *size, struct error *error)
{
    for (size_t i = 0; i < LAUNCHERS; i++) {
        const struct launcher *launcher = &launchers[i];
        if (is_set(launcher->rank) && (!launcher->beside || is_set(launcher->beside)))
            return read_number(rank, launcher->rank, error) || read_size(size, launcher, error);
    }
    *rank = *size = 0;
    return 0;
}

/* The numbers of an array may begin anywhere and be a step apart. */
static int read_array(uint64_t *task, uint64_t *count, struct error *error)
{
    uint64_t id, first = 0, step = 1;
    *task = 0;
    *count = 1;
    if (!is_set("SLURM_ARRAY_TASK_ID"))
        return 0;
    if (read_number(&id, "SLURM_ARRAY_TASK_ID", error) ||
        read_number(count, "SLURM_ARRAY_TASK_COUNT", error) ||
        (is_set("SLURM_ARRAY_TASK_MIN") &&
         read_number(&first, "SLURM_ARRAY_TASK_MIN", error)) ||
        (is_set("SLURM_ARRAY_TASK_STEP") && read_number(&step, "SLURM_ARRAY_TASK_STEP", error)))
        return -1;
    if (step > 0 && id >= first && (id - first) % step == 0 && (id - first) / step < *count) {
        *task = (id - first) / step;
        return 0;
    }
    return error_set(
        error, ERROR_USAGE,
        "--part auto: %llu is no task of an array of %llu from %llu on, %llu apart: "
        "give --array such numbers, as 0-7, or give --part K/M",
        (unsigned long long)id, (unsigned long long)*count, (unsigned long long)first,
        (unsigned long long)step);
}

static int find_auto(struct part *out, struct error *error)
{
    uint64_t rank, size, task, count;
    if (read_launcher(&rank, &size, error) || read_array(&task, &count, error))
        return -1;
    if (size == 0 && !is_set("SLURM_ARRAY_TASK_ID"))
        return error_set(
            error, ERROR_USAGE,
            "--part auto: no launcher says which part this is: start by mpirun, srun "
            "or sbatch --array, or give --part K/M");
    if (size == 0)
        size = 1;
    if (count == 0 || rank >= size || size * count > PARTS_MAX)
        return error_set(
            error, ERROR_USAGE,
            "--part auto: process %llu of %llu, task %llu of %llu is no part: give "
            "--part K/M",
            (unsigned long long)rank, (unsigned long long)size, (unsigned long long)task,
            (unsigned long long)count);
    *out = (struct part){(unsigned)(task * size + rank), (unsigned)(size * count)};
    return 0;
}

int request_part_parse(struct part *out, const char *value, struct error *error)
{
    char k[16], m[16], rest;
    uint64_t index, count;
    if (strcmp(value, "auto") == 0)
        return find_auto(out, error);
    if (sscanf(value, "%15[0-9]/%15[0-9]%c", k, m, &rest) != 2 ||
        number_parse_count(&index, k, "--part", error) ||
        number_parse_count(&count, m, "--part", error) || index < 1 || index > count ||
        count > PARTS_MAX)
        return error_set(error, ERROR_USAGE,
                         "--part is '%.100s': write K/M with 1 <= K <= M, such as 1/8, or auto",
                         value);
    *out = (struct part){(unsigned)index - 1, (unsigned)count};
    return 0;
}

unsigned request_part_local(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                        "SLURM_STEP_TASKS_PER_NODE", "SLURM_NTASKS_PER_NODE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        const unsigned long count = value ? strtoul(value, NULL, 10) : 0; /* "4" or "4(x2)" */
        if (count >= 1 && count <= PARTS_MAX)
            return (unsigned)count;
    }
    return 1;
}

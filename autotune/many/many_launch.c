/* many_launch: knows the variables of Open MPI, MPICH and Slurm, which say a rank, its place among those of its
 * host and how many these are, and counts the GPUs of the host by their files in /dev. */
#include "autotune/many/many_launch.h"

#include "autotune/device/cores.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool begins_with(const char *string, const char *start)
{
    return strncmp(string, start, strlen(start)) == 0;
}

static unsigned read_variable(const char *const names[], unsigned otherwise)
{
    for (; *names; names++) {
        const char *value = getenv(*names);
        if (value && *value >= '0' && *value <= '9')
            return (unsigned)strtoul(value, NULL, 10);
    }
    return otherwise;
}

static unsigned local_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                        "SLURM_LOCALID", NULL};
    return read_variable(names, 0);
}

static unsigned local_count(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                        "SLURM_STEP_TASKS_PER_NODE", NULL};
    const unsigned count = read_variable(names, 1);
    return count ? count : 1;
}

/* /dev/nvidia0, /dev/nvidia1, ... */
static unsigned count_gpus(void)
{
    unsigned count = 0;
    DIR *all = opendir("/dev");
    for (struct dirent *entry; all && (entry = readdir(all)) != NULL;)
        count += begins_with(entry->d_name, "nvidia") &&
                 strspn(entry->d_name + 6, "0123456789") == strlen(entry->d_name + 6) &&
                 entry->d_name[6];
    if (all)
        closedir(all);
    return count;
}

void many_launch_take_share(void)
{
    const unsigned gpus = count_gpus(), local = local_count();
    char number[16];
    if (gpus > 1 && local > 1) {
        snprintf(number, sizeof number, "%u", local_rank() % gpus);
        setenv("CUDA_VISIBLE_DEVICES", number, 0);
    }
    cores_take_share(local_rank(), local);
}

void many_launch_leave(void)
{
    static const char *const starts[] = {"OMPI_", "PMIX_", "PMI_", "PRTE_", "MPI_LOCAL"};
    char local[16];
    snprintf(local, sizeof local, "%u", local_count());
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        for (char **at = environ; *at;) {
            const char *const variable = *at;
            char name[256];
            snprintf(name, sizeof name, "%.*s", (int)strcspn(variable, "="), variable);
            if (begins_with(name, starts[i]))
                unsetenv(name);
            at += *at == variable; /* else the next one has taken its place */
        }
    setenv("MPI_LOCALNRANKS", local, 1);
}

int many_launch_program(char out[PATH_MAX], struct error *error)
{
    const ssize_t length = readlink("/proc/self/exe", out, PATH_MAX - 16);
    char *slash = length > 0 ? memrchr(out, '/', (size_t)length) : NULL;
    if (!slash)
        return error_set(error, ERROR_FAILED, "this program cannot find itself in /proc");
    strcpy(slash + 1, "autotune");
    return access(out, X_OK) ? error_set(error, ERROR_FAILED,
                                         "%s is not there: autotune and autotune-mpi belong "
                                         "into one folder",
                                         out)
                             : 0;
}

unsigned many_launch_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "SLURM_PROCID", NULL};
    return read_variable(names, 0);
}

/* help: holds the help text of each verb. */
#include "autotune/cli/help.h"

#include "generator/dims_text.h"

#include <stddef.h>

#define EXIT_CODES                                                                             \
    "Exit: 0 done, 1 failed, 64 usage, 69 no such device, driver or NVRTC, "                   \
    "70 a result was wrong, 74 input or output failed, 75 too noisy to decide, "               \
    "130 interrupted, progress kept."

/* clang-format off */
static const struct help all[] = {
    {VERB_TUNE, "tune", NULL,
     "Finds the fastest reduction for a problem on a device: generates, compiles, proves and "
     "measures every candidate of a space, and keeps the winner. The same command again "
     "answers from the record; after an interruption it goes on where it was.\v"
     "Examples:\n"
     "  autotune --device 0 --n 400M\n"
     "  autotune --device 0 --n 64Mi --type f32 --op max --json winner.json\n"
     "  autotune --device host --n 100K --retune\n"
     "  autotune --device 0 --n 1K..4G --loss 0.5\n"
     "  autotune --device 0 " DIMS_TEXT_SWEEP " --type f32\n"
     "  autotune --device all --n 400M --budget 30s\n"
     "  autotune --problems problems.txt --part 1/8\n"
     "  autotune --replay ~/.cache/autotune/journal/FILE --strategy random --seed 2\n\n" EXIT_CODES},
    {VERB_SHOW, "show", NULL,
     "Shows the records kept so far, of all devices.\v"
     "Examples:\n"
     "  autotune show\n"
     "  autotune show --sweep\n"
     "  autotune show --sweep " DIMS_TEXT_SHAPE "\n"
     "  autotune show --type f32 --csv -\n\n" EXIT_CODES},
    {VERB_MERGE, "merge", "FILE...",
     "Merges record files of other machines into the folder of records, each record into its "
     "GPU's file; of a FILE that is a folder of records all of them, and its journals. Of two for the same problem on the same GPU the faster is kept, or, where "
     "driver, compiler, sources or method differ, the newer. Of intervals that overlap the newer "
     "takes its range, and the older keeps what is left of it on both sides.\v"
     "Examples:\n"
     "  autotune merge nvidia-h200.ini\n"
     "  autotune merge ~/.cache/autotune/parts/*\n"
     "  autotune merge --cache shared a/nvidia-h200.ini b/nvidia-h200.ini\n"
     "  autotune merge --compact configs/tuned state/nvidia-h200.ini\n\n" EXIT_CODES},
    {VERB_COMPARE, "compare", "A B [C...]\n--rungs [A...]",
     "Sets GPUs side by side, problem by problem: each a record file, a GPU by name (v100, h200, "
     "rtx5070ti: with what is published of it and the records kept here), or a file or a name of "
     "published figures. Begins with the outcome. Where a GPU has no figure of its own, static "
     "analysis of another's winner bounds it (\"at most\"), or says why not. Says what is measured, "
     "published, a bound or predicted. With --rungs it sets the ladder's kernels side by side. "
     "Needs no device.\v"
     "Examples:\n"
     "  autotune compare v100 rtx5070ti\n"
     "  autotune compare nvidia-h200.ini v100 --n 1Gi --type f32\n"
     "  autotune compare cs599-lecture-6 rtx5070 --json -\n"
     "  autotune compare h200 v100 --n 400M --evidence\n"
     "  autotune compare --rungs --ladder ladder.csv\n\n" EXIT_CODES},
    {VERB_REPORT, "report", "[A [B...]]",
     "Makes a report of what records, their journals and tables know: GB/s over n, beside other "
     "libraries and the peak, the trials as a heat map, the ladder, other GPUs, the winner's source, and how it was "
     "measured. A is what it is about, B what that is compared with: each a record file, a GPU by name "
     "or published figures, as compare takes them (default: the newest records here, and the GPUs that "
     "something is published of). What is not there it says. Needs no device.\v"
     "Examples:\n"
     "  autotune report\n"
     "  autotune report -o report.html --bench cub.csv --ladder ladder.csv\n"
     "  autotune report nvidia-h200.ini v100 rtx5070ti --type f32 -o report.html\n"
     "  autotune report --md > RESULTS.md\n\n" EXIT_CODES},
    {VERB_LIST, "list", "[TOPIC]",
     "Lists what there is to choose from: devices (the default), types, operations, problems, params, "
     "variants, spaces, classes, options, formats, archs, gpus or rungs. Problems come as --problems reads them: every "
     "operation and type that go together, or those given, at each size.\v"
     "Examples:\n"
     "  autotune list params\n"
     "  autotune list gpus --sources\n"
     "  autotune list problems --n 1Ki..1Gi --type f32 > problems.txt\n"
     "  autotune list variants --arch sm_80 --type f64\n\n" EXIT_CODES},
    {VERB_EMIT, "emit", NULL,
     "Prints the CUDA source of a variant: the one given, else the record's that fits best, "
     "else the space's default. Needs no device.\v"
     "Examples:\n"
     "  autotune emit --n 400M > reduce.cu\n"
     "  autotune emit --arch sm_80 --type f32 --variant BLOCK=512,WARP=TREE\n"
     "  autotune emit --arch sm_90 --ptx\n\n" EXIT_CODES},
    {VERB_VERIFY, "verify", NULL,
     "Proves a variant correct, without timing: the one given, else the record's, else the "
     "default; or a covering sample, or everything.\v"
     "Examples:\n"
     "  autotune verify --device 0 --n 400M\n"
     "  autotune verify --device host --cover\n"
     "  autotune verify --device host --all --part 1/8\n\n" EXIT_CODES},
    {VERB_BENCH, "bench", NULL,
     "Times the kernels of the records against other libraries' reductions, as CUB's: the same "
     "inputs, proven results, one timer, interleaved. The ratio is their time over ours.\v"
     "Examples:\n"
     "  autotune bench --against cub --n 1Ki,1Mi,400M\n"
     "  autotune bench --against build/cub-toolkit.so --type f32 --n 64Ki --csv -\n\n" EXIT_CODES},
    {VERB_LADDER, "ladder", NULL,
     "Measures the classic reductions as teaching documents build them up: proven, and timed by "
     "the same code as all else. GB/s counts what all launches of a reduction read and write; "
     "step is over the rung before, total over the first of its group. Below a table of one size "
     "stands why each rung is not faster, from computed figures: lanes active, bank conflicts, "
     "occupancy, bytes in flight, instructions.\v"
     "Examples:\n"
     "  autotune ladder --n 400M\n"
     "  autotune ladder --rung cs599 --n 1Gi --type f32 --blocks 32..1024\n"
     "  autotune ladder --grid --rung cs599 --n 1Gi --type f32 --csv grid.csv\n"
     "  autotune ladder --rung harris --n 128Ki..32Mi --csv times.csv\n"
     "  autotune ladder --device host --gpu H200\n"
     "  autotune ladder --source harris-5\n"
     "  autotune ladder --published --rung cs599\n\n" EXIT_CODES},
    {VERB_PROFILE, "profile", "[VARIANT|RUNG]",
     "Runs one kernel under Nsight Compute, where its ncu is found, and reads back what that "
     "measured: throughput of memory and compute, occupancy, bank conflicts, what warps wait for. "
     "A variant is named by its params, as BLOCK=256,ITEMS=16, the others as in this GPU's record; a rung "
     "of the ladder by its name; without either it is the record's winner. Clocks are left as they "
     "are.\v"
     "Examples:\n"
     "  autotune profile --n 400M\n"
     "  autotune profile BLOCK=512,WARP=TREE --n 400M --type f32\n"
     "  autotune profile harris-2 --n 400M --csv -\n\n"
     "Exit 69 also where there is no ncu, or where it may not read the counters. " EXIT_CODES},
    {VERB_EXPORT, "export", NULL,
     "Writes the records of a problem, all n and all GPUs in one, for programs that know nothing of "
     "autotune: which kernel serves a device and n is chosen when they run. " DIMS_TEXT_EXPORTS "\v"
     "Examples:\n"
     "  autotune export --format cu --op sum --type f32\n"
     "  autotune export --format cu,cmake --output sums --prefix total\n"
     "  autotune export --format json --gpu H200 --n 400M --output -\n"
     "  autotune export --format cu " DIMS_TEXT_SPACE " --type f32\n\n" EXIT_CODES},
    {VERB_DOCTOR, "doctor", NULL,
     "Says what is here, what is missing, and what to install. Changes nothing.\v" EXIT_CODES},
};
/* clang-format on */

const struct help *help_of(unsigned verbs)
{
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].verb & verbs)
            return &all[i];
    return NULL;
}

/* verbs: the table of verbs, and help and version, which need no more than it. */
#include "autotune/command/verbs.h"

#include "autotune/command/output.h"

#include <string.h>

const struct verb_row verbs[] = {
    {"tune", "find the fastest reduction for a problem on a device (the default)", verb_tune},
    {"show", "show the records kept so far", verb_show},
    {"list", "list devices, types, operations, params, variants, spaces, archs", verb_list},
    {"emit", "print a kernel as CUDA source, PTX, machine code or disassembly", verb_emit},
    {"verify", "prove a variant, a covering sample or everything correct", verb_verify},
    {"doctor", "say what is here, what is missing and what to install", verb_doctor},
    {"help", "print this", verb_help},
    {"version", "print the version", verb_version},
    {NULL, NULL, NULL},
};

const struct verb_row *verbs_find(const char *name)
{
    for (const struct verb_row *verb = verbs; verb->name; verb++)
        if (strcmp(verb->name, name) == 0)
            return verb;
    return NULL;
}

int verb_help(int argc, char **argv, struct error *error)
{
    struct text text = {0};
    (void)argc;
    (void)argv;
    text_adds(&text, "autotune finds, proves and keeps the fastest GPU reduction.\n\n"
                     "  autotune --device 0 --n 400M          tune and keep\n"
                     "  autotune VERB [OPTION...]             'autotune VERB --help' for options\n\n");
    for (const struct verb_row *verb = verbs; verb->name; verb++)
        text_addf(&text, "  %-9s %s\n", verb->name, verb->summary);
    text_adds(&text, "\nExit: 0 done, 1 failed, 64 usage, 69 no such device, driver or NVRTC,\n"
                     "70 a result was wrong, 74 input or output failed.\n");
    int failed = output_write("-", &text, error);
    text_dispose(&text);
    return failed;
}

int verb_version(int argc, char **argv, struct error *error)
{
    struct text text = {0};
    (void)argc;
    (void)argv;
    text_adds(&text, "autotune " VERSION "\n");
    int failed = output_write("-", &text, error);
    text_dispose(&text);
    return failed;
}

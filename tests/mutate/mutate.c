/* mutate: tests the proofs themselves. It plants each mutant of one source of kernels (mutants.h)
 * in variants whose emitted text has the changed line, and proves them on the emulator as
 * `autotune verify --cover` does; a mutant that no proof finds is a fault that would be called
 * right. Each attempt runs in a process of its own. Sources that are no kernel's have a command in
 * place of spaces, which must fail.
 *
 * Usage: mutate [-s SAMPLE] [-p K/M] [-t TRIES] [-l SECONDS] [-e FILE] [-n LINE] [-o LOG] [-r SEED] [-v] SOURCE SPACE...
 *        mutate [the same but -t] -c COMMAND SOURCE...
 *        mutate -f LIST [-s SAMPLE] [-p K/M] [-t TRIES] [-d all|drawn]
 *   SOURCE  templates/reduce.cu, templates/types.cu, ...; SPACE... that are made of it: reduce
 *   -s      only mutants that a hash of their text draws, one of SAMPLE
 *   -p      only part K of M of those
 *   -t      variants tried for each before it counts as not found (default 3)
 *   -l      stops after so many seconds, and says how many were not tried
 *   -e      the list of survivors that are no holes: see tests/mutate/equal
 *   -n      only mutants of this line
 *   -o      only mutants that the output of an earlier run says were not found
 *   -r      another order, so that -l leaves out others
 *   -v      a line for every mutant, not only for survivors
 *   -c      run by sh where the changed source lies in the folder $MUTANT, under its own path, $SOURCE,
 *           changed in its line $LINE (0: as it is); ends with 0: nothing was found, 1: the fault was,
 *           2: it is no C, 3: it is the same code
 *   -f      the faults of a list, planted by hand, in place of drawn ones: see tests/mutate/planted.h
 *   -d      each position is tried, as on a GPU, or as many as the search tries of a candidate, in place of
 *           the emulator's sample
 * Ends with a row of the table, and status 1 where there is a hole. */
#include "autotune/device/gpus.h"
#include "autotune/device/temporary.h"
#include "autotune/verify/sample.h"
#include "generator/random.h"
#include "generator/text.h"
#include "tests/mutate/attempt.h"
#include "tests/mutate/mutants.h"
#include "tests/mutate/planted.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    SPACES_MAX = 16,
    ARCHS = 3,
    LINES_MAX = 2000,
    TRIES_MAX = 64,
    BARRIER_SEEDS = 6,
    INVALID_ENOUGH = 2,
    VARIANTS_A_LINE = 8,
    CHEAP_DRAWS = 2000, /* first, of configs with few threads */
    CHEAP_THREADS = 256,
    DRAWS = 3000, /* of configs a space, for lines that are in few */
    EQUAL_MAX = 2000,
    SOURCE_BYTES = 1 << 20,
};
static const char *const archs[ARCHS] = {"sm_75", "sm_90", "sm_120"};

struct pool_space {
    struct builtin_files files;
    struct emit_sources sources;
    struct sample_place *places;
};

/* A config of one space that the emulator can run. */
struct variant {
    struct attempt_variant of;
    unsigned char has_line[LINES_MAX / 8 + 1];
};

struct options {
    uint64_t sample, part, parts, line, seed;
    unsigned tries, seconds;
    bool is_verbose, has_all_positions, is_drawn;
    const char *equal, *log, *command, *planted;
};

/* A survivor that is no hole. */
struct known {
    char file[60], changed[300], kind[12], reason[300];
    bool is_used;
};

/* A source for the command, read when its first mutant is tried. */
struct source {
    const char *path;
    struct text text;
    struct mutants mutants;
    bool is_opened, is_unfit; /* the command finds a fault in it as it is */
};

struct state {
    struct options options;
    struct source *sources;
    size_t source_count;
    const char *source, *text; /* of the mutant that is tried */
    size_t line;               /* that it changes; 0: none */
    char folder[40];           /* of the changed source, for the command */
    struct pool_space spaces[SPACES_MAX];
    size_t space_count;
    struct variant *variants;
    size_t variant_count;
    struct known *known;
    size_t known_count;
};

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

/* --- The pool of variants ----------------------------------------------------------------- */

static struct emit_sources with_text(const struct state *state, const struct variant *variant,
                                     const char *text)
{
    struct emit_sources sources = *variant->of.sources;
    attempt_find_source(&sources, state->source)->text = text;
    return sources;
}

static struct point_context context_of(const struct variant *variant)
{
    return (struct point_context){variant->of.space, variant->of.problem, &variant->of.target};
}

/* The text with the number of each line of code behind it. */
static char *mark_lines(const char *text)
{
    struct text out = {0};
    size_t number = 0;
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const size_t length = strcspn(at, "\n");
        text_add(&out, at, length);
        if (mutants_is_code(text, ++number))
            text_addf(&out, " //@%zu", number);
        text_adds(&out, "\n");
    }
    if (number >= LINES_MAX)
        attempt_die("the source has too many lines");
    return out.at;
}

static void find_lines(const struct state *state, struct variant *variant, const char *marked)
{
    const struct point_context context = context_of(variant);
    const struct emit_sources sources = with_text(state, variant, marked);
    struct emit_variant emitted;
    struct error error;
    if (emit_variant(&emitted, &context, &sources, variant->of.configs, &error))
        attempt_die(error.text);
    for (size_t i = 0; i < emitted.count; i++)
        for (const char *at = emitted.texts[i].at; (at = strstr(at, "//@")); at++) {
            const size_t line = strtoul(at + 3, NULL, 10);
            variant->has_line[line / 8] |= (unsigned char)(1u << line % 8);
        }
    emit_dispose(&emitted);
}

static bool has_line(const struct variant *variant, size_t line)
{
    return variant->has_line[line / 8] >> line % 8 & 1;
}

/* Is there a line that few variants have by now, but this one? Counts its lines. */
static bool is_wanted(unsigned char *times, const struct variant *variant)
{
    bool is_wanted = false;
    for (size_t line = 0; line < LINES_MAX; line++)
        is_wanted = is_wanted || (has_line(variant, line) && times[line] < VARIANTS_A_LINE);
    for (size_t line = 0; is_wanted && line < LINES_MAX; line++)
        if (has_line(variant, line) && times[line] < VARIANTS_A_LINE)
            times[line]++;
    return is_wanted;
}

/* The threads that wait for one another: their number is what a run of the emulator costs. */
static int64_t count_threads(const struct variant *variant)
{
    static const char *const names[] = {"BLOCK", "CLUSTER"};
    const struct space *space = variant->of.space;
    int64_t threads = 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const int param = space_find_param(space, names[i], strlen(names[i]));
        threads *= param < 0 ? 1 : variant->of.configs[param];
    }
    return threads;
}

/* Draws configs of problems that are drawn too, and keeps those that the lines want. */
static void add_variants(struct state *state, struct pool_space *space,
                         const struct target targets[ARCHS], unsigned char *times,
                         const char *marked)
{
    const size_t width = space->files.space->param_count;
    bool *is_fixed = calloc(width, sizeof *is_fixed);
    uint64_t random = 1;
    size_t place_count;
    struct error error;
    if (sample_places(&space->places, &place_count, space->files.space, ARCHS, &error))
        attempt_die(error.text);
    for (size_t i = 0; i < DRAWS; i++) {
        const struct sample_place *place = &space->places[random_next(&random) % place_count];
        int64_t *config = calloc(width, sizeof *config);
        state->variants =
            realloc(state->variants, (state->variant_count + 1) * sizeof *state->variants);
        if (!is_fixed || !config || !state->variants)
            attempt_die("no memory");
        struct variant *variant = &state->variants[state->variant_count];
        variant->of = (struct attempt_variant){.space = space->files.space,
                                               .sources = &space->sources,
                                               .problem = &place->problem,
                                               .target = targets[place->target],
                                               .configs = config,
                                               .config_count = 1};
        memset(variant->has_line, 0, sizeof variant->has_line);
        variant->of.target.is_host = true;
        const struct point_context context = context_of(variant);
        if (point_draw(config, is_fixed, &context, &random) == POINT_DRAWN &&
            (i >= CHEAP_DRAWS || count_threads(variant) <= CHEAP_THREADS)) {
            find_lines(state, variant, marked);
            if (is_wanted(times, variant)) {
                state->variant_count++;
                continue;
            }
        }
        free(config);
    }
    free(is_fixed);
}

static void open_pool(struct state *state, char **names, size_t count)
{
    struct target targets[ARCHS];
    struct error error;
    char *marked = NULL;
    static unsigned char times[LINES_MAX];
    for (size_t i = 0; i < ARCHS; i++)
        if (gpus_find(&targets[i], archs[i], &error))
            attempt_die(error.text);
    for (size_t i = 0; i < count; i++) {
        struct pool_space *space = &state->spaces[state->space_count++];
        attempt_open_space(&space->files, names[i]);
        space->sources = space->files.sources;
        const struct emit_file *file = attempt_find_source(&space->sources, state->source);
        if (!file)
            attempt_die("the space is not made of this source");
        state->text = file->text;
        if (!marked)
            marked = mark_lines(file->text);
        add_variants(state, space, targets, times, marked);
    }
    free(marked);
}

/* --- The command ------------------------------------------------------------------------- */

/* Runs the command where it finds the source with this text. */
static enum attempt_outcome try_text(const struct state *state, const char *text)
{
    char path[400], line[24];
    struct attempt attempt;
    int length = snprintf(path, sizeof path, "%s/", state->folder);
    for (const char *at = state->source; *at; path[length++] = *at++) {
        path[length] = '\0';
        if (*at == '/' && access(path, F_OK) && mkdir(path, 0700))
            attempt_die("no folder for the changed source");
    }
    path[length] = '\0';
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file))
        attempt_die("cannot write the changed source");
    snprintf(line, sizeof line, "%zu", state->line);
    setenv("MUTANT", state->folder, 1);
    setenv("SOURCE", state->source, 1);
    setenv("LINE", line, 1);
    attempt_command(&attempt, state->options.command);
    remove(path);
    return attempt.outcome;
}

/* --- Variants for a line ------------------------------------------------------------------ */

/* Draws up to `tries` variants that have the line; the first of them is the fastest of those that
 * have been run before, as most mutants are found by any. */
static size_t choose_variants(const struct state *state, size_t line, struct variant **out)
{
    size_t *order = malloc((state->variant_count + 1) * sizeof *order), count = 0, chosen = 0;
    uint64_t random = line;
    if (!order)
        attempt_die("no memory");
    for (size_t i = 0; i < state->variant_count; i++)
        if (has_line(&state->variants[i], line) && !state->variants[i].of.is_unfit)
            order[count++] = i;
    random_shuffle(order, count, &random);
    for (size_t i = 1; i < count; i++) {
        const double seconds = state->variants[order[i]].of.seconds;
        const double least = state->variants[order[0]].of.seconds;
        if (seconds > 0 && (least <= 0 || seconds < least)) {
            const size_t first = order[0];
            order[0] = order[i];
            order[i] = first;
        }
    }
    for (size_t i = 0; i < count && chosen < TRIES_MAX; i++)
        out[chosen++] = &state->variants[order[i]];
    free(order);
    return chosen;
}

/* --- Survivors that are known ------------------------------------------------------------- */

/* One blank for each run of them, none at the ends. */
static void squeeze(char *out, size_t size, const char *from)
{
    size_t length = 0;
    for (from += strspn(from, " \t"); *from && *from != '\n' && length + 1 < size; from++) {
        const bool is_blank = *from == ' ' || *from == '\t';
        if (is_blank && (from[1] == ' ' || from[1] == '\t' || from[1] == '\n' || !from[1]))
            continue;
        out[length++] = is_blank ? ' ' : *from;
    }
    out[length] = '\0';
}

/* FILE | KIND | the changed line, as a pattern of a shell | REASON; KIND is equal, speed or gpu. */
static void load_known(struct state *state)
{
    char line[1000];
    FILE *file = state->options.equal ? fopen(state->options.equal, "r") : NULL;
    if (state->options.equal && !file)
        attempt_die("cannot open the list of known survivors");
    state->known = calloc(EQUAL_MAX, sizeof *state->known);
    if (!state->known)
        attempt_die("no memory");
    while (file && fgets(line, sizeof line, file)) {
        struct known *known = &state->known[state->known_count];
        char *parts[4], *at = line;
        if (*line == '#' || *line == '\n')
            continue;
        for (size_t i = 0; i < 4; i++) {
            parts[i] = at;
            at = i < 3 ? strstr(at, " | ") : NULL;
            if (i < 3 && !at)
                attempt_die("a line of the list is not FILE | KIND | LINE | REASON");
            if (at) {
                *at = '\0';
                at += 3;
            }
        }
        squeeze(known->file, sizeof known->file, parts[0]);
        squeeze(known->kind, sizeof known->kind, parts[1]);
        squeeze(known->changed, sizeof known->changed, parts[2]);
        squeeze(known->reason, sizeof known->reason, parts[3]);
        if (++state->known_count == EQUAL_MAX)
            attempt_die("the list of known survivors is too long");
    }
    if (file)
        fclose(file);
}

/* The changed line; of a statement left out, which any is alike, what it was too. */
static void format_changed(char *out, size_t size, const struct state *state,
                           const struct mutant *mutant)
{
    size_t length;
    char was[400], whole[1000];
    squeeze(out, size, mutant->changed);
    if (strcmp(out, ";") != 0)
        return;
    const char *at = mutants_line(state->text, mutant->line, &length);
    snprintf(whole, sizeof whole, "%.*s", (int)length, at);
    squeeze(was, sizeof was, whole);
    snprintf(out, size, "; in place of %.380s", was);
}

static const struct known *find_known(const struct state *state, const struct mutant *mutant)
{
    char changed[400];
    const char *slash = strrchr(state->source, '/');
    format_changed(changed, sizeof changed, state, mutant);
    for (size_t i = 0; i < state->known_count; i++)
        if ((strcmp(state->known[i].file, slash + 1) == 0 ||
             strcmp(state->known[i].file, "*") == 0) &&
            (strcmp(state->known[i].changed, changed) == 0 ||
             fnmatch(state->known[i].changed, changed, 0) == 0))
            return &state->known[i];
    return NULL;
}

/* --- Mutants ------------------------------------------------------------------------------ */

enum fate { FOUND, INVALID, SAME, EQUAL, SPEED, GPU, HOLE, LEFT, FATES };
static const char *const fates[FATES] = {"found", "does not compile", "same code", "equal",
                                         "speed", "gpu only",         "NOT FOUND", "not tried"};

/* Does an attempt of one variant find it? Barriers are looked for by several seeds. */
static enum attempt_outcome try_variant(const struct state *state, const struct mutant *mutant,
                                        const struct variant *variant, const char *text)
{
    const uint64_t seeds = strcmp(mutant->kind, "barrier") == 0 ? BARRIER_SEEDS : 1;
    enum attempt_outcome outcome = RIGHT;
    for (uint64_t seed = 1; outcome == RIGHT && seed <= seeds; seed++) {
        const struct emit_sources sources = with_text(state, variant, text);
        struct attempt attempt;
        attempt_run(&attempt, &variant->of, &sources, seed);
        outcome = attempt.outcome;
    }
    return outcome;
}

static enum fate fate_of(const struct known *known)
{
    return strcmp(known->kind, "speed") == 0 ? SPEED
           : strcmp(known->kind, "gpu") == 0 ? GPU
                                             : EQUAL;
}

/* What a survivor is, by the list of those that are known. */
static enum fate fate_of_survivor(const struct state *state, const struct mutant *mutant,
                                  char *note)
{
    const struct known *known = find_known(state, mutant);
    snprintf(note, ATTEMPT_NOTE_CHARS, "%.230s", known ? known->reason : "");
    return known ? fate_of(known) : HOLE;
}

/* By the command. */
static enum fate try_source(const struct state *state, const struct mutant *mutant, char *note)
{
    char *text = mutants_apply(state->text, mutant);
    const enum attempt_outcome outcome = try_text(state, text);
    free(text);
    switch (outcome) {
    case RIGHT: return fate_of_survivor(state, mutant, note);
    case WRONG: return FOUND;
    case NOT_COMPILED: return INVALID;
    case SAME_CODE: return SAME;
    default: return LEFT;
    }
}

static enum fate try_mutant(const struct state *state, const struct mutant *mutant,
                            struct variant *variants[TRIES_MAX], size_t *tried_count,
                            char *note)
{
    const size_t count = choose_variants(state, mutant->line, variants);
    char *text = mutants_apply(state->text, mutant);
    size_t invalid = 0, same = 0, tried = 0;
    bool is_found = false;
    for (size_t i = 0; !is_found && i < count && tried < state->options.tries; i++) {
        if (!attempt_is_fit(&variants[i]->of))
            continue;
        const enum attempt_outcome outcome = try_variant(state, mutant, variants[i], text);
        variants[tried++] = variants[i];
        is_found = outcome == WRONG;
        same += outcome == SAME_CODE;
        invalid += outcome == NOT_COMPILED;
        if (invalid == INVALID_ENOUGH && tried == invalid)
            break;
    }
    free(text);
    *tried_count = tried;
    if (is_found || tried == 0 || invalid == tried)
        return is_found ? FOUND : tried ? INVALID : GPU;
    if (same + invalid == tried)
        return SAME;
    return fate_of_survivor(state, mutant, note);
}

static void print_mutant(const struct state *state, const struct mutant *mutant, enum fate fate,
                         const char *note)
{
    size_t length;
    const char *at = mutants_line(state->text, mutant->line, &length);
    char was[400], is[400], whole[1000];
    snprintf(whole, sizeof whole, "%.*s", (int)length, at);
    squeeze(was, sizeof was, whole);
    squeeze(is, sizeof is, mutant->changed);
    printf("%-16s %s:%zu %s\n    - %s\n    + %s\n", fates[fate], state->source, mutant->line,
           mutant->kind, was, is);
    if (*note)
        printf("    %s\n", note);
    fflush(stdout);
}

/* Does the log say that the mutant was not found? */
static bool is_in_log(const struct options *options, const struct source *source,
                      const struct mutant *mutant)
{
    char line[1000], was[400], changed[400], place[200];
    bool is_place = false, is_line = false, is_there = false;
    size_t length;
    const char *at = mutants_line(source->text.at, mutant->line, &length);
    FILE *file = fopen(options->log, "r");
    if (!file)
        attempt_die("cannot open the log");
    snprintf(line, sizeof line, "%.*s", (int)length, at);
    squeeze(was, sizeof was, line);
    squeeze(changed, sizeof changed, mutant->changed);
    snprintf(place, sizeof place,
             "%s:", source->path); /* whatever the line's number is by now */
    while (!is_there && fgets(line, sizeof line, file)) {
        if (strncmp(line, "    ", 4) != 0)
            is_place =
                strncmp(line, fates[HOLE], strlen(fates[HOLE])) == 0 && strstr(line, place);
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "    - ", 6) == 0)
            is_line = is_place && strcmp(line + 6, was) == 0;
        is_there = is_line && strncmp(line, "    + ", 6) == 0 && strcmp(line + 6, changed) == 0;
    }
    fclose(file);
    return is_there;
}

/* The drawn mutants, in the order of their hashes, so that what a limit leaves out is spread over
 * the sources. */
struct drawn {
    uint64_t order;
    struct source *source;
    const struct mutant *mutant;
};

static int by_order(const void *a, const void *b)
{
    const uint64_t left = ((const struct drawn *)a)->order;
    const uint64_t right = ((const struct drawn *)b)->order;
    return left < right ? -1 : left > right;
}

static struct drawn *draw(const struct state *state, size_t *count)
{
    const struct options *options = &state->options;
    size_t all = 0;
    for (size_t i = 0; i < state->source_count; i++)
        all += state->sources[i].mutants.count;
    struct drawn *drawn = calloc(all + 1, sizeof *drawn);
    if (!drawn)
        attempt_die("no memory");
    *count = 0;
    for (struct source *source = state->sources; source < state->sources + state->source_count;
         source++)
        for (size_t i = 0; i < source->mutants.count; i++) {
            const struct mutant *mutant = &source->mutants.list[i];
            const uint64_t hash = mutants_hash(source->text.at, mutant);
            uint64_t order = hash ^ options->seed;
            if ((!options->line || mutant->line == options->line) &&
                hash % options->sample == 0 &&
                hash / options->sample % options->parts == options->part &&
                (!options->log || is_in_log(options, source, mutant)))
                drawn[(*count)++] =
                    (struct drawn){options->seed ? random_next(&order) : hash, source, mutant};
        }
    qsort(drawn, *count, sizeof *drawn, by_order);
    return drawn;
}

/* Tries the source as it is, in which the command must find nothing, when its first mutant is drawn. */
static void open_source(struct state *state, struct source *source)
{
    state->source = source->path;
    state->text = source->text.at;
    state->line = 0;
    if (source->is_opened || !state->options.command)
        return;
    source->is_opened = true;
    const enum attempt_outcome outcome = try_text(state, source->text.at);
    source->is_unfit = outcome != RIGHT && outcome != SAME_CODE;
    if (source->is_unfit)
        printf("left out, as the command finds a fault in it as it is: %s\n", source->path);
}

static int run_mutants(struct state *state)
{
    const struct options *options = &state->options;
    size_t counts[FATES] = {0}, count, unfit = 0;
    const double start = now();
    struct drawn *drawn = draw(state, &count);
    for (size_t i = 0; i < count; i++) {
        const struct mutant *mutant = drawn[i].mutant;
        struct variant *variants[TRIES_MAX];
        char note[ATTEMPT_NOTE_CHARS] = "";
        size_t tried = 0;
        enum fate fate = LEFT;
        const bool is_time = !options->seconds || now() - start < options->seconds;
        if (is_time)
            open_source(state, drawn[i].source);
        state->line = mutant->line;
        if (is_time && !drawn[i].source->is_unfit)
            fate = options->command ? try_source(state, mutant, note)
                                    : try_mutant(state, mutant, variants, &tried, note);
        counts[fate]++;
        if (fate == HOLE || (options->is_verbose && is_time))
            print_mutant(state, mutant, fate, note);
        for (size_t v = 0; fate == HOLE && v < tried; v++)
            attempt_print_variant(&variants[v]->of);
    }
    for (size_t i = 0; i < state->source_count; i++)
        unfit += state->sources[i].is_unfit;
    if (state->source_count == 1)
        printf("%-28s %6zu mutants:", state->source, count);
    else
        printf("%zu sources %6zu mutants:", state->source_count, count);
    for (size_t i = 0; i < FATES; i++)
        if (counts[i] || i == FOUND || i == HOLE)
            printf(" %zu %s%s", counts[i], fates[i], i + 1 < FATES ? "," : "");
    printf(" in %.0f s", now() - start);
    if (!options->command)
        printf(", %zu variants", state->variant_count);
    printf("\n");
    free(drawn);
    return counts[HOLE] != 0 || unfit;
}

/* The sources whose mutants are tried, those for the command from their files. */
static void open_sources(struct state *state, char **paths, size_t count)
{
    struct error error;
    state->sources = calloc(count, sizeof *state->sources);
    if (!state->sources)
        attempt_die("no memory");
    state->source_count = count;
    for (size_t i = 0; i < count; i++) {
        struct source *source = &state->sources[i];
        source->path = paths[i];
        if (!state->options.command)
            text_adds(&source->text, state->text);
        else if (text_read(&source->text, paths[i], SOURCE_BYTES, &error))
            attempt_die(error.text);
        if (!source->text.at)
            attempt_die("no memory");
        mutants_list(&source->mutants, source->text.at);
    }
}

static void open_folder(struct state *state)
{
    strcpy(state->folder, "/tmp/autotune-mutate-XXXXXX");
    if (!mkdtemp(state->folder))
        attempt_die("no folder for the changed source");
}

static void remove_folder(const struct state *state)
{
    char command[80];
    snprintf(command, sizeof command, "rm -rf %s", state->folder);
    if (system(command))
        attempt_die("the folder of the changed source stays");
}

int main(int argc, char **argv)
{
    static struct state state = {.options = {.sample = 1, .parts = 1, .tries = 3}};
    struct options *options = &state.options;
    unsigned long part;
    int letter;
    while ((letter = getopt(argc, argv, "s:p:t:l:e:n:o:r:c:f:d:v")) != -1) {
        char *behind;
        switch (letter) {
        case 's': options->sample = strtoul(optarg, NULL, 10); break;
        case 'p':
            part = strtoul(optarg, &behind, 10);
            options->parts = *behind == '/' ? strtoul(behind + 1, NULL, 10) : 0;
            options->part = part - 1;
            if (part < 1 || part > options->parts)
                attempt_die("-p takes K/M, as 1/4");
            break;
        case 't': options->tries = (unsigned)strtoul(optarg, NULL, 10); break;
        case 'l': options->seconds = (unsigned)strtoul(optarg, NULL, 10); break;
        case 'n': options->line = strtoul(optarg, NULL, 10); break;
        case 'o': options->log = optarg; break;
        case 'r': options->seed = strtoul(optarg, NULL, 10); break;
        case 'c': options->command = optarg; break;
        case 'e': options->equal = optarg; break;
        case 'f': options->planted = optarg; break;
        case 'd':
            options->is_drawn = strcmp(optarg, "drawn") == 0;
            if (!options->is_drawn && strcmp(optarg, "all") != 0)
                attempt_die("-d takes all or drawn");
            options->has_all_positions = true;
            break;
        case 'v': options->is_verbose = true; break;
        default: attempt_die("its first lines say how it is called");
        }
    }
    if (options->planted && options->sample && options->tries)
        return planted_run(options->planted,
                           &(struct planted_choice){options->sample, options->part,
                                                    options->parts, options->tries,
                                                    options->has_all_positions,
                                                    options->is_drawn});
    if ((options->command ? argc - optind < 1
                          : argc - optind < 2 || argc - optind - 1 > SPACES_MAX) ||
        !options->sample || !options->tries || options->tries > TRIES_MAX)
        attempt_die("its first lines say how it is called");
    state.source = argv[optind];
    load_known(&state);
    if (options->command)
        open_folder(&state);
    else
        open_pool(&state, argv + optind + 1, (size_t)(argc - optind - 1));
    open_sources(&state, argv + optind, options->command ? (size_t)(argc - optind) : 1);
    const int status = run_mutants(&state);
    if (options->command)
        remove_folder(&state);
    for (size_t i = 0; i < state.source_count; i++) {
        text_dispose(&state.sources[i].text);
        mutants_dispose(&state.sources[i].mutants);
    }
    free(state.sources);
    for (size_t i = 0; i < state.space_count; i++) {
        free(state.spaces[i].places);
        space_free(state.spaces[i].files.space);
    }
    for (size_t i = 0; i < state.variant_count; i++)
        free(state.variants[i].of.configs);
    free(state.variants);
    free(state.known);
    return status;
}

/* choose: gathers the records that are of this problem and that can take its n, and lets find
 * grade them. What a file says is believed only as far as it is a point of the space that its
 * rules allow here. */
#include "autotune/library/choose.h"

#include "autotune/embedded.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MUST_MATCH = RECORD_PROBLEM | RECORD_SPACE | RECORD_CODE };

/* --- Which records count ------------------------------------------------------------------ */

static void make_key(struct record *out, const struct choose_request *request)
{
    const struct device_info *info = request->info;
    *out = (struct record){
        .problem = *request->problem,
        .space_hash = request->shelf->space->hash,
        .sources_hash = request->shelf->sources_hash,
        .method = RECORD_METHOD,
        .cc = info->target.cc,
        .sms = info->target.sms,
        .memory_clock_khz = info->memory_clock_khz,
        .bus_bits = info->bus_bits,
        .source = info->target.is_host ? RECORD_EMULATED : RECORD_MEASURED,
    };
    snprintf(out->space, sizeof out->space, "%s", request->shelf->space->name);
    snprintf(out->gpu, sizeof out->gpu, "%s", info->name);
    snprintf(out->driver, sizeof out->driver, "%s", info->driver);
    snprintf(out->compiler, sizeof out->compiler, "%s", info->compiler);
}

/* Do the rules allow the row for n elements on this device? -1 with the reason when not. What
 * is allowed for some n is right for every smaller one, and only for speed left out there. */
static int check_row(const struct choose_request *request, const int64_t *row, uint64_t n,
                     struct error *reason)
{
    struct problem problem = *request->problem;
    const struct point_context context = {request->shelf->space, &problem,
                                          &request->info->target};
    problem.n = n;
    int broken = point_reject(&context, row, reason);
    if (broken == POINT_VALID)
        broken = point_reject_order(&context, row, reason);
    if (broken >= 0)
        error_set(reason, ERROR_USAGE, "%s", request->shelf->space->rules[broken].reason);
    return broken == POINT_VALID ? 0 : -1;
}

static int read_row(const struct choose_request *request, const struct record *record,
                    int64_t *row, struct error *reason)
{
    const struct space *space = request->shelf->space;
    const uint64_t n = request->problem->n;
    memcpy(row, space->default_row, space->param_count * sizeof *row);
    return point_parse(space, record->params, row, reason) ||
                   check_row(request, row, record->problem.n > n ? record->problem.n : n,
                             reason)
               ? -1
               : 0;
}

/* The records that may be chosen, as a set of their own. */
static int gather(struct records *out, const struct records *from, const struct record *want,
                  const struct choose_request *request, struct error *warning)
{
    int64_t row[SPACE_NAMES_MAX];
    struct error reason;
    *out = (struct records){.at = calloc(from->count ? from->count : 1, sizeof *out->at)};
    if (!out->at)
        return error_memory(warning, from->count * sizeof *out->at);
    for (size_t i = 0; i < from->count; i++) {
        const struct record *record = &from->at[i];
        if (record_group_difference(want, record, MUST_MATCH))
            continue;
        if (read_row(request, record, row, &reason) == 0)
            out->at[out->count++] = *record;
        else if (warning->code == ERROR_NONE)
            error_set(warning, ERROR_IO, "a record of %s is passed over: %s", record->gpu,
                      reason.text);
    }
    return 0;
}

/* --- Where they are ----------------------------------------------------------------------- */

static bool is_file(const char *place)
{
    struct stat status;
    return place && stat(place, &status) == 0 && !S_ISDIR(status.st_mode);
}

int choose_folder(struct text *out, const struct choose_records *records,
                  struct autotune_error *error)
{
    struct error cause;
    if (is_file(records->place))
        return fail(error, AUTOTUNE_BAD_ARGUMENT,
                    "autotune_context_options.records is the file %.500s: give a folder, so "
                    "that tuning can keep its record",
                    records->place);
    return store_folder(out, records->place, &cause)
               ? fail_for(error, AUTOTUNE_BAD_ARGUMENT, &cause)
               : 0;
}

static void note(struct error *warning, const struct records *records)
{
    if (records->skipped && warning->code == ERROR_NONE)
        *warning = records->reason;
}

/* Whatever writes the file puts a new one in its place. */
static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mode == b->st_mode && a->st_uid == b->st_uid &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static int load_own(struct choose_records *records, const char *path, struct error *error)
{
    struct stat now = {0};
    if (lstat(path, &now) != 0)
        now = (struct stat){0};
    if (records->has_own && is_same(&now, &records->own_stat))
        return 0;
    store_dispose(&records->own);
    records->has_own = false;
    if (store_load(&records->own, path, error))
        return -1;
    records->has_own = true;
    records->own_stat = now;
    return 0;
}

static int load_shipped(struct choose_records *records, struct error *error)
{
    struct records *all = &records->shipped;
    for (size_t i = 0; i < embedded_count && !records->has_shipped; i++) {
        const struct embedded *file = &embedded_files[i];
        struct records some = {0};
        if (strncmp(file->name, "configs/tuned/", 14) != 0)
            continue;
        if (store_load_bytes(&some, file->name, file->bytes, file->length, error))
            return -1;
        const size_t bytes = (all->count + some.count + 1) * sizeof *all->at;
        struct record *grown = realloc(all->at, bytes);
        if (grown) {
            memcpy(grown + all->count, some.at, some.count * sizeof *grown);
            all->at = grown;
            all->count += some.count;
        }
        store_dispose(&some);
        if (!grown)
            return error_memory(error, bytes);
    }
    records->has_shipped = true;
    return 0;
}

static bool is_record_file(const char *name)
{
    const size_t length = strlen(name);
    return length > 4 && name[0] != '.' && strcmp(name + length - 4, ".ini") == 0;
}

/* The other files of the folder, of which only what may be chosen is kept. */
static int gather_others(struct records *sets, size_t *count, const char *folder,
                         const char *own, const struct record *want,
                         const struct choose_request *request, struct error *warning)
{
    DIR *open = opendir(folder);
    int failed = 0;
    for (struct dirent *entry;
         open && !failed && *count < CHOOSE_SETS_MAX && (entry = readdir(open)) != NULL;) {
        struct records some = {0};
        struct error ignored = {.code = ERROR_NONE};
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (!is_record_file(entry->d_name) || strcmp(path, own) == 0)
            continue;
        failed = store_load(&some, path, warning) ||
                 gather(&sets[(*count)++], &some, want, request, &ignored);
        store_dispose(&some);
    }
    if (open)
        closedir(open);
    return failed;
}

/* --- Choosing ----------------------------------------------------------------------------- */

/* What was found among which records. */
struct search {
    struct records sets[CHOOSE_SETS_MAX], shipped;
    size_t count;
    struct record want;
    struct find_result found;
};

static void grade(struct search *search)
{
    struct find_result *found = &search->found;
    find_record(found, &search->want, search->sets, search->count, &search->shipped);
    if (found->grade != FIND_STALE || *search->want.compiler)
        return;
    /* The compiler is not known before it is needed; then the plan looks again. */
    struct record alike = search->want;
    memcpy(alike.compiler, found->record.compiler, sizeof alike.compiler);
    if (!record_key_difference(&alike, &found->record))
        found->grade = FIND_EXACT;
}

/* The file of this GPU, and the folder it is in; no folder when the place is a file. */
static int find_own(struct text *folder, struct text *path,
                    const struct choose_records *records, const char *gpu, struct error *error)
{
    if (is_file(records->place))
        text_adds(path, records->place);
    else if (store_folder(folder, records->place, error) ||
             store_path(path, folder->at, gpu, error))
        return -1;
    return text_check(path, error);
}

void choose_prepare(struct choose_records *records, const struct device_info *info)
{
    struct text folder = {0}, path = {0};
    struct error ignored;
    if (find_own(&folder, &path, records, info->name, &ignored) == 0)
        load_own(records, path.at, &ignored);
    load_shipped(records, &ignored);
    text_dispose(&folder);
    text_dispose(&path);
}

static int search_own(struct search *search, struct choose_records *records,
                      const struct choose_request *request, struct error *warning)
{
    struct text folder = {0}, path = {0};
    int failed = find_own(&folder, &path, records, search->want.gpu, warning) ||
                 load_own(records, path.at, warning);
    if (!failed) {
        note(warning, &records->own);
        failed = gather(&search->sets[search->count++], &records->own, &search->want, request,
                        warning);
        grade(search);
    }
    if (!failed && folder.length && search->found.grade != FIND_EXACT) {
        failed = gather_others(search->sets, &search->count, folder.at, path.at, &search->want,
                               request, warning);
        grade(search);
    }
    text_dispose(&folder);
    text_dispose(&path);
    return failed;
}

static int search_all(struct search *search, struct choose_records *records,
                      const struct choose_request *request, struct error *warning)
{
    const bool takes_own = request->from != AUTOTUNE_FROM_SHIPPED;
    const bool takes_shipped =
        request->from == AUTOTUNE_FROM_SHIPPED || request->from == AUTOTUNE_FROM_BEST;
    struct error ignored = {.code = ERROR_NONE};
    search->found.grade = FIND_NONE;
    make_key(&search->want, request);
    /* Without a folder there are no records, which is no reason to do without a plan. */
    if (takes_own)
        search_own(search, records, request, warning);
    if (!takes_shipped || search->found.grade < FIND_SHIPPED)
        return 0;
    if (load_shipped(records, warning) ||
        gather(&search->shipped, &records->shipped, &search->want, request, &ignored))
        return -1;
    grade(search);
    return 0;
}

/* Where a record of this GPU is asked for and there is none. */
static int refuse(const struct search *search, const struct choose_request *request,
                  const struct error *warning, struct autotune_error *error)
{
    char problem[PROBLEM_CHARS];
    const char *more = warning->code == ERROR_NONE ? "" : "; ";
    problem_format(problem, request->problem);
    for (size_t set = 0; set < search->count; set++)
        for (size_t i = 0; i < search->sets[set].count; i++) {
            const struct record *record = &search->sets[set].at[i];
            if (record_group_difference(&search->want, record, RECORD_CC | RECORD_GPU))
                return fail(error, AUTOTUNE_OTHER_GPU,
                            "no record of %s for %s: there is one for %s (sm_%d), which is not "
                            "the GPU here; tune it here, or take AUTOTUNE_FROM_BEST",
                            problem, request->info->name, record->gpu, record->cc);
        }
    return fail(error, AUTOTUNE_NO_RECORD,
                "no record of %s for %s%s: tune it first, or take AUTOTUNE_FROM_BEST%s%.900s",
                problem, request->info->name,
                request->from == AUTOTUNE_FROM_SHIPPED ? " came with the library" : "", more,
                *more ? warning->text : "");
}

static int take_default(struct choice *out, const struct choose_request *request,
                        struct autotune_error *error)
{
    const struct space *space = request->shelf->space;
    const struct point_context context = {space, request->problem, &request->info->target};
    struct error reason;
    memcpy(out->row, space->default_row, space->param_count * sizeof *out->row);
    const int broken = point_reject_order(&context, out->row, &reason);
    if (broken >= 0)
        return fail(error, AUTOTUNE_NO_RECORD,
                    "the default is not deterministic (%s): tune this problem first",
                    space->rules[broken].reason);
    return broken == POINT_VALID ? 0 : fail_for(error, AUTOTUNE_FAILED, &reason);
}

static bool is_good_enough(enum autotune_from from, enum find_grade found)
{
    static const enum find_grade worst[] = {
        [AUTOTUNE_FROM_BEST] = FIND_NONE,       [AUTOTUNE_FROM_RECORD] = FIND_OTHER_N,
        [AUTOTUNE_FROM_SHIPPED] = FIND_SHIPPED, [AUTOTUNE_FROM_DEFAULT] = FIND_NONE,
        [AUTOTUNE_FROM_TUNING] = FIND_EXACT,
    };
    return found <= worst[from];
}

int choose_row(struct choice *out, struct choose_records *records,
               const struct choose_request *request, struct autotune_error *error)
{
    struct search *search = calloc(1, sizeof *search);
    int status = 0;
    if (!search)
        return fail_memory(error);
    *out = (struct choice){.warning.code = ERROR_NONE};
    search->found.grade = FIND_NONE;
    if (request->from != AUTOTUNE_FROM_DEFAULT &&
        search_all(search, records, request, &out->warning))
        status = fail_memory(error);
    else if (!is_good_enough(request->from, search->found.grade))
        status = refuse(search, request, &out->warning, error);
    else if (search->found.grade == FIND_NONE)
        status = take_default(out, request, error);
    else if (read_row(request, &search->found.record, out->row, &out->warning))
        status = fail_for(error, AUTOTUNE_FAILED, &out->warning);
    out->grade = search->found.grade;
    if (out->grade != FIND_NONE)
        out->record = search->found.record;
    for (size_t i = 0; i < search->count; i++)
        store_dispose(&search->sets[i]);
    store_dispose(&search->shipped);
    free(search);
    return status;
}

void choose_dispose(struct choose_records *records)
{
    store_dispose(&records->own);
    store_dispose(&records->shipped);
    free(records->place);
}

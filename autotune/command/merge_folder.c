/* merge_folder: finds the record files of folders by their ending, and adds the trials of their
 * journals to the journals here. A journal gets the time of the newer of the two, or its record
 * would be taken for older than it is. */
#include "autotune/command/merge_folder.h"

#include "autotune/cli/output.h"
#include "cache/journal.h"
#include "cache/journal_header.h"
#include "generator/array.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- Files -------------------------------------------------------------------------------- */

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int add_file(struct merge_files *files, const char *folder, const char *name,
                    struct error *error)
{
    struct text path = {0};
    text_addf(&path, "%s%s%s", folder, *folder ? "/" : "", name);
    if (text_check(&path, error) ||
        array_grow(&files->at, files->count, sizeof *files->at, error)) {
        text_dispose(&path);
        return -1;
    }
    files->at[files->count++] = path.at;
    return 0;
}

static bool ends_with(const char *name, const char *ending)
{
    const size_t length = strlen(name), end = strlen(ending);
    return *name != '.' && length > end && strcmp(name + length - end, ending) == 0;
}

static int is_record_file(const struct dirent *entry)
{
    return ends_with(entry->d_name, ".ini");
}

static int is_journal(const struct dirent *entry)
{
    return ends_with(entry->d_name, ".journal");
}

typedef int take_name(void *context, const char *folder, const char *name, struct error *error);

/* Hands over the names of a folder in their order; no folder has none. */
static int each_name(const char *folder, int (*is_wanted)(const struct dirent *),
                     take_name *take, void *context, struct error *error)
{
    struct dirent **names = NULL;
    const int count = scandir(folder, &names, is_wanted, alphasort);
    int failed = 0;
    if (count < 0 && errno != ENOENT)
        failed = error_set(error, ERROR_IO, "%s: cannot be read: %s: name record files", folder,
                           strerror(errno));
    for (int i = 0; i < count; i++) {
        failed = failed || take(context, folder, names[i]->d_name, error);
        free(names[i]);
    }
    free(names);
    return failed ? -1 : 0;
}

static int take_file(void *context, const char *folder, const char *name, struct error *error)
{
    return add_file(context, folder, name, error);
}

/* One that was interrupted early has journals alone. */
static int add_folder(struct merge_files *files, const char *folder, struct error *error)
{
    const size_t before = files->count;
    struct text journals = {0};
    text_addf(&journals, "%s/journal", folder);
    int failed = text_check(&journals, error) ||
                 each_name(folder, is_record_file, take_file, files, error);
    if (!failed && files->count == before && !is_folder(journals.at))
        failed =
            error_set(error, ERROR_IO,
                      "%s: there is no record file in this folder: name one that has them, "
                      "or files",
                      folder);
    text_dispose(&journals);
    return failed;
}

int merge_folder_list(struct merge_files *out, char *const *names, size_t count,
                      struct error *error)
{
    int failed = 0;
    *out = (struct merge_files){.count = 0};
    for (size_t i = 0; i < count && !failed; i++)
        failed = is_folder(names[i]) ? add_folder(out, names[i], error)
                                     : add_file(out, "", names[i], error);
    return failed;
}

void merge_folder_dispose(struct merge_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->at[i]);
    free(files->at);
    *files = (struct merge_files){.count = 0};
}

/* --- Journals ----------------------------------------------------------------------------- */

struct journals {
    const char *to;
    size_t *trials;
};

/* The time of the file; 0 without one. */
static struct timespec time_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? status.st_mtim : (struct timespec){0};
}

static struct timespec newer(struct timespec a, struct timespec b)
{
    const bool is_first = a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
    return is_first ? a : b;
}

/* Names the field of the key in which the journal there is another; NULL: none is there, or that. */
static const char *find_difference(const char *path, const struct record *key)
{
    struct journal there;
    struct record found;
    struct error ignored;
    if (journal_load(&there, &found, path, &ignored))
        return NULL;
    journal_close(&there);
    return journal_header_difference(JOURNAL_HEADER_READ, &found, key);
}

static int add_trials(const char *path, const struct record *key, const char *from,
                      size_t *trials, struct error *error)
{
    struct journal journal;
    const struct timespec now = newer(time_of(path), time_of(from));
    size_t added;
    if (journal_open(&journal, path, key, false, NULL, error))
        return -1;
    const int failed =
        journal_adopt(&journal, key, from, &added, error) || journal_sync(&journal, error) ||
        (futimens(journal.file, (struct timespec[]){now, now}) != 0 &&
         error_set(error, ERROR_IO, "cannot set the time of %s: %s", path, strerror(errno)));
    *trials += added;
    journal_close(&journal);
    return failed;
}

static int take_journal(void *context, const char *folder, const char *name,
                        struct error *error)
{
    const struct journals *journals = context;
    struct text from = {0}, to = {0};
    struct journal journal;
    struct record key;
    struct error cause;
    text_addf(&from, "%s/%s", folder, name);
    int failed = text_check(&from, error);
    if (!failed && journal_load(&journal, &key, from.at, &cause)) {
        output_warn("%s", cause.text);
    } else if (!failed) {
        journal_close(&journal);
        failed = journal_path(&to, journals->to, &key, error);
        const char *other = failed ? NULL : find_difference(to.at, &key);
        if (other)
            output_warn("%s is left out: its %s is not that of %s", from.at, other, to.at);
        else if (!failed)
            failed = add_trials(to.at, &key, from.at, journals->trials, error);
    }
    text_dispose(&from);
    text_dispose(&to);
    return failed ? -1 : 0;
}

int merge_folder_journals(const char *from, const char *to, size_t *trials, struct error *error)
{
    struct journals journals = {to, trials};
    struct text folder = {0};
    if (!is_folder(from))
        return 0;
    text_addf(&folder, "%s/journal", from);
    const int failed = text_check(&folder, error) ||
                       each_name(folder.at, is_journal, take_journal, &journals, error);
    text_dispose(&folder);
    return failed ? -1 : 0;
}

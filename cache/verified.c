/* verified: keeps a line for each operation, type, accumulator, GPU and driver. A line is compared as a whole; a
 * file that got too long is begun anew. */
#include "cache/verified.h"

#include "cache/file.h"
#include "generator/text.h"

#include <string.h>

enum { FILE_BYTES = 256 << 10 };

static void add_path(struct text *out, const char *folder)
{
    text_addf(out, "%s/proven.txt", folder);
}

/* A name with a line's end in it would be two lines. */
static void add_name(struct text *out, const char *name)
{
    for (; *name; name++)
        text_addf(out, "%c", (unsigned char)*name < ' ' ? '_' : *name);
}

/* "huber@4e0d... f32 f32 on NVIDIA H200, driver 580.159.04 (CUDA 13.0)", with a line's end on both sides. */
static void add_line(struct text *out, const struct verified *what)
{
    text_addf(out, "\n%s %s %s on ", what->problem->op->key,
              problem_types[what->problem->type].name, problem_types[what->problem->acc].name);
    add_name(out, what->gpu);
    text_adds(out, ", driver ");
    add_name(out, what->driver);
    text_adds(out, "\n");
}

/* The file's lines, the first of which is empty. */
static enum file_state read_lines(struct text *out, const char *path, struct error *reason)
{
    text_adds(out, "\n");
    return file_read(out, path, FILE_BYTES, reason);
}

static bool has_line(const struct text *lines, const struct text *line)
{
    return !lines->failed && !line->failed && strstr(lines->at, line->at) != NULL;
}

bool verified_has(const char *folder, const struct verified *what)
{
    struct text path = {0}, line = {0}, lines = {0};
    struct error ignored;
    add_path(&path, folder);
    add_line(&line, what);
    const bool has = !path.failed && read_lines(&lines, path.at, &ignored) == FILE_READ &&
                     has_line(&lines, &line);
    text_dispose(&path);
    text_dispose(&line);
    text_dispose(&lines);
    return has;
}

/* The caller has the lock. */
static int add_to(const char *path, const struct text *line, struct error *error)
{
    struct text lines = {0};
    int failed = 0;
    if (read_lines(&lines, path, error) == FILE_REFUSED) {
        failed = -1;
    } else if (!has_line(&lines, line)) {
        struct text contents = {0};
        if (lines.length + line->length < FILE_BYTES)
            text_adds(&contents, lines.at + 1);
        text_adds(&contents, line->at + 1);
        failed =
            text_check(&contents, error) || file_replace(path, path, &contents, NULL, error);
        text_dispose(&contents);
    }
    text_dispose(&lines);
    return failed ? -1 : 0;
}

int verified_add(const char *folder, const struct verified *what, struct error *error)
{
    struct text path = {0}, line = {0};
    int lock = -1;
    add_path(&path, folder);
    add_line(&line, what);
    int failed = text_check(&path, error) || text_check(&line, error) ||
                 file_make_folder(folder, error) || (lock = file_lock(path.at, error)) < 0;
    if (!failed)
        failed = add_to(path.at, &line, error);
    if (lock >= 0)
        file_unlock(lock);
    text_dispose(&path);
    text_dispose(&line);
    return failed ? -1 : 0;
}

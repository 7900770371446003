/* many_work: keeps a cache of its own in a temporary folder, in which the record file and the journal that
 * rank 0 sends are put. A problem is a part of the list by itself (--part), so that autotune is run as
 * anybody runs it; what its journal grows by goes to rank 0 as it grows. */
#include "autotune/many/many_work.h"

#include "autotune/cli/output.h"
#include "autotune/cli/setup.h"
#include "autotune/device/monotonic.h"
#include "autotune/device/temporary.h"
#include "autotune/print/csv.h"
#include "cache/file.h"
#include "cache/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 32, WHY_CHARS = 400 };
static const double TRIALS_S = 2;

struct many_work {
    struct many_work_options options;
    struct temporary folder; /* the cache */
    enum { IDLE, ASKS, LOOKS, TUNES, ENDED } state;
    uint32_t problem;
    char problem_text[PROBLEM_CHARS], space[sizeof((struct record *)0)->space];
    struct text part;    /* the folder of the problem's part */
    struct text journal; /* its file; "" where the name is not known */
    struct text sent;    /* of the journal, as rank 0 has it */
    pid_t process;
    double begun, last_trials;
    struct text warned; /* of processes, each once */
};

static void send(struct many_work *work, enum many_letter kind, struct text *letter)
{
    const struct many_post *post = work->options.post;
    post->send(post->context, 0, kind, letter);
}

/* --- The process -------------------------------------------------------------------------- */

struct command {
    const char *at[ARGUMENTS_MAX];
    size_t count;
    char part[48], budget[32], seed[32];
    struct text table, said;
};

static void add(struct command *command, const char *option, const char *value)
{
    command->at[command->count++] = option;
    if (value)
        command->at[command->count++] = value;
}

/* The options that hold for all of a list, as they were given. */
static void add_shared(struct command *command, const struct request *request)
{
    add(command, "--problems", request->problems);
    add(command, "--device", request->device);
    add(command, "--quiet", NULL);
    if (request->nvrtc)
        add(command, "--nvrtc", request->nvrtc);
    if (request->space)
        add(command, "--space", request->space);
    if (request->template)
        add(command, "--template", request->template);
    if (request->has_strategy)
        add(command, "--strategy", strategy_names[request->strategy]);
    if (request->retune)
        add(command, "--retune", NULL);
    snprintf(command->seed, sizeof command->seed, "%" PRIu64, request->seed);
    add(command, "--seed", command->seed);
    snprintf(command->budget, sizeof command->budget, "%.0fms", request->budget_s * 1000);
    if (request->budget_s > 0)
        add(command, "--budget", command->budget);
}

static int make_command(struct command *command, const struct many_work *work,
                        struct error *error)
{
    const struct request *request = work->options.request;
    const uint32_t count = (uint32_t)work->options.hello->file.count;
    const bool looks = work->state == LOOKS;
    *command = (struct command){.count = 0};
    text_addf(&command->table, "%s/table.csv", work->folder.path);
    text_addf(&command->said, "%s/said", work->folder.path);
    snprintf(command->part, sizeof command->part, "%u/%" PRIu32,
             looks ? 1 : part_of(work->problem, count) + 1, looks ? 1 : count);
    add(command, work->options.program, "tune");
    add_shared(command, request);
    add(command, "--cache", work->folder.path);
    add(command, "--part", command->part);
    add(command, "--csv", command->table.at);
    if (looks)
        add(command, "--dry-run", NULL);
    if (request->replay && !looks)
        add(command, "--replay", work->part.at);
    add(command, NULL, NULL);
    unlink(command->table.at ? command->table.at : "");
    return text_check(&command->table, error) || text_check(&command->said, error);
}

/* Runs in the forked process. It ends with this one, and its signals are as a program expects them. */
static _Noreturn void run_child(char *const *argv, int said, pid_t parent)
{
    sigset_t none;
    sigemptyset(&none);
    setpgid(0, 0); /* mpirun's signals are for this one */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (getppid() == parent && dup2(null, STDIN_FILENO) >= 0 &&
        dup2(null, STDOUT_FILENO) >= 0 && dup2(said, STDERR_FILENO) >= 0)
        execv(argv[0], argv);
    _exit(127);
}

static int start(struct many_work *work, struct error *error)
{
    struct command command;
    int failed = make_command(&command, work, error);
    const int said =
        failed ? -1 : open(command.said.at, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (!failed && said < 0)
        failed = file_error("open", command.said.at, error);
    const pid_t parent = getpid();
    work->begun = work->last_trials = monotonic_s();
    if (!failed) {
        work->process = fork();
        if (work->process == 0)
            run_child((char *const *)(uintptr_t)command.at, said, parent);
        if (work->process < 0)
            failed = error_set(error, ERROR_FAILED, "no process can be started: %s",
                               strerror(errno));
    }
    if (said >= 0)
        close(said);
    text_dispose(&command.table);
    text_dispose(&command.said);
    return failed ? -1 : 0;
}

/* With the workers that it has started: each ends with the process that did. */
static void end_process(struct many_work *work)
{
    if (work->process <= 0)
        return;
    kill(work->process, SIGKILL);
    while (waitpid(work->process, NULL, 0) < 0 && errno == EINTR)
        continue;
    work->process = 0;
}

/* --- Files of the cache here -------------------------------------------------------------- */

static int write_file(const char *path, const char *bytes, size_t length, struct error *error)
{
    if (file_make_folder_of(path, error))
        return -1;
    const int file = file_open(path, O_WRONLY | O_CREAT | O_TRUNC, error);
    if (file < 0)
        return -1;
    const int failed = file_write(file, bytes, length) ? file_error("write", path, error) : 0;
    close(file);
    return failed ? -1 : 0;
}

static void read_own(struct text *out, const struct many_work *work, const char *name)
{
    struct text path = {0};
    struct error ignored;
    text_addf(&path, "%s/%s", work->folder.path, name);
    if (text_check(&path, &ignored) == 0)
        text_read(out, path.at, JOURNAL_BYTES_MAX, &ignored);
    text_add(out, "", 0);
    text_dispose(&path);
}

/* The records that rank 0 has of this kind of device, which it sends once. */
static int put_records(struct many_work *work, const struct text *letter, struct error *error)
{
    struct text path = {0};
    size_t length, at = 0;
    const char *records = many_letter_next(letter, "records", &length, &at);
    int failed = 0;
    if (records)
        failed =
            store_path(&path, work->folder.path, many_letter_string(letter, "gpu"), error) ||
            write_file(path.at, records, length, error);
    text_dispose(&path);
    return failed ? -1 : 0;
}

/* The time is that of the last trial, by which a record made of the journal is dated, and by which one that
 * is older than its record is told from one that was begun after it. */
static int put_journal(struct many_work *work, const struct text *letter, struct error *error)
{
    size_t length, at = 0;
    const char *bytes = many_letter_next(letter, "bytes", &length, &at);
    const time_t time = (time_t)many_letter_number(letter, "time");
    const struct timespec times[2] = {{.tv_sec = time}, {.tv_sec = time}};
    text_clear(&work->sent);
    if (!bytes || !work->journal.length)
        return 0;
    text_add(&work->sent, bytes, length);
    if (text_check(&work->sent, error) || write_file(work->journal.at, bytes, length, error))
        return -1;
    return utimensat(AT_FDCWD, work->journal.at, times, 0)
               ? file_error("date", work->journal.at, error)
               : 0;
}

/* --- Trials ------------------------------------------------------------------------------- */

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* What the journal has that rank 0 has not; of one that was begun anew, all. */
static void send_trials(struct many_work *work)
{
    struct text now = {0}, letter = {0};
    struct text *sent = &work->sent;
    struct stat status;
    struct error ignored;
    work->last_trials = monotonic_s();
    if (!work->journal.length || stat(work->journal.at, &status) ||
        text_read(&now, work->journal.at, JOURNAL_BYTES_MAX, &ignored) || !now.length) {
        text_dispose(&now);
        return;
    }
    while (now.length > sent->length && now.at[now.length - 1] != '\n')
        now.length--; /* of a line that is being written */
    const bool goes_on = now.length >= sent->length &&
                         (!sent->length || memcmp(now.at, sent->at, sent->length) == 0);
    const size_t from = goes_on ? sent->length : 0;
    if (now.length > from) {
        many_letter_addf(&letter, "problem", "%" PRIu32, work->problem);
        many_letter_addf(&letter, "journal", "%s", name_of(work->journal.at));
        many_letter_addf(&letter, "from", "%zu", from);
        many_letter_addf(&letter, "time", "%lld", (long long)status.st_mtime);
        many_letter_add(&letter, "bytes", now.at + from, now.length - from);
        send(work, MANY_TRIALS, &letter);
    }
    text_dispose(sent);
    *sent = now;
}

/* --- What became of a problem ------------------------------------------------------------- */

/* Each warning once: of all problems of a list many are the same. Returns the last line. */
static void relay_warnings(struct many_work *work, char last[WHY_CHARS])
{
    struct text said = {0};
    char *rest;
    *last = '\0';
    read_own(&said, work, "said");
    for (char *line = said.at ? strtok_r(said.at, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        static const char start[] = "autotune: warning: ";
        snprintf(last, WHY_CHARS, "%s", line);
        if (strncmp(line, start, sizeof start - 1) != 0 ||
            (work->warned.at && strstr(work->warned.at, line)))
            continue;
        output_warn("%s", line + sizeof start - 1);
        text_addf(&work->warned, "%s\n", line);
    }
    text_dispose(&said);
}

static void describe_end(char why[WHY_CHARS], int status, const char *last)
{
    if (WIFSIGNALED(status))
        snprintf(why, WHY_CHARS, "was ended by signal %d", WTERMSIG(status));
    else
        snprintf(why, WHY_CHARS, "ended with status %d%s%.300s", WEXITSTATUS(status),
                 *last ? ": " : "", last);
}

static void add_record(struct text *letter, const struct many_work *work)
{
    struct text path = {0}, bytes = {0};
    struct error ignored;
    if (store_path(&path, work->part.at, work->options.hello->info.name, &ignored) == 0 &&
        text_read(&bytes, path.at, JOURNAL_BYTES_MAX, &ignored) == 0)
        many_letter_add(letter, "record", bytes.at, bytes.length);
    text_dispose(&bytes);
    text_dispose(&path);
}

/* The row of the table that the process has written; false where there is none. */
static bool add_result(struct text *letter, const struct many_work *work, int status)
{
    struct text table = {0};
    struct csv csv;
    struct error ignored;
    read_own(&table, work, "table.csv");
    bool is_there =
        table.length && csv_load(&csv, "table", table.at, table.length, &ignored) == 0;
    if (is_there) {
        is_there = csv.rows == 1;
        if (is_there) {
            many_letter_addf(letter, "outcome", "%s",
                             csv_at(&csv, 0, csv_find(&csv, "result")));
            many_letter_addf(letter, "seconds", "%s",
                             csv_at(&csv, 0, csv_find(&csv, "seconds")));
            many_letter_addf(letter, "code", "%d", WIFEXITED(status) ? WEXITSTATUS(status) : 0);
            many_letter_addf(letter, "error", "%s", csv_at(&csv, 0, csv_find(&csv, "error")));
        }
        csv_dispose(&csv);
    }
    text_dispose(&table);
    return is_there;
}

static void ask_for_next(struct many_work *work, struct text *letter)
{
    work->state = IDLE;
    send(work, MANY_NEXT, letter);
}

static void tell_lost(struct many_work *work, const char *why)
{
    struct text letter = {0};
    many_letter_addf(&letter, "problem", "%" PRIu32, work->problem);
    many_letter_addf(&letter, "lost", "%s", why);
    ask_for_next(work, &letter);
}

static void tell_tuned(struct many_work *work, int status, const char *last)
{
    struct text letter = {0};
    char why[WHY_CHARS];
    send_trials(work);
    many_letter_addf(&letter, "problem", "%" PRIu32, work->problem);
    many_letter_addf(&letter, "text", "%s", work->problem_text);
    many_letter_addf(&letter, "space", "%s", work->space);
    if (add_result(&letter, work, status)) {
        add_record(&letter, work);
        if (work->journal.length) /* records alone are of use to what follows */
            unlink(work->journal.at);
        ask_for_next(work, &letter);
        return;
    }
    text_dispose(&letter);
    describe_end(why, status, last);
    tell_lost(work, why);
}

static void tell_known(struct many_work *work)
{
    struct text letter = {0}, table = {0};
    read_own(&table, work, "table.csv");
    many_letter_addf(&letter, "is_plan", "1");
    many_letter_add(&letter, "plan", table.at ? table.at : "", table.length);
    text_dispose(&table);
    ask_for_next(work, &letter);
}

/* --- Letters ------------------------------------------------------------------------------ */

/* The problem with what the space adds to it, which the names of its files are of. A line that cannot be
 * set up has none: its process says why. */
static int name_files(struct many_work *work, struct error *error)
{
    const struct device_info *info = &work->options.hello->info;
    const uint32_t count = (uint32_t)work->options.hello->file.count;
    struct request own = work->options.hello->file.at[work->problem];
    struct record key = {.method = RECORD_METHOD};
    struct setup setup;
    struct error ignored;
    text_clear(&work->part);
    text_clear(&work->journal);
    problem_format(work->problem_text, &own.problem);
    *work->space = '\0';
    text_addf(&work->part, "%s/parts/%u-of-%" PRIu32, work->folder.path,
              part_of(work->problem, count) + 1, count);
    if (text_check(&work->part, error))
        return -1;
    own.arch = info->target.is_host ? "host" : NULL;
    if (setup_open(&setup, &own, false, &ignored))
        return 0;
    problem_format(work->problem_text, &setup.problem);
    snprintf(work->space, sizeof work->space, "%s", setup.space->name);
    key.problem = setup.problem;
    snprintf(key.gpu, sizeof key.gpu, "%s", info->name);
    setup_close(&setup);
    return journal_path(&work->journal, work->part.at, &key, error);
}

static int begin_problem(struct many_work *work, const struct text *letter, struct error *error)
{
    struct text ask = {0};
    work->problem = (uint32_t)many_letter_number(letter, "problem");
    if (work->problem >= work->options.hello->file.count)
        return error_set(error, ERROR_FAILED, "rank 0 named a problem that is not in the list");
    if (put_records(work, letter, error) || name_files(work, error))
        return -1;
    if (!work->journal.length) {
        work->state = TUNES;
        return start(work, error);
    }
    work->state = ASKS;
    many_letter_addf(&ask, "problem", "%" PRIu32, work->problem);
    many_letter_addf(&ask, "journal", "%s", name_of(work->journal.at));
    send(work, MANY_ASK, &ask);
    return 0;
}

static int look(struct many_work *work, const struct text *letter, struct error *error)
{
    work->state = LOOKS;
    return put_records(work, letter, error) || start(work, error) ? -1 : 0;
}

static int go_on(struct many_work *work, const struct text *letter, struct error *error)
{
    if (put_journal(work, letter, error))
        return -1;
    work->state = TUNES;
    return start(work, error);
}

static void stop(struct many_work *work)
{
    struct text letter = {0};
    const bool has_trials = work->state == TUNES && work->process > 0;
    end_process(work);
    if (has_trials)
        send_trials(work);
    work->state = ENDED;
    send(work, MANY_STOPPED, &letter);
}

void many_work_take(struct many_work *work, enum many_letter kind, const struct text *letter)
{
    struct error error;
    int failed = 0;
    if (work->state == ENDED)
        return;
    switch (kind) {
    case MANY_PLAN: failed = look(work, letter, &error); break;
    case MANY_TUNE: failed = begin_problem(work, letter, &error); break;
    case MANY_ANSWER: failed = go_on(work, letter, &error); break;
    case MANY_STOP: stop(work); break;
    default: break;
    }
    if (failed && kind == MANY_PLAN)
        tell_known(work);
    else if (failed)
        tell_lost(work, error.text);
}

void many_work_step(struct many_work *work)
{
    int status;
    char last[WHY_CHARS];
    if (work->process <= 0)
        return;
    if (waitpid(work->process, &status, WNOHANG) != work->process) {
        if (work->state == TUNES && monotonic_s() - work->last_trials > TRIALS_S)
            send_trials(work);
        return;
    }
    work->process = 0;
    relay_warnings(work, last);
    if (work->state == LOOKS)
        tell_known(work);
    else
        tell_tuned(work, status, last);
}

/* --- At the end --------------------------------------------------------------------------- */

static void merge_records(const struct request *request, const char *gpu, const char *bytes,
                          size_t length)
{
    struct text folder = {0}, path = {0};
    struct records records;
    struct error error, moved = {.code = ERROR_NONE};
    int failed = store_folder(&folder, request->cache, &error) ||
                 store_path(&path, folder.at, gpu, &error) ||
                 store_load_bytes(&records, "what rank 0 has", bytes, length, &error);
    if (!failed) {
        failed = records.count && store_save(path.at, &records, &moved, &error);
        store_dispose(&records);
    }
    if (!failed && moved.code != ERROR_NONE)
        output_warn("%s", moved.text);
    if (failed)
        output_warn("%s: the records of this host are as they were", error.text);
    text_dispose(&path);
    text_dispose(&folder);
}

void many_work_merge(const struct request *request, const struct text *letter)
{
    const char *gpu, *records;
    size_t length, gpu_length, at = 0;
    while ((gpu = many_letter_next(letter, "gpu", &gpu_length, &at)) != NULL &&
           (records = many_letter_next(letter, "records", &length, &at)) != NULL)
        merge_records(request, gpu, records, length);
}

/* --- Begin and end ------------------------------------------------------------------------ */

struct many_work *many_work_open(const struct many_work_options *options, struct error *error)
{
    struct many_work *work = calloc(1, sizeof *work);
    struct text letter = {0};
    if (!work) {
        error_memory(error, sizeof *work);
        return NULL;
    }
    *work = (struct many_work){.options = *options, .folder = {.lock = -1}};
    temporary_sweep();
    if (temporary_open(&work->folder, error)) {
        free(work);
        return NULL;
    }
    send(work, MANY_NEXT, &letter);
    return work;
}

void many_work_close(struct many_work *work)
{
    if (!work)
        return;
    end_process(work);
    temporary_close(&work->folder);
    text_dispose(&work->part);
    text_dispose(&work->journal);
    text_dispose(&work->sent);
    text_dispose(&work->warned);
    free(work);
}

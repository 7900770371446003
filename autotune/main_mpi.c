/* main_mpi: is autotune-mpi, one process a rank, and the only file that knows MPI. It carries letters: each
 * rank asks rank 0 for a problem, and tunes it by running autotune (many_work.h); rank 0 answers between
 * (many_keep.h). Nothing here opens a GPU, and no call waits for a message. */
#include "autotune/cli/interrupt.h"
#include "autotune/cli/output.h"
#include "autotune/cli/verbs.h"
#include "autotune/device/monotonic.h"
#include "autotune/many/many_keep.h"
#include "autotune/many/many_launch.h"
#include "autotune/many/many_work.h"

#include <limits.h>
#include <mpi.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIGNAL_EXIT = 128, SHORTEST_MS = 1, LONGEST_MS = 16 };
static const double STOPPED_S = 0.6; /* mpirun kills a second after it was told to end */

/* A letter on its way to another rank. */
struct outgoing {
    MPI_Request request;
    struct text bytes;
    struct outgoing *next;
};

struct rank {
    int number, count;
    const struct request *request;
    struct many_work *work; /* NULL: it can do nothing, which was said */
    struct many_keep *keep; /* of rank 0 */
    struct outgoing *outgoing;
    int pause_ms; /* grows while nothing comes */
    bool is_ended;
};

/* --- Letters ------------------------------------------------------------------------------ */

static void drop_sent(struct rank *rank)
{
    struct outgoing **link = &rank->outgoing;
    while (*link) {
        struct outgoing *one = *link;
        int is_sent = 0;
        MPI_Test(&one->request, &is_sent, MPI_STATUS_IGNORE);
        if (!is_sent) {
            link = &one->next;
            continue;
        }
        *link = one->next;
        text_dispose(&one->bytes);
        free(one);
    }
}

static void give_up_memory(void)
{
    fprintf(stderr, "autotune-mpi: out of memory\n");
    MPI_Abort(MPI_COMM_WORLD, ERROR_FAILED);
}

/* To this rank too. */
static void send_letter(void *context, uint32_t to, enum many_letter kind, struct text *letter)
{
    struct rank *rank = context;
    const bool is_sendable = !letter->failed && letter->length <= INT_MAX;
    struct outgoing *one = is_sendable ? calloc(1, sizeof *one) : NULL;
    if (!one) {
        give_up_memory();
        return;
    }
    one->bytes = *letter;
    one->next = rank->outgoing;
    *letter = (struct text){0};
    rank->outgoing = one;
    MPI_Isend(one->bytes.at, (int)one->bytes.length, MPI_BYTE, (int)to, (int)kind,
              MPI_COMM_WORLD, &one->request);
}

/* The next letter of any rank, where one is there. */
static bool receive_letter(int *from, enum many_letter *kind, struct text *out)
{
    MPI_Status status;
    int is_there = 0, length = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &status);
    if (!is_there)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &length);
    out->at = calloc((size_t)length + 1, 1);
    out->length = (size_t)length;
    out->capacity = out->length + 1;
    if (!out->at)
        give_up_memory();
    MPI_Recv(out->at, length, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    *from = status.MPI_SOURCE;
    *kind = (enum many_letter)status.MPI_TAG;
    return true;
}

static void take_letter(struct rank *rank, int from, enum many_letter kind, struct text *letter)
{
    if (kind <= MANY_STOPPED && rank->keep) {
        many_keep_take(rank->keep, (uint32_t)from, kind, letter);
    } else if (kind == MANY_END) {
        many_work_merge(rank->request, letter);
        rank->is_ended = true;
    } else if (rank->work) {
        many_work_take(rank->work, kind, letter);
    } else if (kind == MANY_STOP) {
        send_letter(rank, 0, MANY_STOPPED, &(struct text){0});
    }
}

/* --- Ranks -------------------------------------------------------------------------------- */

static void step(struct rank *rank)
{
    struct text letter = {0};
    enum many_letter kind;
    int from;
    while (receive_letter(&from, &kind, &letter)) {
        rank->pause_ms = SHORTEST_MS;
        take_letter(rank, from, kind, &letter);
        text_dispose(&letter);
    }
    if (rank->work)
        many_work_step(rank->work);
    if (rank->keep)
        many_keep_step(rank->keep);
    drop_sent(rank);
    poll(NULL, 0, rank->outgoing ? SHORTEST_MS : rank->pause_ms);
    if (rank->pause_ms < LONGEST_MS)
        rank->pause_ms *= 2;
}

/* Rank 0: until all is done, or has stopped. False where a rank did not stop in time. */
static bool run_first(struct rank *rank)
{
    double stopped_s = 0;
    while (!many_keep_is_over(rank->keep)) {
        if (interrupt_came() && stopped_s <= 0) {
            stopped_s = monotonic_s();
            many_keep_stop(rank->keep);
        }
        if (stopped_s > 0 && monotonic_s() - stopped_s > STOPPED_S)
            return false;
        step(rank);
    }
    many_keep_end(rank->keep);
    return true;
}

static int run_rank(struct rank *rank, struct error *error)
{
    const bool is_first = rank->number == 0;
    const bool is_clean = !is_first || run_first(rank);
    while (is_clean && (!rank->is_ended || rank->outgoing))
        step(rank);
    const int failed = is_first ? many_keep_close(rank->keep, error) : 0;
    many_work_close(rank->work);
    if (failed)
        fprintf(stderr, "autotune-mpi: %s\n", error->text);
    fflush(stdout);
    if (!is_clean)
        MPI_Abort(MPI_COMM_WORLD, error_status(error->code));
    return failed;
}

/* --- Begin -------------------------------------------------------------------------------- */

/* Takes --broadcast out of the arguments: the rest is that of autotune. */
static bool take_broadcast(int *argc, char **argv)
{
    bool is_there = false;
    int kept = 1;
    for (int i = 1; i < *argc; i++) {
        if (strcmp(argv[i], "--broadcast") == 0)
            is_there = true;
        else
            argv[kept++] = argv[i];
    }
    argv[kept] = NULL;
    *argc = kept;
    return is_there;
}

/* The request refers to *words, which the caller frees after it. */
static int read_request(struct request *out, char ***words, int argc, char **argv,
                        struct error *error)
{
    static char program[] = "autotune-mpi";
    char **copy = *words = calloc((size_t)argc + 1, sizeof *copy);
    if (!copy)
        return error_memory(error, (unsigned)argc);
    memcpy(copy, argv, (size_t)argc * sizeof *copy);
    copy[0] = program;
    int failed = request_parse(out, &verb_tune, NULL, argc, copy, error);
    if (!failed && (!out->problems || out->has_part || out->dry_run))
        failed = error_set(error, ERROR_USAGE,
                           "ranks share a list out: give --problems FILE, and neither "
                           "--part nor --dry-run; see cluster.md");
    return failed;
}

/* Messages are in ordinary memory: nothing of MPI is to open a GPU, or to mind that processes are forked. */
static void prepare_mpi(void)
{
    setenv("OMPI_MCA_opal_cuda_support", "0", 1);
    setenv("OMPI_MCA_btl_smcuda_use_cuda_ipc", "0", 1);
    setenv("OMPI_MCA_mpi_warn_on_fork", "0", 1);
    setenv("UCX_MEMTYPE_CACHE", "n", 1);
    setenv("UCX_TLS", "^cuda", 0);
    setenv("UCX_LOG_LEVEL", "error", 0); /* it warns where there is no CUDA to be left out */
    setenv("RDMAV_FORK_SAFE", "1", 0);
}

/* Rank 0 says for all what ends them. */
static int open_rank(struct rank *rank, struct many_hello *hello, const char *program,
                     const struct many_post *post, bool is_broadcast, struct error *error)
{
    const struct many_keep_options keep = {.request = rank->request,
                                           .file = &hello->file,
                                           .ranks = (uint32_t)rank->count,
                                           .is_broadcast = is_broadcast,
                                           .post = post};
    const struct many_work_options work = {.program = program,
                                           .request = rank->request,
                                           .hello = hello,
                                           .post = post};
    struct text letter = {0};
    if (rank->number == 0) {
        rank->keep = many_keep_open(&keep, error);
        if (!rank->keep)
            return -1;
    }
    if (hello->error.code == ERROR_NONE) {
        rank->work = many_work_open(&work, &hello->error);
    }
    many_hello_write(&letter, hello);
    send_letter(rank, 0, MANY_HELLO, &letter);
    return 0;
}

static int run_ranks(struct rank *rank, struct many_hello *hello, const char *program,
                     bool is_broadcast, struct error *error)
{
    const struct many_post post = {rank, send_letter};
    int provided;
    prepare_mpi();
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank->number);
    MPI_Comm_size(MPI_COMM_WORLD, &rank->count);
    many_launch_leave();
    if (rank->number) { /* rank 0 says when it is over */
        signal(SIGTERM, SIG_IGN);
        signal(SIGINT, SIG_IGN);
        signal(SIGHUP, SIG_IGN);
    }
    int failed = open_rank(rank, hello, program, &post, is_broadcast, error);
    if (failed) {
        fprintf(stderr, "autotune-mpi: %s\n", error->text);
        MPI_Abort(MPI_COMM_WORLD, error_status(error->code));
    } else {
        failed = run_rank(rank, error);
    }
    MPI_Finalize();
    return failed;
}

int main(int argc, char **argv)
{
    struct rank rank = {.pause_ms = SHORTEST_MS};
    struct request request;
    struct many_hello hello = {.hash = 0};
    struct interrupt_guard guard;
    struct error error = {.code = ERROR_NONE};
    char **words = NULL, program[PATH_MAX];
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGCHLD, SIG_DFL); /* as in main.c */
    const bool is_broadcast = take_broadcast(&argc, argv);
    int failed = read_request(&request, &words, argc, argv, &error) ||
                 many_launch_program(program, &error);
    if (failed) {
        if (error.code != ERROR_NONE && many_launch_rank() == 0)
            fprintf(stderr, "autotune-mpi: %s\n", error.text);
    } else {
        interrupt_begin(&guard, NULL);
        many_launch_take_share();
        many_hello_find(&hello, &request);
        rank.request = &request;
        failed = run_ranks(&rank, &hello, program, is_broadcast, &error);
        many_hello_dispose(&hello);
        interrupt_end(&guard);
    }
    free(words);
    return failed && interrupt_signal() ? SIGNAL_EXIT + interrupt_signal()
           : failed                     ? error_status(error.code)
                                        : 0;
}

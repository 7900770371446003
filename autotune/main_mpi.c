/* main_mpi: is autotune-mpi, one process a rank. Before MPI_Init it starts this rank's coordinator, an
 * autotune without MPI; from then on it carries messages between it and rank 0, which shares the list
 * out (tune_share.h). Nothing here opens a GPU, and no call waits for a message. */
#include "autotune/cli/interrupt.h"
#include "autotune/cli/request.h"
#include "autotune/cli/verbs.h"
#include "autotune/device/monotonic.h"
#include "autotune/search/worker_process.h"
#include "autotune/share/share_message.h"
#include "autotune/share/wire_socket.h"
#include "autotune/tune/tune_serve.h"
#include "autotune/tune/tune_share.h"

#include <dirent.h>
#include <limits.h>
#include <mpi.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SIGNAL_EXIT = 128,
    TAG = 26,
    SHORTEST_MS = 1,
    LONGEST_MS = 20,
    ALIVE_S = 1,
    REAP_NS = 500000000
};

/* A message on its way to another rank. */
struct outgoing {
    MPI_Request request;
    struct text bytes;
    struct outgoing *next;
};

struct rank {
    int number, count;
    pid_t coordinator;
    struct wire_socket socket; /* of it */
    bool has_told_end;         /* of the coordinator, to rank 0 */
    struct outgoing *outgoing;
    int pause_ms; /* grows while nothing comes */
    double last_alive, last_said;
};

/* --- The coordinator ---------------------------------------------------------------------- */

static bool begins_with(const char *string, const char *start)
{
    return strncmp(string, start, strlen(start)) == 0;
}

/* An MPI that the coordinator or one of its children would find there is not theirs. */
static bool is_of_launcher(const char *variable)
{
    static const char *const starts[] = {"OMPI_", "PMIX_", "PMI_", "PRTE_", "MPI_LOCAL"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (begins_with(variable, starts[i]))
            return true;
    return false;
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

/* Where nobody has said which GPUs this rank sees, those of a host are given out in turn. */
static char *visible_gpu(void)
{
    static char variable[48];
    const unsigned gpus = count_gpus();
    if (gpus < 2 || getenv("CUDA_VISIBLE_DEVICES") || local_count() < 2)
        return NULL;
    snprintf(variable, sizeof variable, "CUDA_VISIBLE_DEVICES=%u", local_rank() % gpus);
    return variable;
}

static char **clean_environment(void)
{
    size_t count = 0, kept = 0;
    char *gpu = visible_gpu();
    while (environ[count])
        count++;
    char **out = calloc(count + 2, sizeof *out);
    for (size_t i = 0; out && i < count; i++)
        if (!is_of_launcher(environ[i]))
            out[kept++] = environ[i];
    if (out && gpu)
        out[kept] = gpu;
    return out;
}

/* The autotune that lies beside this program. */
static int find_program(char out[PATH_MAX], struct error *error)
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

static int start_coordinator(struct rank *rank, int argc, char **argv, struct error *error)
{
    char program[PATH_MAX], argument[] = TUNE_SERVE_ARGUMENT, local[16];
    char **own = calloc((size_t)argc + 3, sizeof *own), **before = environ;
    char **clean = clean_environment();
    int failed = own && clean ? find_program(program, error) : error_memory(error, 0);
    if (!failed) {
        snprintf(local, sizeof local, "%u", local_count());
        own[0] = program;
        own[1] = argument;
        own[2] = local;
        memcpy(own + 3, argv + 1, (size_t)argc * sizeof *own - sizeof *own);
        environ = clean;
        rank->coordinator = worker_process_start(&rank->socket.file, own, error);
        environ = before;
        failed = rank->coordinator < 0;
    }
    free(own);
    free(clean);
    return failed ? -1 : 0;
}

static void end_coordinator(struct rank *rank)
{
    const uint64_t now = monotonic_ns();
    worker_process_reap(rank->coordinator, now + REAP_NS, now + 4ULL * REAP_NS);
    close(rank->socket.file);
    wire_socket_dispose(&rank->socket);
}

/* --- MPI ---------------------------------------------------------------------------------- */

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

static void send_mpi(struct rank *rank, int to, const struct wire *message)
{
    struct outgoing *one = calloc(1, sizeof *one);
    if (one)
        wire_pack(&one->bytes, message);
    if (!one || one->bytes.failed) {
        fprintf(stderr, "autotune-mpi: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, ERROR_FAILED);
        return;
    }
    MPI_Isend(one->bytes.at, (int)one->bytes.length, MPI_BYTE, to, TAG, MPI_COMM_WORLD,
              &one->request);
    one->next = rank->outgoing;
    rank->outgoing = one;
}

/* The next message of any rank: 1, or 0. */
static int receive_mpi(int *from, struct wire *out, struct error *error)
{
    struct wire_stream stream = {.first = 0};
    MPI_Status status;
    int is_there = 0, length = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &is_there, &status);
    if (!is_there)
        return 0;
    MPI_Get_count(&status, MPI_BYTE, &length);
    char *bytes = malloc((size_t)length + 1);
    if (!bytes)
        return error_memory(error, (unsigned)length);
    MPI_Recv(bytes, length, MPI_BYTE, status.MPI_SOURCE, TAG, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    text_add(&stream.bytes, bytes, (size_t)length);
    free(bytes);
    *from = status.MPI_SOURCE;
    const int took = wire_take(out, &stream, error);
    text_dispose(&stream.bytes);
    return took == 0 ? error_set(error, ERROR_FAILED, "half a message came") : took;
}

/* --- What a rank says of its coordinator ---------------------------------------------------- */

static int take_end(struct rank *rank, struct wire *out)
{
    char how[160];
    const uint64_t now = monotonic_ns();
    if (rank->has_told_end)
        return 0;
    const struct worker_process_ending ending =
        worker_process_reap(rank->coordinator, now + REAP_NS, now + 4ULL * REAP_NS);
    char text[200];
    worker_process_describe(&ending, false, how, sizeof how);
    snprintf(text, sizeof text, "has no coordinator any more, as %s", how);
    *out = (struct wire){.kind = SHARE_LOST};
    wire_put_string(out, text);
    rank->has_told_end = true;
    return 1;
}

static int take_alive(struct rank *rank, struct wire *out)
{
    const double now = monotonic_s();
    if (now - rank->last_alive < ALIVE_S)
        return 0;
    rank->last_alive = now;
    *out = (struct wire){.kind = SHARE_ALIVE};
    wire_put_real(out, now - rank->last_said);
    return 1;
}

/* The next message of the coordinator, or of the rank about it: 1, 0, or -1. */
static int take_own(struct rank *rank, struct wire *out, struct error *error)
{
    wire_socket_pump(&rank->socket, 0);
    const int took = wire_take(out, &rank->socket.in, error);
    if (took > 0)
        rank->last_said = monotonic_s();
    if (took)
        return took;
    return rank->socket.is_closed ? take_end(rank, out) : take_alive(rank, out);
}

/* --- Ranks ---------------------------------------------------------------------------------- */

/* Until the coordinator or `file` (-1 = none) has something, or for a while. */
static void pause_for(struct rank *rank, int file)
{
    struct pollfd files[2] = {{.fd = rank->socket.is_closed ? -1 : rank->socket.file,
                               .events = POLLIN},
                              {.fd = file, .events = POLLIN}};
    if (wire_socket_is_full(&rank->socket))
        files[0].events |= POLLOUT;
    if (poll(files, 2, rank->pause_ms) > 0)
        rank->pause_ms = SHORTEST_MS;
    else if (rank->pause_ms < LONGEST_MS)
        rank->pause_ms *= 2;
    drop_sent(rank);
}

static void send_own(void *context, uint32_t to, const struct wire *message)
{
    struct rank *rank = context;
    rank->pause_ms = SHORTEST_MS;
    if (to == 0)
        wire_socket_send(&rank->socket, message);
    else
        send_mpi(rank, (int)to, message);
}

static int receive_any(void *context, uint32_t *from, struct wire *out, struct error *error)
{
    struct rank *rank = context;
    int source = 0;
    int took = take_own(rank, out, error);
    if (took == 0)
        took = receive_mpi(&source, out, error);
    if (took > 0)
        rank->pause_ms = SHORTEST_MS;
    *from = (uint32_t)source;
    return took;
}

static void wait_any(void *context, int file)
{
    struct rank *rank = context;
    pause_for(rank, file);
}

/* The other ranks: until the coordinator has ended after rank 0 said so. */
static int relay(struct rank *rank, struct error *error)
{
    bool is_ending = false;
    while (!is_ending || !rank->has_told_end) {
        struct wire message;
        int from, got, took;
        while ((took = take_own(rank, &message, error)) > 0) {
            send_mpi(rank, 0, &message);
            wire_dispose(&message);
        }
        while (took == 0 && (got = receive_mpi(&from, &message, error)) != 0) {
            if (got < 0)
                return -1;
            is_ending |= message.kind == SHARE_END;
            rank->pause_ms = SHORTEST_MS;
            wire_socket_send(&rank->socket, &message);
            wire_dispose(&message);
        }
        if (took < 0)
            return -1;
        pause_for(rank, -1);
    }
    while (rank->outgoing)
        drop_sent(rank);
    return 0;
}

static int run(struct rank *rank, const struct request *request, bool is_broadcast,
               struct error *error)
{
    const struct tune_share_transport transport = {.context = rank,
                                                   .ranks = (uint32_t)rank->count,
                                                   .send = send_own,
                                                   .receive = receive_any,
                                                   .wait = wait_any};
    bool is_clean = true;
    const int failed = rank->number == 0
                           ? tune_share(&is_clean, request, is_broadcast, &transport, error)
                           : relay(rank, error);
    if (failed)
        fprintf(stderr, "autotune-mpi: %s\n", error->text);
    fflush(stdout);
    if (!is_clean || (failed && rank->number))
        MPI_Abort(MPI_COMM_WORLD, failed ? (int)error->code : 0);
    return failed;
}

/* --- Begin ---------------------------------------------------------------------------------- */

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
                           "autotune-mpi shares a list out: give --problems FILE, and neither "
                           "--part nor --dry-run; see cluster.md");
    return failed;
}

static int first_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "SLURM_PROCID", NULL};
    return (int)read_variable(names, 0);
}

/* Messages are in ordinary memory: nothing of MPI is to open a GPU. */
static void keep_mpi_off_gpus(void)
{
    setenv("OMPI_MCA_opal_cuda_support", "0", 1);
    setenv("OMPI_MCA_btl_smcuda_use_cuda_ipc", "0", 1);
    setenv("UCX_MEMTYPE_CACHE", "n", 1);
    setenv("UCX_TLS", "^cuda", 0);
}

int main(int argc, char **argv)
{
    struct rank rank = {.pause_ms = SHORTEST_MS};
    struct request request;
    struct error error = {.code = ERROR_NONE};
    char **words = NULL;
    int provided;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGCHLD, SIG_DFL); /* as in main.c */
    const bool is_broadcast = take_broadcast(&argc, argv);
    int failed = read_request(&request, &words, argc, argv, &error) ||
                 start_coordinator(&rank, argc, argv, &error);
    if (failed) {
        if (error.code != ERROR_NONE && first_rank() == 0)
            fprintf(stderr, "autotune-mpi: %s\n", error.text);
        free(words);
        return (int)error.code;
    }
    keep_mpi_off_gpus();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank.number);
    MPI_Comm_size(MPI_COMM_WORLD, &rank.count);
    rank.last_said = monotonic_s();
    if (rank.number) { /* rank 0 says when it is over */
        signal(SIGTERM, SIG_IGN);
        signal(SIGINT, SIG_IGN);
        signal(SIGHUP, SIG_IGN);
    }
    failed = run(&rank, &request, is_broadcast, &error);
    end_coordinator(&rank);
    MPI_Finalize();
    free(words);
    return failed && interrupt_signal() ? SIGNAL_EXIT + interrupt_signal()
           : failed                     ? (int)error.code
                                        : 0;
}

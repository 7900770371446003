/* Tests of autotune/share/share.c by simulation: the code of rank 0 under a transport that the test
 * drives, with up to 4096 ranks. What ranks and the file system do is modelled, in simulated time; what
 * rank 0 does is the real thing. */
#include "autotune/share/share.h"
#include "cache/file.h"
#include "generator/random.h"
#include "tests/unit/example_record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { VARIANTS = 400, LINE_BYTES = 16000, PROBLEMS = 1000 };

static const double LATENCY_S = 0.001, WRITE_S = 0.05, /* of a message, of a file */
    OPEN_S = 0.8, RACE_S = 1.0,                        /* of a problem: workers, finalists */
    LEAST_S = 2, MOST_S = 80, BEAT_S = 1, ANSWER_S = 0.05;

/* --- Events ------------------------------------------------------------------------------- */

struct event {
    double time;
    enum { TO_RANK, TO_ZERO, BEAT, NEXT, FILE_DONE, TICK } kind;
    uint32_t rank, epoch; /* of NEXT: of another epoch it is void */
    struct wire message;
    struct share_io *io;
};

/* What a rank does; `left` variants of its work at `since`. */
struct model {
    enum { AWAY, IDLE, ASKING, OPENING, WORKING, WAITING, RACING } state;
    bool is_slice, has_given;
    uint32_t kind, problem, epoch;
    double left, since; /* variants; the time at which so many were left */
    double lost_at;     /* < 0 = never */
};

struct simulation {
    struct share *share;
    uint32_t ranks, kinds, problems;
    double now, first, last_due; /* first: assignment */
    struct event *heap;
    size_t count, room;
    struct model *models;
    double *seconds; /* work of each problem of each kind, without opening and race */
    double *undone;  /* variants that nobody has done, where an owner or a helper was lost */
    size_t done, failed, saves, appends;
    char lines[LINE_BYTES];
    struct text record;
    uint64_t random;
};

static void swap(struct event *a, struct event *b)
{
    const struct event c = *a;
    *a = *b;
    *b = c;
}

static void add(struct simulation *s, struct event event)
{
    if (s->count == s->room) {
        s->room = s->room ? 2 * s->room : 1 << 16;
        s->heap = realloc(s->heap, s->room * sizeof *s->heap);
        assert_non_null(s->heap);
    }
    size_t at = s->count++;
    s->heap[at] = event;
    for (; at && s->heap[(at - 1) / 2].time > s->heap[at].time; at = (at - 1) / 2)
        swap(&s->heap[at], &s->heap[(at - 1) / 2]);
}

static struct event take(struct simulation *s)
{
    const struct event first = s->heap[0];
    s->heap[0] = s->heap[--s->count];
    for (size_t at = 0;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < s->count; child++)
            if (s->heap[child].time < s->heap[least].time)
                least = child;
        if (least == at)
            return first;
        swap(&s->heap[at], &s->heap[least]);
        at = least;
    }
}

static double draw(struct simulation *s)
{
    return (double)(random_next(&s->random) >> 11) * 0x1p-53;
}

/* --- Ranks -------------------------------------------------------------------------------- */

static bool is_lost(const struct simulation *s, uint32_t rank)
{
    return s->models[rank].lost_at >= 0 && s->now >= s->models[rank].lost_at;
}

static size_t place(const struct simulation *s, const struct model *model)
{
    return (size_t)model->kind * s->problems + model->problem;
}

static double variant_s(const struct simulation *s, const struct model *model)
{
    return s->seconds[place(s, model)] / VARIANTS;
}

static void tell(struct simulation *s, uint32_t rank, struct wire message)
{
    add(s, (struct event){.time = s->now + LATENCY_S,
                          .kind = TO_ZERO,
                          .rank = rank,
                          .message = message});
}

static struct wire about(uint16_t kind, const struct model *model)
{
    struct wire message = {.kind = kind};
    wire_put_u32(&message, model->problem);
    return message;
}

/* The next step of the rank's work is over after so long. */
static void go_on(struct simulation *s, uint32_t rank, double seconds)
{
    struct model *model = &s->models[rank];
    add(s, (struct event){.time = s->now + seconds,
                          .kind = NEXT,
                          .rank = rank,
                          .epoch = ++model->epoch});
}

static double left_now(const struct simulation *s, const struct model *model)
{
    const double left = model->state == WORKING
                            ? model->left - (s->now - model->since) / variant_s(s, model)
                            : model->left;
    return left > 0 ? left : 0;
}

static void work(struct simulation *s, uint32_t rank, double variants)
{
    struct model *model = &s->models[rank];
    model->state = WORKING;
    model->left = variants;
    model->since = s->now;
    go_on(s, rank, variants * variant_s(s, model));
}

static void send_lines(struct simulation *s, uint32_t rank)
{
    struct wire message = about(SHARE_LINES, &s->models[rank]);
    wire_put_bytes(&message, s->lines, sizeof s->lines);
    tell(s, rank, message);
}

static void send_tick(struct simulation *s, uint32_t rank)
{
    const struct model *model = &s->models[rank];
    struct wire message = {.kind = SHARE_TICK};
    const double left = left_now(s, model);
    wire_put_u32(&message, (uint32_t)left);
    wire_put_real(&message, model->state == OPENING ? -1 : left * variant_s(s, model));
    tell(s, rank, message);
}

static void end_problem(struct simulation *s, uint32_t rank)
{
    struct model *model = &s->models[rank];
    struct wire message = about(SHARE_DONE, model);
    wire_put_u32(&message, SHARE_TUNED);
    wire_put_u32(&message, ERROR_NONE);
    wire_put_string(&message, "");
    wire_put_string(&message, "done");
    wire_put_u32(&message, 0);
    wire_put_bytes(&message, s->record.at, s->record.length);
    send_lines(s, rank);
    tell(s, rank, message);
    model->state = IDLE;
    s->done++;
}

static void take_next(struct simulation *s, uint32_t rank)
{
    struct model *model = &s->models[rank];
    switch (model->state) {
    case OPENING:
        work(s, rank, model->left);
        send_tick(s, rank);
        break;
    case WORKING:
        send_lines(s, rank);
        model->left = 0;
        if (model->is_slice) {
            tell(s, rank, about(SHARE_RETURNED, model));
            model->state = IDLE;
        } else if (model->has_given) {
            tell(s, rank, about(SHARE_WORKED, model));
            model->state = WAITING;
        } else {
            model->state = RACING;
            send_tick(s, rank);
            go_on(s, rank, RACE_S);
        }
        break;
    case RACING: end_problem(s, rank); break;
    default: fail();
    }
}

static void take_give(struct simulation *s, uint32_t rank, struct wire *message)
{
    struct model *model = &s->models[rank];
    const uint32_t problem = wire_get_u32(message), wanted = wire_get_u32(message);
    const bool can = (model->state == WORKING || model->state == OPENING) &&
                     model->problem == problem && left_now(s, model) >= 2;
    const uint32_t left = can ? (uint32_t)left_now(s, model) : 0;
    const uint32_t slices = can ? (wanted < left ? wanted : left - 1) : 0;
    struct wire answer = {.kind = SHARE_GAVE};
    wire_put_u32(&answer, problem);
    wire_put_bytes(&answer, "common", 6);
    wire_put_u32(&answer, slices);
    uint32_t given = 0;
    for (uint32_t i = 0; i < slices; i++) {
        const uint32_t count = left / (slices + 1);
        char numbers[4 * VARIANTS] = {0};
        wire_put_u32(&answer, count);
        wire_put_bytes(&answer, numbers, 4 * count);
        given += count;
    }
    if (slices) {
        const double keeps = left_now(s, model) - given;
        model->has_given = true;
        model->left = keeps;
        if (model->state == WORKING)
            work(s, rank, keeps);
    }
    tell(s, rank, answer);
}

static void begin_problem(struct simulation *s, uint32_t rank, struct wire *message)
{
    struct model *model = &s->models[rank];
    model->problem = wire_get_u32(message);
    model->is_slice = message->kind == SHARE_HELP;
    model->has_given = false;
    if (!model->is_slice) {
        struct wire ask = about(SHARE_ASK, model);
        char name[64];
        snprintf(name, sizeof name, "kind-%u-problem-%u.journal", model->kind, model->problem);
        wire_put_string(&ask, name);
        tell(s, rank, ask);
        model->state = ASKING;
        return;
    }
    size_t length;
    wire_get_bytes(message, &length);
    model->left = wire_get_u32(message);
    model->state = OPENING;
    go_on(s, rank, OPEN_S);
}

static void take_journal(struct simulation *s, uint32_t rank)
{
    struct model *model = &s->models[rank];
    struct wire begin = about(SHARE_BEGIN, model);
    char name[64];
    snprintf(name, sizeof name, "kind-%u-problem-%u.journal", model->kind, model->problem);
    wire_put_string(&begin, name);
    wire_put_u32(&begin, 1);
    wire_put_bytes(&begin, s->lines, 800);
    tell(s, rank, begin);
    model->left = s->undone[place(s, model)] > 0 ? s->undone[place(s, model)] : VARIANTS;
    s->undone[place(s, model)] = 0;
    model->state = OPENING;
    go_on(s, rank, OPEN_S);
}

/* What lost helpers have left is done by the owner. */
static void take_back(struct simulation *s, uint32_t rank)
{
    struct model *model = &s->models[rank];
    const double undone = s->undone[place(s, model)];
    assert_int_equal(model->state, WAITING);
    s->undone[place(s, model)] = 0;
    model->has_given = false;
    if (undone > 0) {
        work(s, rank, undone);
        return;
    }
    model->state = RACING;
    go_on(s, rank, RACE_S);
}

static void take_message(struct simulation *s, uint32_t rank, struct wire *message)
{
    switch (message->kind) {
    case SHARE_WELCOME: s->models[rank].state = IDLE; break;
    case SHARE_TUNE:
    case SHARE_HELP:
        if (s->first < 0)
            s->first = s->now;
        begin_problem(s, rank, message);
        break;
    case SHARE_GIVE: take_give(s, rank, message); break;
    case SHARE_JOURNAL: take_journal(s, rank); break;
    case SHARE_BACK: take_back(s, rank); break;
    case SHARE_MORE:
        assert_int_equal(s->models[rank].state, WAITING);
        wire_get_u32(message);
        work(s, rank, wire_get_u32(message));
        break;
    default: break;
    }
}

/* Once a second each rank says that it is alive, and what it has done. */
static void beat(struct simulation *s, uint32_t rank)
{
    struct model *model = &s->models[rank];
    struct wire alive = {.kind = SHARE_ALIVE};
    wire_put_real(&alive, 0);
    tell(s, rank, alive);
    if (model->state == WORKING) {
        send_lines(s, rank);
        send_tick(s, rank);
    }
    add(s, (struct event){.time = s->now + BEAT_S, .kind = BEAT, .rank = rank});
}

/* --- What rank 0 asks for ------------------------------------------------------------------- */

static void send_to(void *context, uint32_t rank, const struct wire *message)
{
    struct simulation *s = context;
    struct wire copy = {.kind = message->kind};
    text_add(&copy.body, message->body.at, message->body.length);
    add(s, (struct event){.time = s->now + (message->kind == SHARE_GIVE ? ANSWER_S : LATENCY_S),
                          .kind = TO_RANK,
                          .rank = rank,
                          .message = copy});
}

static void begin(void *context, struct share_io *io)
{
    struct simulation *s = context;
    s->saves += io->kind == SHARE_IO_SAVE;
    s->appends += io->kind == SHARE_IO_APPEND;
    add(s, (struct event){.time = s->now + WRITE_S, .kind = FILE_DONE, .io = io});
}

static void add_done(void *context, const struct share_done *done)
{
    struct simulation *s = context;
    s->failed += done->outcome == SHARE_FAILED;
}

static void warn(void *context, const char *text)
{
    (void)context;
    print_message("%s\n", text);
}

static const struct share_ops ops = {send_to, begin, add_done, warn};

/* --- The run ------------------------------------------------------------------------------ */

/* What a lost rank had not done is found again by whoever goes on. */
static void lose(struct simulation *s, uint32_t rank)
{
    struct model *model = &s->models[rank];
    s->now = model->lost_at;
    if (model->state == OPENING || model->state == WORKING)
        s->undone[place(s, model)] += left_now(s, model) + BEAT_S / variant_s(s, model);
    else if (model->state == RACING || model->state == WAITING || model->state == ASKING)
        s->undone[place(s, model)] += model->state == ASKING ? VARIANTS : 1;
    model->state = AWAY;
    model->epoch++;
}

static void greet(struct simulation *s, uint32_t rank)
{
    struct wire hello = {.kind = SHARE_HELLO, .version = WIRE_VERSION};
    char text[64];
    wire_put_string(&hello, "1");
    wire_put_u64(&hello, 26);
    wire_put_u32(&hello, s->problems);
    snprintf(text, sizeof text, "kind %u", s->models[rank].kind);
    wire_put_string(&hello, text);
    wire_put_string(&hello, "gpu.ini");
    snprintf(text, sizeof text, "host-%u", rank / 4);
    wire_put_string(&hello, text);
    wire_put_u32(&hello, ERROR_NONE);
    wire_put_string(&hello, "");
    tell(s, rank, hello);
    add(s, (struct event){.time = s->now + draw(s) * BEAT_S, .kind = BEAT, .rank = rank});
}

static void take_event(struct simulation *s, struct event *event)
{
    struct model *model = &s->models[event->rank];
    const bool is_gone = event->kind != FILE_DONE && event->kind != TICK &&
                         event->kind != TO_ZERO && is_lost(s, event->rank);
    s->now = event->time;
    if (event->kind == TO_ZERO)
        share_take(s->share, event->rank, &event->message, s->now);
    else if (event->kind == FILE_DONE)
        share_io_done(s->share, event->io, s->now);
    else if (event->kind == TICK) {
        share_tick(s->share, s->now);
        add(s, (struct event){.time = s->now + 0.25, .kind = TICK});
    } else if (is_gone) {
        if (model->state != AWAY) {
            lose(s, event->rank);
            s->now = event->time;
        }
    } else if (event->kind == TO_RANK)
        take_message(s, event->rank, &event->message);
    else if (event->kind == BEAT)
        beat(s, event->rank);
    else if (event->epoch == model->epoch)
        take_next(s, event->rank);
    wire_dispose(&event->message);
}

/* A record file of one record, as ranks send it. */
static void make_record(struct text *out)
{
    struct records one = {.count = 0};
    struct record record = example_record;
    struct error error;
    char path[] = "/tmp/test-share-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    unlink(path);
    assert_int_equal(store_add(&one, &record, &error), 0);
    assert_int_equal(store_save(path, &one, NULL, &error), 0);
    assert_int_equal(text_read(out, path, 1 << 20, &error), 0);
    store_dispose(&one);
    unlink(path);
    char lock[sizeof path + 8];
    snprintf(lock, sizeof lock, "%s.lock", path);
    unlink(lock);
}

struct figures {
    double seconds, bound;
    size_t lost, slices, saves, appends;
    uint64_t bytes;
};

static double perfect(const struct simulation *s)
{
    double most = 0;
    for (uint32_t kind = 0; kind < s->kinds; kind++) {
        double all = 0;
        uint32_t ranks = 0;
        for (uint32_t i = 0; i < s->problems; i++)
            all += s->seconds[kind * s->problems + i] + OPEN_S + RACE_S;
        for (uint32_t i = 0; i < s->ranks; i++)
            ranks += s->models[i].kind == kind;
        most = fmax(most, all / ranks);
    }
    return most;
}

static struct figures simulate(uint32_t ranks, uint32_t kinds, uint32_t problems, double losses,
                               uint64_t seed)
{
    struct simulation *s = calloc(1, sizeof *s);
    struct error error;
    assert_non_null(s);
    *s = (struct simulation){.ranks = ranks,
                             .kinds = kinds,
                             .problems = problems,
                             .first = -1,
                             .now = 1,
                             .random = seed};
    s->models = calloc(ranks, sizeof *s->models);
    s->seconds = calloc((size_t)kinds * problems, sizeof *s->seconds);
    s->undone = calloc((size_t)kinds * problems, sizeof *s->undone);
    assert_true(s->models && s->seconds && s->undone);
    memset(s->lines, 'x', sizeof s->lines);
    s->lines[sizeof s->lines - 1] = '\n';
    make_record(&s->record);
    for (size_t i = 0; i < (size_t)kinds * problems; i++)
        s->seconds[i] = LEAST_S * pow(MOST_S / LEAST_S, draw(s)) - OPEN_S - RACE_S;
    const struct share_options options = {.ranks = ranks,
                                          .problems = problems,
                                          .version = "1",
                                          .ops = &ops,
                                          .context = s};
    s->share = share_open(&options, &error);
    assert_non_null(s->share);
    for (uint32_t i = 0; i < ranks; i++)
        s->models[i] = (struct model){.kind = i % kinds, .lost_at = -1};
    const double bound = perfect(s);
    for (uint32_t i = 0; i < (uint32_t)lround(losses * ranks); i++)
        s->models[1 + random_next(&s->random) % (ranks - 1)].lost_at = 1 + draw(s) * bound;
    for (uint32_t i = 0; i < ranks; i++)
        greet(s, i);
    add(s, (struct event){.time = s->now + 0.25, .kind = TICK});
    while (!share_is_over(s->share)) {
        assert_true(s->count > 0 && s->now < 20 * bound + 100);
        struct event event = take(s);
        take_event(s, &event);
    }
    if (share_error(s->share)->code != ERROR_NONE)
        print_message("%s\n", share_error(s->share)->text);
    const struct share_sum sum = share_sum(s->share);
    assert_int_equal(share_error(s->share)->code, ERROR_NONE);
    assert_int_equal(sum.outcomes[SHARE_TUNED], (size_t)kinds * problems);
    assert_int_equal(s->failed, 0);
    const struct figures figures = {.seconds = s->now - s->first,
                                    .bound = bound,
                                    .lost = sum.lost,
                                    .slices = sum.slices,
                                    .saves = s->saves,
                                    .appends = s->appends,
                                    .bytes = sum.bytes};
    share_close(s->share);
    while (s->count) {
        struct event event = take(s);
        wire_dispose(&event.message);
        if (event.io)
            share_io_free(event.io);
    }
    text_dispose(&s->record);
    free(s->heap);
    free(s->models);
    free(s->seconds);
    free(s->undone);
    free(s);
    return figures;
}

static void check(uint32_t ranks, uint32_t kinds, uint32_t problems, double losses,
                  uint64_t seed, double within)
{
    struct rusage usage;
    const struct figures figures = simulate(ranks, kinds, problems, losses, seed);
    getrusage(RUSAGE_SELF, &usage);
    print_message(
        "%u ranks, %u kinds, %u problems each, seed %u: %.1f s, perfect %.1f s: %.2f %% "
        "more; %zu lost, %zu slices, %zu saves and %zu appends of %.0f MB, %ld MB of "
        "memory with the simulation\n",
        ranks, kinds, problems, (unsigned)seed, figures.seconds, figures.bound,
        100 * (figures.seconds / figures.bound - 1), figures.lost, figures.slices,
        figures.saves, figures.appends, (double)figures.bytes * 1e-6, usage.ru_maxrss / 1024);
    assert_true(figures.seconds <= figures.bound * (1 + within));
    assert_true(usage.ru_maxrss < 1 << 20); /* KB */
}

static void test_16(void **state)
{
    (void)state;
    check(16, 4, PROBLEMS, 0, 1, 0.05);
}

static void test_256(void **state)
{
    (void)state;
    check(256, 20, PROBLEMS, 0.004, 1, 0.05);
}

/* The soak draws other durations and losses too. */
static void test_4096(void **state)
{
    const uint64_t seeds =
        getenv("SHARE_SEEDS") ? strtoull(getenv("SHARE_SEEDS"), NULL, 10) : 1;
    (void)state;
    for (uint64_t seed = 1; seed <= seeds; seed++)
        check(4096, 20, PROBLEMS, 0.001, seed, 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_16), cmocka_unit_test(test_256),
                                       cmocka_unit_test(test_4096)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

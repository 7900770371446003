/* The verb on files: a GPU's sweep and its journal, a table of bench and one of the ladder
 * become charts; what is missing is said. */
#include "autotune/cli/verbs.h"
#include "cache/journal.h"
#include "tests/unit/named_op.h"
#include "tests/unit/record_files.h"

#include <math.h>

static const char winner[] =
    "BLOCK=256 ITEMS=16 VECTOR=4 UNROLL=4 ACCUMS=1 MATH=CUDA WARP=REDUX LOAD=PLAIN "
    "STAGES=0 WALK=STRIDED MIN_BLOCKS=1 CLUSTER=1 FINISH=PACKED GRID=4";

/* A sum of i32 on a GPU of 4814 GB/s: 2 us, and the bytes at 4600 GB/s. */
static uint64_t time_of(uint64_t n)
{
    return 2000000 + n * 4 * 1000 / 4600;
}

static struct record size_record(uint64_t n, enum regime regime)
{
    struct record record = record_of(n, time_of(n));
    record.problem.regime = regime;
    snprintf(record.params, sizeof record.params, "%s", winner);
    return record;
}

/* Keeps a size of a sweep that a variant won, and what another took. */
static void keep_size(const char *path, const struct record *size, const char *params,
                      const char *other, double factor)
{
    struct records one = {0};
    struct record swept = *size, raced = *size;
    struct raced took = {.ps = (uint64_t)((double)size->median_ps * factor)};
    struct error error;
    took.high_ps = took.ps;
    strcpy(swept.swept, "2026-11-21T01:00:00Z");
    swept.loss_ppm = 10000;
    snprintf(swept.params, sizeof swept.params, "%s", params);
    snprintf(raced.params, sizeof raced.params, "%s", other);
    const struct config config = store_config(&raced);
    if (store_add(&one, &swept, &error) ||
        configs_add(&took.config, &one.configs, &config, &error))
        fail_msg("%s", error.text);
    one.at->raced[0] = took;
    one.at->raced_count = 1;
    if (store_save(path, &one, NULL, &error))
        fail_msg("%s", error.text);
    store_dispose(&one);
}

static void keep_sweep(void **state)
{
    char path[PATH_CHARS];
    path_in(path, state, record_file);
    for (uint64_t n = 1024; n <= UINT64_C(1) << 32; n *= 8) {
        struct record record = size_record(n, COLD);
        keep_size(path, &record, winner, "GRID=1", 1.5);
        record.problem.regime = WARM;
        if (n < 1 << 22)
            save(path, &record);
    }
    struct record record = size_record(400000000, COLD);
    record.sm_mhz = 1980;
    record.milliwatts = 512345;
    keep_size(path, &record, winner, "GRID=1", 1.5);
}

/* Blocks of 64 to 1024 and 1 to 64 elements a thread, but for the corner. */
static void keep_trials(void **state)
{
    const struct record record = size_record(400000000, COLD);
    struct text path = {0};
    struct journal journal;
    struct error error;
    if (journal_path(&path, *state, &record, &error) ||
        journal_open(&journal, path.at, &record, false, NULL, &error))
        fail_msg("%s", error.text);
    uint64_t identity = 0;
    for (int block = 64; block <= 1024; block *= 2)
        for (int items = 1; items <= 64; items *= 2) {
            const double off = fabs(log2(block / 256.0)) + fabs(log2(items / 16.0));
            identity++;
            struct journal_trial trial = {.identity = identity,
                                          .variant = identity,
                                          .trial.status = TRIAL_MEASURED,
                                          .trial.time_count = 1};
            trial.trial.times_ps[0] = (uint64_t)(347e6 * (1 + off * off / 8));
            snprintf(trial.params, sizeof trial.params, "BLOCK=%d ITEMS=%d VECTOR=4", block,
                     items);
            if (block * items < 1024 * 64 && journal_append(&journal, &trial, &error))
                fail_msg("%s", error.text);
        }
    journal_close(&journal);
    text_dispose(&path);
}

static const char bench[] =
    "n,cub_us,ours_us,ratio,ratio_lo,ratio_hi,ours_gbs,peak_pct,variant,op,type,regime,"
    "against,gpu\r\n"
    "1024,2.134,1.334,1.5999,1.5961,1.6027,3.1,0.1,\"BLOCK=32,ITEMS=32\","
    "sum,i32,cold,CUB 3.6.0,NVIDIA H200\r\n"
    "400000000,353.296,347.904,1.0156,1.0153,1.0158,4599.0,95.5,\"BLOCK=512\",sum,i32,cold,"
    "CUB 3.0.1,NVIDIA H200\r\n";
static const char rungs[] =
    "group,rung,kernel,threads,status,ms,bytes,gbs,peak_percent,step,reason,later,device,op,type\r\n"
    "harris,harris-1,\"1 <interleaved>, "
    "divergent\",128,measured,3.3508,1625142884,485.00,10.07,,,x,NVIDIA H200,sum,i32\r\n"
    "harris,harris-2,\"2 interleaved, bank "
    "conflicts\",128,measured,2.1569,1625142884,753.45,15.65,"
    "1.5535,,x,NVIDIA H200,sum,i32\r\n"
    "harris,harris-2,\"2 interleaved, bank "
    "conflicts\",256,measured,1.0000,1625142884,1625.14,33.76,"
    ",,x,NVIDIA H200,sum,i32\r\n"
    "harris,harris-3,3,128,wrong,,,,,,it is wrong,x,NVIDIA H200,sum,i32\r\n";

/* `autotune report` with at most six more arguments; the file that it wrote. */
static struct text report(void **state, const char *name, const char *const *more)
{
    static char words[10][PATH_CHARS];
    char *argv[11];
    int argc = 0;
    struct error error = {0};
    snprintf(words[argc++], PATH_CHARS, "autotune report");
    snprintf(words[argc++], PATH_CHARS, "--cache=%s", (char *)*state);
    snprintf(words[argc++], PATH_CHARS, "--output=%s/%s", (char *)*state, name);
    snprintf(words[argc++], PATH_CHARS, "--quiet");
    for (; more && *more; more++)
        snprintf(words[argc++], PATH_CHARS, "%s", *more);
    for (int i = 0; i < argc; i++)
        argv[i] = words[i];
    argv[argc] = NULL;
    if (verbs_run(&verb_report, argc, argv, &error))
        fail_msg("%s", error.text);
    char path[PATH_CHARS];
    return get_file(path_in(path, state, name));
}

static void check_holds(const struct text *text, const char *part)
{
    if (!strstr(text->at, part))
        fail_msg("\"%s\" is not in:\n%s", part, text->at);
}

static void check_lacks(const struct text *text, const char *part)
{
    if (strstr(text->at, part))
        fail_msg("\"%s\" is in:\n%s", part, text->at);
}

static void test_whole_page(void **state)
{
    char table[PATH_CHARS], ladder[PATH_CHARS], give_table[PATH_CHARS + 16],
        give_ladder[PATH_CHARS + 16];
    keep_sweep(state);
    keep_trials(state);
    put_file(path_in(table, state, "cub.csv"), bench, strlen(bench));
    put_file(path_in(ladder, state, "ladder.csv"), rungs, strlen(rungs));
    snprintf(give_table, sizeof give_table, "--bench=%s", table);
    snprintf(give_ladder, sizeof give_ladder, "--ladder=%s", ladder);
    struct text page =
        report(state, "page.html", (const char *const[]){give_table, give_ladder, NULL});
    check_holds(&page, "<h1>sum i32 400M cold on H200</h1>");
    check_holds(&page, "<dd class=\"figure\">4574 GB/s</dd>"); /* 349.83 us */
    check_holds(&page, "theoretical peak, 4814 GB/s");
    check_lacks(&page,
                "theoretical peak, 4816 GB/s"); /* what the table's percent would make it */
    check_holds(
        &page,
        "Faster at 2 of 2 sizes: 1.016 times at 400M to 1.600 times at 1Ki; 1.016 times at 400M");
    check_holds(
        &page,
        "<h2>sum i32 cold on NVIDIA H200 against the fastest of CUB 3.6.0, CUB 3.0.1</h2>");
    check_holds(&page,
                "sum i32, cold, on NVIDIA H200, against the fastest of CUB 3.6.0, CUB 3.0.1. "
                "From ");
    check_holds(&page, ">the fastest of CUB 3.6.0, CUB 3.0.1</th>"); /* one series */
    check_lacks(&page, ">CUB 3.0.1</th>");
    check_holds(&page, "Time in us over n, beside the fastest of CUB 3.6.0, CUB 3.0.1");
    const char *const first = strstr(page.at, "<dt>");
    assert_memory_equal(first, "<dt>faster than others</dt>", 27);
    check_holds(&page, "<dd class=\"figure\">1.02 times</dd>");
    check_holds(&page,
                "than the fastest of CUB 3.6.0, CUB 3.0.1 at 400M; the least: 1.016 times "
                "at 400M, the most: 1.600 times at 1Ki");
    check_holds(&page, "one variant for all n (cold)");
    check_holds(&page, "into 1 interval,");
    check_holds(&page, "The best single time had BLOCK=256 ITEMS=16: 4611 GB/s");
    check_holds(&page, "class=\"h8 best\" title=\"4611 GB/s, the best of 1: VECTOR=4\"");
    check_holds(&page, "<td class=\"none\">");
    check_holds(&page, "1 &lt;interleaved&gt;, divergent");
    check_holds(&page,
                "1625 GB/s</span><span class=\"note\">blocks of 256, the best of 2 shapes");
    check_holds(&page,
                "<span class=\"value\">not known</span><span class=\"note\">wrong; it is "
                "wrong");
    check_holds(&page, "Space or template are not those that this record was made with");
    check_holds(&page, "<mark title=\"256: threads per block\">BLOCK</mark>");
    check_holds(&page, "<dd>SM 1980 MHz, 512 W</dd>");
    check_holds(&page, "3201 MHz x 6016 bit x 2 = 4814 GB/s");
    check_lacks(&page, "{{");
    text_dispose(&page);
    page = report(state, "page.md", (const char *const[]){"--axes=ITEMS,BLOCK", NULL});
    check_holds(&page, "# sum i32 400M cold on H200\n");
    check_holds(&page, "| ITEMS, BLOCK | 64 | 128 | 256 | 512 | 1024 |\n");
    check_holds(&page, "```cuda\n// ");
    check_holds(&page, "*Nothing is said of other libraries: ");
    text_dispose(&page);
}

/* By regime and n, as 'show --sweep' has them, wherever their sizes stand in the file. */
static void test_intervals_in_order(void **state)
{
    static const struct {
        uint64_t n;
        enum regime regime;
        const char *params;
    } sizes[] = {{8191, WARM, "GRID=1"},    {1 << 20, COLD, "GRID=3"}, {1024, COLD, "GRID=1"},
                 {1 << 16, COLD, "GRID=3"}, {1 << 15, COLD, "GRID=2"}, {1024, WARM, "GRID=1"},
                 {16384, COLD, "GRID=1"}};
    char path[PATH_CHARS];
    path_in(path, state, record_file);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct record record = size_record(sizes[i].n, sizes[i].regime);
        keep_size(path, &record, sizes[i].params, "GRID=9", 2);
    }
    struct text page = report(state, "page.md", NULL);
    const char *const first = strstr(page.at, "| 1Ki | 23170 | cold |");
    const char *const second = first ? strstr(first, "| 23171 | 46340 | cold |") : NULL;
    const char *const third = second ? strstr(second, "| 46341 | 1Mi | cold |") : NULL;
    if (!third || !strstr(third, "| 1Ki | 8191 | warm |"))
        fail_msg("not in order:\n%s", page.at);
    text_dispose(&page);
}

/* Records and nothing else: what is not there is said, and how to get it. */
static void test_records_alone(void **state)
{
    char path[PATH_CHARS];
    const struct record record = size_record(400000000, COLD);
    save(path_in(path, state, record_file), &record);
    struct text page = report(state, "page.html", NULL);
    check_holds(&page, "One size is tuned, so there is nothing to draw over n");
    check_holds(&page, "The journal of this record&#39;s search is not here");
    check_holds(&page, "The classic reductions were not measured");
    check_holds(&page, "clocks, temperature and power are not known");
    check_lacks(&page, "GB/s over n of");
    text_dispose(&page);
}

/* A table and no records; and a GPU that nothing was tuned on. */
static void test_no_records(void **state)
{
    char table[PATH_CHARS], give_table[PATH_CHARS + 16];
    put_file(path_in(table, state, "cub.csv"), bench, strlen(bench));
    snprintf(give_table, sizeof give_table, "--bench=%s", table);
    struct text page = report(state, "page.html", (const char *const[]){give_table, NULL});
    check_holds(&page, "<h1>Reductions on a GPU</h1>");
    check_holds(&page, "their time over ours");
    check_holds(&page, "there is nothing to compare with other GPUs");
    text_dispose(&page);
    page = report(state, "page.html", (const char *const[]){"v100", NULL});
    check_holds(&page, "<h1>Reductions on V100</h1>");
    check_holds(&page, "Published by CS599 Lecture 6: the best GB/s by block and elements");
    check_holds(&page, "<td class=\"h8 best\" title=\"876.6 GB/s");
    check_holds(&page, "#9 64 elements per thread at load");
    check_holds(&page, "4.90 ms, 876.63 GB/s (% computed): #6 8 elements per thread at load");
    check_holds(&page, ">KiB in flight</th>");
    static const char label[] = "<span class=\"label\">V100</span>";
    const char *chart =
        strstr(page.at, "<figcaption>sum f32 1Gi: kernels of documents</figcaption>");
    assert_non_null(chart);
    const char *end = strstr(chart, "</figure>"), *once = strstr(chart, label);
    assert_true(once && once < end);
    const char *twice = strstr(once + 1, label);
    assert_true(!twice || twice > end); /* it is not set beside itself */
    text_dispose(&page);
}

/* The newest GPU's records are taken, before any of the emulator's; --op and --type choose. */
static void test_choice(void **state)
{
    char path[PATH_CHARS];
    struct record record = size_record(400000000, COLD);
    save(path_in(path, state, "a.ini"), &record);
    snprintf(record.gpu, sizeof record.gpu, "GPU B");
    snprintf(record.tuned, sizeof record.tuned, "2026-11-22T01:25:00Z");
    save(path_in(path, state, "b.ini"), &record);
    record.problem.op = op_of(MAX);
    save(path, &record);
    record.problem.dims = dims_value(1 << 20);
    save(path, &record);
    record.source = RECORD_EMULATED;
    snprintf(record.gpu, sizeof record.gpu, "host");
    snprintf(record.tuned, sizeof record.tuned, "2026-11-23T01:25:00Z");
    save(path_in(path, state, "c.ini"), &record);
    struct text page = report(state, "page.html", NULL);
    check_holds(&page, "<h1>max i32 400M cold on GPU B</h1>"); /* of which there are two */
    text_dispose(&page);
    page = report(state, "page.html", (const char *const[]){"--op=sum", NULL});
    check_holds(&page, "<h1>sum i32 400M cold on GPU B</h1>");
    text_dispose(&page);
    page = report(state, "page.html", (const char *const[]){path, NULL});
    check_holds(&page, "<h1>max i32 1Mi cold on the host emulator</h1>");
    text_dispose(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {IN_FOLDER(test_whole_page),
                                       IN_FOLDER(test_intervals_in_order),
                                       IN_FOLDER(test_records_alone),
                                       IN_FOLDER(test_no_records), IN_FOLDER(test_choice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Tests of terminal through a pseudo-terminal, whose output a tiny screen interprets, and
 * through a pipe, where nothing may appear. */
#include "autotune/print/terminal.h"

#include <pty.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { OUTPUT_MAX = 1 << 16 };

struct screen {
    int master;
    FILE *stream; /* the terminal's side */
    char output[OUTPUT_MAX];
    size_t length;
};

static void open_screen(struct screen *screen, unsigned short columns)
{
    struct winsize size = {.ws_row = 24, .ws_col = columns};
    int slave;
    assert_int_equal(openpty(&screen->master, &slave, NULL, NULL, &size), 0);
    screen->stream = fdopen(slave, "w");
    assert_non_null(screen->stream);
    screen->length = 0;
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
}

static void close_screen(struct screen *screen)
{
    fclose(screen->stream);
    close(screen->master);
}

/* Reads what was written so far; a marker written behind it says when all of it is here. */
static void read_screen(struct screen *screen)
{
    fputs("\x04", screen->stream);
    fflush(screen->stream);
    do {
        ssize_t got = read(screen->master, screen->output + screen->length,
                           OUTPUT_MAX - 1 - screen->length);
        assert_true(got > 0);
        screen->length += (size_t)got;
    } while (screen->output[screen->length - 1] != '\x04');
    screen->output[--screen->length] = '\0';
}

/* What stands on the one line after all output, by '\r', "\033[K" and characters. */
static void show_line(const struct screen *screen, char line[512])
{
    size_t at = 0, end = 0;
    for (const char *s = screen->output; *s; s++) {
        if (*s == '\r') {
            at = 0;
        } else if (strncmp(s, "\033[K", 3) == 0) {
            end = at;
            s += 2;
        } else {
            assert_true((unsigned char)*s >= 0x20 && at < 511);
            line[at++] = *s;
            end = at > end ? at : end;
        }
    }
    line[end] = '\0';
}

static size_t count_lines(const struct screen *screen)
{
    size_t count = 0;
    for (const char *s = screen->output; (s = strstr(s, "\r\033[K")); s++)
        count++;
    return count;
}

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static void test_line(void **state)
{
    (void)state;
    struct screen screen;
    struct terminal_progress progress;
    char line[512];
    open_screen(&screen, 120);
    terminal_progress_start(&progress, screen.stream);
    progress.start_ns -= 5000000000u; /* as if begun five seconds ago */
    terminal_progress_show(&progress, 812, 1980, "best 343.4 us 4660 GB/s");
    read_screen(&screen);
    show_line(&screen, line);
    assert_string_equal(line, "[#####.........]  41 %  812/1980  best 343.4 us 4660 GB/s"
                              "  0:07 left");
    progress.subject = "4 of 10, 16K cold: ";
    progress.before = 3;
    progress.behind = 6;
    progress.first_ns = progress.start_ns - 15000000000u; /* the three before took 5 s each */
    progress.last_ns = 0;
    terminal_progress_show(&progress, 990, 1980, "best 343.4 us");
    read_screen(&screen);
    show_line(&screen, line);
    assert_string_equal(line, "4 of 10, 16K cold: [#######.......]  50 %  990/1980"
                              "  best 343.4 us  0:37 left");
    terminal_progress_end(&progress);
    read_screen(&screen);
    show_line(&screen, line);
    assert_string_equal(line, "");
    close_screen(&screen);
}

/* The first and last of a run, what is left in hours, and counts that make no sense. */
static void test_line_forms(void **state)
{
    (void)state;
    static const struct {
        uint64_t done, total, elapsed_s;
        const char *note, *line;
    } cases[] = {
        {0, 10, 3, NULL, "[..............]   0 %  0/10"},
        {10, 10, 3, "", "[##############] 100 %  10/10  0:00 left"},
        {1, 1001, 10, "x", "[..............]   0 %  1/1001  x  2:46:40 left"},
        {30, 60, 75, "x", "[#######.......]  50 %  30/60  x  1:15 left"},
        {0, 0, 3, "none", "[..............]   0 %  0/0  none"},
        {12, 10, 3, NULL, "[##############] 100 %  12/10  0:00 left"},
        {1, UINT64_MAX, 10, NULL, "[..............]   0 %  1/18446744073709551615"},
        {0, 1, 0, "a\nb\033[2J\x7f", "[..............]   0 %  0/1  a?b?[2J?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct screen screen;
        struct terminal_progress progress;
        char line[512];
        open_screen(&screen, 120);
        terminal_progress_start(&progress, screen.stream);
        progress.start_ns -= cases[i].elapsed_s * 1000000000u;
        terminal_progress_show(&progress, cases[i].done, cases[i].total, cases[i].note);
        read_screen(&screen);
        show_line(&screen, line);
        assert_string_equal(line, cases[i].line);
        terminal_progress_end(&progress);
        close_screen(&screen);
    }
}

static size_t count_characters(const char *s)
{
    size_t count = 0;
    for (; *s; s++)
        count += ((unsigned char)*s & 0xc0) != 0x80;
    return count;
}

/* What does not fit goes as a whole: the count, then the note; the time left stays. */
static void test_parts(void **state)
{
    (void)state;
    static const struct {
        unsigned short columns;
        const char *line;
    } cases[] = {
        {70, "[#######.......]  50 %  990/1980  best 343.4 us 4660 GB/s  0:05 left"},
        {69, "[#######.......]  50 %  990/1980  best 343.4 us 4660 GB/s  0:05 left"},
        {68, "[#######.......]  50 %  best 343.4 us 4660 GB/s  0:05 left"},
        {50, "[#######.......]  50 %  0:05 left"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct screen screen;
        struct terminal_progress progress;
        char line[512];
        open_screen(&screen, cases[i].columns);
        terminal_progress_start(&progress, screen.stream);
        progress.start_ns -= 5000000000u;
        terminal_progress_show(&progress, 990, 1980, "best 343.4 us 4660 GB/s");
        read_screen(&screen);
        show_line(&screen, line);
        assert_string_equal(line, cases[i].line);
        terminal_progress_end(&progress);
        close_screen(&screen);
    }
}

/* Cut to the width in characters, never inside one, one column free; 0 columns mean 80. */
static void test_width(void **state)
{
    (void)state;
    static const struct {
        unsigned short columns;
        size_t shown;
    } cases[] = {{1, 0}, {2, 1}, {20, 19}, {41, 22}, {0, 22}, {500, 154}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct screen screen;
        struct terminal_progress progress;
        char line[512], note[241] = "";
        for (size_t k = 0; k < 120; k++)
            strcat(note, "µ");
        open_screen(&screen, cases[i].columns);
        terminal_progress_start(&progress, screen.stream);
        progress.subject = cases[i].columns == 20 ? "µµµ" : NULL;
        terminal_progress_show(&progress, 0, 999999, note);
        read_screen(&screen);
        show_line(&screen, line);
        assert_int_equal(count_characters(line), cases[i].shown);
        size_t length = strlen(line);
        assert_true(length == 0 || (unsigned char)line[length - 1] != 0xc2);
        terminal_progress_end(&progress);
        close_screen(&screen);
    }
}

static void test_rate(void **state)
{
    (void)state;
    struct screen screen;
    struct terminal_progress progress;
    struct timespec from, to;
    char line[512];
    open_screen(&screen, 100);
    terminal_progress_start(&progress, screen.stream);
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (uint64_t i = 0; i < 60; i++) {
        terminal_progress_show(&progress, i, 60, "first");
        sleep_ms(5);
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    long ms = (long)(to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000;
    read_screen(&screen);
    assert_in_range(count_lines(&screen), 2, (size_t)ms / 100 + 1);
    sleep_ms(101);
    terminal_progress_show(&progress, 60, 60, "last");
    read_screen(&screen);
    show_line(&screen, line);
    assert_non_null(strstr(line, "60/60  last"));
    assert_null(strstr(line, "first"));
    terminal_progress_end(&progress);
    close_screen(&screen);
}

/* Ends once, shows nothing afterwards, and erases nothing where nothing was drawn. */
static void test_end(void **state)
{
    (void)state;
    struct screen screen;
    struct terminal_progress progress;
    open_screen(&screen, 100);
    terminal_progress_start(&progress, screen.stream);
    terminal_progress_end(&progress);
    terminal_progress_show(&progress, 1, 2, "late");
    terminal_progress_end(&progress);
    read_screen(&screen);
    assert_string_equal(screen.output, "");
    terminal_progress_start(&progress, screen.stream);
    terminal_progress_show(&progress, 1, 2, "again");
    terminal_progress_end(&progress);
    terminal_progress_end(&progress);
    read_screen(&screen);
    assert_int_equal(count_lines(&screen), 2);
    assert_string_equal(screen.output + screen.length - 4, "\r\033[K");
    close_screen(&screen);
    struct terminal_progress never = {0};
    terminal_progress_show(&never, 1, 2, "never begun");
    terminal_progress_end(&never);
}

/* Runs a whole progress on `stream`, and asks for colour. */
static bool draw(FILE *stream)
{
    struct terminal_progress progress;
    terminal_progress_start(&progress, stream);
    terminal_progress_show(&progress, 1, 2, "note");
    terminal_progress_end(&progress);
    fflush(stream);
    return terminal_has_color(stream);
}

static void test_pipe(void **state)
{
    (void)state;
    int ends[2];
    char byte;
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    assert_int_equal(pipe(ends), 0);
    FILE *stream = fdopen(ends[1], "w");
    assert_non_null(stream);
    assert_false(draw(stream));
    assert_int_equal(terminal_width(stream), 80);
    fclose(stream);
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
}

/* What the environment asks for: colour and a progress line are not the same question. */
static void test_environment(void **state)
{
    (void)state;
    static const struct {
        const char *term, *no_color;
        bool has_color, has_progress;
    } cases[] = {
        {"xterm-256color", NULL, true, true},
        {"xterm", "1", false, true},
        {"xterm", "", true, true},
        {"dumb", NULL, false, false},
        {"", NULL, false, false},
        {NULL, NULL, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct screen screen;
        open_screen(&screen, 100);
        cases[i].term ? setenv("TERM", cases[i].term, 1) : unsetenv("TERM");
        cases[i].no_color ? setenv("NO_COLOR", cases[i].no_color, 1) : unsetenv("NO_COLOR");
        assert_int_equal(draw(screen.stream), cases[i].has_color);
        read_screen(&screen);
        assert_int_equal(screen.length > 0, cases[i].has_progress);
        close_screen(&screen);
    }
}

static void check_bar(double share, int columns, bool has_color, bool has_utf8,
                      const char *want)
{
    const struct terminal_style style = {has_color, has_utf8, 80};
    struct text out = {0};
    terminal_bar(&out, share, columns, &style);
    assert_string_equal(out.at ? out.at : "", want);
    text_dispose(&out);
}

/* To an eighth of a column in UTF-8, to a column without; never longer than there is room. */
static void test_bar(void **state)
{
    (void)state;
    check_bar(0.5, 8, false, false, "####    ");
    check_bar(0.05, 8, false, false, "        ");
    check_bar(0.05, 8, false, true, "\u258d       "); /* 3 eighths of one */
    check_bar(0.5, 3, false, true, "\u2588\u258c ");
    check_bar(0.99, 2, false, true, "\u2588\u2588");
    check_bar(7, 2, false, true, "\u2588\u2588");
    check_bar(-1, 2, false, true, "  ");
    check_bar(1, 0, false, true, "");
    check_bar(0.5, 4, true, false, "\033[38;5;39m##\033[0m  ");
}

/* 256 colours are used where TERM or COLORTERM say so, and UTF-8 where the locale has it. */
static void test_style(void **state)
{
    static const struct {
        const char *term, *colors, *locale;
        bool has_color, has_utf8;
    } cases[] = {
        {"xterm-256color", NULL, "C.UTF-8", true, true},
        {"xterm", NULL, "C", false, false},
        {"xterm", "truecolor", "C", true, false},
        {"dumb", "truecolor", "C", false, false},
        {"screen-256color", NULL, "nonsense", true, false},
    };
    (void)state;
    unsetenv("NO_COLOR");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct screen screen;
        open_screen(&screen, 72);
        setenv("TERM", cases[i].term, 1);
        setenv("LC_ALL", cases[i].locale, 1);
        cases[i].colors ? setenv("COLORTERM", cases[i].colors, 1) : unsetenv("COLORTERM");
        const struct terminal_style style = terminal_style(screen.stream);
        assert_int_equal(style.has_color, cases[i].has_color);
        assert_int_equal(style.has_utf8, cases[i].has_utf8);
        assert_int_equal(style.width, 72);
        close_screen(&screen);
    }
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(terminal_style(file).width, 100);
    assert_false(terminal_style(file).has_color);
    fclose(file);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line),  cmocka_unit_test(test_line_forms),
        cmocka_unit_test(test_parts), cmocka_unit_test(test_width),
        cmocka_unit_test(test_rate),  cmocka_unit_test(test_end),
        cmocka_unit_test(test_pipe),  cmocka_unit_test(test_environment),
        cmocka_unit_test(test_bar),   cmocka_unit_test(test_style),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

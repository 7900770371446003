/* Tests of autotune/search/decide.c: what follows from a loss or a proof, case by case, and how
 * long a step may take. */
#include "autotune/search/deadline.h"
#include "autotune/search/decide.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct error error;

static const struct job_at LOADS = {PHASE_LOAD, 7, JOB_NO_CANDIDATE};
static const struct job_at PROVES = {PHASE_PROVE, 7, JOB_NO_CANDIDATE};
static const struct job_at MEASURES = {PHASE_MEASURE, 7, 70};
static const struct decide_unit ONE = {{7}, 1}, THREE = {{5, 7, 9}, 3};

static void test_opening(void **state)
{
    struct trials_index forgiven = {0};
    struct decide_loss loss = {.work = WORK_OPEN, .at = LOADS, .failures = 1};
    (void)state;
    loss.forgiven = &forgiven;
    assert_int_equal(decide_lost(&loss).worker, WORKER_RESTARTS);
    loss.at = PROVES; /* of the default */
    assert_int_equal(decide_lost(&loss).worker, DEFAULT_FAULTY);
    loss.was_killed = true;
    assert_int_equal(decide_lost(&loss).worker, WORKER_RESTARTS);
    loss.was_killed = false;
    loss.was_ready = true; /* it was right before */
    assert_int_equal(decide_lost(&loss).worker, WORKER_RESTARTS);
    loss.failures = DECIDE_FAILURES;
    assert_int_equal(decide_lost(&loss).worker, RUN_ENDS);
    loss.has_other = true;
    assert_int_equal(decide_lost(&loss).worker, WORKER_DROPS);
    assert_int_equal(decide_lost(&loss).judge, JUDGE_NONE);
}

static void test_idle(void **state)
{
    const struct decide_loss loss = {.work = WORK_NONE, .at = MEASURES, .candidates = 100};
    const struct decision decision = decide_lost(&loss);
    (void)state;
    assert_int_equal(decision.worker, WORKER_RESTARTS);
    assert_int_equal(decision.judge, JUDGE_NONE);
    assert_false(decision.requeues || decision.forgives || decision.loses_race);
    assert_int_equal(decision.retry.count, 0);
}

static void test_compiling(void **state)
{
    struct trials_index forgiven = {0};
    struct decide_loss loss = {.work = WORK_COMPILE, .unit = THREE, .forgiven = &forgiven};
    uint64_t ignored;
    (void)state;
    assert_int_equal(decide_lost(&loss).retry.count, 3);
    assert_int_equal(decide_lost(&loss).judge, JUDGE_NONE);
    loss.unit = ONE;
    assert_int_equal(decide_lost(&loss).retry.count, 0);
    assert_int_equal(decide_lost(&loss).judge, JUDGE_VARIANT);
    assert_int_equal(decide_lost(&loss).status, TRIAL_CRASHED);
    loss.is_late = true;
    assert_int_equal(decide_lost(&loss).status, TRIAL_HUNG);
    loss.is_racing = true; /* it may be measured again */
    assert_int_equal(decide_lost(&loss).status, TRIAL_FAILED);
    loss.is_late = false;
    loss.was_killed = true;
    assert_true(decide_lost(&loss).forgives);
    assert_int_equal(decide_lost(&loss).retry.variants[0], 7);
    assert_int_equal(trials_index_add(&forgiven, decide_key(7), 0, &ignored, &error), 0);
    assert_false(decide_lost(&loss).forgives);
    assert_int_equal(decide_lost(&loss).judge, JUDGE_VARIANT);
    trials_index_dispose(&forgiven);
}

static void test_trying(void **state)
{
    struct trials_index forgiven = {0};
    struct decide_loss loss = {.work = WORK_TRY,
                               .unit = THREE,
                               .at = LOADS,
                               .candidates = 100,
                               .forgiven = &forgiven};
    (void)state;
    assert_int_equal(decide_lost(&loss).retry.count, 3);
    assert_false(decide_lost(&loss).requeues);
    loss.at = PROVES;
    assert_int_equal(decide_lost(&loss).judge, JUDGE_VARIANT);
    assert_int_equal(decide_lost(&loss).variant, 7);
    assert_true(decide_lost(&loss).requeues);
    loss.at = MEASURES;
    assert_int_equal(decide_lost(&loss).judge, JUDGE_CANDIDATE);
    assert_int_equal(decide_lost(&loss).candidate, 70);
    loss.at.variant = 8; /* none of the unit's: its first */
    assert_int_equal(decide_lost(&loss).variant, 5);
    loss.candidates = 70; /* nor is the candidate one */
    assert_int_equal(decide_lost(&loss).judge, JUDGE_VARIANT);
    loss.unit = ONE;
    loss.at = LOADS;
    assert_int_equal(decide_lost(&loss).judge, JUDGE_VARIANT);
    loss.was_killed = true;
    assert_int_equal(decide_lost(&loss).judge, JUDGE_NONE);
    assert_true(decide_lost(&loss).forgives && decide_lost(&loss).requeues);
}

static void test_racing(void **state)
{
    const struct decide_loss loss = {.work = WORK_RACE, .at = MEASURES, .is_late = true};
    (void)state;
    assert_true(decide_lost(&loss).loses_race);
    assert_int_equal(decide_lost(&loss).status, TRIAL_HUNG);
    assert_true(decide_is_announced(&MEASURES, 70, 7));
    assert_false(decide_is_announced(&MEASURES, 71, 7));
    assert_true(decide_is_announced(&PROVES, 71, 7));
    assert_false(decide_is_announced(&PROVES, 71, 8));
}

static void test_proofs(void **state)
{
    struct job_proven proven = {.variant = 7, .is_right = true, .has_run = true};
    (void)state;
    assert_true(decide_proven(&proven, &THREE, 10).trusts);
    assert_int_equal(decide_proven(&proven, NULL, 10).judge, JUDGE_NONE);
    proven.is_right = false;
    assert_int_equal(decide_proven(&proven, &THREE, 10).status, TRIAL_WRONG);
    assert_int_equal(decide_proven(&proven, &THREE, 10).judge, JUDGE_VARIANT);
    assert_int_equal(decide_proven(&proven, NULL, 10).judge, JUDGE_VARIANT);
    assert_int_equal(decide_proven(&proven, NULL, 7).judge, JUDGE_NONE);
    proven.has_run = false;
    assert_int_equal(decide_proven(&proven, &THREE, 10).retry.count, 1);
    assert_int_equal(decide_proven(&proven, &THREE, 10).judge, JUDGE_NONE);
    assert_int_equal(decide_proven(&proven, &ONE, 10).status, TRIAL_FAILED);
    proven.variant = 6; /* of a unit that is over */
    assert_int_equal(decide_proven(&proven, &THREE, 10).judge, JUDGE_NONE);
    assert_int_equal(decide_proven(&proven, &THREE, 10).retry.count, 0);
}

/* A deadline grows with what it is a multiple of, and is never none. */
static void test_deadlines(void **state)
{
    struct pace pace = {.is_opening = true, .n = 400000000};
    (void)state;
    assert_true(deadline_s(&pace, PHASE_LOAD) == DEADLINE_OPEN_S);
    const double gpu = deadline_s(&pace, PHASE_PROVE);
    for (pace.budget_s = 1; pace.budget_s < 100; pace.budget_s *= 2) {
        const double hurried = deadline_s(&pace, PHASE_PROVE);
        assert_true(hurried >= 5 && hurried <= gpu && hurried <= 10 + 10 * pace.budget_s);
    }
    pace.budget_s = 1; /* at n as much more for each element as ever */
    assert_true(deadline_s(&pace, PHASE_PROVE) <= 5);
    assert_true(deadline_s(&pace, PHASE_MEASURE) >= 5 + 4);
    assert_true(deadline_without_result_s(1) >= 4 && deadline_without_result_s(1) <= 6);
    assert_true(deadline_without_result_s(10) == 50);
    pace.is_host = true;
    assert_true(deadline_s(&pace, PHASE_MEASURE) > gpu && gpu > 0);
    pace.is_opening = false;
    pace.ready = (struct job_ready){.reference_ps = 1000000000, .calls = 2, .prove_s = 0.1};
    assert_true(deadline_s(&pace, PHASE_LOAD) == DEADLINE_LOAD_S);
    for (int phase = PHASE_PROVE; phase <= PHASE_RACE; phase++) {
        struct pace slower = pace;
        slower.ready.reference_ps *= 10;
        assert_true(deadline_s(&slower, (enum job_phase)phase) >
                    deadline_s(&pace, (enum job_phase)phase) + 1);
    }
    const double on_host = deadline_s(&pace, PHASE_PROVE);
    pace.is_host = false;
    for (int phase = PHASE_PROVE; phase <= PHASE_MEASURE; phase++) {
        pace.budget_s = 1;
        const double hurried = deadline_s(&pace, (enum job_phase)phase);
        pace.budget_s = 0;
        assert_true(hurried >= 1 && hurried <= 5);
        assert_true(deadline_s(&pace, (enum job_phase)phase) >= hurried + 2);
    }
    assert_true(deadline_s(&pace, PHASE_PROVE) == on_host); /* no budget hurries the emulator */
    const double race = deadline_s(&pace, PHASE_RACE);
    pace.race_s = 10;
    assert_true(deadline_s(&pace, PHASE_RACE) >= race + 10);
}

static void test_messages(void **state)
{
    struct job_trial trial = {.candidate = 9, .trial = {.time_count = TRIAL_SAMPLES}};
    static struct job_raced raced;
    (void)state;
    assert_true(decide_is_trial(&trial, 10));
    assert_false(decide_is_trial(&trial, 9));
    trial.trial.time_count++;
    assert_false(decide_is_trial(&trial, 10));
    trial = (struct job_trial){.trial = {.status = TRIAL_STATUSES}};
    assert_false(decide_is_trial(&trial, 10));
    assert_false(decide_is_race(&raced, 10));
    raced.count = 2;
    raced.entrants[0].candidate = JOB_NO_CANDIDATE;
    raced.entrants[1].candidate = 9;
    raced.result.count = 1;
    raced.result.places[0].entrant = 1;
    assert_true(decide_is_race(&raced, 10));
    assert_false(decide_is_race(&raced, 9));
    raced.result.places[0].entrant = 2;
    assert_false(decide_is_race(&raced, 10));
    raced.result.places[0].entrant = 1;
    raced.entrants[0].candidate = 1;
    assert_false(decide_is_race(&raced, 10));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_opening),   cmocka_unit_test(test_idle),
        cmocka_unit_test(test_compiling), cmocka_unit_test(test_trying),
        cmocka_unit_test(test_racing),    cmocka_unit_test(test_proofs),
        cmocka_unit_test(test_deadlines), cmocka_unit_test(test_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

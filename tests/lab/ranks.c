/* ranks.c: see ranks.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/meter.h"
#include "ranks/seam.h"

/* The most seconds of a program. */
#define WATCHDOG 300

int ranks_rank, ranks_size;

void ranks_begin(int *argc, char ***argv)
{
    int level;
    alarm(WATCHDOG);
    (void)MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level);
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &ranks_rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &ranks_size);
    if (ranks_rank != 0 && freopen("/dev/null", "w", stdout) == NULL) {
        (void)MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int ranks_end(int failed)
{
    const bool any = ranks_any(failed);
    (void)MPI_Finalize();
    return any ? EXIT_FAILURE : EXIT_SUCCESS;
}

void ranks_barrier(void)
{
    assert_int_equal(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}

bool ranks_any(int x)
{
    const int mine = x != 0;
    int any = 1;
    (void)MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return any != 0;
}

void ranks_expect(gfp_status status, gfp_status expected, const gfp_error *error, const char *text)
{
    if (status != expected || error->status != expected || strstr(error->message, text) == NULL) {
        fail_msg("rank %d: status %d, error %d \"%s\" instead of %d and \"%s\"", ranks_rank, status,
                 error->status, error->message, expected, text);
    }
}

void ranks_random(gfp_zbipoly *z, gfp_zring *ring, size_t d, uint64_t seed)
{
    gfp_random g;
    gfp_random_seed(&g, seed);
    gfp_zbipoly_init(z, ring);
    for (size_t j = 0; j <= d; j++) {
        uint64_t x[32];
        gfp_zvec row;
        gfp_zvec_init(&row, ring);
        for (size_t i = 0; i <= d - j; i++) {
            x[i] = gfp_random_u64(&g);
        }
        assert_int_equal(gfp_zvec_set_limbs(&row, x, d - j + 1, 1), GFP_OK);
        assert_int_equal(gfp_zbipoly_set_coeff(z, j, &row), GFP_OK);
        gfp_zvec_clear(&row);
    }
}

/* ---- faults ---- */

#define FAULT_NUMBER(name, function, parameters, arguments) fault_##name,
enum { GFP_MPI_ROWS(FAULT_NUMBER) FAULT_COUNT };
#define FAULT_NAME(name, function, parameters, arguments) #function,
const char *const ranks_functions[] = {GFP_MPI_ROWS(FAULT_NAME)};
const size_t ranks_function_count = FAULT_COUNT;

static struct {
    size_t function;
    unsigned left; /* calls before the one that fails */
    bool armed, failed;
} fault;

/* The code of a call that MPI has done. */
static int fault_code(size_t f, int code)
{
    if (!fault.armed || f != fault.function || fault.left-- > 0) {
        return code;
    }
    fault.armed = false;
    fault.failed = true;
    return MPI_ERR_OTHER;
}

#define FAULT_CALL(name, function, parameters, arguments)                                          \
    static int failing_##name parameters                                                           \
    {                                                                                              \
        return fault_code(fault_##name, gfp_mpi_usual.name arguments);                             \
    }
GFP_MPI_ROWS(FAULT_CALL)

void ranks_fail(size_t f, unsigned n, int victim)
{
#define FAULT_USE(name, function, parameters, arguments) gfp_mpi_use.name = failing_##name;
    GFP_MPI_ROWS(FAULT_USE)
    fault.function = f;
    fault.left = n;
    fault.armed = victim == ranks_rank;
    fault.failed = false;
}

bool ranks_failed(void)
{
    return fault.failed;
}

/* ---- the same calls again and again ---- */

bool ranks_memory_fails(ranks_life *run, const gfp_error *error, bool lasting)
{
    const size_t step = lab_is_short() ? 3 : 1;
    bool mended = false;
    for (int victim = 0; victim < ranks_size; victim++) {
        bool failed = true;
        for (size_t at = 1; failed; at += step) {
            meter m = {.fail_at = SIZE_MAX, .lasting = lasting};
            const gfp_allocator hook = meter_hook(&m);
            gfp_field *field = NULL;
            assert_int_equal(gfp_field_create(&field, "p8", &hook, NULL), GFP_OK);
            meter_fail_at(&m, victim == ranks_rank ? at : SIZE_MAX);
            const gfp_status status = run(field);
            failed = ranks_any(victim == ranks_rank && m.calls > at);
            if (status != GFP_OK) {
                assert_true(failed);
                ranks_expect(status, GFP_ERR_MEMORY, error, "rank ");
            }
            mended |= failed && status == GFP_OK;
            gfp_field_destroy(field);
            meter_expect_empty(&m);
        }
    }
    return mended;
}

void ranks_mpi_fails(ranks_life *run, const gfp_error *error)
{
    const lab *l = lab_named("p8");
    const int victims = ranks_size < 2 ? ranks_size : 2;
    for (size_t f = 0; f < ranks_function_count; f++) {
        lab_row_name(ranks_functions[f]);
        for (int victim = 0; victim < victims; victim++) {
            for (unsigned n = 0; n < 24; n += n < 2 ? 1 : 5) {
                ranks_fail(f, n, ranks_size - 1 - victim);
                const gfp_status status = run(l->field);
                const bool failed = ranks_any(ranks_failed());
                if (status != GFP_OK) { /* OK: a call whose failure means nothing */
                    assert_true(failed);
                    ranks_expect(status, GFP_ERR_IO, error, "rank ");
                }
                if (!failed) {
                    break;
                }
            }
        }
    }
    ranks_fail(0, 0, -1);
    assert_int_equal(run(l->field), GFP_OK);
}

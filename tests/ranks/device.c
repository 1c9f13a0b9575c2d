/* device.c: ranks with devices, over the backend `host', which has two: ranks take them in turn,
 * and compute images on them, with the result of one process.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "lab/fake_device/device.h"
#include "lab/ranks.h"

#include "field/base/deal.h"
#include "gfpoly/zbipoly.h"

#define DEVICES 2

static gfp_zring *ring;

static gfp_mpi *device_context(void)
{
    gfp_mpi *mpi = NULL;
    assert_int_equal(gfp_mpi_create(&mpi, MPI_COMM_WORLD, NULL, NULL), GFP_OK);
    return mpi;
}

static void ranks_take_devices_in_turn(void **state)
{
    gfp_mpi *mpi = device_context();
    gfp_error error = {.status = GFP_OK};
    unsigned device = 77;
    (void)state;
    fake_missing("none for this test");
    assert_int_equal(gfp_mpi_device(&device, mpi, &error), GFP_ERR_UNAVAILABLE);
    assert_non_null(strstr(error.message, "none for this test"));
    assert_int_equal(device, 77);
    fake_missing(NULL);
    assert_int_equal(setenv("GFPOLY_GPU", "off", 1), 0);
    assert_int_equal(gfp_mpi_device(&device, mpi, &error), GFP_ERR_UNAVAILABLE);
    assert_non_null(strstr(error.message, "GFPOLY_GPU=off"));
    assert_int_equal(device, 77);
    assert_int_equal(unsetenv("GFPOLY_GPU"), 0);
    assert_int_equal(gfp_mpi_device(&device, mpi, &error), GFP_OK);
    assert_int_equal(device, (unsigned)ranks_rank % DEVICES);
    gfp_mpi_destroy(mpi);
}

static void images_on_devices_are_those_of_one_process(void **state)
{
    gfp_mpi *mpi = device_context();
    gfp_dealer *dealer = NULL;
    gfp_zbipoly a, b;
    gfp_zvec expected, r;
    gfp_error error = {.status = GFP_OK};
    gfp_report report = {.method = NULL};
    gfp_options options = {.method = "words_gpu", .report = &report, .error = &error};
    (void)state;
    ranks_random(&a, ring, 24, 1);
    ranks_random(&b, ring, 23, 2);
    gfp_zvec_init(&expected, ring);
    gfp_zvec_init(&r, ring);
    assert_int_equal(gfp_zbipoly_resultant_y(&expected, &a, &b, NULL), GFP_OK);
    assert_int_equal(gfp_mpi_dealer_create(&dealer, mpi, NULL, &error), GFP_OK);
    dealer->least = 0;
    options.dealer = dealer;
    assert_int_equal(gfp_mpi_device(&options.gpu_device, mpi, &error), GFP_OK);
    for (unsigned threads = 1; threads <= 2; threads++) {
        options.threads = threads;
        assert_int_equal(gfp_zbipoly_resultant_y(&r, &a, &b, &options), GFP_OK);
        assert_true(gfp_zvec_equal(&r, &expected));
        assert_string_equal(report.method, "words_gpu");
    }
    /* A device is absent on one rank. */
    for (int victim = 0; victim < ranks_size; victim++) {
        const unsigned own = options.gpu_device;
        options.gpu_device = victim == ranks_rank ? DEVICES : own;
        ranks_expect(gfp_zbipoly_resultant_y(&r, &a, &b, &options), GFP_ERR_UNAVAILABLE, &error,
                     "words_gpu");
        options.gpu_device = own;
    }
    assert_int_equal(gfp_zbipoly_resultant_y(&r, &a, &b, &options), GFP_OK);
    assert_true(gfp_zvec_equal(&r, &expected));
    gfp_zbipoly_clear(&a);
    gfp_zbipoly_clear(&b);
    gfp_zvec_clear(&expected);
    gfp_zvec_clear(&r);
    gfp_dealer_destroy(dealer);
    gfp_mpi_destroy(mpi);
}

static int device_setup(void **state)
{
    (void)state;
    fake_use();
    fake_reset((size_t)1 << 30);
    return unsetenv("GFPOLY_GPU") == 0 && gfp_zring_create(&ring, NULL, NULL) == GFP_OK ? 0 : -1;
}

static int device_teardown(void **state)
{
    (void)state;
    gfp_zring_destroy(ring);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_take_devices_in_turn),
        cmocka_unit_test(images_on_devices_are_those_of_one_process),
    };
    ranks_begin(&argc, &argv);
    return ranks_end(cmocka_run_group_tests(tests, device_setup, device_teardown));
}

/* meter.c: see meter.h.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "lab/meter.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Before each block; keeps the block aligned for any object. */
typedef union header {
    size_t bytes;
    max_align_t align;
} header;

/* Of all meters: calls are few. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *allocate_locked(meter *m, size_t bytes)
{
    const size_t call = m->calls++;
    if (call == m->fail_at || (m->lasting && call > m->fail_at)) {
        return NULL;
    }
    header *h = malloc(sizeof *h + bytes);
    if (h == NULL) {
        return NULL;
    }
    h->bytes = bytes;
    m->blocks++;
    m->bytes += bytes;
    m->peak = m->bytes > m->peak ? m->bytes : m->peak;
    m->largest = bytes > m->largest ? bytes : m->largest;
    memset(h + 1, 0xa5, bytes); /* new blocks hold garbage */
    return h + 1;
}

static void *meter_allocate(void *user, size_t bytes)
{
    (void)pthread_mutex_lock(&lock);
    void *const block = allocate_locked(user, bytes);
    (void)pthread_mutex_unlock(&lock);
    return block;
}

static void meter_release(void *user, void *block, size_t bytes)
{
    meter *m = user;
    if (block == NULL) {
        return;
    }
    header *h = (header *)block - 1;
    (void)pthread_mutex_lock(&lock);
    m->mistakes += h->bytes != bytes;
    m->blocks--;
    m->bytes -= h->bytes;
    (void)pthread_mutex_unlock(&lock);
    memset(block, 0x5a, h->bytes);
    free(h);
}

gfp_allocator meter_hook(meter *m)
{
    return (gfp_allocator){meter_allocate, meter_release, m};
}

void meter_fail_at(meter *m, size_t fail_at)
{
    m->calls = 0;
    m->fail_at = fail_at;
}

void meter_expect_empty(const meter *m)
{
    assert_int_equal(m->blocks, 0);
    assert_int_equal(m->bytes, 0);
    assert_int_equal(m->mistakes, 0);
}

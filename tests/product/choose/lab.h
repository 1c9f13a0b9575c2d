/* lab.h: shared by the parts of test_tuning: fields, and hand-made tunings.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_PRODUCT_CHOOSE_LAB_H
#define TESTS_PRODUCT_CHOOSE_LAB_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gfpoly.h"
#include "gfpoly/tuning.h"
#include "product/choose/tuning.h"

extern gfp_field *p8, *m8, *p4;
extern gfp_field *tiny; /* p = 17 */

/* cmocka group fixtures. */
int tuning_fields_open(void **state);
int tuning_fields_close(void **state);

gfp_tuning *empty(void);
/* Sets the time of a product of two factors of length len. */
void set(gfp_tuning *tuning, const gfp_field *field, uint64_t len, const char *method, double ns);
/* Sets a time over p8, from host memory. */
void set_row(gfp_tuning *tuning, gfp_operation operation, unsigned threads, uint64_t len,
             uint64_t len_b, const char *method, double ns);
void expect_row(const gfp_tuning *tuning, size_t index, const gfp_field *field, uint64_t len);
void expect_ns(const gfp_tuning *tuning, size_t index, const char *method, double ns);

/* ---- texts ---- */

#define TEXT_SIZE 4096

/* Two fields, three rows, entered out of order. */
gfp_tuning *sample(void);
void write_text(const gfp_tuning *tuning, char text[TEXT_SIZE]);
gfp_status read_bytes(gfp_tuning **tuning, const char *text, size_t length, gfp_error *error);
gfp_tuning *read_text(const char *text);
/* result := text with the first `from` in it replaced. */
void replace(char result[TEXT_SIZE], const char *text, const char *from, const char *to);

/* The text with `from` replaced by `to` is refused, for that reason, at that line. */
typedef struct damage {
    const char *from, *to;
    uint64_t line;
    gfp_status status;
    const char *reason;
} damage;

/* Damages the text of the tuning. */
void expect_damages(gfp_tuning *tuning, const damage *list, size_t count);

/* ---- groups ---- */

/* They return the number of failed tests. */
int run_tests_of_costs(void);

#endif

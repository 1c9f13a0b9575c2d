/* matrix_vector.c: a matrix of polynomials times many vectors. Every entry of the matrix and of a
 * vector is transformed once, the transforms are multiplied and added, and each entry of a result
 * is transformed back once: for 4 by 4, 16 products need 4 forward and 4 inverse transforms.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "gfpoly.h"

#define SIZE 4
#define LENGTH 300 /* of every entry */
#define VECTORS 5

typedef struct vector {
    gfp_poly entry[SIZE];
} vector;

typedef struct matrix {
    vector row[SIZE];
    gfp_space *space;
    gfp_operand *transformed[SIZE][SIZE];
} matrix;

static gfp_status random_vector(vector *v, gfp_random *generator)
{
    gfp_status status = GFP_OK;
    for (int i = 0; i < SIZE && status == GFP_OK; i++) {
        status = gfp_poly_random(&v->entry[i], LENGTH, generator);
    }
    return status;
}

/* *x := the transform of a. */
static gfp_status transform(gfp_operand **x, gfp_space *space, const gfp_poly *a)
{
    const gfp_status status = gfp_operand_create(x, space);
    return status == GFP_OK ? gfp_poly_to_operand(*x, a, NULL) : status;
}

/* Products have 2 LENGTH - 1 coefficients; each result is a sum of SIZE products. */
static gfp_status transform_matrix(matrix *m, const gfp_field *field)
{
    const gfp_space_spec spec = {.length = 2 * LENGTH - 1, .terms = SIZE};
    gfp_status status = gfp_space_create(&m->space, field, &spec, NULL);
    for (int i = 0; i < SIZE * SIZE && status == GFP_OK; i++) {
        status = transform(&m->transformed[i / SIZE][i % SIZE], m->space,
                           &m->row[i / SIZE].entry[i % SIZE]);
    }
    return status;
}

/* y := M x. */
static gfp_status multiply(vector *y, const matrix *m, const vector *x)
{
    gfp_operand *there[SIZE] = {NULL};
    gfp_status status = GFP_OK;
    for (int j = 0; j < SIZE && status == GFP_OK; j++) {
        status = transform(&there[j], m->space, &x->entry[j]);
    }
    for (int i = 0; i < SIZE && status == GFP_OK; i++) {
        gfp_operand *sum = NULL;
        status = gfp_operand_create(&sum, m->space);
        for (int j = 0; j < SIZE && status == GFP_OK; j++) {
            status = gfp_operand_arith(sum, m->transformed[i][j], there[j], GFP_OPERAND_ADDMUL);
        }
        if (status == GFP_OK) {
            status = gfp_poly_from_operand(&y->entry[i], 0, SIZE_MAX, sum, NULL);
        }
        gfp_operand_destroy(sum);
    }
    for (int j = 0; j < SIZE; j++) {
        gfp_operand_destroy(there[j]);
    }
    return status;
}

/* Computes the same entry by entry; VERIFY if the results differ. */
static gfp_status check(const vector *y, const matrix *m, const vector *x)
{
    gfp_poly sum, product;
    gfp_status status = GFP_OK;
    gfp_poly_init(&sum, y->entry[0].field);
    gfp_poly_init(&product, y->entry[0].field);
    for (int i = 0; i < SIZE && status == GFP_OK; i++) {
        gfp_poly_zero(&sum);
        for (int j = 0; j < SIZE && status == GFP_OK; j++) {
            status = gfp_poly_mul(&product, &m->row[i].entry[j], &x->entry[j], NULL);
            if (status == GFP_OK) {
                status = gfp_poly_add(&sum, &sum, &product);
            }
        }
        if (status == GFP_OK && !gfp_poly_equal(&sum, &y->entry[i])) {
            status = GFP_ERR_VERIFY;
        }
    }
    gfp_poly_clear(&sum);
    gfp_poly_clear(&product);
    return status;
}

static void vector_open(vector *v, const gfp_field *field)
{
    for (int i = 0; i < SIZE; i++) {
        gfp_poly_init(&v->entry[i], field);
    }
}

static void vector_close(vector *v)
{
    for (int i = 0; i < SIZE; i++) {
        gfp_poly_clear(&v->entry[i]);
    }
}

static gfp_status multiply_all(const gfp_field *field, matrix *m)
{
    vector x, y;
    gfp_random generator;
    gfp_status status = GFP_OK;
    gfp_random_seed(&generator, 1);
    vector_open(&x, field);
    vector_open(&y, field);
    for (int i = 0; i < SIZE && status == GFP_OK; i++) {
        status = random_vector(&m->row[i], &generator);
    }
    if (status == GFP_OK) {
        status = transform_matrix(m, field);
    }
    for (int v = 0; v < VECTORS && status == GFP_OK; v++) {
        status = random_vector(&x, &generator);
        if (status == GFP_OK) {
            status = multiply(&y, m, &x);
        }
        if (status == GFP_OK) {
            status = check(&y, m, &x);
        }
    }
    vector_close(&x);
    vector_close(&y);
    return status;
}

int main(void)
{
    gfp_error error = {.message = ""};
    gfp_field *field;
    matrix m = {.space = NULL};

    if (gfp_field_create(&field, "p8", NULL, &error) != GFP_OK) {
        fprintf(stderr, "matrix_vector: %s\n", error.message);
        return EXIT_FAILURE;
    }
    for (int i = 0; i < SIZE; i++) {
        vector_open(&m.row[i], field);
    }
    const gfp_status status = multiply_all(field, &m);
    if (status == GFP_OK) {
        printf("a %d by %d matrix over %s by %s, %zu bytes an entry, times %d vectors: all right\n",
               SIZE, SIZE, gfp_field_name(field), gfp_space_get_info(m.space).method,
               gfp_operand_bytes(m.transformed[0][0]), VECTORS);
    } else {
        fprintf(stderr, "matrix_vector: %s\n", gfp_status_string(status));
    }
    for (int i = 0; i < SIZE; i++) {
        for (int j = 0; j < SIZE; j++) {
            gfp_operand_destroy(m.transformed[i][j]);
        }
        vector_close(&m.row[i]);
    }
    gfp_space_destroy(m.space);
    gfp_field_destroy(field);
    return status == GFP_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* vec.cu: arithmetic on device arrays of elements. SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "general.cuh"

namespace
{
using general::const_view;
using general::view;

/* What the kernels of a thread per element know. */
struct operands {
    general::field f;
    uint64_t *z;
    const uint64_t *x, *y;
    __device__ view out(size_t i) const
    {
        return {z + i * f.k, 1};
    }
    __device__ const_view in(const uint64_t *v, size_t i) const
    {
        return {v + i * f.k, 1};
    }
};

struct add_elements : operands {
    __device__ void operator()(size_t i) const
    {
        general::add(f, out(i), in(x, i), in(y, i));
    }
};

struct sub_elements : operands {
    __device__ void operator()(size_t i) const
    {
        general::sub(f, out(i), in(x, i), in(y, i));
    }
};

struct neg_elements : operands {
    __device__ void operator()(size_t i) const
    {
        general::neg(f, out(i), in(x, i));
    }
};

struct shift_elements : operands {
    unsigned s;
    __device__ void operator()(size_t i) const
    {
        if (z == x) {
            general::mul_r_in_place(f, out(i), s);
        } else {
            general::mul_r(f, out(i), in(x, i), s);
        }
    }
};

/* Products element by element. */
struct in_place {
    __device__ size_t at(size_t i) const
    {
        return i;
    }
    __device__ bool one(size_t) const
    {
        return false;
    }
    __device__ unsigned shift(size_t) const
    {
        return 0;
    }
};

/* By y_(i mod n). */
struct by_row : in_place {
    const uint64_t *y;
    size_t n;
    unsigned k;
    __device__ uint64_t digit(size_t i, unsigned d) const
    {
        return y[i % n * k + d];
    }
};

/* By one element, which travels with the launch. */
struct by_constant : in_place {
    uint64_t c[GFP_MAX_K];
    __device__ uint64_t digit(size_t, unsigned d) const
    {
        return c[d];
    }
};

/* Words of n elements; SIZE_MAX, which no array has, where that is too many. */
static size_t words_of(const gfp_field *field, size_t n)
{
    size_t words;
    return gfp_size_mul(&words, n, gfp_field_k(field)) ? words : SIZE_MAX;
}

template <class Body>
static gfp_status unary(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x, size_t n,
                        Body body)
{
    gfp_gpu *gpu = z->gpu;
    const size_t words = words_of(field, n);
    GFP_GPU_ENTER(gpu, false);
    GFP_TRY(gfp_gpu_array_check_pair(gpu, z, words, x, words));
    body.f = general::field_of(field);
    body.z = z->data;
    body.x = x->data;
    return general::launch(gpu, n, body);
}

template <class Body>
static gfp_status binary(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                         const gfp_gpu_array *y, size_t n, Body body)
{
    const size_t words = words_of(field, n);
    GFP_TRY(gfp_gpu_array_check_pair(z->gpu, z, words, y, words));
    body.y = y->data;
    return unary(field, z, x, n, body);
}
} // namespace

gfp_status gfp_gpu_vec_add(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                           const gfp_gpu_array *y, size_t n)
{
    return binary(field, z, x, y, n, add_elements{});
}

gfp_status gfp_gpu_vec_sub(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                           const gfp_gpu_array *y, size_t n)
{
    return binary(field, z, x, y, n, sub_elements{});
}

gfp_status gfp_gpu_vec_neg(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                           size_t n)
{
    return unary(field, z, x, n, neg_elements{});
}

gfp_status gfp_gpu_vec_mul_r(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                             unsigned s, size_t n)
{
    shift_elements body = {};
    body.s = s % (2 * gfp_field_k(field));
    return unary(field, z, x, n, body);
}

gfp_status gfp_gpu_vec_mul(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                           const gfp_gpu_array *y, size_t n)
{
    const general::field f = general::field_of(field);
    const size_t words = words_of(field, n);
    GFP_GPU_ENTER(z->gpu, false);
    GFP_TRY(gfp_gpu_array_check_pair(z->gpu, z, words, x, words));
    GFP_TRY(gfp_gpu_array_check_pair(z->gpu, z, words, y, words));
    return general::launch_products(z->gpu, f, z->data, x->data, n, by_row{{}, y->data, n, f.k});
}

gfp_status gfp_gpu_vec_mul_rows(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                                const gfp_gpu_array *y, size_t rows, size_t n)
{
    const general::field f = general::field_of(field);
    return general::launch_products(z->gpu, f, z->data, x->data, rows * n,
                                    by_row{{}, y->data, n, f.k});
}

gfp_status gfp_gpu_vec_sqr(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                           size_t n)
{
    return gfp_gpu_vec_mul(field, z, x, x, n);
}

gfp_status gfp_gpu_vec_scale(const gfp_field *field, gfp_gpu_array *z, const gfp_gpu_array *x,
                             const uint64_t *c, size_t n)
{
    const general::field f = general::field_of(field);
    const size_t words = words_of(field, n);
    by_constant map = {};
    memcpy(map.c, c, f.k * sizeof *c);
    GFP_GPU_ENTER(z->gpu, false);
    GFP_TRY(gfp_gpu_array_check_pair(z->gpu, z, words, x, words));
    return general::launch_products(z->gpu, f, z->data, x->data, n, map);
}

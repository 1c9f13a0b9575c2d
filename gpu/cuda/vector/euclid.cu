/* euclid.cu: Euclid's algorithm for many pairs of short polynomials, a block for each pair. Steps
 * are those of poly/euclid/steps.c, without inverses: x := s x - q y in the place of x, then x and
 * y change their roles. Scalars are sums of products like coefficients, and are computed with them.
 *
 * A step of a quotient of degree 1 takes s = c^2, q = c h X + c h' - h c' for the leading
 * coefficients h, h' of x and c, c' of y. Any other step removes one coefficient: s = c, q = h X^i.
 *
 * For Res(y, x) = c^(deg x - deg x' - w deg y) Res(y, x'), where s = c^w and x' is the new x, three
 * scalars suffice: `numerator` takes c for every leading coefficient of x' that vanishes by chance;
 * `product` is the product of all s so far, and `denominator` takes its value each time deg y
 * falls.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "gpu/cuda/fast_fields.h"
#include "gpu/cuda/fast_mul.h"
#include "gpu/cuda/general.cuh"
#include "gpu/cuda/impl.h"
#include "gpu/cuda/wide_lanes.cuh"
#include "gpu/cuda/vector/rows.cuh"
#include "gpu/cuda/vector/elements.h"

using general::const_view;
using general::field;
using general::view;
using general::wide;

namespace
{
struct euclid_arguments {
    gfp_gpu_euclid e;
    uint64_t point[GFP_MAX_K];
};

/* x y, added or subtracted; x = NULL: nothing. */
struct term {
    const uint64_t *x, *y;
    bool minus;
};

/* ---- sums of products ---- */

/* Sums by a block: a thread computes a whole sum. product and sum have K words for each thread. */
template <class F> struct by_element {
    static constexpr unsigned K = F::k;
    F over;
    field f;
    view product, sum;
    __device__ unsigned k() const
    {
        return K;
    }
    __device__ void multiply_add(const term &t) const
    {
        uint64_t x[K], y[K];
        general::load(x, t.x);
        general::load(y, t.y);
        gfp_fast::multiply_loose(over, product, const_view(x, 1), const_view(y, 1));
        general::set_sums<K>(f, sum, [&](unsigned i) {
            const general::i128 digit = static_cast<int64_t>(product[i]);
            return (t.minus ? -digit : digit) + sum[i];
        });
    }
    /* to(i) := the sum of of(i, t), t < count, for i < n. to(i) may be a factor in of(i, t). */
    template <class To, class Term>
    __device__ void sums(size_t n, unsigned count, const To &to, const Term &term_of) const
    {
        for (size_t i = threadIdx.x; i < n; i += blockDim.x) {
#pragma unroll
            for (unsigned d = 0; d < K; d++) {
                sum[d] = 0;
            }
#pragma unroll 1
            for (unsigned t = 0; t < count; t++) {
                const term next = term_of(i, t);
                if (next.x != nullptr) {
                    multiply_add(next);
                }
            }
            rows::store<K>(to(i), sum);
        }
        __syncthreads();
    }
};

/* Sums by a block of WIDE_THREADS: the L lanes of an element compute a whole sum. */
constexpr int WIDE_THREADS = 64;
template <int K> struct by_lanes {
    field f;
    const gfp_wide::radix &R;
    gfp_wide::digits_room<K, WIDE_THREADS> &room;
    __device__ unsigned k() const
    {
        return K;
    }
    template <class To, class Term>
    __device__ void sums(size_t n, unsigned count, const To &to, const Term &term_of) const
    {
        constexpr unsigned L = gfp_wide::shape<K>::L;
        gfp_wide::product_sum<K, WIDE_THREADS> sum = {
            room, (int)(threadIdx.x / L), (int)(threadIdx.x % L), R, {}};
        for (size_t first = 0; first < n; first += WIDE_THREADS / L) {
            const size_t i = first + sum.slot;
            sum.clear();
#pragma unroll 1
            for (unsigned t = 0; t < count; t++) {
                const term next = i < n ? term_of(i, t) : term{nullptr, nullptr, false};
                sum.add(next.x, next.y, next.minus);
            }
            sum.store(i < n ? to(i) : nullptr);
        }
        __syncthreads();
    }
};

/* Sums by a block of THREADS: a thread computes a column; then one thread for each sum carries. */
struct by_column {
    static constexpr unsigned STEP = general::THREADS;
    field f;
    uint64_t *digits_x, *digits_y, *low, *high;
    int64_t *top;
    __device__ unsigned k() const
    {
        return f.k;
    }
    /* The column `digit` of a sum; e is the sum's number in the block. */
    template <class Term>
    __device__ wide column(unsigned e, unsigned digit, unsigned count, const Term &term_of) const
    {
        wide sum = {0, 0, 0};
        for (unsigned t = 0; t < count; t++) {
            const term next = term_of(t);
            if (next.x != nullptr) {
                digits_x[threadIdx.x] = next.x[digit];
                digits_y[threadIdx.x] = next.y[digit];
            }
            __syncthreads();
            if (next.x != nullptr) {
                const wide c = general::column(f, const_view(digits_x + e * f.k, 1),
                                               const_view(digits_y + e * f.k, 1), digit);
                sum = next.minus ? general::subtract_wide(sum, c) : general::add_wide(sum, c);
            }
            __syncthreads();
        }
        return sum;
    }
    template <class To, class Term>
    __device__ void sums(size_t n, unsigned count, const To &to, const Term &term_of) const
    {
        const unsigned each = STEP / f.k, e = threadIdx.x / f.k, digit = threadIdx.x & (f.k - 1);
        const unsigned place = digit * each + e;
        for (size_t first = 0; first < n; first += each) {
            const size_t i = first + e;
            const general::parts split =
                general::split(f, column(e, digit, count, [&](unsigned t) {
                                   return i < n ? term_of(i, t) : term{nullptr, nullptr, false};
                               }));
            low[place] = split.l;
            high[place] = split.h;
            top[place] = split.c;
            __syncthreads();
            if (threadIdx.x < each) {
                const unsigned c = threadIdx.x;
                general::set_parts(
                    f, view{low + c, each}, [&](unsigned d) { return low[d * each + c]; },
                    [&](unsigned d) { return high[d * each + c]; },
                    [&](unsigned d) { return top[d * each + c]; });
            }
            __syncthreads();
            if (i < n) {
                to(i)[digit] = low[place];
            }
        }
        __syncthreads();
    }
};

/* ---- the algorithm ---- */

enum slot {
    SCALE,   /* s */
    LOW,     /* -q_0, or -h */
    HIGH,    /* -q_1 */
    SHIFTED, /* the value of X^i y */
    PRODUCT, /* and two more, for resultants */
    NUMERATOR,
    DENOMINATOR,
    VALUE_X,
    VALUE_Y,
    ZERO,
    ONE,
    POINT,
    SLOTS
};

/* The work of sums(). */
enum task {
    SCALARS,         /* of a step of degree 1 */
    STEP,            /* the new x, PRODUCT and the new value of x */
    GENERAL_SCALARS, /* of a step that removes one coefficient */
    GENERAL_STEP,
    MULTIPLY, /* to := left right, or its negative */
    HORNER,   /* both values, one coefficient further */
    CLAIM     /* to := the claimed rows times left, where they are canonical */
};

struct polynomial {
    uint64_t *at;
    size_t len;
    slot value;
};

/* All threads of a block have the same state. */
template <class Machine> struct euclid {
    const euclid_arguments &a;
    Machine machine;
    uint64_t *slots;
    size_t row = blockIdx.x, degree = 0; /* degree: that of y in the last step, less 1 */
    polynomial x = {}, y = {};
    bool negative = false;
    uint64_t *to = nullptr; /* of a task */
    const uint64_t *left = nullptr, *right = nullptr;
    size_t shift = 0;
    bool minus = false, repeated = false; /* repeated: DENOMINATOR takes PRODUCT */

    __device__ euclid(const euclid_arguments &arguments_, const Machine &machine_, uint64_t *slots_)
        : a(arguments_), machine(machine_), slots(slots_)
    {
    }
    __device__ unsigned k() const
    {
        return machine.k();
    }
    __device__ uint64_t *at(unsigned s) const
    {
        return slots + s * k();
    }
    __device__ const uint64_t *lead(const polynomial &p) const
    {
        return p.at + (p.len - 1) * k();
    }
    __device__ bool is_zero(const uint64_t *e) const
    {
        uint64_t any = 0;
        for (unsigned d = 0; d < k(); d++) {
            any |= e[d];
        }
        return any == 0;
    }
    __device__ bool equal(const uint64_t *e, const uint64_t *other) const
    {
        uint64_t any = 0;
        for (unsigned d = 0; d < k(); d++) {
            any |= e[d] ^ other[d];
        }
        return any == 0;
    }
    __device__ bool is_canonical(const uint64_t *e) const
    {
        const uint64_t r = machine.f.r;
        uint64_t below = 0;
        for (unsigned d = 0; d + 1 < k(); d++) {
            below |= e[d];
            if (e[d] >= r) {
                return false;
            }
        }
        return e[k() - 1] < r || (e[k() - 1] == r && below == 0);
    }

    /* ---- tasks ---- */

    __device__ uint64_t *place(task what, size_t i) const
    {
        switch (what) {
        case SCALARS:
        case GENERAL_SCALARS: {
            const slot all[] = {SCALE, LOW, SHIFTED, DENOMINATOR, HIGH};
            return at(all[i]);
        }
        case STEP:
        case GENERAL_STEP: {
            const size_t n = what == STEP ? y.len - 1 : x.len - 1;
            return i < n ? x.at + i * k() : at(i == n ? PRODUCT : x.value);
        }
        case HORNER:
            return at(i == 0 ? x.value : y.value);
        default:
            return to + i * k();
        }
    }
    __device__ term scalar(size_t i, unsigned t) const
    {
        const uint64_t *c = lead(y), *h = lead(x);
        switch (i) {
        case 0:
            return {t == 0 ? c : nullptr, c, false};
        case 1:
            return t == 0 ? term{h, c - k(), false} : term{c, h - k(), true};
        case 2:
            return {t == 0 ? at(y.value) : nullptr, at(POINT), false};
        case 3:
            return {t == 0 ? at(DENOMINATOR) : nullptr, at(repeated ? PRODUCT : ONE), false};
        default:
            return {t == 0 ? c : nullptr, h, true};
        }
    }
    __device__ term general_scalar(size_t i) const
    {
        switch (i) {
        case 0:
            return {lead(y), at(ONE), false};
        case 1:
            return {lead(x), at(ONE), true};
        case 2:
            return {at(y.value), at(ONE), false};
        default:
            return {at(DENOMINATOR), at(repeated ? PRODUCT : ONE), false};
        }
    }
    /* Term t of s z + LOW u + HIGH v. */
    __device__ term combination(unsigned t, const uint64_t *z, const uint64_t *u,
                                const uint64_t *v) const
    {
        return {t == 0 ? z : t == 1 ? u : v, at(t == 0 ? SCALE : t == 1 ? LOW : HIGH), false};
    }
    __device__ term step_term(size_t i, unsigned t) const
    {
        if (i < y.len - 1) {
            const uint64_t *u = y.at + i * k();
            return combination(t, x.at + i * k(), u, i > 0 ? u - k() : nullptr);
        }
        return i == y.len - 1 ? combination(t, at(PRODUCT), nullptr, nullptr)
                              : combination(t, at(x.value), at(y.value), at(SHIFTED));
    }
    __device__ term general_term(size_t i, unsigned t) const
    {
        if (i < x.len - 1) {
            return combination(t, x.at + i * k(), i >= shift ? y.at + (i - shift) * k() : nullptr,
                               nullptr);
        }
        return i == x.len - 1 ? combination(t, at(PRODUCT), nullptr, nullptr)
                              : combination(t, at(x.value), at(SHIFTED), nullptr);
    }
    __device__ term horner_term(const polynomial &p, unsigned t) const
    {
        return t == 0 ? term{at(p.value), at(POINT), false}
                      : term{shift < p.len ? p.at + shift * k() : nullptr, at(ONE), false};
    }
    /* Claims may be anything; digits beyond r would take the carries of a product very long. */
    __device__ const uint64_t *claimed(size_t i) const
    {
        return a.e.claim + (row * a.e.stride_claim + i) * k();
    }
    __device__ term term_of(task what, size_t i, unsigned t) const
    {
        switch (what) {
        case SCALARS:
            return scalar(i, t);
        case STEP:
            return step_term(i, t);
        case GENERAL_SCALARS:
            return general_scalar(i);
        case GENERAL_STEP:
            return general_term(i, t);
        case MULTIPLY:
            return {left, right, minus};
        case HORNER:
            return horner_term(i == 0 ? x : y, t);
        default:
            return {left, is_canonical(claimed(i)) ? claimed(i) : at(ZERO), false};
        }
    }
    /* One copy of the product's code serves all tasks. */
    __attribute__((noinline)) __device__ void run(task what, size_t n, unsigned count) const
    {
        machine.sums(
            n, count, [&](size_t i) { return place(what, i); },
            [&](size_t i, unsigned t) { return term_of(what, i, t); });
    }
    __device__ void multiply(slot s, const uint64_t *by, bool negated)
    {
        to = at(s);
        left = at(s);
        right = by;
        minus = negated;
        run(MULTIPLY, 1, 1);
    }
    __device__ void power(slot s, const uint64_t *by, size_t times)
    {
        for (size_t i = 0; i < times; i++) {
            multiply(s, by, false);
        }
    }

    /* ---- parts of a block's work ---- */

    /* n elements, in all threads; from = NULL: zeros. */
    __device__ void copy(uint64_t *z, const uint64_t *from, size_t n) const
    {
        for (size_t i = threadIdx.x; i < n * k(); i += blockDim.x) {
            z[i] = from != nullptr ? from[i] : 0;
        }
        __syncthreads();
    }
    __device__ void trim(polynomial &p) const
    {
        while (p.len > 0 && is_zero(lead(p))) {
            p.len--;
        }
    }
    /* Res(x, y) becomes Res(y, x). */
    __device__ void turn_resultant()
    {
        negative ^= y.len > 0 && ((x.len - 1) & (y.len - 1) & 1) != 0;
    }
    __device__ void swap()
    {
        const polynomial old = x;
        x = y;
        y = old;
    }
    __device__ void open()
    {
        uint64_t *work = a.e.work + row * 2 * a.e.room * k();
        x = {work, a.e.len_a, VALUE_X};
        y = {work + a.e.room * k(), a.e.len_b, VALUE_Y};
        copy(x.at, a.e.a + row * a.e.stride_a * k(), x.len);
        copy(y.at, a.e.b + row * a.e.stride_b * k(), y.len);
        copy(slots, nullptr, SLOTS);
        for (unsigned d = threadIdx.x; d < k(); d += blockDim.x) {
            const slot ones[] = {PRODUCT, NUMERATOR, DENOMINATOR, ONE};
            for (const slot s : ones) {
                at(s)[d] = d == 0;
            }
            at(POINT)[d] = a.point[d];
        }
        trim(x);
        trim(y);
        if (x.len < y.len) {
            swap();
        } else {
            turn_resultant();
        }
        degree = y.len > 2 ? y.len - 2 : 0;
        __syncthreads();
        for (shift = a.e.claim != nullptr ? x.len : 0; shift-- > 0;) {
            run(HORNER, 2, 2);
        }
    }
    /* The new x has at most n coefficients. */
    __device__ void finish_step(size_t n)
    {
        x.len = n;
        trim(x);
        if (x.len > 0) {
            power(NUMERATOR, lead(y), n - x.len);
        }
        if (x.len < y.len) {
            swap();
            turn_resultant();
        }
    }
    __device__ void step()
    {
        const size_t falls = degree - (y.len - 2);
        degree = y.len - 2;
        repeated = falls > 0;
        power(DENOMINATOR, at(PRODUCT), repeated ? falls - 1 : 0);
        if (x.len == y.len + 1) {
            run(SCALARS, 5, 2);
            run(STEP, y.len + 1, 3);
            finish_step(y.len - 1);
            return;
        }
        shift = x.len - y.len;
        run(GENERAL_SCALARS, 4, 1);
        power(SHIFTED, at(POINT), a.e.claim != nullptr ? shift : 0);
        run(GENERAL_STEP, x.len + 1, 2);
        finish_step(x.len - 1);
    }
    /* Whether the values of x and y are those of a and b, taken through all steps. */
    __device__ bool has_values()
    {
        const slot value = x.value;
        copy(at(SHIFTED), nullptr, 1);
        x.value = SHIFTED;
        for (shift = x.len; shift-- > 0;) {
            run(HORNER, 1, 2);
        }
        x.value = value;
        return equal(at(SHIFTED), at(value)) && equal(at(y.value), y.len == 1 ? y.at : at(ZERO)) &&
               !is_zero(at(PRODUCT)) && !is_zero(at(DENOMINATOR));
    }
    __device__ void finish_resultant()
    {
        if (y.len == 1) {
            power(DENOMINATOR, at(PRODUCT), degree);
            power(NUMERATOR, y.at, x.len - 1);
            multiply(NUMERATOR, at(ONE), negative);
        } else {
            copy(at(NUMERATOR), nullptr, 1);
        }
    }
    /* x := the gcd in the first half of the work space, followed by zeros. */
    __device__ void finish_gcd()
    {
        uint64_t *work = a.e.work + row * 2 * a.e.room * k();
        if (y.len == 1) {
            x.len = 1;
            copy(x.at, at(ONE), 1);
        }
        if (x.at != work) {
            copy(work, x.at, x.len);
            x.at = work;
        }
        copy(x.at + x.len * k(), nullptr, a.e.room - x.len);
        copy(at(SCALE), x.len > 0 ? lead(x) : at(ONE), 1);
    }
    /* Marks the row if its claim is not the result, by products with the leading coefficient of the
     * gcd, or with the denominator. */
    __device__ void compare()
    {
        const size_t n = a.e.resultants ? 1 : a.e.room;
        const uint64_t *result = a.e.resultants ? at(NUMERATOR) : x.at;
        to = a.e.work + (2 * row + 1) * a.e.room * k();
        left = at(a.e.resultants ? DENOMINATOR : SCALE);
        run(CLAIM, n, 1);
        for (size_t i = threadIdx.x; i < n; i += blockDim.x) {
            if (!equal(to + i * k(), result + i * k()) || !is_canonical(claimed(i))) {
                a.e.words[row] = 1;
            }
        }
    }
    __device__ void work()
    {
        open();
        while (y.len > 1) {
            step();
        }
        const bool checks = a.e.claim != nullptr, right = !checks || has_values();
        __syncthreads();
        finish_resultant();
        finish_gcd();
        if (threadIdx.x == 0) {
            a.e.words[row] = checks ? !right : x.len;
        }
        __syncthreads();
        if (checks) {
            compare();
        }
        copy(a.e.leads + row * k(), at(SCALE), 1);
        copy(a.e.numerators + row * k(), at(NUMERATOR), 1);
        copy(a.e.denominators + row * k(), at(DENOMINATOR), 1);
    }
};

template <class Machine>
__device__ void euclid_work(const euclid_arguments &a, const Machine &machine, uint64_t *slots)
{
    euclid<Machine>(a, machine, slots).work();
}
} // namespace

template <class F>
static __global__ void __launch_bounds__(general::ELEMENT_THREADS, F::k <= 8 ? 6 : 4)
    euclid_elements(field f, const __grid_constant__ gfp_fast::radix_constants constants,
                    const __grid_constant__ euclid_arguments a)
{
    constexpr unsigned STEP = general::ELEMENT_THREADS;
    __shared__ uint64_t products[F::k * STEP], sums[F::k * STEP];
    alignas(16) __shared__ uint64_t slots[SLOTS * F::k];
    euclid_work(
        a,
        by_element<F>{F(constants), f, {products + threadIdx.x, STEP}, {sums + threadIdx.x, STEP}},
        slots);
}

template <int K>
static __global__ void __launch_bounds__(WIDE_THREADS, 2 * gfp_wide::product_blocks(K))
    euclid_lanes(field f, const __grid_constant__ gfp_wide::radix R,
                 const __grid_constant__ euclid_arguments a)
{
    __shared__ gfp_wide::digits_room<K, WIDE_THREADS> room;
    __shared__ uint64_t slots[SLOTS * K];
    gfp_wide::load_roots(room);
    euclid_work(a, by_lanes<K>{f, R, room}, slots);
}

static __global__ void __launch_bounds__(general::THREADS)
    euclid_columns(field f, const __grid_constant__ euclid_arguments a)
{
    __shared__ uint64_t digits_x[general::THREADS], digits_y[general::THREADS];
    __shared__ uint64_t low[general::THREADS], high[general::THREADS];
    __shared__ int64_t top[general::THREADS];
    __shared__ uint64_t slots[SLOTS * GFP_MAX_K];
    euclid_work(a, by_column{f, digits_x, digits_y, low, high, top}, slots);
}

template <class F>
static gfp_status fast_euclid(gfp_gpu *gpu, const field &f, const euclid_arguments &a)
{
    /* Rows have half their length on average. */
    const size_t warps = gfp_size_min((a.e.room + 63) / 64, general::ELEMENT_THREADS / 32);
    GFP_LAUNCH(gpu, euclid_elements<F>, static_cast<unsigned>(a.e.rows),
               static_cast<unsigned>(32 * warps), 0, f, gfp_fast::make_constants((int)f.k, f.r), a);
    return GFP_OK;
}

template <int K>
static gfp_status wide_euclid(gfp_gpu *gpu, const field &f, const gfp_wide::radix &R,
                              const euclid_arguments &a)
{
    GFP_LAUNCH(gpu, euclid_lanes<K>, static_cast<unsigned>(a.e.rows), WIDE_THREADS, 0, f, R, a);
    return GFP_OK;
}

gfp_status gfp_cuda_euclid(gfp_gpu *gpu, const gfp_field *over, const gfp_gpu_euclid *pairs)
{
    const field f = general::field_of(over);
    euclid_arguments a = {*pairs, {0}};
    if (pairs->point != nullptr) {
        memcpy(a.point, pairs->point, f.k * sizeof *a.point);
    }
    if (gfp_fast::is_served(f.k, f.r)) {
        return gfp_fast::with_field(f.k, f.r, [&](auto type) {
            return fast_euclid<typename decltype(type)::F>(gpu, f, a);
        });
    }
    if (gfp_wide::elements_served((int)f.k, f.r)) {
        return gfp_wide::with_radix((int)f.k, f.r, [&](auto k, const gfp_wide::radix &R) {
            return wide_euclid<GFP_AT(k)>(gpu, f, R, a);
        });
    }
    GFP_LAUNCH(gpu, euclid_columns, static_cast<unsigned>(a.e.rows), general::THREADS, 0, f, a);
    return GFP_OK;
}

/* poly.cpp: arithmetic of polynomials, products and their parts, division, gcds, factors.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "core.hpp"

#include <stddef.h>

using poly_call = gfp_status (*)(gfp_poly *, const gfp_poly *, const gfp_poly *,
                                 const gfp_options *);

static size_t poly_work(const py_poly &a)
{
    return a.digits();
}
static size_t poly_work(const py_poly &a, const py_poly &b)
{
    return a.digits() + b.digits();
}

/* Two operands, one result. */
template <poly_call function>
static py_poly poly_binary(const py_poly &a, const py_poly &b, py_options *options)
{
    py_poly c(a.box);
    call once(options);
    once.run(poly_work(a, b), [&](const gfp_options *o) { return function(&c.p, &a.p, &b.p, o); });
    return c;
}

static gfp_status poly_add(gfp_poly *c, const gfp_poly *a, const gfp_poly *b, const gfp_options *)
{
    return gfp_poly_add(c, a, b);
}
static gfp_status poly_subtract(gfp_poly *c, const gfp_poly *a, const gfp_poly *b,
                                const gfp_options *)
{
    return gfp_poly_sub(c, a, b);
}

/* One operand and a length. */
template <gfp_status (*function)(gfp_poly *, const gfp_poly *, size_t)>
static py_poly poly_resized(const py_poly &a, size_t n)
{
    py_poly c(a.box);
    check(function(&c.p, &a.p, n));
    return c;
}

/* One operand and options. */
template <gfp_status (*function)(gfp_poly *, const gfp_poly *, const gfp_options *)>
static py_poly poly_unary(const py_poly &a, py_options *options)
{
    py_poly c(a.box);
    call once(options);
    once.run(poly_work(a), [&](const gfp_options *o) { return function(&c.p, &a.p, o); });
    return c;
}

template <gfp_status (*function)(gfp_poly *, const gfp_poly *)>
static py_poly poly_simple(const py_poly &a)
{
    py_poly c(a.box);
    check(function(&c.p, &a.p));
    return c;
}

/* Parts of a product: two operands and a length. */
template <gfp_status (*function)(gfp_poly *, const gfp_poly *, const gfp_poly *, size_t,
                                 const gfp_options *)>
static py_poly poly_part(const py_poly &a, const py_poly &b, size_t n, py_options *options)
{
    py_poly c(a.box);
    call once(options);
    once.run(poly_work(a, b),
             [&](const gfp_options *o) { return function(&c.p, &a.p, &b.p, n, o); });
    return c;
}

/* Two operands, an element as result. */
template <gfp_status (*function)(uint64_t *, const gfp_poly *, const gfp_poly *,
                                 const gfp_options *)>
static nb::object poly_element(const py_poly &a, const py_poly &b, py_options *options)
{
    uint64_t r[GFP_MAX_K];
    call once(options);
    once.run(poly_work(a, b), [&](const gfp_options *o) { return function(r, &a.p, &b.p, o); });
    return from_element(a.p.field, r);
}

static py_poly poly_scale(const py_poly &a, nb::handle value)
{
    std::vector<uint64_t> x = to_element(a.p.field, value, "scalar");
    py_poly c(a.box);
    check(gfp_poly_scalar_mul(&c.p, &a.p, x.data()));
    return c;
}

static py_poly poly_constant(const py_field &field, nb::handle value)
{
    std::vector<uint64_t> x = to_element(field.get(), value, "scalar");
    py_poly c(field.box);
    check(gfp_poly_set_coeff(&c.p, 0, x.data()));
    return c;
}

static nb::object poly_eval(const py_poly &a, nb::handle value)
{
    std::vector<uint64_t> x = to_element(a.p.field, value, "x");
    uint64_t y[GFP_MAX_K];
    if (poly_work(a) < 512) {
        gfp_poly_eval(y, &a.p, x.data());
    } else {
        nb::gil_scoped_release released;
        gfp_poly_eval(y, &a.p, x.data());
    }
    return from_element(a.p.field, y);
}

/* Coefficients from, from + step, ...: n of them, all inside a. */
static py_poly poly_pick(const py_poly &a, ptrdiff_t from, ptrdiff_t step, size_t n)
{
    py_poly c(a.box);
    size_t k = gfp_field_k(a.p.field);
    check(gfp_poly_fit_length(&c.p, n));
    for (size_t i = 0; i < n; i++) {
        ptrdiff_t j = from + step * (ptrdiff_t)i;
        if (j < 0 || (size_t)j >= a.p.len) {
            fail_with(GFP_ERR_ARGUMENT, "slice: a coefficient is outside the polynomial");
        }
        gfp_elem_set(a.p.field, c.p.digits + i * k, a.p.digits + (size_t)j * k);
    }
    check(gfp_poly_set_length(&c.p, n));
    return c;
}

static py_poly random_poly(const py_field &field, size_t n, uint64_t seed)
{
    py_poly f(field.box);
    gfp_random g;
    gfp_random_seed(&g, seed);
    check(gfp_poly_random(&f.p, n, &g));
    return f;
}

static py_poly middle_product(const py_poly &a, const py_poly &b, size_t from, size_t n,
                              py_options *options)
{
    py_poly c(a.box);
    call once(options);
    once.run(poly_work(a, b),
             [&](const gfp_options *o) { return gfp_poly_mulmid(&c.p, &a.p, &b.p, from, n, o); });
    return c;
}

static bool verify_mul(const py_poly &c, const py_poly &a, const py_poly &b, py_options *options)
{
    bool yes = true;
    call once(options);
    once.run(poly_work(a, b), [&](const gfp_options *o) {
        gfp_status status = gfp_poly_verify_mul(&c.p, &a.p, &b.p, o);
        yes = status == GFP_OK;
        return status == GFP_ERR_VERIFY ? GFP_OK : status;
    });
    return yes;
}

static nb::object poly_divrem(const py_poly &a, const py_poly &b, py_options *options)
{
    py_poly q(a.box), r(a.box);
    call once(options);
    once.run(poly_work(a, b),
             [&](const gfp_options *o) { return gfp_poly_divrem(&q.p, &r.p, &a.p, &b.p, o); });
    return nb::make_tuple(nb::cast(std::move(q)), nb::cast(std::move(r)));
}

static nb::object poly_xgcd(const py_poly &a, const py_poly &b, py_options *options)
{
    py_poly g(a.box), u(a.box), v(a.box);
    call once(options);
    once.run(poly_work(a, b),
             [&](const gfp_options *o) { return gfp_poly_xgcd(&g.p, &u.p, &v.p, &a.p, &b.p, o); });
    return nb::make_tuple(nb::cast(std::move(g)), nb::cast(std::move(u)), nb::cast(std::move(v)));
}

static nb::object poly_discriminant(const py_poly &a, py_options *options)
{
    uint64_t r[GFP_MAX_K];
    call once(options);
    once.run(poly_work(a), [&](const gfp_options *o) { return gfp_poly_discriminant(r, &a.p, o); });
    return from_element(a.p.field, r);
}

static nb::object poly_fraction(const py_poly &f, const py_poly *m, size_t max_num, size_t max_den,
                                py_options *options)
{
    py_poly num(f.box), den(f.box);
    call once(options);
    once.run(poly_work(f), [&](const gfp_options *o) {
        return m != nullptr ? gfp_poly_reconstruct(&num.p, &den.p, &f.p, &m->p, max_num, max_den, o)
                            : gfp_poly_pade(&num.p, &den.p, &f.p, max_num, max_den, o);
    });
    return nb::make_tuple(nb::cast(std::move(num)), nb::cast(std::move(den)));
}

static py_poly sequence_minpoly(const py_field &field, nb::handle sequence, py_options *options)
{
    elements s = to_elements(field.get(), sequence, "sequence");
    py_poly f(field.box);
    call once(options);
    once.run(s.digits.size(),
             [&](const gfp_options *o) { return gfp_poly_minpoly(&f.p, s.digits.data(), s.n, o); });
    return f;
}

/* ---- factors ---- */

struct factors_owner {
    gfp_factors F;
    ~factors_owner()
    {
        gfp_factors_clear(&F);
    }
};

static nb::object poly_factor(const py_poly &f, int kind, py_options *options)
{
    factors_owner owner;
    gfp_factors *F = &owner.F;
    gfp_factors_init(F, f.p.field);
    call once(options);
    once.run(SIZE_MAX, [&](const gfp_options *o) {
        return kind == 0   ? gfp_poly_factor(F, &f.p, o)
               : kind == 1 ? gfp_poly_factor_squarefree(F, &f.p, o)
                           : gfp_poly_factor_distinct_deg(F, &f.p, o);
    });
    nb::list list;
    for (size_t i = 0; i < F->count; i++) {
        py_poly g(f.box);
        gfp_poly_swap(&g.p, &F->factor[i].poly);
        list.append(nb::make_tuple(nb::cast(std::move(g)), F->factor[i].exponent));
    }
    return nb::make_tuple(from_element(f.p.field, F->leading), list);
}

struct roots_owner {
    gfp_roots R;
    ~roots_owner()
    {
        gfp_roots_clear(&R);
    }
};

static nb::object poly_roots(const py_poly &f, py_options *options)
{
    roots_owner owner;
    gfp_roots *R = &owner.R;
    gfp_roots_init(R, f.p.field);
    call once(options);
    once.run(SIZE_MAX, [&](const gfp_options *o) { return gfp_poly_roots(R, &f.p, o); });
    nb::list list;
    size_t k = gfp_field_k(f.p.field);
    for (size_t i = 0; i < R->count; i++) {
        list.append(nb::make_tuple(from_element(f.p.field, R->root + i * k), R->multiplicity[i]));
    }
    return list;
}

static bool is_irreducible(const py_poly &f, py_options *options)
{
    bool yes = false;
    call once(options);
    once.run(SIZE_MAX,
             [&](const gfp_options *o) { return gfp_poly_is_irreducible(&yes, &f.p, o); });
    return yes;
}

static py_poly random_irreducible(const py_field &field, size_t n, uint64_t seed,
                                  py_options *options)
{
    py_poly f(field.box);
    gfp_random g;
    gfp_random_seed(&g, seed);
    call once(options);
    once.run(SIZE_MAX,
             [&](const gfp_options *o) { return gfp_poly_random_irreducible(&f.p, n, &g, o); });
    return f;
}

/* ---- series ---- */

template <gfp_status (*function)(gfp_poly *, const gfp_poly *, size_t, const gfp_options *)>
static py_poly poly_series(const py_poly &a, size_t n, py_options *options)
{
    py_poly c(a.box);
    call once(options);
    once.run(n > SIZE_MAX / GFP_MAX_K ? SIZE_MAX : n * gfp_field_k(a.p.field),
             [&](const gfp_options *o) { return function(&c.p, &a.p, n, o); });
    return c;
}

static py_poly pow_series(const py_poly &a, nb::handle exponent, size_t n, py_options *options)
{
    bool negative;
    std::vector<uint64_t> e = int_to_limbs(exponent, "exponent", &negative);
    if (negative) {
        fail_with(GFP_ERR_ARGUMENT, "exponent: the integer is negative");
    }
    py_poly c(a.box);
    call once(options);
    once.run(SIZE_MAX, [&](const gfp_options *o) {
        return gfp_poly_pow_series(&c.p, &a.p, e.data(), e.size(), n, o);
    });
    return c;
}

static py_poly taylor_shift(const py_poly &a, nb::handle value, py_options *options)
{
    std::vector<uint64_t> x = to_element(a.p.field, value, "c");
    py_poly c(a.box);
    call once(options);
    once.run(poly_work(a),
             [&](const gfp_options *o) { return gfp_poly_taylor_shift(&c.p, &a.p, x.data(), o); });
    return c;
}

void define_poly(nb::module_ &m)
{
    /* None reaches the function, which names the argument in its message. */
    auto o = nb::arg().none(), _ = nb::arg().none();
    m.def("constant", poly_constant, _, _);
    m.def("random_poly", random_poly);
    m.def("equal", [](const py_poly &a, const py_poly &b) { return gfp_poly_equal(&a.p, &b.p); });
    m.def("add", poly_binary<poly_add>, _, _, o);
    m.def("sub", poly_binary<poly_subtract>, _, _, o);
    m.def("neg", poly_simple<gfp_poly_neg>);
    m.def("monic", poly_simple<gfp_poly_make_monic>);
    m.def("scale", poly_scale, _, _);
    m.def("eval", poly_eval, _, _);
    m.def("pick", poly_pick);
    m.def("truncate", poly_resized<gfp_poly_truncate>);
    m.def("shift_left", poly_resized<gfp_poly_shift_left>);
    m.def("shift_right", poly_resized<gfp_poly_shift_right>);
    m.def("reverse", poly_resized<gfp_poly_reverse>);
    m.def("mul", poly_binary<gfp_poly_mul>, _, _, o);
    m.def("sqr", poly_unary<gfp_poly_sqr>, _, o);
    m.def("mullow", poly_part<gfp_poly_mullow>, _, _, _, o);
    m.def("mulhigh", poly_part<gfp_poly_mulhigh>, _, _, _, o);
    m.def("mulmid", middle_product, _, _, _, _, o);
    m.def("verify_mul", verify_mul, _, _, _, o);
    m.def("divrem", poly_divrem, _, _, o);
    m.def("div", poly_binary<gfp_poly_div>, _, _, o);
    m.def("rem", poly_binary<gfp_poly_rem>, _, _, o);
    m.def("divexact", poly_binary<gfp_poly_divexact>, _, _, o);
    m.def("gcd", poly_binary<gfp_poly_gcd>, _, _, o);
    m.def("xgcd", poly_xgcd, _, _, o);
    m.def("resultant", poly_element<gfp_poly_resultant>, _, _, o);
    m.def("discriminant", poly_discriminant, _, o);
    m.def("subresultant", poly_part<gfp_poly_subresultant>, _, _, _, o);
    m.def("fraction", poly_fraction, _, o, _, _, o);
    m.def("sequence_minpoly", sequence_minpoly, _, _, o);
    m.def("factor", poly_factor, _, _, o);
    m.def("roots", poly_roots, _, o);
    m.def("is_irreducible", is_irreducible, _, o);
    m.def("random_irreducible", random_irreducible, _, _, _, o);
    m.def("derivative", poly_unary<gfp_poly_derivative>, _, o);
    m.def("integral", poly_unary<gfp_poly_integral>, _, o);
    m.def("taylor_shift", taylor_shift, _, _, o);
    m.def("inv_series", poly_series<gfp_poly_inv_series>, _, _, o);
    m.def("sqrt_series", poly_series<gfp_poly_sqrt_series>, _, _, o);
    m.def("log_series", poly_series<gfp_poly_log_series>, _, _, o);
    m.def("exp_series", poly_series<gfp_poly_exp_series>, _, _, o);
    m.def("revert_series", poly_series<gfp_poly_revert_series>, _, _, o);
    m.def("pow_series", pow_series, _, _, _, o);
    m.def("div_series", poly_part<gfp_poly_div_series>, _, _, _, o);
    m.def("compose", poly_binary<gfp_poly_compose>, _, _, o);
    m.def("compose_series", poly_part<gfp_poly_compose_series>, _, _, _, o);
}

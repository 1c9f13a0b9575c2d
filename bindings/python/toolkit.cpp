/* toolkit.cpp: objects that serve many calls: moduli and trees of points; values at many points,
 * interpolation, products from roots.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "core.hpp"

/* ---- moduli ---- */

struct py_modulus {
    field_ref box;
    std::unique_ptr<gfp_modulus, void (*)(gfp_modulus *)> m{nullptr, gfp_modulus_destroy};
    size_t work() const
    {
        return gfp_modulus_poly(m.get())->len * gfp_field_k(box->field);
    }
};

static py_modulus modulus_create(const py_poly &f, py_options *options)
{
    py_modulus M;
    M.box = f.box;
    gfp_modulus *made = nullptr;
    call once(options);
    once.run(f.digits(), [&](const gfp_options *o) { return gfp_modulus_create(&made, &f.p, o); });
    M.m.reset(made);
    return M;
}

template <gfp_status (*function)(gfp_poly *, const gfp_poly *, const gfp_modulus *,
                                 const gfp_options *)>
static py_poly toolkit_unary(const py_modulus &M, const py_poly &a, py_options *options)
{
    py_poly c(M.box);
    call once(options);
    once.run(M.work() + a.digits(),
             [&](const gfp_options *o) { return function(&c.p, &a.p, M.m.get(), o); });
    return c;
}

static py_poly mul_mod(const py_modulus &M, const py_poly &a, const py_poly &b, py_options *options)
{
    py_poly c(M.box);
    call once(options);
    once.run(M.work() + a.digits(), [&](const gfp_options *o) {
        return gfp_poly_mul_mod(&c.p, &a.p, &b.p, M.m.get(), o);
    });
    return c;
}

static py_poly pow_mod(const py_modulus &M, const py_poly &a, nb::handle exponent,
                       py_options *options)
{
    bool negative;
    std::vector<uint64_t> e = int_to_limbs(exponent, "exponent", &negative);
    py_poly c(M.box);
    call once(options);
    once.run(SIZE_MAX, [&](const gfp_options *o) {
        if (negative) {
            gfp_status status = gfp_poly_inv_mod(&c.p, &a.p, M.m.get(), o);
            if (status != GFP_OK) {
                return status;
            }
        }
        return gfp_poly_pow_mod(&c.p, negative ? &c.p : &a.p, e.data(), e.size(), M.m.get(), o);
    });
    return c;
}

struct argument_owner {
    gfp_compose_argument *A = nullptr;
    ~argument_owner()
    {
        gfp_compose_argument_destroy(A);
    }
};

static py_poly compose_mod(const py_modulus &M, const py_poly &f, const py_poly &g,
                           py_options *options)
{
    py_poly c(M.box);
    argument_owner owner;
    call once(options);
    once.run(SIZE_MAX, [&](const gfp_options *o) {
        gfp_status status = gfp_compose_argument_create(&owner.A, &g.p, M.m.get(), 1, o);
        return status != GFP_OK ? status : gfp_poly_compose_mod(&c.p, &f.p, owner.A, o);
    });
    return c;
}

/* ---- points ---- */

struct py_tree {
    field_ref box;
    std::unique_ptr<gfp_tree, void (*)(gfp_tree *)> t{nullptr, gfp_tree_destroy};
    size_t n = 0; // points
};

static py_tree tree_create(const py_field &field, nb::handle points, py_options *options)
{
    elements x = to_elements(field.get(), points, "points");
    py_tree T;
    T.box = field.box;
    gfp_tree *made = nullptr;
    call once(options);
    once.run(x.digits.size(), [&](const gfp_options *o) {
        return gfp_tree_create(&made, field.get(), x.digits.data(), x.n, o);
    });
    T.t.reset(made);
    T.n = x.n;
    return T;
}

static nb::object tree_eval(const py_tree &T, const py_poly &f, py_options *options)
{
    std::vector<uint64_t> y(T.n * gfp_field_k(T.box->field));
    call once(options);
    once.run(y.size() + f.digits(),
             [&](const gfp_options *o) { return gfp_tree_eval(y.data(), &f.p, T.t.get(), o); });
    return from_elements(T.box->field, y.data(), T.n);
}

static void check_count(size_t points, size_t values)
{
    if (points != values) {
        fail_with(GFP_ERR_ARGUMENT, "values: " + std::to_string(values) + " values for " +
                                        std::to_string(points) + " points");
    }
}

static py_poly tree_interpolate(const py_tree &T, nb::handle values, py_options *options)
{
    elements y = to_elements(T.box->field, values, "values");
    check_count(T.n, y.n);
    py_poly f(T.box);
    call once(options);
    once.run(y.digits.size(), [&](const gfp_options *o) {
        return gfp_tree_interpolate(&f.p, y.digits.data(), T.t.get(), o);
    });
    return f;
}

static py_poly tree_product(const py_tree &T)
{
    py_poly f(T.box);
    check(gfp_tree_product(&f.p, T.t.get()));
    return f;
}

static nb::object toolkit_multieval(const py_poly &f, nb::handle points, py_options *options)
{
    elements x = to_elements(f.p.field, points, "points");
    call once(options);
    once.run(x.digits.size() + f.digits(), [&](const gfp_options *o) {
        return gfp_poly_eval_vec(x.digits.data(), &f.p, x.digits.data(), x.n, o);
    });
    return from_elements(f.p.field, x.digits.data(), x.n);
}

static py_poly toolkit_interpolate(const py_field &field, nb::handle points, nb::handle values,
                                   py_options *options)
{
    elements x = to_elements(field.get(), points, "points");
    elements y = to_elements(field.get(), values, "values");
    check_count(x.n, y.n);
    py_poly f(field.box);
    call once(options);
    once.run(x.digits.size(), [&](const gfp_options *o) {
        return gfp_poly_interpolate(&f.p, x.digits.data(), y.digits.data(), x.n, o);
    });
    return f;
}

static py_poly from_roots(const py_field &field, nb::handle roots, py_options *options)
{
    elements x = to_elements(field.get(), roots, "roots");
    py_poly f(field.box);
    call once(options);
    once.run(x.digits.size(), [&](const gfp_options *o) {
        return gfp_poly_product_roots(&f.p, x.digits.data(), x.n, o);
    });
    return f;
}

void define_toolkit(nb::module_ &m)
{
    /* None reaches the function, which names the argument in its message. */
    auto o = nb::arg().none(), _ = nb::arg().none();
    nb::class_<py_modulus>(m, "Modulus");
    m.def("modulus_create", modulus_create, _, o);
    m.def("rem_mod", toolkit_unary<gfp_poly_rem_mod>, _, _, o);
    m.def("inv_mod", toolkit_unary<gfp_poly_inv_mod>, _, _, o);
    m.def("minpoly_mod", toolkit_unary<gfp_poly_minpoly_mod>, _, _, o);
    m.def("charpoly_mod", toolkit_unary<gfp_poly_charpoly_mod>, _, _, o);
    m.def("mul_mod", mul_mod, _, _, _, o);
    m.def("pow_mod", pow_mod, _, _, _, o);
    m.def("compose_mod", compose_mod, _, _, _, o);
    nb::class_<py_tree>(m, "Tree").def("__len__", [](const py_tree &T) { return T.n; });
    m.def("tree_create", tree_create, _, _, o);
    m.def("tree_eval", tree_eval, _, _, o);
    m.def("tree_interpolate", tree_interpolate, _, _, o);
    m.def("tree_product", tree_product);
    m.def("multieval", toolkit_multieval, _, _, o);
    m.def("interpolate", toolkit_interpolate, _, _, _, o);
    m.def("from_roots", from_roots, _, _, o);
}

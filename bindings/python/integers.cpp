/* integers.cpp: polynomials over Z as lists of Python's integers.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "core.hpp"

/* The ring that all calls share: it keeps primes and tables. */
static gfp_zring *shared_ring()
{
    static gfp_zring *ring;
    if (ring == nullptr) {
        gfp_error error{};
        check(gfp_zring_create(&ring, nullptr, &error), &error);
    }
    return ring;
}

struct zvec {
    gfp_zvec z;
    zvec()
    {
        gfp_zvec_init(&z, shared_ring());
    }
    zvec(const zvec &) = delete;
    ~zvec()
    {
        gfp_zvec_clear(&z);
    }
};

/* z := the integers of a sequence. */
static void set_integers(zvec &z, nb::handle sequence, const char *what)
{
    nb::object items = int_tuple(sequence, what);
    size_t n = (size_t)PyTuple_GET_SIZE(items.ptr()), total = 0;
    std::vector<size_t> widths(n); /* limbs with the sign */
    for (size_t i = 0; i < n; i++) {
        widths[i] = int_limb_count(PyTuple_GET_ITEM(items.ptr(), (Py_ssize_t)i)) + 1;
        total += widths[i];
    }
    std::vector<uint64_t> limbs(total);
    uint64_t *x = limbs.data();
    for (size_t i = 0; i < n; i++) {
        bool negative;
        if (!int_store(PyTuple_GET_ITEM(items.ptr(), (Py_ssize_t)i), x, widths[i], &negative)) {
            fail_with(GFP_ERR_SIZE, std::string(what) + ": an integer is too long", i);
        }
        uint64_t carry = negative;
        for (size_t j = 0; negative && j < widths[i]; j++) {
            x[j] = ~x[j] + carry;
            carry = carry && x[j] == 0;
        }
        x += widths[i];
    }
    check(gfp_zvec_set_ragged(&z.z, limbs.data(), widths.data(), n));
}

static nb::object get_integers(const zvec &z)
{
    nb::list list;
    for (size_t i = 0; i < z.z.len; i++) {
        size_t width;
        const uint64_t *x = gfp_zvec_get(&width, &z.z, i);
        list.append(int_from_limbs(x, width, true));
    }
    return list;
}

/* The limbs that the vector holds. */
static size_t work_of(const zvec &z)
{
    return z.z.width > 0 ? z.z.len * z.z.width : z.z.alloc;
}

/* The one integer of a vector; 0 if it has none. */
static nb::object get_integer(const zvec &z)
{
    static const uint64_t zero = 0;
    return z.z.len > 0 ? int_from_limbs(z.z.limbs, z.z.width, true)
                       : int_from_limbs(&zero, 1, true);
}

using zvec_call = gfp_status (*)(gfp_zvec *, const gfp_zvec *, const gfp_zvec *,
                                 const gfp_options *);

template <zvec_call function, nb::object (*result)(const zvec &)>
static nb::object integers_binary(nb::handle a, nb::handle b, py_options *options)
{
    zvec x, y, r;
    set_integers(x, a, "a");
    set_integers(y, b, "b");
    call once(options);
    once.run(work_of(x) + work_of(y),
             [&](const gfp_options *o) { return function(&r.z, &x.z, &y.z, o); });
    return result(r);
}

template <gfp_status (*function)(gfp_zvec *, const gfp_zvec *, const gfp_options *)>
static nb::object integers_unary(nb::handle f, py_options *options)
{
    zvec x, r;
    set_integers(x, f, "f");
    call once(options);
    once.run(work_of(x), [&](const gfp_options *o) { return function(&r.z, &x.z, o); });
    return get_integer(r);
}

static nb::object integers_cofactors(nb::handle a, nb::handle b, py_options *options)
{
    zvec x, y, g, u, v;
    set_integers(x, a, "a");
    set_integers(y, b, "b");
    call once(options);
    once.run(SIZE_MAX, [&](const gfp_options *o) {
        return gfp_zvec_gcd_cofactors(&g.z, &u.z, &v.z, &x.z, &y.z, o);
    });
    return nb::make_tuple(get_integers(g), get_integers(u), get_integers(v));
}

void define_integers(nb::module_ &m)
{
    /* None reaches the function, which names the argument in its message. */
    auto o = nb::arg().none(), _ = nb::arg().none();
    m.def("zmul", integers_binary<gfp_zvec_mul, get_integers>, _, _, o);
    m.def("zgcd", integers_binary<gfp_zvec_gcd, get_integers>, _, _, o);
    m.def("zgcd_cofactors", integers_cofactors, _, _, o);
    m.def("zresultant", integers_binary<gfp_zvec_resultant, get_integer>, _, _, o);
    m.def("zdiscriminant", integers_unary<gfp_zvec_discriminant>, _, o);
    m.def("zcontent", integers_unary<gfp_zvec_content>, _, o);
}

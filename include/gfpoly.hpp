/* gfpoly.hpp: gfpoly for C++17 and later: fields, elements and polynomials as values, operators,
 * and errors as exceptions or as results. A header over the C library; nothing else is linked.
 *
 *   gfp::field field("p8");
 *   gfp::poly f(field, {1, 2, 3}), g = gfp::poly::random(field, 1000, random);
 *   gfp::poly h = f * g % (f + g);           // throws gfp::error
 *   auto r = gfp::checked::mul(f, g);        // gfp::result<gfp::poly>, never throws
 *   if (!r) std::puts(r.failure().message);
 *
 * A field is a handle: copies share the C field, which lives as long as a handle, an element or a
 * polynomial over the field. Values may be used by several threads as those of the C library: one
 * thread writes, or many read. Elements and polynomials over different fields do not go together
 * (FIELD_MISMATCH), elements of a default-constructed handle neither (ARGUMENT).
 *
 * A function of the namespace gfp throws gfp::error where the function of the same name in
 * gfp::checked returns a failure; memory that the C++ library lacks is std::bad_alloc in both.
 * Without exceptions (-fno-exceptions) the first kind ends the process. options: those of the C
 * functions; error is set by this header and must be NULL. A moved-from value may be assigned to or
 * destroyed.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_HPP
#define GFPOLY_HPP

#include <gfpoly/values.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace gfp
{

/* ---- polynomials ---- */

class poly;

namespace checked
{
/* FLINT's text, "length modulus  c0 c1 ...", or NTL's, "[c0 c1 ...]". */
result<poly> parse_poly(const field &f, std::string_view text,
                        gfp_format format = GFP_FORMAT_FLINT);
} // namespace checked

class poly
{
  public:
    /* The zero polynomial. */
    explicit poly(const field &f) : field_(f)
    {
        if (!f) {
            detail::fail(detail::explain(GFP_ERR_ARGUMENT, detail::no_error()));
        }
        gfp_poly_init(&value_, f.get());
    }
    /* Coefficients, integers modulo p, the constant one first. */
    poly(const field &f, std::initializer_list<integer> coefficients) : poly(f)
    {
        std::size_t i = coefficients.size();
        while (i-- > 0) {
            set(i, elem(f, coefficients.begin()[i]));
        }
    }
    poly(const field &f, const std::vector<elem> &coefficients) : poly(f)
    {
        for (std::size_t i = coefficients.size(); i-- > 0;) {
            set(i, coefficients[i]);
        }
    }
    static poly random(const field &f, std::size_t length, gfp::random &g)
    {
        poly a(f);
        a.check(gfp_poly_random(&a.value_, length, g.get()));
        return a;
    }
    static poly parse(const field &f, std::string_view text, gfp_format format = GFP_FORMAT_FLINT)
    {
        return checked::parse_poly(f, text, format).value();
    }
    poly(const poly &a) : poly(a.field_)
    {
        check(gfp_poly_set(&value_, &a.value_));
    }
    poly(poly &&a) noexcept : field_(a.field_)
    {
        gfp_poly_init(&value_, field_.get());
        gfp_poly_swap(&value_, &a.value_);
    }
    poly &operator=(const poly &a)
    {
        poly copy(a);
        swap(copy);
        return *this;
    }
    poly &operator=(poly &&a) noexcept
    {
        swap(a);
        return *this;
    }
    ~poly()
    {
        gfp_poly_clear(&value_);
    }
    void swap(poly &a) noexcept
    {
        std::swap(field_, a.field_);
        std::swap(value_, a.value_);
    }
    friend void swap(poly &a, poly &b) noexcept
    {
        a.swap(b);
    }

    const field &parent() const noexcept
    {
        return field_;
    }
    /* The polynomial of the C library. */
    const gfp_poly *get() const noexcept
    {
        return &value_;
    }
    gfp_poly *get() noexcept
    {
        return &value_;
    }
    std::size_t length() const noexcept
    {
        return value_.len;
    }
    /* -1 for 0. */
    std::ptrdiff_t degree() const noexcept
    {
        return gfp_poly_degree(&value_);
    }
    bool is_zero() const noexcept
    {
        return gfp_poly_is_zero(&value_);
    }
    bool is_one() const noexcept
    {
        return gfp_poly_is_one(&value_);
    }
    /* The coefficient of X^i, 0 beyond the length. */
    elem operator[](std::size_t i) const
    {
        elem x(field_);
        gfp_poly_get_coeff(x.digits(), &value_, i);
        return x;
    }
    void set(std::size_t i, const elem &x)
    {
        if (x.parent() != field_) {
            check(GFP_ERR_FIELD_MISMATCH);
        }
        check(gfp_poly_set_coeff(&value_, i, x.digits()));
    }
    /* The value at x. */
    elem operator()(const elem &x) const
    {
        if (x.parent() != field_) {
            check(GFP_ERR_FIELD_MISMATCH);
        }
        elem y(field_);
        gfp_poly_eval(y.digits(), &value_, x.digits());
        return y;
    }
    std::string to_string(gfp_format format = GFP_FORMAT_FLINT) const
    {
        char *text = nullptr;
        std::size_t size = 0;
        check(gfp_poly_to_string(&text, &size, &value_, format));
        const std::unique_ptr<char, decltype(&gfp_free)> owner(text, gfp_free);
        return std::string(text);
    }

    poly &operator+=(const poly &b)
    {
        check(gfp_poly_add(&value_, &value_, &b.value_));
        return *this;
    }
    poly &operator-=(const poly &b)
    {
        check(gfp_poly_sub(&value_, &value_, &b.value_));
        return *this;
    }
    poly &operator*=(const poly &b);
    poly &operator/=(const poly &b);
    poly &operator%=(const poly &b);
    poly &operator*=(const elem &x)
    {
        if (x.parent() != field_) {
            check(GFP_ERR_FIELD_MISMATCH);
        }
        check(gfp_poly_scalar_mul(&value_, &value_, x.digits()));
        return *this;
    }
    poly operator-() const
    {
        poly b(field_);
        b.check(gfp_poly_neg(&b.value_, &value_));
        return b;
    }
    /* Products by powers of X, and quotients. */
    poly &operator<<=(std::size_t n)
    {
        check(gfp_poly_shift_left(&value_, &value_, n));
        return *this;
    }
    poly &operator>>=(std::size_t n)
    {
        check(gfp_poly_shift_right(&value_, &value_, n));
        return *this;
    }
    friend bool operator==(const poly &a, const poly &b) noexcept
    {
        return gfp_poly_equal(&a.value_, &b.value_);
    }
    friend bool operator!=(const poly &a, const poly &b) noexcept
    {
        return !(a == b);
    }

  private:
    void check(gfp_status status) const
    {
        if (status != GFP_OK) {
            detail::fail(detail::explain(status, detail::no_error()));
        }
    }
    field field_;
    gfp_poly value_;
};

/* An exponent: an integer, or the sum of limb[i] 2^(64 i). */
class exponent
{
  public:
    template <class T, std::enable_if_t<detail::is_integer<T>::value, int> = 0>
    exponent(T value) : exponent({integer(value)})
    {
    }
    template <class T, std::enable_if_t<std::is_floating_point<T>::value, int> = 0>
    exponent(T value) = delete;
    /* One integer of any sign, or limbs. */
    exponent(std::initializer_list<integer> limbs)
    {
        for (const integer &limb : limbs) {
            const bool single = limbs.size() == 1;
            if (!single && (limb.is_negative() || limb.magnitude()[1] != 0)) {
                detail::fail(detail::explain(GFP_ERR_ARGUMENT, detail::no_error()));
            }
            negative_ = limb.is_negative();
            limbs_.insert(limbs_.end(), limb.magnitude(), limb.magnitude() + (single ? 2 : 1));
        }
    }
    exponent(std::vector<std::uint64_t> limbs) : limbs_(std::move(limbs))
    {
    }
    bool is_negative() const noexcept
    {
        return negative_;
    }
    const std::vector<std::uint64_t> &limbs() const noexcept
    {
        return limbs_;
    }

  private:
    std::vector<std::uint64_t> limbs_;
    bool negative_ = false;
};

struct quotient {
    poly quo, rem;
};
struct bezout {
    poly gcd, u, v; /* u a + v b = gcd */
};

namespace detail
{

/* The options of a call, with the place of its error. */
class call
{
  public:
    explicit call(const gfp_options *options) noexcept : error_(no_error())
    {
        if (options != nullptr) {
            const std::size_t size = options->size == 0 ? sizeof options_ : options->size;
            std::memcpy(&options_, options, size < sizeof options_ ? size : sizeof options_);
        }
        options_.size = sizeof options_;
        options_.error = &error_;
    }
    const gfp_options *options() const noexcept
    {
        return &options_;
    }
    gfp_error explain(gfp_status status) const noexcept
    {
        return detail::explain(status, error_);
    }

  private:
    gfp_options options_ = {};
    gfp_error error_;
};

/* A result of one polynomial that function(c, options) computes. */
template <class Function>
result<poly> one(const field &f, const gfp_options *options, Function function)
{
    call c(options);
    poly z(f);
    const gfp_status status = function(z.get(), c.options());
    if (status != GFP_OK) {
        return c.explain(status);
    }
    return z;
}

} // namespace detail

/* Products, parts of products, division, greatest common divisors, powers: the functions gfp_poly_*
 * of the same names. */
namespace checked
{

inline result<poly> parse_poly(const field &f, std::string_view text, gfp_format format)
{
    gfp_error e = detail::no_error();
    poly a(f);
    const gfp_status status = gfp_poly_from_string(a.get(), text.data(), text.size(), format, &e);
    if (status != GFP_OK) {
        return detail::explain(status, e);
    }
    return a;
}

inline result<poly> mul(const poly &a, const poly &b, const gfp_options *options = nullptr)
{
    return detail::one(a.parent(), options, [&](gfp_poly *c, const gfp_options *o) {
        return gfp_poly_mul(c, a.get(), b.get(), o);
    });
}

inline result<poly> sqr(const poly &a, const gfp_options *options = nullptr)
{
    return detail::one(a.parent(), options, [&](gfp_poly *c, const gfp_options *o) {
        return gfp_poly_sqr(c, a.get(), o);
    });
}

/* a b modulo X^n. */
inline result<poly> mullow(const poly &a, const poly &b, std::size_t n,
                           const gfp_options *options = nullptr)
{
    return detail::one(a.parent(), options, [&](gfp_poly *c, const gfp_options *o) {
        return gfp_poly_mullow(c, a.get(), b.get(), n, o);
    });
}

/* n coefficients of a b from X^from on. */
inline result<poly> mulmid(const poly &a, const poly &b, std::size_t from, std::size_t n,
                           const gfp_options *options = nullptr)
{
    return detail::one(a.parent(), options, [&](gfp_poly *c, const gfp_options *o) {
        return gfp_poly_mulmid(c, a.get(), b.get(), from, n, o);
    });
}

inline result<poly> div(const poly &a, const poly &b, const gfp_options *options = nullptr)
{
    return detail::one(a.parent(), options, [&](gfp_poly *c, const gfp_options *o) {
        return gfp_poly_div(c, a.get(), b.get(), o);
    });
}

inline result<poly> rem(const poly &a, const poly &b, const gfp_options *options = nullptr)
{
    return detail::one(a.parent(), options, [&](gfp_poly *c, const gfp_options *o) {
        return gfp_poly_rem(c, a.get(), b.get(), o);
    });
}

inline result<quotient> divrem(const poly &a, const poly &b, const gfp_options *options = nullptr)
{
    detail::call c(options);
    quotient z = {poly(a.parent()), poly(a.parent())};
    const gfp_status status =
        gfp_poly_divrem(z.quo.get(), z.rem.get(), a.get(), b.get(), c.options());
    if (status != GFP_OK) {
        return c.explain(status);
    }
    return z;
}

inline result<poly> gcd(const poly &a, const poly &b, const gfp_options *options = nullptr)
{
    return detail::one(a.parent(), options, [&](gfp_poly *c, const gfp_options *o) {
        return gfp_poly_gcd(c, a.get(), b.get(), o);
    });
}

inline result<bezout> xgcd(const poly &a, const poly &b, const gfp_options *options = nullptr)
{
    detail::call c(options);
    bezout z = {poly(a.parent()), poly(a.parent()), poly(a.parent())};
    const gfp_status status =
        gfp_poly_xgcd(z.gcd.get(), z.u.get(), z.v.get(), a.get(), b.get(), c.options());
    if (status != GFP_OK) {
        return c.explain(status);
    }
    return z;
}

inline result<elem> resultant(const poly &a, const poly &b, const gfp_options *options = nullptr)
{
    detail::call c(options);
    elem x(a.parent());
    const gfp_status status = gfp_poly_resultant(x.digits(), a.get(), b.get(), c.options());
    if (status != GFP_OK) {
        return c.explain(status);
    }
    return x;
}

/* 1 / a modulo X^n. */
inline result<poly> inv_series(const poly &a, std::size_t n, const gfp_options *options = nullptr)
{
    return detail::one(a.parent(), options, [&](gfp_poly *c, const gfp_options *o) {
        return gfp_poly_inv_series(c, a.get(), n, o);
    });
}

inline result<poly> derivative(const poly &a, const gfp_options *options = nullptr)
{
    return detail::one(a.parent(), options, [&](gfp_poly *c, const gfp_options *o) {
        return gfp_poly_derivative(c, a.get(), o);
    });
}

/* a^e modulo f; a negative power of the inverse of a; 0 if f is a constant other than 0. */
inline result<poly> pow_mod(const poly &a, const exponent &e, const poly &f,
                            const gfp_options *options = nullptr)
{
    return detail::one(a.parent(), options, [&](gfp_poly *c, const gfp_options *o) {
        gfp_modulus *M = nullptr;
        if (f.degree() == 0) {
            return gfp_poly_rem(c, a.get(), f.get(), o);
        }
        gfp_status status = gfp_modulus_create(&M, f.get(), o);
        if (status == GFP_OK) {
            if (e.is_negative()) {
                status = gfp_poly_inv_mod(c, a.get(), M, o);
            }
            if (status == GFP_OK) {
                status = gfp_poly_pow_mod(c, e.is_negative() ? c : a.get(), e.limbs().data(),
                                          e.limbs().size(), M, o);
            }
            gfp_modulus_destroy(M);
        }
        return status;
    });
}

} // namespace checked

/* The same, with exceptions. */
inline poly mul(const poly &a, const poly &b, const gfp_options *options = nullptr)
{
    return checked::mul(a, b, options).value();
}
inline poly sqr(const poly &a, const gfp_options *options = nullptr)
{
    return checked::sqr(a, options).value();
}
inline poly mullow(const poly &a, const poly &b, std::size_t n,
                   const gfp_options *options = nullptr)
{
    return checked::mullow(a, b, n, options).value();
}
inline poly mulmid(const poly &a, const poly &b, std::size_t from, std::size_t n,
                   const gfp_options *options = nullptr)
{
    return checked::mulmid(a, b, from, n, options).value();
}
inline poly div(const poly &a, const poly &b, const gfp_options *options = nullptr)
{
    return checked::div(a, b, options).value();
}
inline poly rem(const poly &a, const poly &b, const gfp_options *options = nullptr)
{
    return checked::rem(a, b, options).value();
}
inline quotient divrem(const poly &a, const poly &b, const gfp_options *options = nullptr)
{
    return checked::divrem(a, b, options).value();
}
inline poly gcd(const poly &a, const poly &b, const gfp_options *options = nullptr)
{
    return checked::gcd(a, b, options).value();
}
inline bezout xgcd(const poly &a, const poly &b, const gfp_options *options = nullptr)
{
    return checked::xgcd(a, b, options).value();
}
inline elem resultant(const poly &a, const poly &b, const gfp_options *options = nullptr)
{
    return checked::resultant(a, b, options).value();
}
inline poly inv_series(const poly &a, std::size_t n, const gfp_options *options = nullptr)
{
    return checked::inv_series(a, n, options).value();
}
inline poly derivative(const poly &a, const gfp_options *options = nullptr)
{
    return checked::derivative(a, options).value();
}
inline poly pow_mod(const poly &a, const exponent &e, const poly &f,
                    const gfp_options *options = nullptr)
{
    return checked::pow_mod(a, e, f, options).value();
}

/* ---- operators ---- */

inline poly &poly::operator*=(const poly &b)
{
    return *this = checked::mul(*this, b).value();
}

/* The quotient and the remainder of the division with remainder. */
inline poly &poly::operator/=(const poly &b)
{
    return *this = checked::div(*this, b).value();
}

inline poly &poly::operator%=(const poly &b)
{
    return *this = checked::rem(*this, b).value();
}

inline poly operator+(poly a, const poly &b)
{
    return std::move(a += b);
}
inline poly operator-(poly a, const poly &b)
{
    return std::move(a -= b);
}
inline poly operator*(const poly &a, const poly &b)
{
    return checked::mul(a, b).value();
}
inline poly operator/(const poly &a, const poly &b)
{
    return checked::div(a, b).value();
}
inline poly operator%(const poly &a, const poly &b)
{
    return checked::rem(a, b).value();
}
inline poly operator*(poly a, const elem &x)
{
    return std::move(a *= x);
}
inline poly operator*(const elem &x, poly a)
{
    return std::move(a *= x);
}
inline poly operator<<(poly a, std::size_t n)
{
    return std::move(a <<= n);
}
inline poly operator>>(poly a, std::size_t n)
{
    return std::move(a >>= n);
}

} // namespace gfp

#endif

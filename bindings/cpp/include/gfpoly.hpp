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

#include <gfpoly.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace gfp
{

/* ---- errors ---- */

/* An exception with the status, the place in a text, the index of a coefficient (GFP_NO_INDEX:
 * none), and the library's message, or the status's phrase. */
class error : public std::exception
{
  public:
    explicit error(const gfp_error &details) noexcept : details_(details)
    {
    }
    const char *what() const noexcept override
    {
        return details_.message;
    }
    gfp_status status() const noexcept
    {
        return details_.status;
    }
    const gfp_error &details() const noexcept
    {
        return details_;
    }

  private:
    gfp_error details_;
};

namespace detail
{

inline gfp_error no_error() noexcept
{
    gfp_error e = {};
    e.index = GFP_NO_INDEX;
    return e;
}

/* The details of a status: those that the call filled in, if they are its own. */
inline gfp_error explain(gfp_status status, gfp_error e) noexcept
{
    if (e.status != status || e.message[0] == '\0') {
        const gfp_error empty = no_error();
        e = e.status == status ? e : empty;
        e.status = status;
        std::strncpy(e.message, gfp_status_string(status), sizeof e.message - 1);
        e.message[sizeof e.message - 1] = '\0';
    }
    return e;
}

[[noreturn]] inline void fail(const gfp_error &e)
{
#if defined(__cpp_exceptions)
    throw error(e);
#else
    (void)e;
    std::terminate();
#endif
}

} // namespace detail

/* A value, or the failure of the call that should have made it. */
template <class T> class result
{
  public:
    result(T value) : held_(std::in_place_index<0>, std::move(value))
    {
    }
    result(const gfp_error &failure) : held_(std::in_place_index<1>, failure)
    {
    }
    bool has_value() const noexcept
    {
        return held_.index() == 0;
    }
    explicit operator bool() const noexcept
    {
        return has_value();
    }
    /* The value; throws the failure. */
    T &value() &
    {
        check();
        return *std::get_if<0>(&held_);
    }
    const T &value() const &
    {
        check();
        return *std::get_if<0>(&held_);
    }
    T &&value() &&
    {
        check();
        return std::move(*std::get_if<0>(&held_));
    }
    T value_or(T other) const &
    {
        return has_value() ? *std::get_if<0>(&held_) : std::move(other);
    }
    /* The value; there must be one. */
    T &operator*() noexcept
    {
        return *std::get_if<0>(&held_);
    }
    const T &operator*() const noexcept
    {
        return *std::get_if<0>(&held_);
    }
    T *operator->() noexcept
    {
        return std::get_if<0>(&held_);
    }
    const T *operator->() const noexcept
    {
        return std::get_if<0>(&held_);
    }
    /* The failure; there must be one. */
    const gfp_error &failure() const noexcept
    {
        return *std::get_if<1>(&held_);
    }

  private:
    void check() const
    {
        if (!has_value()) {
            detail::fail(failure());
        }
    }
    std::variant<T, gfp_error> held_;
};

/* ---- fields ---- */

class field;

namespace checked
{
/* A name, a formula or a modulus, as gfp_field_create takes them; p = r^k + 1. */
result<field> make_field(const std::string &text);
result<field> make_field(std::uint64_t r, unsigned k);
} // namespace checked

class field
{
  public:
    /* A handle without a field. */
    field() noexcept = default;
    explicit field(const std::string &text) : field(checked::make_field(text).value())
    {
    }
    field(std::uint64_t r, unsigned k) : field(checked::make_field(r, k).value())
    {
    }
    /* Takes over a field of the C library, which the last handle destroys. */
    static field adopt(gfp_field *created)
    {
        field f;
        f.handle_ = std::shared_ptr<gfp_field>(created, gfp_field_destroy);
        return f;
    }
    const gfp_field *get() const noexcept
    {
        return handle_.get();
    }
    explicit operator bool() const noexcept
    {
        return handle_ != nullptr;
    }
    std::string name() const
    {
        return gfp_field_name(get());
    }
    std::string modulus() const
    {
        return gfp_field_modulus_string(get());
    }
    unsigned k() const noexcept
    {
        return gfp_field_k(get());
    }
    std::uint64_t r() const noexcept
    {
        return gfp_field_r(get());
    }
    unsigned bits() const noexcept
    {
        return gfp_field_bits(get());
    }
    unsigned limbs() const noexcept
    {
        return gfp_field_limbs(get());
    }
    /* The threads of calls that name none. */
    void set_threads(unsigned threads) const noexcept
    {
        gfp_field_set_threads(handle_.get(), threads);
    }
    friend bool operator==(const field &f, const field &g) noexcept
    {
        return gfp_field_same(f.get(), g.get());
    }
    friend bool operator!=(const field &f, const field &g) noexcept
    {
        return !(f == g);
    }

  private:
    std::shared_ptr<gfp_field> handle_;
};

inline result<field> checked::make_field(const std::string &text)
{
    gfp_field *f = nullptr;
    gfp_error e = detail::no_error();
    const gfp_status status = gfp_field_create(&f, text.c_str(), nullptr, &e);
    if (status != GFP_OK) {
        return detail::explain(status, e);
    }
    return field::adopt(f);
}

inline result<field> checked::make_field(std::uint64_t r, unsigned k)
{
    gfp_field *f = nullptr;
    gfp_error e = detail::no_error();
    const gfp_status status = gfp_field_create_rk(&f, r, k, nullptr, &e);
    if (status != GFP_OK) {
        return detail::explain(status, e);
    }
    return field::adopt(f);
}

/* The generator of random elements: the same seed, the same numbers. */
class random
{
  public:
    explicit random(std::uint64_t seed) noexcept
    {
        gfp_random_seed(&state_, seed);
    }
    gfp_random *get() noexcept
    {
        return &state_;
    }

  private:
    gfp_random state_;
};

/* ---- elements ---- */

class elem;

namespace checked
{
/* A number in base 10 or 16, below p. */
result<elem> parse_elem(const field &f, std::string_view text, int base = 10);
result<elem> inv(const elem &x);
} // namespace checked

class elem
{
  public:
    explicit elem(const field &f) : elem(f, 0)
    {
    }
    elem(const field &f, std::uint64_t value) : field_(f), digits_(digits_of(f))
    {
        gfp_elem_set_u64(f.get(), digits_.data(), value);
    }
    elem(const field &f, std::string_view text, int base = 10)
        : elem(checked::parse_elem(f, text, base).value())
    {
    }
    static elem random(const field &f, gfp::random &g)
    {
        elem x(f);
        gfp_elem_random(f.get(), x.digits_.data(), g.get());
        return x;
    }
    const field &parent() const noexcept
    {
        return field_;
    }
    /* k canonical digits. */
    const std::uint64_t *digits() const noexcept
    {
        return digits_.data();
    }
    std::uint64_t *digits() noexcept
    {
        return digits_.data();
    }
    bool is_zero() const noexcept
    {
        return gfp_elem_is_zero(field_.get(), digits());
    }
    bool is_one() const noexcept
    {
        return gfp_elem_is_one(field_.get(), digits());
    }
    /* In base 10 or 16. */
    std::string to_string(int base = 10) const
    {
        std::string text(gfp_elem_string_size(field_.get(), base), '\0');
        std::size_t length = 0;
        gfp_error e = detail::no_error();
        const gfp_status status =
            gfp_elem_get_string(field_.get(), text.data(), text.size(), &length, base, digits());
        if (status != GFP_OK) {
            detail::fail(detail::explain(status, e));
        }
        text.resize(length);
        return text;
    }
    elem &operator+=(const elem &y)
    {
        expect_same(y);
        gfp_elem_add(field_.get(), digits(), digits(), y.digits());
        return *this;
    }
    elem &operator-=(const elem &y)
    {
        expect_same(y);
        gfp_elem_sub(field_.get(), digits(), digits(), y.digits());
        return *this;
    }
    elem &operator*=(const elem &y)
    {
        expect_same(y);
        gfp_elem_mul(field_.get(), digits(), digits(), y.digits());
        return *this;
    }
    elem &operator/=(const elem &y)
    {
        return *this *= checked::inv(y).value();
    }
    friend elem operator+(elem x, const elem &y)
    {
        return std::move(x += y);
    }
    friend elem operator-(elem x, const elem &y)
    {
        return std::move(x -= y);
    }
    friend elem operator*(elem x, const elem &y)
    {
        return std::move(x *= y);
    }
    friend elem operator/(elem x, const elem &y)
    {
        return std::move(x /= y);
    }
    elem operator-() const
    {
        elem x(field_);
        gfp_elem_neg(field_.get(), x.digits(), digits());
        return x;
    }
    elem pow(std::uint64_t e) const
    {
        elem x(field_);
        gfp_elem_pow(field_.get(), x.digits(), digits(), &e, 1);
        return x;
    }
    friend bool operator==(const elem &x, const elem &y) noexcept
    {
        return x.field_ == y.field_ && gfp_elem_equal(x.field_.get(), x.digits(), y.digits());
    }
    friend bool operator!=(const elem &x, const elem &y) noexcept
    {
        return !(x == y);
    }

  private:
    static std::size_t digits_of(const field &f)
    {
        if (!f) {
            detail::fail(detail::explain(GFP_ERR_ARGUMENT, detail::no_error()));
        }
        return f.k();
    }
    void expect_same(const elem &y) const
    {
        if (field_ != y.field_) {
            detail::fail(detail::explain(GFP_ERR_FIELD_MISMATCH, detail::no_error()));
        }
    }
    field field_;
    std::vector<std::uint64_t> digits_;
};

inline result<elem> checked::parse_elem(const field &f, std::string_view text, int base)
{
    gfp_error e = detail::no_error();
    elem x(f);
    const gfp_status status =
        gfp_elem_set_string(f.get(), x.digits(), text.data(), text.size(), base, &e);
    if (status != GFP_OK) {
        return detail::explain(status, e);
    }
    return x;
}

inline result<elem> checked::inv(const elem &x)
{
    elem y(x.parent());
    const gfp_status status = gfp_elem_inv(x.parent().get(), y.digits(), x.digits());
    if (status != GFP_OK) {
        return detail::explain(status, detail::no_error());
    }
    return y;
}

inline elem inv(const elem &x)
{
    return checked::inv(x).value();
}

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
    /* Coefficients, the constant one first. */
    poly(const field &f, std::initializer_list<std::uint64_t> coefficients) : poly(f)
    {
        std::size_t i = coefficients.size();
        while (i-- > 0) {
            check(gfp_poly_set_coeff_u64(&value_, i, coefficients.begin()[i]));
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
        check(gfp_poly_copy(&value_, &a.value_));
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
        gfp_poly_get_coeff(&value_, x.digits(), i);
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
        gfp_poly_eval(&value_, y.digits(), x.digits());
        return y;
    }
    std::string to_string(gfp_format format = GFP_FORMAT_FLINT) const
    {
        char *text = nullptr;
        std::size_t size = 0;
        check(gfp_poly_to_string(&value_, &text, &size, format));
        const auto release = [&](char *t) { gfp_string_free(field_.get(), t, size); };
        const std::unique_ptr<char, decltype(release)> owner(text, release);
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
        check(gfp_poly_scale(&value_, &value_, x.digits()));
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
inline result<poly> mul_low(const poly &a, const poly &b, std::size_t n,
                            const gfp_options *options = nullptr)
{
    return detail::one(a.parent(), options, [&](gfp_poly *c, const gfp_options *o) {
        return gfp_poly_mul_low(c, a.get(), b.get(), n, o);
    });
}

/* n coefficients of a b from X^from on. */
inline result<poly> mul_middle(const poly &a, const poly &b, std::size_t from, std::size_t n,
                               const gfp_options *options = nullptr)
{
    return detail::one(a.parent(), options, [&](gfp_poly *c, const gfp_options *o) {
        return gfp_poly_mul_middle(c, a.get(), b.get(), from, n, o);
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

/* a^e modulo f; e = sum of exponent[i] 2^(64 i). */
inline result<poly> pow_mod(const poly &a, const std::vector<std::uint64_t> &exponent,
                            const poly &f, const gfp_options *options = nullptr)
{
    return detail::one(a.parent(), options, [&](gfp_poly *c, const gfp_options *o) {
        gfp_modulus *M = nullptr;
        gfp_status status = gfp_modulus_create(&M, f.get(), o);
        if (status == GFP_OK) {
            status = gfp_poly_pow_mod(c, a.get(), exponent.data(), exponent.size(), M, o);
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
inline poly mul_low(const poly &a, const poly &b, std::size_t n,
                    const gfp_options *options = nullptr)
{
    return checked::mul_low(a, b, n, options).value();
}
inline poly mul_middle(const poly &a, const poly &b, std::size_t from, std::size_t n,
                       const gfp_options *options = nullptr)
{
    return checked::mul_middle(a, b, from, n, options).value();
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
inline poly pow_mod(const poly &a, const std::vector<std::uint64_t> &exponent, const poly &f,
                    const gfp_options *options = nullptr)
{
    return checked::pow_mod(a, exponent, f, options).value();
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

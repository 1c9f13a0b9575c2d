/* gfpoly/values.hpp: errors, results, fields and elements of gfpoly.hpp, which includes this header
 * and explains them.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_VALUES_HPP
#define GFPOLY_VALUES_HPP

#include <gfpoly.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
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
    /* A handle without a field: only get, bool, comparisons and assignments serve it. */
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
        return gfp_field_get_info(get()).modulus;
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

/* ---- integers ---- */

namespace detail
{

template <class T> struct is_integer : std::is_integral<T> {
};
#if defined(__SIZEOF_INT128__)
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;
template <> struct is_integer<int128> : std::true_type {
};
template <> struct is_integer<uint128> : std::true_type {
};
#endif

template <class T> bool is_negative(T value) noexcept
{
    if constexpr (std::is_same<T, bool>::value || !(static_cast<T>(-1) < static_cast<T>(0))) {
        return false;
    } else {
        return value < 0;
    }
}

} // namespace detail

/* An integer of any type and sign; a floating-point number does not convert. */
class integer
{
  public:
    template <class T, std::enable_if_t<detail::is_integer<T>::value, int> = 0>
    integer(T value) noexcept : negative_(detail::is_negative(value))
    {
        const std::uint64_t low = static_cast<std::uint64_t>(value);
        std::uint64_t high = negative_ ? ~std::uint64_t(0) : 0;
        if constexpr (sizeof(T) > sizeof low) {
            high = static_cast<std::uint64_t>(value >> 64);
        }
        limb_[0] = negative_ ? 0 - low : low;
        limb_[1] = negative_ ? ~high + (low == 0) : high;
    }
    template <class T, std::enable_if_t<std::is_floating_point<T>::value, int> = 0>
    integer(T value) = delete;
    bool is_negative() const noexcept
    {
        return negative_;
    }
    /* Two words of the magnitude, the least significant first. */
    const std::uint64_t *magnitude() const noexcept
    {
        return limb_;
    }

  private:
    bool negative_;
    std::uint64_t limb_[2];
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
    explicit elem(const field &f) : field_(f), digits_(digits_of(f))
    {
    }
    /* The integer modulo p. The templates are for 0, which is a null pointer, too. */
    template <class T, std::enable_if_t<detail::is_integer<T>::value, int> = 0>
    elem(const field &f, T value) : elem(f, integer(value))
    {
    }
    template <class T, std::enable_if_t<std::is_floating_point<T>::value, int> = 0>
    elem(const field &f, T value) = delete;
    elem(const field &f, std::nullptr_t) = delete;
    elem(const field &f, integer value) : elem(f)
    {
        gfp_elem_set_limbs(f.get(), digits(), value.magnitude(), 2);
        if (value.is_negative()) {
            gfp_elem_neg(f.get(), digits(), digits());
        }
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
    /* The power; a negative one of the inverse, which 0 has not (NOT_INVERTIBLE). */
    elem pow(integer e) const;
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

inline elem elem::pow(integer e) const
{
    elem x = e.is_negative() ? inv(*this) : *this;
    gfp_elem_pow(field_.get(), x.digits(), x.digits(), e.magnitude(), 2);
    return x;
}

} // namespace gfp

#endif

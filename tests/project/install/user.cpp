// user.cpp: a C++ program over an installed gfpoly and its bridge to GMP: (p - 1) (X + 1), squared.
// SPDX-License-Identifier: LGPL-3.0-or-later
#include <gfpoly.h>
#include <gfpoly/gmp.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

namespace
{

// A polynomial that frees its coefficients.
class poly
{
  public:
    explicit poly(const gfp_field *field)
    {
        gfp_poly_init(&value, field);
    }
    ~poly()
    {
        gfp_poly_clear(&value);
    }
    poly(const poly &) = delete;
    poly &operator=(const poly &) = delete;

    gfp_poly value;
};

gfp_status square(poly &c, const std::vector<std::uint64_t> &coefficient)
{
    poly a(c.value.field);
    gfp_options options = {};
    options.verify = GFP_VERIFY_CROSS;
    for (std::size_t i = 0; i < 2; i++) {
        const gfp_status status = gfp_poly_set_coeff(&a.value, i, coefficient.data());
        if (status != GFP_OK) {
            return status;
        }
    }
    return gfp_poly_sqr(&c.value, &a.value, &options);
}

int run(const gfp_field *field)
{
    std::vector<std::uint64_t> x(gfp_field_k(field));
    poly c(field);
    mpz_t value;

    mpz_init(value);
    gfp_field_get_mpz(field, value);
    mpz_sub_ui(value, value, 1);
    gfp_elem_set_mpz(field, x.data(), value);
    const gfp_status status = square(c, x);
    if (status == GFP_OK) {
        gfp_poly_get_coeff(x.data(), &c.value, 1);
        gfp_elem_get_mpz(field, value, x.data());
        gmp_printf("%zu coefficients over %s, the middle one is %Zd\n", c.value.len,
                   gfp_field_name(field), value);
    } else {
        std::fprintf(stderr, "user: %s\n", gfp_status_string(status));
    }
    mpz_clear(value);
    return status == GFP_OK ? 0 : 1;
}

} // namespace

int main()
{
    gfp_field *field = nullptr;
    if (gfp_field_create(&field, "p8", nullptr, nullptr) != GFP_OK) {
        return 1;
    }
    const std::unique_ptr<gfp_field, void (*)(gfp_field *)> owner(field, gfp_field_destroy);
    return run(field);
}

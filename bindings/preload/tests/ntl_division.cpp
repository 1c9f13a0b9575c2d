/* ntl_division.cpp: a program over NTL with libgfpoly_ntl.so in LD_PRELOAD: divisions
 * and greatest common divisors. The oracle are NTL's algorithms by the definition
 * (PlainDivRem and others), which the library does not stand in for. GFPOLY_NTL says what is
 * expected.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bindings/preload/tests/ntl.h"
#include "bindings/preload/tests/signals.h"

namespace
{

struct results {
    ZZ_pX q, r, quotient, remainder, d, g, s, t;
};

void divide_twice(results &x, const ZZ_pX &a, const ZZ_pX &b)
{
    NTL::DivRem(x.q, x.r, a, b);
    NTL::div(x.quotient, a, b);
    NTL::rem(x.remainder, a, b);
}

void reduce_twice(results &x, const ZZ_pX &a, const ZZ_pX &b)
{
    NTL::GCD(x.d, a, b);
    NTL::XGCD(x.g, x.s, x.t, a, b);
}

/* By the definition. */
void divide_plainly(results &x, const ZZ_pX &a, const ZZ_pX &b)
{
    NTL::PlainDivRem(x.q, x.r, a, b);
}

void reduce_plainly(results &x, const ZZ_pX &a, const ZZ_pX &b)
{
    NTL::PlainGCD(x.d, a, b);
    NTL::PlainXGCD(x.g, x.s, x.t, a, b);
}

/* Compares all results with the definition's. */
void check_division(const ZZ_pX &a, const ZZ_pX &b)
{
    results x, y;
    x.r = x.t = make(3);
    if (!NTL::IsZero(b)) {
        divide_twice(x, a, b);
        divide_plainly(y, a, b);
        assert_true(x.q == y.q && x.r == y.r);
        assert_true(x.quotient == y.q && x.remainder == y.r);
        assert_true(expected(x.q, b) + x.r == a);
    }
    reduce_twice(x, a, b);
    reduce_plainly(y, a, b);
    assert_true(x.d == y.d && x.g == y.d);
    assert_true(x.s == y.s && x.t == y.t);
    assert_true(expected(x.s, a) + expected(x.t, b) == x.d);
}

long count_taken()
{
    return lab_count("division") + lab_count("gcd");
}

/* p2: divisions of 160 by 80 terms are taken at every kernel level. */
void install_short()
{
    install(moduli[2].radix, moduli[2].k);
}

/* ---- equal to NTL's ---- */

const long lengths[][2] = {{4, 4},    {9, 5},    {40, 7},   {64, 63},   {100, 100},
                           {90, 100}, {201, 95}, {30, 300}, {300, 190}, {210, 200}};

void random_operands(void **)
{
    for (const modulus &m : moduli) {
        if (!m.ours && m.k != 32) {
            continue;
        }
        install(m.radix, m.k);
        const long divisions = lab_count("division"), gcds = lab_count("gcd");
        for (const auto &len : lengths) {
            for (int how = 0; how < (len[0] < 90 ? FILLS : 1); how++) {
                check_division(make(len[0], static_cast<fill>(how)), make(len[1]));
            }
        }
        const bool divided = lab_count("division") > divisions, reduced = lab_count("gcd") > gcds;
        if (!is_on()) {
            assert_false(divided || reduced);
        } else if (m.ours) { /* without vector kernels divisions modulo longer p are NTL's */
            assert_true(reduced && (divided || m.k > 2));
        }
    }
}

/* Without inverses: leading coefficients are 1, and so is that of the only remainder. */
void other_moduli_are_ntls(void **)
{
    for (const modulus &m : moduli) {
        if (m.ours || m.k == 32) {
            continue;
        }
        install(m.radix, m.k);
        const long before = count_taken();
        for (const auto &len : lengths) {
            const ZZ_pX a = make(len[0]), b = make(len[1], SPARSE);
            results x;
            divide_twice(x, a, b);
            assert_true(expected(x.q, b) + x.r == a && NTL::deg(x.r) < NTL::deg(b));
            assert_true(x.q == x.quotient && x.r == x.remainder);
            reduce_twice(x, expected(a, b), b);
            assert_true(x.d == b && x.g == b);
        }
        assert_int_equal(count_taken(), before);
    }
}

const modulus degenerate[] = {moduli[0], moduli[1], moduli[3]};

void operands_with_common_factors(void **)
{
    for (const modulus &m : degenerate) {
        install(m.radix, m.k);
        const long before = count_taken();
        for (const long n : {5L, 30L, 110L}) {
            const ZZ_pX f = make(n), g = make(n), h = make(2 * n);
            check_division(expected(f, h), expected(g, h));
            check_division(expected(f, h), h);
            check_division(h, expected(f, h));
            check_division(expected(f, f), expected(expected(f, f), f));
            check_division(f, f);
            check_division(f, ZZ_p(3) * f);
            check_division(f + expected(f, make(2)), f); /* one degree above */
            check_division(expected(f, h) + ZZ_p(1), h); /* a short remainder */
        }
        assert_int_equal(count_taken() > before, is_on());
    }
}

void operands_with_long_quotients_and_gaps(void **)
{
    for (const modulus &m : degenerate) {
        install(m.radix, m.k);
        for (const long n : {16L, 100L, 130L}) {
            const ZZ_pX one = ZZ_pX(1);
            const ZZ_pX power = ZZ_pX(NTL::INIT_MONO, n), other = ZZ_pX(NTL::INIT_MONO, n / 2);
            check_division(power + one, other + one);
            check_division(power - one, other - one);
            check_division(power, other);
            check_division(power + make(n / 3), power + make(n / 4));
            check_division(make(n), other + one);
            check_division(make(20 * n), make(5));
            check_division(make(n + 1) << n, make(n) << (n / 2));
        }
    }
}

void short_operands_and_zeros(void **)
{
    for (const modulus &m : degenerate) {
        install(m.radix, m.k);
        for (long n = 0; n < 7; n++) {
            const ZZ_pX a = n == 0 ? ZZ_pX() : make(n);
            for (long l = 0; l < 7; l++) {
                check_division(a, l == 0 ? ZZ_pX() : make(l));
            }
            check_division(a, make(200));
            check_division(make(200), a);
        }
    }
}

/* ---- what is NTL's ---- */

template <typename computation> bool throws_error(computation compute)
{
    try {
        compute();
    } catch (const std::exception &) {
        return true;
    }
    return false;
}

void division_by_zero_is_ntls(void **)
{
    install(R8, 8);
    const ZZ_pX a = make(200);
    ZZ_pX zero, q, r;
    zero.rep.SetLength(100); /* leading zeros */
    NTL::ErrorMsgCallback = refuse;
    assert_true(throws_error([&] { NTL::DivRem(q, r, a, zero); }));
    assert_true(throws_error([&] { NTL::div(q, a, ZZ_pX()); }));
    assert_true(throws_error([&] { NTL::rem(r, a, ZZ_pX()); }));
    NTL::ErrorMsgCallback = NULL;
}

/* Programs may put any integer in place of an element, and leave leading zeros. */
void operands_that_are_not_reduced_go_to_ntl(void **)
{
    install_short();
    const ZZ_pX b = make(100);
    check_division(make(200), b); /* there is a field */
    ZZ_pX a = make(200), q, r, x, y;
    a[3].LoopHole() = ZZ_p::modulus() + 5;
    long before = count_taken();
    NTL::DivRem(q, r, a, b);
    NTL::rem(r, a, b);
    NTL::div(q, a, b);
    assert_int_equal(count_taken(), before);
    NTL::PlainDivRem(x, y, a, b);
    assert_true(q == x && r == y);
    a = make(200);
    const ZZ_pX c = a;
    a.rep.SetLength(210);
    before = count_taken();
    NTL::DivRem(q, r, a, b); /* leading zeros */
    assert_int_equal(count_taken(), before);
    assert_true(expected(q, b) + r == c);
}

/* Moduli of other primes, and a composite one in between. */
void moduli_change(void **)
{
    install_short();
    const ZZ_pX a = make(160), b = make(80);
    check_division(a, b);
    {
        NTL::ZZ_pPush push(NTL::conv<ZZ>("170141183460469231731687303715884105727"));
        const long before = count_taken();
        check_division(make(300), make(150));
        assert_int_equal(count_taken(), before);
    }
    const long before = count_taken();
    results x;
    divide_twice(x, a, b);
    reduce_twice(x, a, b);
    assert_int_equal(count_taken() - before, is_on() ? 5 : 0);
    check_division(a, b);
}

/* ---- results and operands ---- */

void results_may_be_operands(void **)
{
    install(R8, 8);
    for (const long n : {3L, 120L, 250L}) {
        const ZZ_pX a = make(250), b = make(n);
        results y;
        divide_plainly(y, a, b);
        reduce_plainly(y, a, b);
        ZZ_pX x = a, z = b, w;
        NTL::DivRem(x, z, x, z);
        assert_true(x == y.q && z == y.r);
        x = a;
        z = b;
        NTL::DivRem(z, x, x, z);
        assert_true(z == y.q && x == y.r);
        x = a;
        NTL::div(x, x, b);
        z = b;
        NTL::div(z, a, z);
        assert_true(x == y.q && z == y.q);
        x = a;
        NTL::rem(x, x, b);
        z = b;
        NTL::rem(z, a, z);
        assert_true(x == y.r && z == y.r);
        x = a;
        NTL::GCD(x, x, b);
        z = b;
        NTL::GCD(z, a, z);
        assert_true(x == y.d && z == y.d);
        x = a;
        z = b;
        NTL::XGCD(x, z, w, x, z);
        assert_true(x == y.g && z == y.s && w == y.t);
        x = a;
        z = b;
        NTL::XGCD(w, x, z, x, z);
        assert_true(w == y.g && x == y.s && z == y.t);
        x = a;
        NTL::DivRem(w, z, x, x);
        assert_true(NTL::IsOne(w) && NTL::IsZero(z));
        NTL::GCD(x, x, x);
        assert_true(x == a / NTL::LeadCoeff(a));
    }
}

/* Two results in one polynomial: NTL's, whatever they are. */
void results_that_are_one_polynomial_are_ntls(void **)
{
    install_short();
    const ZZ_pX a = make(90), b = make(80);
    check_division(a, b);
    ZZ_pX x, y, z;
    const long before = lab_count("gcd");
    NTL::XGCD(x, y, y, a, b);
    NTL::PlainXGCD(x, z, z, a, b);
    assert_true(y == z);
    assert_int_equal(lab_count("gcd"), before);
}

/* ---- NTL's own calls ---- */

void ntls_algorithms_take_ours(void **)
{
    install_short();
    const ZZ_pX a = make(80), f = make(81), b = expected(a, f);
    check_division(a, f);
    long before = lab_count("division");
    ZZ_pX x;
    assert_true(NTL::divide(x, b, a) && x == f);
    assert_true(NTL::divide(b, f) && !NTL::divide(b + ZZ_p(1), f));
    assert_int_equal(lab_count("division") - before, is_on() ? 3 : 0);
    before = lab_count("gcd");
    NTL::InvMod(x, a, f);
    assert_true(NTL::IsOne(expected(x, a) % f));
    assert_int_equal(lab_count("gcd") - before, is_on());
}

/* ---- exceptions and signals ---- */

/* The library's division by 8 terms is one by blocks, and takes longer with AVX2 than NTL's. */
void divisors_of_few_terms_are_ntls(void **)
{
    install(moduli[0].radix, moduli[0].k);
    ZZ_pX r;
    for (int i = 0; i < 3; i++) { /* until there is a field */
        NTL::rem(r, make(200), make(100));
    }
    const long taken = lab_count("division"), passed = lab_count("division_passed");
    NTL::rem(r, make(72), make(8));
    assert_int_equal(lab_count("division"), taken);
    assert_int_equal(lab_count("division_passed") - passed, is_on());
}

/* The library holds nothing when NTL throws while it takes over the second result. */
void results_that_ntl_refuses(void **)
{
    sigset_t before, after;
    install_short();
    const ZZ_pX a = make(160), b = make(80);
    check_division(a, b);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &before), 0);
    NTL::ErrorMsgCallback = refuse;
    for (int i = 0; i < 20; i++) {
        ZZ_pX q, r, x, y;
        r.rep.FixLength(7);
        assert_true(throws_error([&] { NTL::DivRem(q, r, a, b); }));
        const long divided = lab_count("division");
        NTL::DivRem(x, y, a, b);
        assert_true(expected(x, b) + y == a);
        assert_int_equal(lab_count("division") - divided, is_on());
    }
    NTL::ErrorMsgCallback = NULL;
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &after), 0);
    assert_int_equal(sigismember(&before, SIGALRM), sigismember(&after, SIGALRM));
}

struct work {
    ZZ_pX a, b, x, y, z;
    results expected;
};

void divide_work(void *user)
{
    work *w = static_cast<work *>(user);
    NTL::DivRem(w->x, w->y, w->a, w->b);
}

bool is_divided(void *user)
{
    const work *w = static_cast<const work *>(user);
    return w->x == w->expected.q && w->y == w->expected.r;
}

void reduce_work(void *user)
{
    work *w = static_cast<work *>(user);
    NTL::XGCD(w->z, w->x, w->y, w->a, w->b);
}

bool is_reduced(void *user)
{
    const work *w = static_cast<const work *>(user);
    return w->z == w->expected.g && w->x == w->expected.s && w->y == w->expected.t;
}

void spoil_work(void *user)
{
    work *w = static_cast<work *>(user);
    for (long i = 0; i < w->x.rep.length(); i++) {
        w->x.rep[i] = -1 - i;
    }
}

/* Handlers that return, and handlers that jump out of the computation, as Sage's do. */
void check_handlers(work *w, const signal_work *s)
{
    divide_plainly(w->expected, w->a, w->b);
    reduce_plainly(w->expected, w->a, w->b);
    s->multiply(w);
    s->multiply(w);
    check_one_shot_handlers(s);
    check_information(s);
    if (!has_word("verify") && !SANITIZED) { /* they do not survive jumps */
        check_jump_of_each_signal(s);
        check_many_jumps(s, 1, (size_t)1 << 20);
    }
}

void handlers_run_as_without_the_library(void **)
{
    static work w;
    static const signal_work division = {divide_work, spoil_work, is_divided, &w, "division"};
    static const signal_work gcd = {reduce_work, spoil_work, is_reduced, &w, "gcd"};
    if (!is_on()) {
        skip();
    }
    install_short();
    w.a = make(160);
    w.b = make(80);
    check_handlers(&w, &division);
    w.a = make(400);
    w.b = make(400);
    check_handlers(&w, &gcd);
}

/* ---- the counters ---- */

void counters_have_names(void **)
{
    assert_int_equal(lab_count("wrong"), 0);
    assert_int_equal(lab_count("verified") > 0, has_word("verify"));
    assert_int_equal(lab_count("division") > 0, is_on());
    assert_int_equal(lab_count("gcd") > 0, is_on());
    assert_int_equal(lab_count("division_passed") > 0, is_on());
    assert_int_equal(lab_count("gcd_passed") > 0, is_on());
}

} // namespace

/* The argument: which tests run. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_operands),
        cmocka_unit_test(other_moduli_are_ntls),
        cmocka_unit_test(operands_with_common_factors),
        cmocka_unit_test(operands_with_long_quotients_and_gaps),
        cmocka_unit_test(short_operands_and_zeros),
        cmocka_unit_test(division_by_zero_is_ntls),
        cmocka_unit_test(operands_that_are_not_reduced_go_to_ntl),
        cmocka_unit_test(moduli_change),
        cmocka_unit_test(results_may_be_operands),
        cmocka_unit_test(results_that_are_one_polynomial_are_ntls),
        cmocka_unit_test(ntls_algorithms_take_ours),
        cmocka_unit_test(divisors_of_few_terms_are_ntls),
        cmocka_unit_test(results_that_ntl_refuses),
        cmocka_unit_test(handlers_run_as_without_the_library),
        cmocka_unit_test(counters_have_names),
    };
    cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

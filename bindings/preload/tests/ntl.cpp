/* ntl.cpp: a program over NTL that knows nothing of gfpoly, with libgfpoly_ntl.so in
 * LD_PRELOAD. The oracle are products of NTL's integers (Kronecker's substitution), which call none
 * of the functions that the library stands in for. GFPOLY_NTL says what is expected.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "bindings/preload/tests/ntl.h"
#include "bindings/preload/tests/signals.h"

/* What a jump may cost. */
#define JUMP_BYTES ((size_t)1 << 20)

namespace
{

/* ---- products ---- */

void check_products(long len_a, long len_b, fill how)
{
    const ZZ_pX a = make(len_a, how), b = make(len_b, how);
    const ZZ_pX c = expected(a, b), d = expected(b, b);
    const long low = (len_a + len_b) / 2;
    ZZ_pX x = make(3);
    NTL::mul(x, a, b);
    assert_true(x == c);
    NTL::MulTrunc(x, a, b, low);
    assert_true(x == NTL::trunc(c, low));
    NTL::FFTMul(x, a, b);
    assert_true(x == c);
    NTL::sqr(x, b);
    assert_true(x == d);
    NTL::FFTSqr(x, b);
    assert_true(x == d);
    NTL::SqrTrunc(x, b, len_b);
    assert_true(x == NTL::trunc(d, len_b));
    NTL::MulTrunc(x, a, b, 5 * (len_a + len_b));
    assert_true(x == c);
}

void products_modulo_p_equal_kronecker(void **)
{
    static const long lengths[][2] = {{4, 4}, {40, 7}, {7, 90}, {100, 100}, {513, 256}, {1100, 30}};
    for (const modulus &m : moduli) {
        install(m.radix, m.k);
        const long before = lab_count("mod");
        for (const auto &len : lengths) {
            for (int how = 0; how < FILLS; how++) {
                check_products(len[0], len[1], static_cast<fill>(how));
            }
        }
        const bool taken = lab_count("mod") > before;
        assert_true(m.k == 32 ? is_on() || !taken : taken == (m.ours && is_on()));
    }
}

/* The first squares modulo a new p are left to NTL, until the field pays off. */
void squares_of_one_variable_are_taken_in_time(void **)
{
    install("2305845208236949504", 8); /* (2^61 + 2^41)^8 + 1 */
    const ZZ_pX f = make(200);
    const ZZ_pX c = expected(f, f);
    const long before = lab_count("mod");
    ZZ_pX x;
    for (int i = 0; i < 200; i++) {
        NTL::sqr(x, f);
        assert_true(x == c);
    }
    assert_int_equal(lab_count("mod") > before + 100, is_on());
}

ZZ_pX of_bits(long n, long bits)
{
    ZZ_pX f;
    for (long i = 0; i < n; i++) {
        NTL::SetCoeff(f, i, NTL::conv<ZZ_p>(NTL::power2_ZZ(bits - 1) + i % 50));
    }
    return f;
}

/* NTL multiplies and divides few terms of short coefficients fast, and many terms slowly. */
void few_short_coefficients_are_ntls(void **)
{
    install("4611686087146864640", 16); /* p16: (2^62 + 2^36)^16 + 1 */
    const ZZ_pX f = make(200);
    ZZ_pX x, r;
    for (int i = 0; i < 100; i++) { /* until there is a field */
        NTL::mul(x, f, f);
    }
    const long before = lab_count("mod"), divided = lab_count("division");
    for (long n = 4; n <= 8; n *= 2) {
        ZZ_pX a = of_bits(n, 7);
        const long counted = lab_count("mod") + lab_count("mod_passed");
        NTL::mul(x, a, of_bits(n, 60));
        NTL::sqr(x, a);
        assert_int_equal(lab_count("mod") + lab_count("mod_passed"), counted);
        NTL::SetCoeff(a, n - 1, 1);
        NTL::DivRem(x, r, of_bits(2 * n, 40), a);
    }
    assert_int_equal(lab_count("mod"), before);
    assert_int_equal(lab_count("division"), divided);
    NTL::mul(x, of_bits(300, 7), of_bits(300, 7));
    assert_int_equal(lab_count("mod") > before, is_on());
}

void short_and_zero_factors(void **)
{
    install(R8, 8);
    const ZZ_pX a = make(300), zero;
    ZZ_pX x = make(10);
    for (long n = 1; n < 6; n++) {
        const ZZ_pX b = make(n);
        NTL::mul(x, a, b);
        assert_true(x == expected(a, b));
        NTL::mul(x, b, b);
        assert_true(x == expected(b, b));
        NTL::MulTrunc(x, a, a, n - 1);
        assert_true(x == NTL::trunc(expected(a, a), n - 1));
    }
    NTL::mul(x, a, zero);
    assert_true(NTL::IsZero(x));
    NTL::SqrTrunc(x, a, 0);
    assert_true(NTL::IsZero(x));
    const ZZ_pX high = make(200, GREATEST) << 150;
    NTL::MulTrunc(x, high, high, 250);
    assert_true(NTL::IsZero(x));
    NTL::MulTrunc(x, high, high, 301);
    assert_true(NTL::deg(x) == 300);
}

/* Programs may put any integer in place of an element. */
void numbers_that_are_not_reduced_go_to_ntl(void **)
{
    install(R8, 8);
    const ZZ values[] = {ZZ_p::modulus(), ZZ_p::modulus() + 5, ZZ(-5)};
    const ZZ_pX b = make(100);
    ZZ_pX x;
    NTL::mul(x, b, b);
    for (const ZZ &value : values) {
        ZZ_pX a = make(100);
        a[99].LoopHole() = value;
        const long before = lab_count("mod");
        NTL::mul(x, a, b);
        assert_int_equal(lab_count("mod"), before);
        a[99] = NTL::to_ZZ_p(value);
        a.normalize();
        assert_true(x == expected(a, b));
    }
}

void results_may_be_factors(void **)
{
    install(R8, 8);
    for (const long n : {3L, 150L, 250L}) {
        ZZ_pX a = make(200), b = make(n);
        ZZ_pX c = expected(a, b);
        ZZ_pX x = a;
        NTL::mul(x, x, b);
        assert_true(x == c);
        x = a;
        NTL::mul(x, b, x);
        assert_true(x == c);
        x = b;
        NTL::MulTrunc(x, a, x, 100);
        assert_true(x == NTL::trunc(c, 100));
        c = expected(a, a);
        x = a;
        NTL::mul(x, x, x);
        assert_true(x == c);
        x = a;
        NTL::sqr(x, x);
        assert_true(x == c);
    }
}

/* NTL's own functions call its products through the dynamic linker. */
void ntls_algorithms_take_our_products(void **)
{
    install(R8, 8);
    const ZZ_pX a = make(400), b = make(400), f = make(300);
    long before = lab_count("mod");
    ZZ_pX x = NTL::power(a, 3);
    assert_int_equal(lab_count("mod") > before, is_on());
    assert_true(x == expected(expected(a, a), a));
    before = lab_count("mod");
    NTL::MulMod(x, a % f, b % f, f);
    assert_int_equal(lab_count("mod") > before, is_on());
    assert_true(NTL::divide(expected(a, b) - x, f));
    before = lab_count("mod");
    const NTL::ZZ_pXModulus F(f);
    NTL::PowerMod(x, a % f, NTL::conv<ZZ>(1000), F);
    ZZ_pX y;
    NTL::PowerMod(y, a % f, NTL::conv<ZZ>(500), F);
    assert_true(expected(y, y) % f == x);
    NTL::GCD(x, expected(a, f), expected(b, f));
    NTL::GCD(y, a, b);
    assert_true(NTL::IsOne(y) && x == f / NTL::LeadCoeff(f));
}

/* The modulus belongs to the thread, and changes. */
void moduli_change(void **)
{
    install(R8, 8);
    const ZZ_pX a = make(200);
    const ZZ_pX c = expected(a, a);
    for (int i = 0; i < 3; i++) {
        NTL::ZZ_pPush push(NTL::conv<ZZ>("170141183460469231731687303715884105727"));
        const ZZ_pX b = make(200);
        const long before = lab_count("mod");
        assert_true(b * b == expected(b, b));
        assert_int_equal(lab_count("mod"), before);
    }
    const long before = lab_count("mod");
    assert_true(a * a == c);
    assert_int_equal(lab_count("mod") - before, is_on());
}

/* ---- exceptions ---- */

/* The library holds nothing when NTL throws while it takes over a result. An NTL without exceptions
 * calls a function of the program before it ends the process; this one throws. */
void results_that_ntl_refuses(void **)
{
    sigset_t before, after;
    install(R8, 8);
    const ZZ_pX a = make(200), b = make(100);
    const ZZ_pX c = expected(a, b);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &before), 0);
    NTL::ErrorMsgCallback = refuse;
    for (int i = 0; i < 20; i++) {
        ZZ_pX x, y;
        bool thrown = false;
        x.rep.FixLength(7);
        try {
            NTL::mul(x, a, b);
        } catch (const std::exception &) {
            thrown = true;
        }
        assert_true(thrown);
        const long taken = lab_count("mod");
        NTL::mul(y, a, b);
        assert_true(y == c);
        assert_int_equal(lab_count("mod") - taken, is_on());
    }
    NTL::ErrorMsgCallback = NULL;
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &after), 0);
    for (const int signal : {SIGINT, SIGALRM, SIGHUP, SIGTERM}) {
        assert_int_equal(sigismember(&before, signal), sigismember(&after, signal));
    }
}

/* ---- signals ---- */

struct square {
    ZZ_pX a, x, product;
};

void multiply_square(void *user)
{
    square *s = static_cast<square *>(user);
    NTL::mul(s->x, s->a, s->a);
}

void spoil_square(void *user)
{
    square *s = static_cast<square *>(user);
    for (long i = 0; i < s->x.rep.length(); i++) {
        s->x.rep[i] = -1 - i;
    }
}

bool square_is_right(void *user)
{
    const square *s = static_cast<const square *>(user);
    return s->x == s->product;
}

signal_work begin_work(square *s)
{
    const signal_work w = {multiply_square, spoil_square, square_is_right, s, "mod"};
    install(R8, 8);
    s->a = make(700);
    s->product = expected(s->a, s->a);
    for (int i = 0; i < 3; i++) { /* makes the field */
        multiply_square(s);
    }
    check_work(&w);
    return w;
}

void handlers_run_as_without_the_library(void **)
{
    square s;
    if (!is_on()) {
        skip();
    }
    const signal_work w = begin_work(&s);
    check_one_shot_handlers(&w);
    check_information(&w);
    check_handlers_stay(&w);
}

/* NTL's own code does not survive jumps out of malloc, nor do AddressSanitizer's records. */
void handlers_may_jump_out_of_products(void **)
{
    static square s;
    if (!is_on() || has_word("verify") || SANITIZED) {
        skip();
    }
    const signal_work w = begin_work(&s);
    check_jump_of_each_signal(&w);
    check_many_jumps(&w, 2, JUMP_BYTES);
}

sigjmp_buf out;
pthread_t computing;
volatile sig_atomic_t is_open, strays;

void jump_if_open(int)
{
    if (!pthread_equal(pthread_self(), computing)) {
        strays = strays + 1;
    } else if (is_open) {
        is_open = 0;
        siglongjmp(out, 1);
    }
}

void *wait_idle(void *lock)
{
    pthread_mutex_lock(static_cast<pthread_mutex_t *>(lock));
    pthread_mutex_unlock(static_cast<pthread_mutex_t *>(lock));
    return NULL;
}

/* A process's signal goes to another thread if the computing one blocks the signal, as a thread of
 * a BLAS under Sage: the handler must not run there. */
void signals_keep_to_their_thread(void **)
{
    static volatile int jumps;
    static const ZZ_pX *a;
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_t other;
    if (!is_on() || has_word("verify") || SANITIZED) {
        skip();
    }
    install(R8, 8);
    const ZZ_pX factor = make(700), product = expected(factor, factor);
    ZZ_pX x;
    a = &factor;
    computing = pthread_self();
    NTL::mul(x, *a, *a);
    pthread_mutex_lock(&lock);
    assert_int_equal(pthread_create(&other, NULL, wait_idle, &lock), 0);
    set_handler(SIGALRM, jump_if_open);
    set_handler(SIGINT, jump_if_open);
    for (volatile int i = 0; i < 400; i = i + 1) {
        if (sigsetjmp(out, 1) != 0) {
            jumps = jumps + 1;
            continue;
        }
        set_timer(10 + i / 4);
        is_open = 1;
        NTL::mul(x, *a, *a);
        is_open = 0;
        if (i % 10 == 0) {
            kill(getpid(), SIGINT);
        }
    }
    set_timer(0);
    pthread_mutex_unlock(&lock);
    assert_int_equal(pthread_join(other, NULL), 0);
    set_handler(SIGALRM, SIG_DFL);
    set_handler(SIGINT, SIG_DFL);
    /* The kernel itself gives another thread a signal if the first one is about to take one. */
    assert_true(jumps > 20 && 10 * strays < jumps);
    NTL::mul(x, *a, *a);
    assert_true(x == product);
}

/* ---- processes, threads ---- */

struct product {
    NTL::ZZ_pContext modulus;
    ZZ_pX a, b, c;
};

void *multiply_often(void *user)
{
    const product *p = static_cast<const product *>(user);
    bool equal = true;
    p->modulus.restore();
    for (int i = 0; i < 50; i++) {
        equal = equal && p->a * p->b == p->c;
    }
    return equal ? NULL : user;
}

void threads_and_forks_multiply(void **)
{
    product p;
    install(R8, 8);
    p.modulus.save();
    p.a = make(300);
    p.b = make(280);
    p.c = expected(p.a, p.b);
    /* NTL has a lock that a child inherits. */
    check_threads_and_children(multiply_often, &p, is_on() && !has_word("verify"));
}

/* ---- the counters ---- */

void counters_have_names(void **)
{
    assert_int_equal(lab_count("nothing"), -1);
    assert_int_equal(lab_count("z"), -1);
    assert_int_equal(lab_count(NULL), -1);
    assert_int_equal(lab_count("ntls"), 1);
    assert_int_equal(lab_count("wrong"), 0);
    assert_int_equal(lab_count("verified") > 0, has_word("verify"));
}

/* A product that is left to NTL is counted once, though NTL's mul calls FFTMul and sqr. */
void products_are_counted_once(void **)
{
    install("9223372054034644994", 8); /* composite */
    const ZZ_pX a = make(5), b = make(5);
    long before = lab_count("mod") + lab_count("mod_passed");
    assert_true(a * b == expected(a, b));
    assert_int_equal(lab_count("mod") + lab_count("mod_passed") - before, is_on());
    const ZZ_pX f = make(250);
    before = lab_count("mod") + lab_count("mod_passed");
    ZZ_pX x;
    NTL::mul(x, f, f);
    assert_true(x == expected(f, f));
    assert_int_equal(lab_count("mod") + lab_count("mod_passed") - before, is_on());
}

/* The library tries out NTL's values at the first product, whatever the modulus is then. */
int begin_with_another_modulus(void **)
{
    ZZ_p::init(has_word("verify") ? NTL::power2_ZZ(128) : ZZ(2));
    const ZZ_pX a = make(20), b = make(20);
    return a * b == expected(a, b) ? 0 : 1;
}

} // namespace

/* The argument: which tests run. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_modulo_p_equal_kronecker),
        cmocka_unit_test(squares_of_one_variable_are_taken_in_time),
        cmocka_unit_test(few_short_coefficients_are_ntls),
        cmocka_unit_test(short_and_zero_factors),
        cmocka_unit_test(numbers_that_are_not_reduced_go_to_ntl),
        cmocka_unit_test(results_may_be_factors),
        cmocka_unit_test(ntls_algorithms_take_our_products),
        cmocka_unit_test(moduli_change),
        cmocka_unit_test(results_that_ntl_refuses),
        cmocka_unit_test(handlers_run_as_without_the_library),
        cmocka_unit_test(handlers_may_jump_out_of_products),
        cmocka_unit_test(signals_keep_to_their_thread),
        cmocka_unit_test(threads_and_forks_multiply),
        cmocka_unit_test(products_are_counted_once),
        cmocka_unit_test(counters_have_names),
    };
    cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
    return cmocka_run_group_tests(tests, begin_with_another_modulus, NULL);
}

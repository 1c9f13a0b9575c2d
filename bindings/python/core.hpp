/* core.hpp: what the parts of the Python module _core share: fields and polynomials as objects that
 * keep each other alive, one call of the library with its options, progress and errors, and
 * conversion of Python integers. The classes that users see are written in Python, in gfpoly/.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFPOLY_PYTHON_CORE_HPP
#define GFPOLY_PYTHON_CORE_HPP

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <vector>

#include "gfpoly.h"

namespace nb = nanobind;

/* ---- objects ---- */

struct field_box {
    gfp_field *field = nullptr;
    ~field_box()
    {
        gfp_field_destroy(field);
    }
};
using field_ref = std::shared_ptr<field_box>;

struct py_field {
    field_ref box;
    const gfp_field *get() const
    {
        return box->field;
    }
};

/* A polynomial that keeps its field alive. Python sees it as immutable: only code that has just
 * made a polynomial writes to it. */
struct py_poly {
    gfp_poly p;
    field_ref box;
    explicit py_poly(const field_ref &owner) : box(owner)
    {
        gfp_poly_init(&p, owner->field);
    }
    py_poly(py_poly &&other) noexcept : box(other.box)
    {
        gfp_poly_init(&p, box->field);
        gfp_poly_swap(&p, &other.p);
    }
    py_poly(const py_poly &) = delete;
    py_poly &operator=(const py_poly &) = delete;
    ~py_poly()
    {
        gfp_poly_clear(&p);
    }
    size_t digits() const
    {
        return p.len * gfp_field_k(p.field);
    }
};

/* ---- errors ---- */

/* An error of the library. The module turns it into an exception of gfpoly/_errors.py. */
struct failure {
    gfp_status status;
    gfp_error error;
};

[[noreturn]] void fail(gfp_status status, const gfp_error *error);
/* An error that the module itself found. index: GFP_NO_INDEX for none. */
[[noreturn]] void fail_with(gfp_status status, const std::string &message,
                            uint64_t index = GFP_NO_INDEX);
inline void check(gfp_status status, const gfp_error *error = nullptr)
{
    if (status != GFP_OK) {
        fail(status, error);
    }
}

/* ---- one call of the library ---- */

/* The options that a user has set: gfpoly/_options.py. Python's lock guards all members. */
struct py_options {
    std::string method;
    int verify = GFP_VERIFY_DEFAULT;
    uint64_t seed = 0;
    unsigned threads = 0;
    size_t memory_cap = 0;
    nb::object progress = nb::none();
    nb::object report = nb::none();
};

/* A call that may be long. run releases Python's lock for the time of f unless the work is so short
 * that taking the lock again would cost more than the work; f gets the options. Meanwhile the
 * library's progress callback looks for signals, and calls the user's callback, every 50 ms. */
class call
{
  public:
    explicit call(py_options *user);
    call(const call &) = delete;
    call &operator=(const call &) = delete;

    template <class Function> void run(size_t digits, Function f)
    {
        gfp_status status;
        if (digits < 512 && py_progress_.is_none()) {
            status = f(&options_);
        } else {
            nb::gil_scoped_release released;
            status = f(&options_);
        }
        finish(status);
    }

  private:
    static bool step(void *self, double fraction);
    void finish(gfp_status status);

    py_options *user_;
    nb::object py_progress_;
    std::string method_;
    gfp_options options_{};
    gfp_progress progress_{};
    gfp_report report_{};
    gfp_error error_{};
    uint64_t last_ns_;
    std::unique_ptr<nb::python_error> raised_;
};

/* ---- conversion ---- */

/* Elements of a field, n k digits, from integers of absolute value below p. what: the argument's
 * name, for messages. */
struct elements {
    std::vector<uint64_t> digits;
    size_t n = 0;
};
elements to_elements(const gfp_field *field, nb::handle sequence, const char *what);
/* One element. */
std::vector<uint64_t> to_element(const gfp_field *field, nb::handle value, const char *what);
/* A list of n integers; one integer. */
nb::object from_elements(const gfp_field *field, const uint64_t *digits, size_t n);
nb::object from_element(const gfp_field *field, const uint64_t *digits);
/* |value| as limbs, as many as it needs; *negative := its sign. what: as above. */
std::vector<uint64_t> int_to_limbs(nb::handle value, const char *what, bool *negative);
/* The number of limbs that |value| needs, and |value| in `count` limbs: false if that is too few.
 * value is an exact int or of a subclass. */
size_t int_limb_count(PyObject *value);
bool int_store(PyObject *value, uint64_t *limbs, size_t count, bool *negative);
nb::object int_from_limbs(const uint64_t *limbs, size_t count, bool is_signed);
/* An owned tuple of owned ints from any iterable of integers. */
nb::object int_tuple(nb::handle sequence, const char *what);

/* ---- parts of the module ---- */

void define_convert(nb::module_ &m);
void define_files(nb::module_ &m);
void define_poly(nb::module_ &m);
void define_toolkit(nb::module_ &m);
void define_integers(nb::module_ &m);
void define_device(nb::module_ &m);

#endif

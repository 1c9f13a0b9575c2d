/* module.cpp: the Python module _core: fields, options, errors, calls that release Python's lock.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "core.hpp"

#include <time.h>

/* ---- errors ---- */

/* gfpoly._errors.make, which returns an exception for a status. */
static PyObject *maker;

void fail(gfp_status status, const gfp_error *error)
{
    failure f{};
    f.status = status;
    f.error.index = GFP_NO_INDEX;
    if (error != nullptr && error->message[0] != '\0') {
        f.error = *error;
    } else {
        snprintf(f.error.message, sizeof f.error.message, "%s", gfp_status_string(status));
    }
    throw f;
}

void fail_with(gfp_status status, const std::string &message, uint64_t index)
{
    gfp_error error{};
    error.index = index;
    snprintf(error.message, sizeof error.message, "%s", message.c_str());
    fail(status, &error);
}

static void module_translate(const std::exception_ptr &thrown, void *)
{
    try {
        std::rethrow_exception(thrown);
    } catch (const failure &f) {
        if (maker == nullptr) {
            PyErr_SetString(PyExc_RuntimeError, f.error.message);
            return;
        }
        PyObject *index = Py_None;
        if (f.error.index == GFP_NO_INDEX) {
            Py_INCREF(index);
        } else {
            index = PyLong_FromUnsignedLongLong(f.error.index);
        }
        /* A message may quote bytes of a damaged text. */
        PyObject *message =
            PyUnicode_DecodeUTF8(f.error.message, (Py_ssize_t)strlen(f.error.message), "replace");
        PyObject *exception = nullptr;
        if (index != nullptr && message != nullptr) {
            exception = PyObject_CallFunction(
                maker, "iOKKKO", (int)f.status, message, (unsigned long long)f.error.line,
                (unsigned long long)f.error.column, (unsigned long long)f.error.offset, index);
        }
        Py_XDECREF(index);
        Py_XDECREF(message);
        if (exception != nullptr) {
            PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
            Py_DECREF(exception);
        }
    }
}

/* ---- one call ---- */

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* False itself, or numpy's, whose type has the name "bool", "bool_" before numpy 2; not 0. */
static bool is_false(nb::handle answer)
{
    const std::string name = nb::cast<std::string>(answer.type().attr("__name__"));
    return (name == "bool" || name == "bool_") && PyObject_IsTrue(answer.ptr()) == 0;
}

call::call(py_options *user) : user_(user), py_progress_(nb::none()), last_ns_(now_ns())
{
    progress_.step = step;
    progress_.user = this;
    options_.size = sizeof options_;
    options_.progress = &progress_;
    options_.report = &report_;
    options_.error = &error_;
    error_.index = GFP_NO_INDEX;
    if (user != nullptr) {
        py_progress_ = user->progress;
        method_ = user->method;
        options_.method = method_.empty() ? nullptr : method_.c_str();
        options_.verify = (gfp_verify)user->verify;
        options_.verify_seed = user->seed;
        options_.threads = user->threads;
        options_.memory_cap = user->memory_cap;
    }
}

bool call::step(void *self, double fraction)
{
    call *c = (call *)self;
    uint64_t now = now_ns();
    if (now - c->last_ns_ < 50000000u) {
        return true;
    }
    nb::gil_scoped_acquire acquired;
    bool go_on = true;
    try {
        if (PyErr_CheckSignals() != 0) {
            throw nb::python_error();
        }
        if (!c->py_progress_.is_none()) {
            nb::object answer = c->py_progress_(fraction);
            go_on = !is_false(answer);
        }
    } catch (nb::python_error &e) {
        c->raised_ = std::make_unique<nb::python_error>(std::move(e));
        go_on = false;
    }
    c->last_ns_ = now_ns();
    return go_on;
}

void call::finish(gfp_status status)
{
    if (raised_ != nullptr) {
        throw nb::python_error(std::move(*raised_));
    }
    check(status, &error_);
    if (user_ == nullptr || report_.method == nullptr) {
        return;
    }
    static const char *const checks[] = {nullptr, nullptr, "point", "cross"};
    nb::dict d;
    d["method"] = report_.method;
    d["verified"] = checks[report_.verified];
    d["cross_method"] = report_.cross_method;
    d["threads"] = report_.threads;
    d["points"] = report_.points;
    d["log2_error"] = report_.log2_error;
    d["multiply_ns"] = report_.multiply_ns;
    d["verify_ns"] = report_.verify_ns;
    d["unlucky_primes"] = report_.unlucky_primes;
    user_->report = d;
}

/* ---- fields ---- */

/* The r and k of the field of a text. */
static nb::object field_parse(const std::string &text)
{
    gfp_error error{};
    uint64_t r = 0;
    unsigned k = 0;
    if (text.find('\0') != std::string::npos) {
        fail_with(GFP_ERR_PARSE, "the text of a field holds a NUL character");
    }
    check(gfp_field_parse(&r, &k, text.c_str(), &error), &error);
    return nb::make_tuple(r, k);
}

static py_field field_create(uint64_t r, unsigned k)
{
    py_field f{std::make_shared<field_box>()};
    gfp_error error{};
    gfp_status status;
    {
        nb::gil_scoped_release released;
        status = gfp_field_create_rk(&f.box->field, r, k, nullptr, &error);
    }
    check(status, &error);
    return f;
}

static nb::object field_certificate(const py_field &f)
{
    const gfp_certificate *c = gfp_field_get_info(f.get()).certificate;
    nb::list factors;
    for (unsigned i = 0; i < c->count; i++) {
        factors.append(nb::make_tuple(c->factor[i].prime, c->factor[i].base));
    }
    return nb::make_tuple(gfp_proof_string(c->proof), factors);
}

static nb::object field_root(const py_field &f, unsigned m)
{
    std::vector<uint64_t> x(gfp_field_k(f.get()));
    check(gfp_field_root(f.get(), x.data(), m));
    return from_element(f.get(), x.data());
}

static nb::object element_pow(const py_field &f, nb::handle value, nb::handle exponent)
{
    std::vector<uint64_t> x = to_element(f.get(), value, "x");
    bool negative;
    std::vector<uint64_t> e = int_to_limbs(exponent, "exponent", &negative);
    if (negative) {
        check(gfp_elem_inv(f.get(), x.data(), x.data()));
    }
    gfp_elem_pow(f.get(), x.data(), x.data(), e.data(), e.size());
    return from_element(f.get(), x.data());
}

static void define_field(nb::module_ &m)
{
    nb::class_<py_field>(m, "Field")
        .def_prop_ro("name", [](const py_field &f) { return gfp_field_name(f.get()); })
        .def_prop_ro("k", [](const py_field &f) { return gfp_field_k(f.get()); })
        .def_prop_ro("r", [](const py_field &f) { return gfp_field_r(f.get()); })
        .def_prop_ro("bits", [](const py_field &f) { return gfp_field_bits(f.get()); })
        .def_prop_ro("limbs", [](const py_field &f) { return gfp_field_limbs(f.get()); })
        .def_prop_ro("v2_order", [](const py_field &f) { return gfp_field_v2_order(f.get()); })
        .def_prop_ro("p",
                     [](const py_field &f) {
                         return int_from_limbs(gfp_field_modulus_limbs(f.get()),
                                               gfp_field_limbs(f.get()), false);
                     })
        .def_prop_rw(
            "threads", [](const py_field &f) { return gfp_field_get_info(f.get()).threads; },
            [](py_field &f, unsigned n) { gfp_field_set_threads(f.box->field, n); })
        .def("certificate", field_certificate)
        .def("root", field_root)
        .def("pow", element_pow, nb::arg().none(), nb::arg().none())
        .def("same",
             [](const py_field &f, const py_field &g) { return gfp_field_same(f.get(), g.get()); })
        .def("kept_memory",
             [](const py_field &f) { return gfp_field_get_info(f.get()).kept_memory; })
        .def("release_memory", [](const py_field &f) { gfp_field_release_memory(f.get()); })
        .def("limit_memory",
             [](const py_field &f, size_t bytes) { gfp_field_limit_memory(f.get(), bytes); });
    m.def("field_parse", field_parse);
    m.def("field_create", field_create);
    m.def("named_primes", [] {
        nb::list names;
        for (size_t i = 0; i < gfp_named_prime_count(); i++) {
            const gfp_named_prime *p = gfp_named_prime_get(i);
            names.append(nb::make_tuple(p->name, p->formula));
        }
        return names;
    });
}

static void define_options(nb::module_ &m)
{
    nb::class_<py_options>(m, "Options")
        .def(nb::init<>())
        .def_rw("method", &py_options::method)
        .def_rw("verify", &py_options::verify)
        .def_rw("seed", &py_options::seed)
        .def_rw("threads", &py_options::threads)
        .def_rw("memory_cap", &py_options::memory_cap)
        .def_rw("progress", &py_options::progress, nb::arg().none())
        .def_rw("report", &py_options::report, nb::arg().none());
}

NB_MODULE(_core, m)
{
    /* Objects that live until the interpreter ends are no leaks. */
    nb::set_leak_warnings(false);
    nb::register_exception_translator(module_translate);
    m.def("set_error_maker", [](nb::object f) {
        Py_XDECREF(maker);
        maker = f.release().ptr();
    });
    define_options(m);
    m.def("version", gfp_version);
    m.def("compiler", [] { return gfp_build_get_info()->compiler; });
    m.def("cpu_level", [] { return gfp_machine_get_info().cpu_level; });
    m.def("flint_version", [] { return gfp_build_get_info()->flint; });
    m.def("threads_available", [] { return gfp_machine_get_info().threads; });
    m.def("cpu_brand", [] { return std::string(gfp_machine_get_info().cpu); });
    m.def("gpu", []() -> nb::object {
        gfp_error error{};
        if (gfp_gpu_pool_ask(&error) == GFP_OK) {
            return nb::none();
        }
        return nb::str(error.message);
    });
    m.def("method_names", [] {
        std::vector<std::string> names;
        for (size_t i = 0; i < gfp_method_count(); i++) {
            names.emplace_back(gfp_method_name(i));
        }
        return names;
    });
    m.def("methods", [](const py_field &f, size_t len_a, size_t len_b) {
        nb::list rows;
        gfp_problem problem{};
        problem.len_a = len_a;
        problem.len_b = len_b;
        for (size_t i = 0; i < gfp_method_count(); i++) {
            gfp_method_info info{};
            check(gfp_method_query(&info, i, &problem, f.get(), nullptr));
            rows.append(nb::make_tuple(info.name, info.available, info.estimate_ns,
                                       std::string(info.reason)));
        }
        return rows;
    });
    define_field(m);
    define_convert(m);
    define_files(m);
    define_poly(m);
    define_toolkit(m);
    define_integers(m);
    define_device(m);
}

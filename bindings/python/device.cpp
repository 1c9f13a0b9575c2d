/* device.cpp: polynomials on a GPU, and arrays of other packages there by DLPack.
 *
 * The objects of a context belong to one thread at a time: a mutex for each context, which is taken
 * after Python's lock is released. Destructors hold both locks; no call asks for Python's lock
 * while it holds the mutex.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "core.hpp"

#include <mutex>

#include "gfpoly/gpu_toolkit.h"

struct context_box {
    gfp_gpu *gpu = nullptr;
    unsigned device = 0;
    std::mutex mutex;
    ~context_box()
    {
        gfp_gpu_destroy(gpu);
    }
};

struct ring_box {
    std::shared_ptr<context_box> context;
    field_ref field;
    gfp_gpu_ring *ring = nullptr;
    ~ring_box()
    {
        std::lock_guard<std::mutex> guard(context->mutex);
        gfp_gpu_ring_destroy(ring);
    }
};
using ring_ref = std::shared_ptr<ring_box>;

struct py_context {
    std::shared_ptr<context_box> box;
};
struct py_ring {
    ring_ref box;
};

struct py_device_poly {
    gfp_gpu_poly *p = nullptr;
    ring_ref box;
    py_device_poly(py_device_poly &&other) noexcept : p(other.p), box(std::move(other.box))
    {
        other.p = nullptr;
    }
    explicit py_device_poly(const ring_ref &owner) : box(owner)
    {
        std::lock_guard<std::mutex> guard(owner->context->mutex);
        check(gfp_gpu_poly_create(&p, owner->ring, nullptr));
    }
    py_device_poly(const py_device_poly &) = delete;
    ~py_device_poly()
    {
        if (p != nullptr) {
            std::lock_guard<std::mutex> guard(box->context->mutex);
            gfp_gpu_poly_destroy(p);
        }
    }
};

/* Runs f without Python's lock and with the context's mutex; f gets the options that the user has
 * set, without progress: a callback would need Python's lock. Throws the reason of a failure. */
template <class Function> static void on_device(const ring_ref &ring, py_options *user, Function f)
{
    call c(user);
    c.run(SIZE_MAX, [&](const gfp_options *given) {
        gfp_options options = *given;
        options.progress = nullptr;
        options.report =
            user != nullptr ? options.report : nullptr; /* it would make the call wait */
        std::lock_guard<std::mutex> guard(ring->context->mutex);
        return f(&options);
    });
}

/* The same for what has no options of the user's. */
template <class Function> static void on_device(const ring_ref &ring, Function f)
{
    on_device(ring, nullptr, f);
}

static void same_context(const py_device_poly &a, const py_device_poly &b)
{
    if (a.box->context != b.box->context) {
        fail_with(GFP_ERR_ARGUMENT, "other: the polynomial is on another device");
    }
}

static py_context context_create(unsigned device)
{
    py_context c{std::make_shared<context_box>()};
    gfp_error error{};
    gfp_options options{};
    options.gpu_device = device;
    options.error = &error;
    gfp_status status;
    {
        nb::gil_scoped_release released;
        status = gfp_gpu_create(&c.box->gpu, nullptr, &options);
    }
    error.index = GFP_NO_INDEX;
    check(status, &error);
    c.box->device = device;
    return c;
}

static py_ring ring_create(const py_context &c, const py_field &field)
{
    py_ring r{std::make_shared<ring_box>()};
    r.box->context = c.box;
    r.box->field = field.box;
    gfp_error error{};
    gfp_status status;
    {
        nb::gil_scoped_release released;
        std::lock_guard<std::mutex> guard(c.box->mutex);
        gfp_options options{};
        options.error = &error;
        status = gfp_gpu_ring_create(&r.box->ring, c.box->gpu, field.get(), nullptr, &options);
    }
    error.index = GFP_NO_INDEX;
    check(status, &error);
    return r;
}

static py_device_poly device_upload(const py_ring &ring, const py_poly &f)
{
    py_device_poly a(ring.box);
    on_device(ring.box, [&](const gfp_options *o) { return gfp_gpu_poly_upload(a.p, &f.p, o); });
    return a;
}

static py_poly device_download(const py_device_poly &a)
{
    py_poly f(a.box->field);
    on_device(a.box, [&](const gfp_options *o) { return gfp_gpu_poly_download(&f.p, a.p, o); });
    return f;
}

static size_t device_length(py_device_poly &a)
{
    size_t n = 0;
    on_device(a.box, [&](const gfp_options *o) { return gfp_gpu_poly_length(&n, a.p, o); });
    return n;
}

template <gfp_status (*function)(gfp_gpu_poly *, const gfp_gpu_poly *, const gfp_gpu_poly *,
                                 const gfp_options *)>
static py_device_poly device_binary(const py_device_poly &a, const py_device_poly &b)
{
    same_context(a, b);
    py_device_poly c(a.box);
    on_device(a.box, [&](const gfp_options *o) { return function(c.p, a.p, b.p, o); });
    return c;
}

static py_device_poly device_mul(const py_device_poly &a, const py_device_poly &b, py_options *user)
{
    same_context(a, b);
    py_device_poly c(a.box);
    on_device(a.box, user,
              [&](const gfp_options *o) { return gfp_gpu_poly_mul(c.p, a.p, b.p, o); });
    return c;
}

template <gfp_status (*function)(gfp_gpu_poly *, const gfp_gpu_poly *, const gfp_gpu_poly *, size_t,
                                 const gfp_options *)>
static py_device_poly device_part(const py_device_poly &a, const py_device_poly &b, size_t n,
                                  py_options *user)
{
    same_context(a, b);
    py_device_poly c(a.box);
    on_device(a.box, user, [&](const gfp_options *o) { return function(c.p, a.p, b.p, n, o); });
    return c;
}

template <gfp_status (*function)(gfp_gpu_poly *, const gfp_gpu_poly *, size_t, const gfp_options *)>
static py_device_poly device_resized(const py_device_poly &a, size_t n)
{
    py_device_poly c(a.box);
    on_device(a.box, [&](const gfp_options *o) { return function(c.p, a.p, n, o); });
    return c;
}

static py_device_poly device_inv_series(const py_device_poly &a, size_t n, py_options *user)
{
    py_device_poly c(a.box);
    on_device(a.box, user,
              [&](const gfp_options *o) { return gfp_gpu_poly_inv_series(c.p, a.p, n, o); });
    return c;
}

static py_device_poly device_negative(const py_device_poly &a)
{
    py_device_poly c(a.box);
    on_device(a.box, [&](const gfp_options *o) { return gfp_gpu_poly_neg(c.p, a.p, o); });
    return c;
}

static py_device_poly device_scale(const py_device_poly &a, nb::handle value)
{
    std::vector<uint64_t> x = to_element(a.box->field->field, value, "scalar");
    py_device_poly c(a.box);
    on_device(a.box,
              [&](const gfp_options *o) { return gfp_gpu_poly_scalar_mul(c.p, a.p, x.data(), o); });
    return c;
}

static nb::object device_eval(const py_device_poly &a, nb::handle value)
{
    std::vector<uint64_t> x = to_element(a.box->field->field, value, "x");
    std::vector<uint64_t> y(x.size());
    on_device(a.box,
              [&](const gfp_options *o) { return gfp_gpu_poly_eval(y.data(), a.p, x.data(), o); });
    return from_element(a.box->field->field, y.data());
}

static bool device_equal(const py_device_poly &a, const py_device_poly &b)
{
    same_context(a, b);
    bool yes = false;
    on_device(a.box, [&](const gfp_options *o) { return gfp_gpu_poly_equal(&yes, a.p, b.p, o); });
    return yes;
}

static nb::object device_divrem(const py_device_poly &a, const py_device_poly &b, py_options *user)
{
    same_context(a, b);
    py_device_poly q(a.box), r(a.box);
    on_device(a.box, user,
              [&](const gfp_options *o) { return gfp_gpu_poly_divrem(q.p, r.p, a.p, b.p, o); });
    return nb::make_tuple(nb::cast(std::move(q)), nb::cast(std::move(r)));
}

/* ---- arrays of other packages ---- */

using device_in = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig>;
using device_out = nb::ndarray<uint64_t, nb::ndim<2>>;

static void check_array(const ring_ref &ring, const device_in &a)
{
    size_t k = gfp_field_k(ring->field->field);
    if ((a.dtype().code != (uint8_t)nb::dlpack::dtype_code::UInt &&
         a.dtype().code != (uint8_t)nb::dlpack::dtype_code::Int) ||
        a.dtype().bits != 64 || a.dtype().lanes != 1) {
        fail_with(GFP_ERR_ARGUMENT, "array: the words are not of 64 bits, uint64 or int64");
    }
    if (a.shape(1) != k) {
        fail_with(GFP_ERR_ARGUMENT, "array: the array has " + std::to_string(a.shape(1)) +
                                        " words in a row, the field needs " + std::to_string(k));
    }
    if (a.device_type() != nb::device::cuda::value || a.device_id() != (int)ring->context->device) {
        fail_with(GFP_ERR_ARGUMENT, "array: the array is not on this device");
    }
}

/* Copies words of other code, and checks that they are canonical. */
static gfp_status device_take(const ring_ref &ring, gfp_gpu_poly *f, void *address, size_t n,
                              size_t *canonical, const gfp_options *options)
{
    gfp_gpu *gpu = ring->context->gpu;
    const gfp_field *field = ring->field->field;
    gfp_gpu_array *from = nullptr, *word = nullptr;
    uint64_t answer = 0;
    gfp_status status = gfp_gpu_poly_fit_length(f, n, options);
    if (status == GFP_OK) {
        status = gfp_gpu_array_adopt(&from, gpu, address, n * gfp_field_k(field), options);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_array_create(&word, gpu, 2, options);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_set(gfp_gpu_poly_array(f), from, n * gfp_field_k(field), options);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_vec_canonical(field, word, gfp_gpu_poly_array(f), n, options);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_download(&answer, word, 0, 1, options);
    }
    *canonical = (size_t)answer;
    if (status == GFP_OK && *canonical == n) {
        status = gfp_gpu_poly_set_length(f, n, options);
    }
    gfp_gpu_array_destroy(word);
    gfp_gpu_array_destroy(from);
    return status;
}

static py_device_poly from_dlpack(const py_ring &ring, const device_in &a)
{
    check_array(ring.box, a);
    size_t n = a.shape(0), canonical = n;
    py_device_poly f(ring.box);
    if (n > 0) {
        void *address = const_cast<void *>(a.data());
        on_device(ring.box, [&](const gfp_options *o) {
            /* Other packages have streams of their own. */
            gfp_status status = gfp_gpu_wait_device(ring.box->context->gpu, NULL);
            return status != GFP_OK ? status
                                    : device_take(ring.box, f.p, address, n, &canonical, o);
        });
    }
    if (canonical != n) {
        fail_with(GFP_ERR_RANGE,
                  "array[" + std::to_string(canonical) +
                      "]: a digit is not below r, and the digits are not those of p - 1",
                  canonical);
    }
    return f;
}

/* A copy of the digits on the device, for other packages: they may write to it. */
static nb::object to_dlpack(py_device_poly &a)
{
    auto copy = std::make_unique<py_device_poly>(a.box);
    size_t n = 0;
    void *address = nullptr;
    on_device(a.box, [&](const gfp_options *o) {
        gfp_status status = gfp_gpu_poly_length(&n, a.p, o);
        status = status != GFP_OK ? status : gfp_gpu_poly_set(copy->p, a.p, o);
        status = status != GFP_OK ? status : gfp_gpu_wait(a.box->context->gpu, nullptr);
        gfp_gpu_array *array = gfp_gpu_poly_array(copy->p);
        address = array != nullptr ? gfp_gpu_array_address(array) : nullptr;
        return status;
    });
    size_t shape[2] = {n, gfp_field_k(a.box->field->field)};
    int device = (int)a.box->context->device;
    nb::capsule owner(copy.release(), [](void *p) noexcept { delete (py_device_poly *)p; });
    return nb::cast(device_out(address, 2, shape, owner, nullptr, nb::dtype<uint64_t>(),
                               nb::device::cuda::value, device));
}

void define_device(nb::module_ &m)
{
    auto _ = nb::arg().none();
    nb::class_<py_context>(m, "DeviceContext").def("memory_used", [](const py_context &c) {
        std::lock_guard<std::mutex> guard(c.box->mutex);
        return gfp_gpu_memory_used(c.box->gpu);
    });
    nb::class_<py_ring>(m, "DeviceRing");
    nb::class_<py_device_poly>(m, "DevicePoly").def("__len__", device_length);
    m.def("device_context", context_create);
    m.def("device_ring", ring_create);
    m.def("device_upload", device_upload);
    m.def("device_download", device_download);
    m.def("device_add", device_binary<gfp_gpu_poly_add>);
    m.def("device_sub", device_binary<gfp_gpu_poly_sub>);
    m.def("device_mul", device_mul, _, _, _);
    m.def("device_neg", device_negative);
    m.def("device_scale", device_scale, _, _);
    m.def("device_eval", device_eval, _, _);
    m.def("device_equal", device_equal);
    m.def("device_divrem", device_divrem, _, _, _);
    m.def("device_mullow", device_part<gfp_gpu_poly_mullow>, _, _, _, _);
    m.def("device_mulhigh", device_part<gfp_gpu_poly_mulhigh>, _, _, _, _);
    m.def("device_truncate", device_resized<gfp_gpu_poly_truncate>);
    m.def("device_shift_left", device_resized<gfp_gpu_poly_shift_left>);
    m.def("device_shift_right", device_resized<gfp_gpu_poly_shift_right>);
    m.def("device_reverse", device_resized<gfp_gpu_poly_reverse>);
    m.def("device_inv_series", device_inv_series, _, _, _);
    m.def("device_from_dlpack", from_dlpack, nb::arg(), nb::arg().noconvert());
    m.def("device_to_dlpack", to_dlpack);
}

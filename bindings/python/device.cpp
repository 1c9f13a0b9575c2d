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
        check(gfp_gpu_poly_create(&p, owner->ring));
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

/* Runs f without Python's lock and with the context's mutex; throws the device's reason. */
template <class Function> static void on_device(const ring_ref &ring, Function f)
{
    gfp_status status;
    gfp_error error{};
    {
        nb::gil_scoped_release released;
        std::lock_guard<std::mutex> guard(ring->context->mutex);
        status = f();
        if (status != GFP_OK) {
            error = *gfp_gpu_last_error(ring->context->gpu);
        }
    }
    error.index = GFP_NO_INDEX;
    check(status, error.status == status ? &error : nullptr);
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
    gfp_gpu_options options{};
    options.device = device;
    gfp_error error{};
    gfp_status status;
    {
        nb::gil_scoped_release released;
        status = gfp_gpu_create(&c.box->gpu, &options, &error);
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
        status = gfp_gpu_ring_create(&r.box->ring, c.box->gpu, field.get(), nullptr, &error);
    }
    error.index = GFP_NO_INDEX;
    check(status, &error);
    return r;
}

static py_device_poly device_upload(const py_ring &ring, const py_poly &f)
{
    py_device_poly a(ring.box);
    on_device(ring.box, [&] { return gfp_gpu_poly_upload(a.p, &f.p); });
    return a;
}

static py_poly device_download(const py_device_poly &a)
{
    py_poly f(a.box->field);
    on_device(a.box, [&] { return gfp_gpu_poly_download(&f.p, a.p); });
    return f;
}

static size_t device_length(py_device_poly &a)
{
    size_t n = 0;
    on_device(a.box, [&] { return gfp_gpu_poly_length(a.p, &n); });
    return n;
}

template <gfp_status (*function)(gfp_gpu_poly *, const gfp_gpu_poly *, const gfp_gpu_poly *)>
static py_device_poly device_binary(const py_device_poly &a, const py_device_poly &b)
{
    same_context(a, b);
    py_device_poly c(a.box);
    on_device(a.box, [&] {
        return a.p == b.p && function == gfp_gpu_poly_mul ? gfp_gpu_poly_sqr(c.p, a.p)
                                                          : function(c.p, a.p, b.p);
    });
    return c;
}

template <gfp_status (*function)(gfp_gpu_poly *, const gfp_gpu_poly *, const gfp_gpu_poly *,
                                 size_t)>
static py_device_poly device_part(const py_device_poly &a, const py_device_poly &b, size_t n)
{
    same_context(a, b);
    py_device_poly c(a.box);
    on_device(a.box, [&] { return function(c.p, a.p, b.p, n); });
    return c;
}

template <gfp_status (*function)(gfp_gpu_poly *, const gfp_gpu_poly *, size_t)>
static py_device_poly device_resized(const py_device_poly &a, size_t n)
{
    py_device_poly c(a.box);
    on_device(a.box, [&] { return function(c.p, a.p, n); });
    return c;
}

static py_device_poly device_negative(const py_device_poly &a)
{
    py_device_poly c(a.box);
    on_device(a.box, [&] { return gfp_gpu_poly_neg(c.p, a.p); });
    return c;
}

static py_device_poly device_scale(const py_device_poly &a, nb::handle value)
{
    std::vector<uint64_t> x = to_element(a.box->field->field, value, "scalar");
    py_device_poly c(a.box);
    on_device(a.box, [&] { return gfp_gpu_poly_scale(c.p, a.p, x.data()); });
    return c;
}

static nb::object device_eval(const py_device_poly &a, nb::handle value)
{
    std::vector<uint64_t> x = to_element(a.box->field->field, value, "x");
    std::vector<uint64_t> y(x.size());
    on_device(a.box, [&] { return gfp_gpu_poly_eval(a.p, y.data(), x.data()); });
    return from_element(a.box->field->field, y.data());
}

static bool device_equal(const py_device_poly &a, const py_device_poly &b)
{
    same_context(a, b);
    bool yes = false;
    on_device(a.box, [&] { return gfp_gpu_poly_equal(&yes, a.p, b.p); });
    return yes;
}

static nb::object device_divrem(const py_device_poly &a, const py_device_poly &b)
{
    same_context(a, b);
    py_device_poly q(a.box), r(a.box);
    gfp_error error{};
    error.index = GFP_NO_INDEX;
    gfp_status status;
    {
        nb::gil_scoped_release released;
        std::lock_guard<std::mutex> guard(a.box->context->mutex);
        status = gfp_gpu_poly_divrem(q.p, r.p, a.p, b.p, &error);
    }
    check(status, &error);
    return nb::make_tuple(nb::cast(std::move(q)), nb::cast(std::move(r)));
}

static bool is_product(const py_device_poly &c, const py_device_poly &a, const py_device_poly &b)
{
    same_context(a, b);
    same_context(a, c);
    bool yes = true;
    on_device(a.box, [&] {
        gfp_status status = gfp_gpu_poly_verify_mul(c.p, a.p, b.p, 0, nullptr);
        yes = status == GFP_OK;
        return status == GFP_ERR_VERIFY ? GFP_OK : status;
    });
    return yes;
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
                              size_t *canonical)
{
    gfp_gpu *gpu = ring->context->gpu;
    const gfp_field *field = ring->field->field;
    gfp_gpu_array *from = nullptr, *word = nullptr;
    uint64_t answer = 0;
    gfp_status status = gfp_gpu_poly_fit_length(f, n);
    if (status == GFP_OK) {
        status = gfp_gpu_array_adopt(&from, gpu, address, n * gfp_field_k(field));
    }
    if (status == GFP_OK) {
        status = gfp_gpu_array_create(&word, gpu, 2);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_copy(gfp_gpu_poly_array(f), from, n * gfp_field_k(field));
    }
    if (status == GFP_OK) {
        status = gfp_gpu_vec_canonical(field, word, gfp_gpu_poly_array(f), n);
    }
    if (status == GFP_OK) {
        status = gfp_gpu_download(&answer, word, 0, 1);
    }
    *canonical = (size_t)answer;
    if (status == GFP_OK && *canonical == n) {
        status = gfp_gpu_poly_set_length(f, n);
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
        on_device(ring.box, [&] {
            /* Other packages have streams of their own. */
            gfp_status status = gfp_gpu_wait_device(ring.box->context->gpu);
            return status != GFP_OK ? status : device_take(ring.box, f.p, address, n, &canonical);
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
    on_device(a.box, [&] {
        gfp_status status = gfp_gpu_poly_length(a.p, &n);
        status = status != GFP_OK ? status : gfp_gpu_poly_copy(copy->p, a.p);
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
    m.def("device_mul", device_binary<gfp_gpu_poly_mul>);
    m.def("device_neg", device_negative);
    m.def("device_scale", device_scale, _, _);
    m.def("device_eval", device_eval, _, _);
    m.def("device_equal", device_equal);
    m.def("device_divrem", device_divrem);
    m.def("device_is_product", is_product);
    m.def("device_mul_low", device_part<gfp_gpu_poly_mul_low>);
    m.def("device_mul_high", device_part<gfp_gpu_poly_mul_high>);
    m.def("device_truncate", device_resized<gfp_gpu_poly_truncate>);
    m.def("device_shift_left", device_resized<gfp_gpu_poly_shift_left>);
    m.def("device_shift_right", device_resized<gfp_gpu_poly_shift_right>);
    m.def("device_reverse", device_resized<gfp_gpu_poly_reverse>);
    m.def("device_inv_series", device_resized<gfp_gpu_poly_inv_series>);
    m.def("device_from_dlpack", from_dlpack, nb::arg(), nb::arg().noconvert());
    m.def("device_to_dlpack", to_dlpack);
}

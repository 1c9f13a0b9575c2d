/* convert.cpp: conversion from and to Python's integers, arrays of words, bytes, text and files.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "core.hpp"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <new>

/* ---- integers ---- */

/* The sign of an int or of a subclass, whatever methods that subclass has. */
static bool int_is_negative(PyObject *value)
{
#if PY_VERSION_HEX >= 0x030e0000
    int sign = 0;
    PyLong_GetSign(value, &sign);
    return sign < 0;
#else
    return _PyLong_Sign(value) < 0;
#endif
}

size_t int_limb_count(PyObject *value)
{
#if PY_VERSION_HEX >= 0x030d0000
    /* Bytes for two's complement: of a positive number, they include the bit of the sign. */
    Py_ssize_t bytes = PyLong_AsNativeBytes(value, nullptr, 0, Py_ASNATIVEBYTES_LITTLE_ENDIAN);
    if (bytes < 0) {
        throw nb::python_error();
    }
    return ((size_t)bytes + 7) / 8;
#else
    return (_PyLong_NumBits(value) + 63) / 64;
#endif
}

/* |value| of a value that is not negative. */
static bool int_store_magnitude(PyObject *value, uint64_t *limbs, size_t count)
{
#if PY_VERSION_HEX >= 0x030d0000
    Py_ssize_t bytes =
        PyLong_AsNativeBytes(value, limbs, (Py_ssize_t)(8 * count),
                             Py_ASNATIVEBYTES_LITTLE_ENDIAN | Py_ASNATIVEBYTES_UNSIGNED_BUFFER);
    if (bytes < 0) {
        throw nb::python_error();
    }
    return (size_t)bytes <= 8 * count;
#else
    if (_PyLong_NumBits(value) > 64 * count) {
        return false;
    }
    if (_PyLong_AsByteArray((PyLongObject *)value, (unsigned char *)limbs, 8 * count, 1, 0) != 0) {
        throw nb::python_error();
    }
    return true;
#endif
}

bool int_store(PyObject *value, uint64_t *limbs, size_t count, bool *negative)
{
    *negative = int_is_negative(value);
    if (!*negative) {
        return int_store_magnitude(value, limbs, count);
    }
    nb::object magnitude = nb::steal(PyLong_Type.tp_as_number->nb_negative(value));
    if (!magnitude.is_valid()) {
        throw nb::python_error();
    }
    return int_store_magnitude(magnitude.ptr(), limbs, count);
}

nb::object int_from_limbs(const uint64_t *limbs, size_t count, bool is_signed)
{
#if PY_VERSION_HEX >= 0x030d0000
    PyObject *x =
        is_signed
            ? PyLong_FromNativeBytes(limbs, 8 * count, Py_ASNATIVEBYTES_LITTLE_ENDIAN)
            : PyLong_FromUnsignedNativeBytes(limbs, 8 * count, Py_ASNATIVEBYTES_LITTLE_ENDIAN);
#else
    PyObject *x = _PyLong_FromByteArray((const unsigned char *)limbs, 8 * count, 1, is_signed);
#endif
    if (x == nullptr) {
        throw nb::python_error();
    }
    return nb::steal(x);
}

[[noreturn]] static void no_integer(PyObject *value, const char *what, size_t index)
{
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) {
        throw nb::python_error();
    }
    PyErr_Clear();
    if (index == SIZE_MAX) {
        PyErr_Format(PyExc_TypeError, "%s: %.100s is no integer", what, Py_TYPE(value)->tp_name);
    } else {
        PyErr_Format(PyExc_TypeError, "%s[%zu]: %.100s is no integer", what, index,
                     Py_TYPE(value)->tp_name);
    }
    throw nb::python_error();
}

/* An owned int: value itself, or what its __index__ returns. */
static nb::object to_int(nb::handle value, const char *what, size_t index)
{
    if (PyLong_Check(value.ptr())) {
        return nb::borrow(value);
    }
    PyObject *x = PyNumber_Index(value.ptr());
    if (x == nullptr) {
        no_integer(value.ptr(), what, index);
    }
    return nb::steal(x);
}

/* Whether value is an instance of this class of collections.abc. */
static bool has_abstract_class(PyObject *value, const char *name)
{
    nb::object kind = nb::module_::import_("collections.abc").attr(name);
    const int yes = PyObject_IsInstance(value, kind.ptr());
    if (yes < 0) {
        throw nb::python_error();
    }
    return yes > 0;
}

/* Refuses what can be iterated over but is no sequence of integers: a text and bytes would be taken
 * apart, a mapping would lose its values, and a set has no order. */
static void check_sequence(PyObject *value, const char *what)
{
    if (PyTuple_CheckExact(value) || PyList_CheckExact(value)) {
        return;
    }
    if (PyUnicode_Check(value) || PyBytes_Check(value) || PyByteArray_Check(value) ||
        PyMemoryView_Check(value) || has_abstract_class(value, "Set") ||
        has_abstract_class(value, "Mapping")) {
        PyErr_Format(PyExc_TypeError, "%s: a sequence of integers is needed, not %.100s", what,
                     Py_TYPE(value)->tp_name);
        throw nb::python_error();
    }
}

nb::object int_tuple(nb::handle sequence, const char *what)
{
    check_sequence(sequence.ptr(), what);
    PyObject *items = PySequence_Tuple(sequence.ptr());
    if (items == nullptr) {
        if (PyErr_ExceptionMatches(PyExc_TypeError) &&
            Py_TYPE(sequence.ptr())->tp_iter == nullptr) {
            PyErr_Clear();
            PyErr_Format(PyExc_TypeError, "%s: a sequence of integers is needed, not %.100s", what,
                         Py_TYPE(sequence.ptr())->tp_name);
        }
        throw nb::python_error();
    }
    nb::object tuple = nb::steal(items);
    Py_ssize_t n = PyTuple_GET_SIZE(items);
    Py_ssize_t ints = 0;
    while (ints < n && PyLong_Check(PyTuple_GET_ITEM(items, ints))) {
        ints++;
    }
    if (ints == n) {
        return tuple;
    }
    nb::object converted = nb::steal(PyTuple_New(n));
    if (!converted.is_valid()) {
        throw nb::python_error();
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        nb::object x = to_int(PyTuple_GET_ITEM(items, i), what, (size_t)i);
        PyTuple_SET_ITEM(converted.ptr(), i, x.release().ptr());
    }
    return converted;
}

[[noreturn]] static void out_of_range(const char *what, size_t index)
{
    std::string place = what;
    if (index != SIZE_MAX) {
        place += "[" + std::to_string(index) + "]";
    }
    fail_with(GFP_ERR_RANGE, place + ": the integer is not between -p and p",
              index == SIZE_MAX ? GFP_NO_INDEX : index);
}

/* limbs := the residue of value, |value| < p; false if value is out of range. */
static bool store_residue(const gfp_field *field, PyObject *value, uint64_t *limbs)
{
    size_t count = gfp_field_limbs(field);
    bool negative;
    if (!int_store(value, limbs, count, &negative)) {
        return false;
    }
    if (!negative) {
        return true;
    }
    /* p - |value|; the borrow is that of |value| > p. |value| = p leaves 0: out of range too. */
    const uint64_t *p = gfp_field_modulus_limbs(field);
    uint64_t borrow = 0, any = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned __int128 d = (unsigned __int128)p[i] - limbs[i] - borrow;
        limbs[i] = (uint64_t)d;
        borrow = (uint64_t)(d >> 64) & 1;
        any |= limbs[i];
    }
    return borrow == 0 && any != 0;
}

elements to_elements(const gfp_field *field, nb::handle sequence, const char *what)
{
    nb::object items = int_tuple(sequence, what);
    size_t n = (size_t)PyTuple_GET_SIZE(items.ptr());
    size_t count = gfp_field_limbs(field), k = gfp_field_k(field);
    elements x;
    x.n = n;
    if (n > SIZE_MAX / 8 / (count > k ? count : k)) {
        fail_with(GFP_ERR_SIZE, std::string(what) + ": too many integers");
    }
    std::vector<uint64_t> limbs(n * count);
    x.digits.resize(n * k);
    for (size_t i = 0; i < n; i++) {
        if (!store_residue(field, PyTuple_GET_ITEM(items.ptr(), (Py_ssize_t)i),
                           limbs.data() + i * count)) {
            out_of_range(what, i);
        }
    }
    gfp_error error{};
    error.index = GFP_NO_INDEX;
    gfp_status status =
        gfp_vec_set_limbs(field, x.digits.data(), limbs.data(), count, count, n, &error);
    if (status == GFP_ERR_RANGE) {
        out_of_range(what, (size_t)error.index);
    }
    check(status, &error);
    return x;
}

std::vector<uint64_t> to_element(const gfp_field *field, nb::handle value, const char *what)
{
    nb::object x = to_int(value, what, SIZE_MAX);
    size_t count = gfp_field_limbs(field);
    std::vector<uint64_t> limbs(count), digits(gfp_field_k(field));
    if (!store_residue(field, x.ptr(), limbs.data()) ||
        gfp_vec_set_limbs(field, digits.data(), limbs.data(), count, count, 1, nullptr) != GFP_OK) {
        out_of_range(what, SIZE_MAX);
    }
    return digits;
}

std::vector<uint64_t> int_to_limbs(nb::handle value, const char *what, bool *negative)
{
    nb::object x = to_int(value, what, SIZE_MAX);
    std::vector<uint64_t> limbs(int_limb_count(x.ptr()) + 1);
    if (!int_store(x.ptr(), limbs.data(), limbs.size(), negative)) {
        fail_with(GFP_ERR_SIZE, std::string(what) + ": the integer is too long");
    }
    while (!limbs.empty() && limbs.back() == 0) {
        limbs.pop_back();
    }
    return limbs;
}

nb::object from_element(const gfp_field *field, const uint64_t *digits)
{
    uint64_t limbs[GFP_MAX_LIMBS];
    gfp_elem_get_limbs(field, limbs, digits);
    return int_from_limbs(limbs, gfp_field_limbs(field), false);
}

nb::object from_elements(const gfp_field *field, const uint64_t *digits, size_t n)
{
    size_t count = gfp_field_limbs(field), k = gfp_field_k(field);
    const size_t block = 1024;
    std::vector<uint64_t> limbs((n < block ? n : block) * count);
    nb::object list = nb::steal(PyList_New((Py_ssize_t)n));
    if (!list.is_valid()) {
        throw nb::python_error();
    }
    for (size_t i = 0; i < n; i++) {
        if (i % block == 0) {
            size_t rest = n - i < block ? n - i : block;
            gfp_vec_get_limbs(field, limbs.data(), count, digits + i * k, rest);
        }
        nb::object x = int_from_limbs(limbs.data() + i % block * count, count, false);
        PyList_SET_ITEM(list.ptr(), (Py_ssize_t)i, x.release().ptr());
    }
    return list;
}

/* ---- polynomials from and to integers ---- */

static py_poly poly_from_elements(const field_ref &box, const uint64_t *digits, size_t n)
{
    py_poly f(box);
    check(gfp_poly_fit_length(&f.p, n));
    if (n > 0) {
        gfp_vec_set(box->field, f.p.digits, digits, n);
    }
    check(gfp_poly_set_length(&f.p, n));
    return f;
}

static py_poly poly_from_ints(const py_field &field, nb::handle sequence, const char *what)
{
    elements x = to_elements(field.get(), sequence, what);
    return poly_from_elements(field.box, x.digits.data(), x.n);
}

/* The polynomial of terms: exponents, their coefficients, and n, which is above all exponents. */
static py_poly poly_from_terms(const py_field &field, const std::vector<uint64_t> &exponents,
                               nb::handle coeffs, size_t n, const py_options *options)
{
    elements x = to_elements(field.get(), coeffs, "coeffs");
    const size_t k = gfp_field_k(field.get()), cap = options != nullptr ? options->memory_cap : 0;
    py_poly f(field.box);
    if (cap != 0 && n > cap / 8 / k) {
        fail_with(GFP_ERR_MEMORY, "coeffs: " + std::to_string(n) + " coefficients need more than " +
                                      std::to_string(cap) + " bytes");
    }
    check(gfp_poly_fit_length(&f.p, n));
    if (n > 0) {
        nb::gil_scoped_release released;
        memset(f.p.digits, 0, n * k * 8);
    }
    for (size_t i = 0; i < x.n; i++) {
        gfp_elem_set(field.get(), f.p.digits + exponents[i] * k, x.digits.data() + i * k);
    }
    check(gfp_poly_set_length(&f.p, n));
    return f;
}

/* ---- arrays of words ---- */

using words_in = nb::ndarray<const uint64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using words_out = nb::ndarray<nb::numpy, uint64_t, nb::ndim<2>>;
using words_view = nb::ndarray<nb::numpy, const uint64_t, nb::ndim<2>>;

static void check_columns(const words_in &a, size_t columns, const char *what)
{
    if (a.shape(1) != columns) {
        fail_with(GFP_ERR_ARGUMENT,
                  std::string(what) + ": the array has " + std::to_string(a.shape(1)) +
                      " words in a row, the field needs " + std::to_string(columns));
    }
}

static void check_canonical(const gfp_field *field, const uint64_t *digits, size_t n,
                            const char *what)
{
    size_t good = gfp_vec_canonical(field, digits, n);
    if (good < n) {
        fail_with(GFP_ERR_RANGE,
                  std::string(what) + "[" + std::to_string(good) +
                      "]: a digit is not below r, and the digits are not those of p - 1",
                  good);
    }
}

static py_poly poly_from_digits(const py_field &field, const words_in &a, const char *what)
{
    check_columns(a, gfp_field_k(field.get()), what);
    size_t n = a.shape(0);
    py_poly f(field.box);
    check(gfp_poly_fit_length(&f.p, n));
    if (n > 0) {
        memcpy(f.p.digits, a.data(), n * a.shape(1) * 8);
        /* The copy is checked: another thread may write to the array meanwhile. */
        check_canonical(field.get(), f.p.digits, n, what);
    }
    check(gfp_poly_set_length(&f.p, n));
    return f;
}

static py_poly poly_from_limbs(const py_field &field, const words_in &a, const char *what)
{
    size_t count = a.shape(1), n = a.shape(0);
    py_poly f(field.box);
    gfp_error error{};
    error.index = GFP_NO_INDEX;
    const uint64_t *limbs = a.data();
    std::vector<uint64_t> aligned;
    if ((uintptr_t)limbs % alignof(uint64_t) != 0) { /* arrays over bytes may begin anywhere */
        aligned.resize(n * count);
        memcpy(aligned.data(), limbs, aligned.size() * 8);
        limbs = aligned.data();
    }
    gfp_status status = gfp_poly_set_limbs(&f.p, limbs, count, count, n, &error);
    if (status == GFP_ERR_RANGE) {
        fail_with(status,
                  std::string(what) + "[" + std::to_string(error.index) +
                      "]: the integer is not below p",
                  error.index);
    }
    check(status, &error);
    return f;
}

/* A view of the digits that keeps the polynomial alive. */
static nb::object poly_digits(nb::handle self)
{
    const py_poly &f = nb::cast<const py_poly &>(self);
    static const uint64_t none = 0;
    size_t shape[2] = {f.p.len, gfp_field_k(f.p.field)};
    return nb::cast(words_view(f.p.len > 0 ? f.p.digits : &none, 2, shape, self));
}

static uint64_t *new_words(size_t n, size_t columns, nb::capsule *owner)
{
    uint64_t *words = (uint64_t *)calloc(n * columns + 1, 8);
    if (words == nullptr) {
        throw std::bad_alloc();
    }
    *owner = nb::capsule(words, [](void *block) noexcept { free(block); });
    return words;
}

static nb::object poly_limbs(const py_poly &f)
{
    size_t count = gfp_field_limbs(f.p.field);
    nb::capsule owner;
    uint64_t *words = new_words(f.p.len, count, &owner);
    gfp_poly_get_limbs(words, count, &f.p);
    size_t shape[2] = {f.p.len, count};
    return nb::cast(words_out(words, 2, shape, owner));
}

/* ---- bytes, text, files ---- */

static nb::bytes poly_words(const py_poly &f)
{
    return nb::bytes((const char *)f.p.digits, f.digits() * 8);
}

static py_poly poly_from_words(const py_field &field, const nb::bytes &bytes)
{
    size_t size = 8 * gfp_field_k(field.get());
    if (bytes.size() % size != 0) {
        fail_with(GFP_ERR_ARGUMENT, "data: " + std::to_string(bytes.size()) +
                                        " bytes are no multiple of the " + std::to_string(size) +
                                        " of a coefficient");
    }
    size_t n = bytes.size() / size;
    py_poly f(field.box);
    check(gfp_poly_fit_length(&f.p, n));
    if (n > 0) {
        memcpy(f.p.digits, bytes.c_str(), bytes.size());
        check_canonical(field.get(), f.p.digits, n, "data");
    }
    check(gfp_poly_set_length(&f.p, n));
    return f;
}

static nb::object poly_text(const py_poly &f, int format)
{
    char *text = nullptr;
    size_t size = 0;
    gfp_status status;
    {
        nb::gil_scoped_release released;
        status = gfp_poly_to_string(&text, &size, &f.p, (gfp_format)format);
    }
    check(status);
    nb::object s = nb::steal(PyUnicode_FromStringAndSize(text, (Py_ssize_t)(size - 1)));
    gfp_free(text);
    if (!s.is_valid()) {
        throw nb::python_error();
    }
    return s;
}

static py_poly poly_from_text(const py_field &field, const std::string &text, int format)
{
    py_poly f(field.box);
    gfp_error error{};
    error.index = GFP_NO_INDEX;
    gfp_status status;
    {
        nb::gil_scoped_release released;
        status = gfp_poly_from_string(&f.p, text.data(), text.size(), (gfp_format)format, &error);
    }
    check(status, &error);
    return f;
}

static nb::bytes poly_binary(const py_poly &f)
{
    char *block = nullptr;
    size_t size = 0;
    FILE *file = open_memstream(&block, &size);
    if (file == nullptr) {
        throw std::bad_alloc();
    }
    gfp_status status = gfp_poly_fwrite(&f.p, file, GFP_FORMAT_BINARY);
    if (fclose(file) != 0 && status == GFP_OK) {
        status = GFP_ERR_MEMORY;
    }
    std::unique_ptr<char, void (*)(void *)> owner(block, free);
    check(status);
    return nb::bytes(block, size);
}

void define_convert(nb::module_ &m)
{
    nb::class_<py_poly>(m, "Poly")
        .def("__len__", [](const py_poly &f) { return f.p.len; })
        .def("digits", [](nb::handle self) { return poly_digits(self); })
        .def("limbs", poly_limbs)
        .def("words", poly_words)
        .def("ints", [](const py_poly &f) { return from_elements(f.p.field, f.p.digits, f.p.len); })
        .def("ints",
             [](const py_poly &f, size_t from, size_t to) {
                 to = to < f.p.len ? to : f.p.len;
                 from = from < to ? from : to;
                 size_t k = gfp_field_k(f.p.field);
                 return from_elements(f.p.field, f.p.digits + from * k, to - from);
             })
        .def("coeff",
             [](const py_poly &f, size_t i) {
                 uint64_t x[GFP_MAX_K];
                 gfp_poly_get_coeff(x, &f.p, i);
                 return from_element(f.p.field, x);
             })
        .def("text", poly_text)
        .def("binary", poly_binary);
    m.def("integers", int_tuple, nb::arg().none(), nb::arg());
    m.def("poly_from_ints", poly_from_ints, nb::arg(), nb::arg().none(), nb::arg());
    m.def("poly_from_digits", poly_from_digits, nb::arg(), nb::arg().noconvert(), nb::arg());
    m.def("poly_from_limbs", poly_from_limbs, nb::arg(), nb::arg().noconvert(), nb::arg());
    m.def("poly_from_words", poly_from_words);
    m.def("poly_from_text", poly_from_text);
    m.def("poly_from_terms", poly_from_terms, nb::arg(), nb::arg(), nb::arg(), nb::arg(),
          nb::arg().none());
}

/* files.cpp: polynomials from and to files, pipes and bytes. A source is read once from its start
 * to its end, so that a pipe serves as a file does; its first bytes show the format and the field.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "core.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

[[noreturn]] static void io_failed(int number, const std::string &path)
{
    errno = number != 0 ? number : EIO;
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, path.empty() ? nullptr : path.c_str());
    throw nb::python_error();
}

/* ---- bytes from and to the system ---- */

/* Calls f, which returns -1 and EINTR if a signal came, again until no signal comes. Between the
 * calls Python's handlers run; what a handler raises ends the calls and is left in *raised. The
 * caller has released Python's lock. */
template <class Function>
static ssize_t files_uninterrupted(Function f, std::unique_ptr<nb::python_error> *raised)
{
    for (;;) {
        const ssize_t result = f();
        if (result >= 0 || errno != EINTR) {
            return result;
        }
        nb::gil_scoped_acquire acquired;
        if (PyErr_CheckSignals() != 0) {
            *raised = std::make_unique<nb::python_error>();
            errno = EINTR;
            return -1;
        }
    }
}

/* A descriptor or bytes behind a stream of C. */
class channel
{
  public:
    channel(const std::string &path, int flags) : path_(path)
    {
        nb::gil_scoped_release released;
        fd_ = (int)files_uninterrupted([&] { return open(path.c_str(), flags | O_CLOEXEC, 0666); },
                                       &raised_);
        number_ = fd_ < 0 ? errno : 0;
    }
    explicit channel(const nb::bytes &data)
        : owner_(data), bytes_(data.c_str()), count_(data.size())
    {
    }
    channel(const channel &) = delete;
    channel &operator=(const channel &) = delete;
    ~channel()
    {
        if (fd_ >= 0) {
            close(fd_);
        }
    }

    /* Throws if an operation of the system failed, or a signal's handler raised. */
    void check_system()
    {
        if (raised_ != nullptr) {
            throw nb::python_error(std::move(*raised_));
        }
        if (number_ != 0) {
            io_failed(number_, path_);
        }
    }

    /* The byte at offset i, which stays unread; -1 behind the end. */
    int peek(size_t i)
    {
        const size_t block = 8192;
        ssize_t n = 1;
        while (i >= count_ && fd_ >= 0 && n > 0) {
            ahead_.resize(count_ + block);
            n = from_system(ahead_.data() + count_, block);
            count_ += n > 0 ? (size_t)n : 0;
            bytes_ = ahead_.data();
        }
        return i < count_ ? (unsigned char)bytes_[i] : -1;
    }
    ssize_t take(char *bytes, size_t size)
    {
        if (at_ == count_) {
            return fd_ >= 0 ? from_system(bytes, size) : 0;
        }
        const size_t n = std::min(size, count_ - at_);
        memcpy(bytes, bytes_ + at_, n);
        at_ += n;
        return (ssize_t)n;
    }
    /* Returns size, or 0 after an error. */
    ssize_t put(const char *bytes, size_t size)
    {
        for (size_t done = 0; done < size;) {
            if (number_ != 0) {
                return 0;
            }
            const ssize_t n = files_uninterrupted(
                [&] { return write(fd_, bytes + done, size - done); }, &raised_);
            number_ = n < 0 ? errno : 0;
            done += n > 0 ? (size_t)n : 0;
        }
        return number_ == 0 ? (ssize_t)size : 0;
    }
    /* Closes the descriptor; only then some systems report that bytes were not written. */
    void finish()
    {
        const int fd = fd_;
        fd_ = -1;
        if (close(fd) != 0 && errno != EINTR && number_ == 0) {
            number_ = errno;
        }
    }

  private:
    ssize_t from_system(char *bytes, size_t size)
    {
        const ssize_t n = files_uninterrupted([&] { return read(fd_, bytes, size); }, &raised_);
        number_ = n < 0 ? errno : 0;
        return n;
    }

    int fd_ = -1;
    std::string path_;
    nb::object owner_;        /* of bytes_ if they are Python's */
    std::vector<char> ahead_; /* else bytes_ are those that were read ahead */
    const char *bytes_ = nullptr;
    size_t count_ = 0;
    size_t at_ = 0;  /* bytes that were taken */
    int number_ = 0; /* errno of the operation that failed */
    std::unique_ptr<nb::python_error> raised_;
};

#if defined(__linux__)
static ssize_t stream_read(void *c, char *bytes, size_t size)
{
    return static_cast<channel *>(c)->take(bytes, size);
}
static ssize_t stream_write(void *c, const char *bytes, size_t size)
{
    return static_cast<channel *>(c)->put(bytes, size);
}
static FILE *open_stream(channel *c, bool writes)
{
    return fopencookie(
        c, writes ? "wb" : "rb",
        {writes ? nullptr : stream_read, writes ? stream_write : nullptr, nullptr, nullptr});
}
#else
static int stream_read(void *c, char *bytes, int size)
{
    return (int)static_cast<channel *>(c)->take(bytes, (size_t)size);
}
static int stream_write(void *c, const char *bytes, int size)
{
    const ssize_t n = static_cast<channel *>(c)->put(bytes, (size_t)size);
    return n > 0 ? (int)n : -1;
}
static FILE *open_stream(channel *c, bool writes)
{
    return funopen(c, writes ? nullptr : stream_read, writes ? stream_write : nullptr, nullptr,
                   nullptr);
}
#endif

/* A stream over a channel, which is closed. */
struct stream {
    FILE *file;
    stream(channel *c, bool writes) : file(open_stream(c, writes))
    {
        if (file == nullptr) {
            throw std::bad_alloc();
        }
    }
    stream(const stream &) = delete;
    ~stream()
    {
        if (file != nullptr) {
            fclose(file);
        }
    }
};

/* A path from os.fsencode. */
static std::string to_path(const nb::bytes &path)
{
    std::string text(path.c_str(), path.size());
    if (text.find('\0') != std::string::npos) {
        fail_with(GFP_ERR_ARGUMENT, "path: a NUL character");
    }
    return text;
}

/* ---- reading ---- */

/* The length and the modulus of FLINT's text: more bytes show no field. */
#define MOST_PEEKED 8192

class py_source
{
  public:
    explicit py_source(std::unique_ptr<channel> c) : channel_(std::move(c))
    {
        channel_->check_system();
    }
    nb::object peek();
    nb::object read(const py_field *field, int format);

  private:
    gfp_status form_of_binary(uint64_t *r, unsigned *k);
    gfp_status form_of_text(size_t at, uint64_t *r, unsigned *k);
    void check_read(gfp_status status, const gfp_error &error);

    std::unique_ptr<channel> channel_;
};

static bool is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The places of r and k in the header are those of gfpoly/file.h. */
gfp_status py_source::form_of_binary(uint64_t *r, unsigned *k)
{
    if (channel_->peek(27) < 0) {
        return GFP_ERR_PARSE;
    }
    for (size_t i = 0; i < 8; i++) {
        *r |= (uint64_t)channel_->peek(16 + i) << 8 * i;
    }
    for (size_t i = 0; i < 4; i++) {
        *k |= (unsigned)channel_->peek(24 + i) << 8 * i;
    }
    return GFP_OK;
}

/* FLINT's text begins with the length and the modulus. */
gfp_status py_source::form_of_text(size_t at, uint64_t *r, unsigned *k)
{
    std::string word[2];
    const size_t end = at + MOST_PEEKED;
    for (std::string &w : word) {
        while (at < end && is_space(channel_->peek(at))) {
            at++;
        }
        for (int c; at < end && (c = channel_->peek(at)) >= '0' && c <= '9'; at++) {
            w += (char)c;
        }
    }
    return word[1].empty() ? GFP_ERR_PARSE : gfp_field_parse(r, k, word[1].c_str(), nullptr);
}

/* The format and the r and k of the field, 0 if the first bytes do not show them. */
nb::object py_source::peek()
{
    uint64_t r = 0;
    unsigned k = 0;
    size_t spaces = 0;
    int first = 0, format = GFP_FORMAT_FLINT;
    {
        nb::gil_scoped_release released;
        while (is_space(channel_->peek(spaces))) {
            spaces++;
        }
        first = channel_->peek(spaces);
        format = first == '['                     ? GFP_FORMAT_NTL
                 : first == GFP_BINARY_FIRST_BYTE ? GFP_FORMAT_BINARY
                                                  : GFP_FORMAT_FLINT;
        const gfp_status status = format == GFP_FORMAT_BINARY  ? form_of_binary(&r, &k)
                                  : format == GFP_FORMAT_FLINT ? form_of_text(spaces, &r, &k)
                                                               : GFP_ERR_PARSE;
        r = status == GFP_OK ? r : 0;
        k = status == GFP_OK ? k : 0;
    }
    channel_->check_system();
    if (format == GFP_FORMAT_BINARY && spaces > 0) {
        fail_with(GFP_ERR_PARSE, "white space before the binary format");
    }
    return nb::make_tuple(format, r, k);
}

void py_source::check_read(gfp_status status, const gfp_error &error)
{
    channel_->check_system();
    check(status, &error);
}

/* The polynomial and, if no field is given, the field that the source names. */
nb::object py_source::read(const py_field *field, int format)
{
    gfp_error error{};
    error.index = GFP_NO_INDEX;
    gfp_status status;
    stream s(channel_.get(), false);
    if (field != nullptr) {
        py_poly f(field->box);
        {
            nb::gil_scoped_release released;
            status = gfp_poly_fread(&f.p, nullptr, s.file, (gfp_format)format, &error);
        }
        check_read(status, error);
        return nb::make_tuple(nb::none(), nb::cast(std::move(f)));
    }
    py_field made{std::make_shared<field_box>()};
    gfp_poly p;
    {
        nb::gil_scoped_release released;
        status = gfp_poly_fread_field(&p, &made.box->field, nullptr, s.file, nullptr, &error);
    }
    check_read(status, error);
    py_poly f(made.box);
    gfp_poly_swap(&f.p, &p);
    gfp_poly_clear(&p);
    return nb::make_tuple(nb::cast(made), nb::cast(std::move(f)));
}

static py_source source_of_path(const nb::bytes &name)
{
    return py_source(std::make_unique<channel>(to_path(name), O_RDONLY));
}

static py_source source_of_bytes(const nb::bytes &data)
{
    if (data.size() == 0) {
        fail_with(GFP_ERR_PARSE, "data: no bytes");
    }
    return py_source(std::make_unique<channel>(data));
}

/* ---- writing ---- */

/* A regular file in the binary format is replaced in one step. Other formats, and pipes and
 * devices, are written as a stream. */
static bool is_replaced(const std::string &path, int format)
{
    struct stat status;
    return format == GFP_FORMAT_BINARY &&
           (stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode));
}

static void store_file(const py_poly &f, const std::string &path)
{
    gfp_error error{};
    error.index = GFP_NO_INDEX;
    gfp_status status;
    int number;
    {
        nb::gil_scoped_release released;
        errno = 0;
        status = gfp_poly_store(&f.p, path.c_str(), &error);
        number = errno;
    }
    if (status == GFP_ERR_IO) {
        io_failed(number, path);
    }
    check(status, &error);
}

static void poly_store(const py_poly &f, const nb::bytes &name, int format)
{
    const std::string path = to_path(name);
    if (is_replaced(path, format)) {
        store_file(f, path);
        return;
    }
    channel c(path, O_WRONLY | O_CREAT | O_TRUNC);
    c.check_system();
    gfp_status status;
    {
        stream s(&c, true);
        nb::gil_scoped_release released;
        status = gfp_poly_fwrite(&f.p, s.file, (gfp_format)format);
        c.finish();
    }
    c.check_system();
    check(status);
}

void define_files(nb::module_ &m)
{
    nb::class_<py_source>(m, "Source")
        .def("peek", &py_source::peek)
        .def("read", &py_source::read, nb::arg().none(), nb::arg());
    m.def("source_of_path", source_of_path);
    m.def("source_of_bytes", source_of_bytes);
    m.def("poly_store", poly_store);
}

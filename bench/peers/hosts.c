/* bench/peers/hosts.c: see hosts.h. A host is a program that knows nothing of gfpoly
 * (gfpoly_peer_flint, gfpoly_peer_ntl: peer.c). Two processes of it run side by side, one with the
 * library in LD_PRELOAD, and measure each cell in turns: an operation over a ring, with lengths and
 * bits of both operands. The results are compared. A cell that takes longer with the library
 * is a wrong decision of the library, which should have left the operation to its host.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/peers/hosts.h"
#include "bench/markdown.h"
#include "cli/compare/peer.h"
#include "cli/spawn.h"

/* A ratio of times above this one, and these nanoseconds, are a wrong decision. */
#define WORST 1.15
#define FLOOR_NS 30
/* A cell above is measured up to this many times as often as others: noise does not count. */
#define REPEATS 5
/* Milliseconds for a cell in a turn, if a turn's part of --seconds is not more. */
#define CELL_MS 2
/* A turn has three runs at least, unless these milliseconds are over: the first run is slower. */
#define MOST_MS 1000
/* A field's products take this time first, because the libraries create a field once the host has
 * spent some time on its products. */
#define WARM_MS 400
/* The most limbs of an operand over Z, and terms times bits of p of a gcd. */
#define MOST_LIMBS 60000
#define MOST_GCD 70000

/* ---- operations ---- */

typedef struct host_operation {
    const char *name;
    peer_operation code;
    bool equal;    /* for operands of equal lengths and bits alone */
    bool quotient; /* a has the terms of both, and b is monic */
} host_operation;

static const host_operation flint_operations[] = {
    {"mul", PEER_Z_MUL, false, false},       {"sqr", PEER_Z_SQR, true, false},
    {"mullow", PEER_Z_MULLOW, false, false}, {"mul", PEER_MUL, false, false},
    {"sqr", PEER_SQR, true, false},          {"mullow", PEER_MULLOW, false, false},
};
static const host_operation ntl_operations[] = {
    {"mul", PEER_MUL, false, false},         {"sqr", PEER_SQR, true, false},
    {"MulTrunc", PEER_MULLOW, false, false}, {"DivRem", PEER_DIVREM, false, true},
    {"rem", PEER_REM, false, true},          {"GCD", PEER_GCD, true, false},
    {"XGCD", PEER_XGCD, true, false},
};

typedef struct host {
    const char *name;
    const host_operation *operations;
    size_t count;
} host;

#define COUNT(x) (sizeof(x) / sizeof((x)[0]))
#define HOST(library) {#library, library##_operations, COUNT(library##_operations)},
static const host hosts[] = {PEER_LIST(HOST)};

/* Coefficients have `bits` bits, or `quarters` of the bits of p, less one. */
typedef struct size_row {
    unsigned bits, quarters;
} size_row;
static const size_row field_bits[][2] = {{{7, 0}, {7, 0}}, {{60, 0}, {60, 0}}, {{0, 1}, {0, 1}},
                                         {{0, 2}, {0, 2}}, {{0, 3}, {0, 3}},   {{0, 4}, {0, 4}},
                                         {{0, 4}, {7, 0}}, {{7, 0}, {0, 4}},   {{0, 4}, {0, 2}}};
static const unsigned integer_bits[][2] = {
    {7, 7},       {60, 60},      {60, 7},       {200, 200},     {250, 20},     {1000, 1000},
    {1000, 100},  {1000, 300},   {4000, 4000},  {4000, 400},    {400, 4000},   {8000, 8000},
    {20000, 200}, {20000, 2000}, {2000, 20000}, {20000, 20000}, {20000, 10000}};

typedef struct cell {
    const host_operation *operation;
    const gfp_field *field; /* NULL: over Z */
    size_t len_a, len_b;
    unsigned bits_a, bits_b;
    double least[2]; /* nanoseconds without and with the library */
} cell;

static double ratio_of(const cell *c)
{
    return c->least[1] / c->least[0];
}

static bool is_above(const cell *c)
{
    return ratio_of(c) > WORST;
}

static bool is_wrong(const cell *c)
{
    return is_above(c) && c->least[1] - c->least[0] >= FLOOR_NS;
}

static const char *ring_name(const cell *c)
{
    return c->field == NULL ? "Z" : gfp_field_name(c->field);
}

/* ---- processes ---- */

/* A running host; its name in messages. */
typedef struct process {
    pid_t pid;
    FILE *to, *from;
    const char *name;
} process;

/* path := a file of the build's folder, which is the parent of this program's. */
static bool build_path(char path[PATH_MAX], const char *file)
{
    char own[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
    own[n > 0 ? n : 0] = '\0';
    for (int i = 0; i < 2 && strrchr(own, '/') != NULL; i++) {
        *strrchr(own, '/') = '\0';
    }
    const int written = snprintf(path, PATH_MAX, "%s/%s", own, file);
    return written > 0 && written < PATH_MAX && access(path, R_OK) == 0;
}

static void end_process(process *p)
{
    if (p->to != NULL) {
        fclose(p->to);
    }
    if (p->from != NULL) {
        fclose(p->from);
    }
    if (p->pid > 0) {
        while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    *p = (process){.pid = 0};
}

/* With `library` or nothing in LD_PRELOAD, whatever the caller has there. Our ends of the pipes
 * must not stay open in another host. */
static bool start_process(process *p, char *path, const char *library)
{
    int down[2], up[2];
    *p = (process){.name = library != NULL ? "the host with the library" : "the host"};
    if (pipe(down) != 0) {
        return complain("%s: %s", path, strerror(errno));
    }
    if (pipe(up) != 0) {
        (void)close(down[0]);
        (void)close(down[1]);
        return complain("%s: %s", path, strerror(errno));
    }
    (void)fcntl(down[1], F_SETFD, FD_CLOEXEC);
    (void)fcntl(up[0], F_SETFD, FD_CLOEXEC);
    char *const argv[] = {path, NULL};
    (void)unsetenv("LD_PRELOAD");
    if (library != NULL) {
        (void)setenv("LD_PRELOAD", library, 1);
    }
    const int error = spawn_filter(&p->pid, argv, down[0], up[1]);
    (void)unsetenv("LD_PRELOAD");
    (void)close(down[0]);
    (void)close(up[1]);
    p->to = fdopen(down[1], "w");
    p->from = fdopen(up[0], "r");
    if (p->to == NULL) {
        (void)close(down[1]);
    }
    if (p->from == NULL) {
        (void)close(up[0]);
    }
    if (error != 0 || p->to == NULL || p->from == NULL) {
        end_process(p);
        return complain("%s: %s", path, strerror(error != 0 ? error : ENOMEM));
    }
    return true;
}

/* Whether a file of this name is mapped into the process: the dynamic linker leaves a library out,
 * with a line on standard error, if it cannot load the library. */
static bool has_loaded(bool *loaded, const process *p, const char *file)
{
    char path[64], line[PATH_MAX + 200];
    snprintf(path, sizeof(path), "/proc/%ld/maps", (long)p->pid);
    FILE *maps = fopen(path, "r");
    if (maps == NULL) {
        return complain("%s: %s", path, strerror(errno));
    }
    *loaded = false;
    while (fgets(line, sizeof(line), maps) != NULL) {
        *loaded = *loaded || strstr(line, file) != NULL;
    }
    fclose(maps);
    return true;
}

/* Sends a request with its p and operands in x. *reply and, if computed, c := the answer. Returns
 * false without a message if the host has ended. */
static bool ask_process(const process *p, const struct peer_request *request, const uint64_t *x,
                        struct peer_reply *reply, uint64_t *c)
{
    const size_t limbs = request->limbs;
    const size_t words = request->len_a == 0 ? 0 : (1 + request->len_a + request->len_b) * limbs;
    const bool sent = fwrite(request, sizeof(*request), 1, p->to) == 1 &&
                      (words == 0 || fwrite(x, sizeof(*x), words, p->to) == words) &&
                      fflush(p->to) == 0;
    bool ok = sent && fread(reply, sizeof(*reply), 1, p->from) == 1 && reply->magic == PEER_MAGIC;
    if (ok && reply->timing.runs > 0 && request->len_c > 0) {
        ok = fread(c, sizeof(*c), request->len_c * limbs, p->from) == request->len_c * limbs;
    }
    return ok;
}

/* ---- cells ---- */

/* The words of one measurement: p and the operands, both results. */
typedef struct cell_data {
    struct peer_request request;
    uint64_t *x, *c[2];
} cell_data;

static void clear_data(cell_data *d)
{
    free(d->x);
    free(d->c[0]);
    free(d->c[1]);
}

/* x := len coefficients of `bits` random bits, not negative. */
static void draw_integers(uint64_t *x, size_t len, size_t limbs, unsigned bits, gfp_random *g)
{
    memset(x, 0, len * limbs * sizeof(*x));
    for (size_t i = 0; i < len; i++, x += limbs) {
        for (unsigned b = 0; b < bits; b += 64) {
            const unsigned left = bits - b < 64 ? bits - b : 64;
            x[b / 64] = gfp_random_u64(g) >> (64 - left);
        }
        x[(bits - 1) / 64] |= UINT64_C(1) << (bits - 1) % 64;
    }
}

static bool is_gcd(const host_operation *op)
{
    return op->code == PEER_GCD || op->code == PEER_XGCD;
}

/* x := x (1 + X^k) for the x of the lower half and k of the other one: two operands of one length
 * have this divisor, and their coefficients keep their bits. */
static void share_divisor(uint64_t *x, size_t len, size_t limbs)
{
    const size_t half = len / 2, k = len - half;
    if (half > 0) {
        memset(x + half * limbs, 0, (k - half) * limbs * sizeof(*x));
        memcpy(x + k * limbs, x, half * limbs * sizeof(*x));
    }
}

/* The coefficients of the result that are compared. */
static size_t result_length(const cell *c)
{
    switch (c->operation->code) {
    case PEER_MUL:
    case PEER_SQR:
    case PEER_Z_MUL:
    case PEER_Z_SQR:
        return c->len_a + c->len_b - 1;
    case PEER_MULLOW:
    case PEER_Z_MULLOW:
    case PEER_GCD:
    case PEER_XGCD:
        return c->len_a;
    case PEER_DIVREM:
    case PEER_REM:
        return c->len_b;
    default:
        return 0;
    }
}

/* The words of an integer, also of the result: over Z of a product of fewer than 2^31 terms. */
static size_t limbs_of(const cell *c)
{
    return c->field != NULL ? gfp_field_limbs(c->field) : (c->bits_a + c->bits_b + 32) / 64 + 1;
}

static bool make_data(cell_data *d, const cell *c, uint64_t seed, double ms)
{
    const size_t limbs = limbs_of(c);
    const size_t len_a = c->len_a + (c->operation->quotient ? c->len_b : 0);
    gfp_random g;
    gfp_random_seed(&g, seed);
    d->request = (struct peer_request){.magic = PEER_MAGIC,
                                       .limbs = limbs,
                                       .operation = c->operation->code,
                                       .len_a = len_a,
                                       .len_b = c->len_b,
                                       .n = c->len_a,
                                       .len_c = result_length(c),
                                       .budget_ns = (uint64_t)(1e6 * ms),
                                       .most_ns = (uint64_t)(1e6 * fmax(ms, MOST_MS))};
    d->x = calloc((1 + len_a + c->len_b) * limbs, sizeof(*d->x));
    d->c[0] = calloc(d->request.len_c * limbs + 1, sizeof(*d->c[0]));
    d->c[1] = calloc(d->request.len_c * limbs + 1, sizeof(*d->c[1]));
    if (d->x == NULL || d->c[0] == NULL || d->c[1] == NULL) {
        clear_data(d);
        (void)complain("out of memory");
        return false;
    }
    if (c->field != NULL) {
        memcpy(d->x, gfp_field_modulus_limbs(c->field), limbs * sizeof(*d->x));
    }
    uint64_t *b = d->x + (1 + len_a) * limbs;
    draw_integers(d->x + limbs, len_a, limbs, c->bits_a, &g);
    draw_integers(b, c->len_b, limbs, c->bits_b, &g);
    if (c->operation->quotient) {
        memset(b + (c->len_b - 1) * limbs, 0, limbs * sizeof(*b));
        b[(c->len_b - 1) * limbs] = 1;
    }
    if (is_gcd(c->operation)) {
        share_divisor(d->x + limbs, len_a, limbs);
        share_divisor(b, c->len_b, limbs);
    }
    return true;
}

/* Says what happened in a cell. Returns false. */
static bool complain_of(const cell *c, const char *who, const char *what)
{
    return complain("%s over %s, %zu x %zu terms of %u and %u bits: %s %s", c->operation->name,
                    ring_name(c), c->len_a, c->len_b, c->bits_a, c->bits_b, who, what);
}

/* One measurement by each process; the results are equal. */
static bool measure_turn(cell *c, cell_data *d, const process pair[2])
{
    for (unsigned i = 0; i < 2; i++) {
        struct peer_reply reply;
        if (!ask_process(&pair[i], &d->request, d->x, &reply, d->c[i])) {
            return complain_of(c, pair[i].name, "ended without an answer");
        }
        if (reply.timing.runs == 0) {
            return complain_of(c, pair[i].name, "failed");
        }
        c->least[i] = fmin(c->least[i], (double)reply.timing.min_ns);
    }
    const size_t words = d->request.len_c * d->request.limbs;
    return memcmp(d->c[0], d->c[1], words * sizeof(*d->c[0])) == 0 ||
           complain_of(c, "the results", "differ");
}

static bool measure_cell(cell *c, const session *o, const process pair[2])
{
    cell_data d;
    if (!make_data(&d, c, o->s.seed, fmax(CELL_MS, 1e3 * o->cell_seconds / (double)o->rounds))) {
        return false;
    }
    bool ok = true;
    for (size_t turn = 0; turn < REPEATS * o->rounds && ok; turn++) {
        if (turn < o->rounds || is_above(c)) {
            ok = measure_turn(c, &d, pair);
        }
    }
    clear_data(&d);
    return ok;
}

/* ---- the grid ---- */

typedef struct grid {
    const host *host;
    process pair[2];
    char version[48];
    cell *cells;
    size_t count, capacity;
} grid;

/* Whether the operation has such operands, and takes no hours. */
static bool has_cell(const host_operation *op, const cell *c)
{
    const bool equal = c->len_a == c->len_b && c->bits_a == c->bits_b;
    const double bits = (double)(c->bits_a + c->bits_b), terms = (double)c->len_a;
    return (op->code >= PEER_Z_MUL) == (c->field == NULL) && (equal || !op->equal) &&
           (!is_gcd(op) || terms * gfp_field_bits(c->field) <= MOST_GCD) &&
           (c->field != NULL || terms * bits < 64.0 * MOST_LIMBS);
}

/* Whether --operation names the operation, or is not given. */
static bool is_chosen(const session *o, const host_operation *op)
{
    bool any = false;
    for (size_t i = 0; i < o->operation_count; i++) {
        any = any || o->chosen[i];
        if (o->chosen[i] && strcasecmp(o->operations[i].name, op->name) == 0) {
            return true;
        }
    }
    return !any;
}

static bool add_cells(grid *g, const session *o, cell c)
{
    for (size_t i = 0; i < g->host->count; i++) {
        c.operation = &g->host->operations[i];
        c.least[0] = c.least[1] = HUGE_VAL;
        if (!has_cell(c.operation, &c) || !is_chosen(o, c.operation)) {
            continue;
        }
        if (g->count == g->capacity) {
            const size_t capacity = 2 * g->capacity + 64;
            cell *cells = realloc(g->cells, capacity * sizeof(*cells));
            if (cells == NULL) {
                return complain("out of memory");
            }
            g->cells = cells;
            g->capacity = capacity;
        }
        g->cells[g->count++] = c;
    }
    return true;
}

static unsigned bits_in(const size_row *row, const gfp_field *field)
{
    const unsigned all = gfp_field_bits(field);
    const unsigned bits = row->quarters == 0 ? row->bits : all * row->quarters / 4;
    return bits < 1 ? 1 : bits < all ? bits : all - 1; /* below p, and p has 2 bits at least */
}

/* All cells over a field, or over Z (NULL). */
static bool add_ring(grid *g, const session *o, const gfp_field *field)
{
    const size_t sizes = field != NULL ? COUNT(field_bits) : COUNT(integer_bits);
    bool ok = true;
    for (size_t i = 0; i < o->pair_count * sizes && ok; i++) {
        const size_t j = i % sizes;
        cell c = {.field = field, .len_a = o->pairs[i / sizes][0], .len_b = o->pairs[i / sizes][1]};
        c.bits_a = field != NULL ? bits_in(&field_bits[j][0], field) : integer_bits[j][0];
        c.bits_b = field != NULL ? bits_in(&field_bits[j][1], field) : integer_bits[j][1];
        ok = add_cells(g, o, c);
    }
    return ok;
}

/* The host multiplies over the field until the library has created it. */
static bool warm_field(grid *g, const gfp_field *field)
{
    static const host_operation product = {.code = PEER_MUL, .name = "mul"};
    const unsigned bits = gfp_field_bits(field) - 1;
    cell c = {.operation = &product,
              .field = field,
              .len_a = 200,
              .len_b = 200,
              .bits_a = bits,
              .bits_b = bits};
    cell_data d;
    if (!make_data(&d, &c, 1, WARM_MS)) {
        return false;
    }
    const bool ok = measure_turn(&c, &d, g->pair);
    clear_data(&d);
    return ok;
}

static bool add_records(const grid *g, report *r)
{
    static const char *const library[2] = {"", " (preloaded)"};
    for (size_t i = 0; i < 2 * g->count; i++) {
        const cell *c = &g->cells[i / 2];
        char name[sizeof(((record *)0)->name)];
        snprintf(name, sizeof(name), "%s %s %s: %u and %u bits%s", g->host->name, g->version,
                 c->operation->name, c->bits_a, c->bits_b, library[i % 2]);
        record *x = report_add(r, "host", ring_name(c), name);
        if (x == NULL) {
            return false;
        }
        x->len_a = c->len_a;
        x->len_b = c->len_b;
        x->time = (timing){.min_ns = c->least[i % 2], .median_ns = c->least[i % 2], .runs = 1};
        x->ratio_to_gfpoly = i % 2 == 0 ? c->least[0] / c->least[1] : 0;
    }
    return true;
}

/* ---- the table ---- */

static void write_worst(FILE *out, const cell *c)
{
    markdown_cell(out, "%.2f", ratio_of(c));
    markdown_cell(out, "%zu x %zu", c->len_a, c->len_b);
    markdown_cell(out, "%u, %u", c->bits_a, c->bits_b);
    markdown_cell(out, "%.3g", c->least[0] / 1000);
}

/* A row for each operation over each ring. */
static void write_rows(const grid *g, FILE *out)
{
    for (size_t i = 0; i < g->count; i++) {
        const cell *first = &g->cells[i], *worst = first;
        double sum = 0;
        size_t count = 0;
        bool seen = false;
        for (size_t j = 0; j < g->count; j++) {
            const cell *c = &g->cells[j];
            if (c->operation != first->operation || c->field != first->field) {
                continue;
            }
            seen = seen || j < i;
            sum += log(ratio_of(c));
            count++;
            worst = ratio_of(c) > ratio_of(worst) ? c : worst;
        }
        if (!seen) {
            markdown_row(out, first->operation->name);
            markdown_cell(out, "%s", ring_name(first));
            markdown_cell(out, "%zu", count);
            markdown_cell(out, "%.2f", exp(sum / (double)count));
            write_worst(out, worst);
            markdown_end(out);
        }
    }
}

static void write_grid(const grid *g, FILE *out)
{
    size_t wrong = 0, above = 0;
    fprintf(out, "## %s %s\n\n", g->host->name, g->version);
    markdown_head(out, 6,
                  "operation | ring | cells | with over without: geometric mean | worst | terms | "
                  "bits | without, us");
    write_rows(g, out);
    for (size_t i = 0; i < g->count; i++) {
        above += is_above(&g->cells[i]);
        wrong += is_wrong(&g->cells[i]);
    }
    fprintf(out, "\nAbove %.2f: %zu of %zu cells, and %zu that lose less than %d ns.%s\n", WORST,
            wrong, g->count, above - wrong, FLOOR_NS, wrong > 0 ? " They are:\n" : "");
    for (size_t i = 0; i < g->count; i++) {
        const cell *c = &g->cells[i];
        if (is_wrong(c)) {
            fprintf(out, "- %s over %s, %zu x %zu terms of %u and %u bits: %.2f of %.3g us\n",
                    c->operation->name, ring_name(c), c->len_a, c->len_b, c->bits_a, c->bits_b,
                    ratio_of(c), c->least[0] / 1000);
        }
    }
    fputc('\n', out);
}

/* ---- hosts ---- */

/* The process answers, and has loaded the library in `file`, or has not. */
static bool meet_process(const process *p, struct peer_reply *reply, const char *file, bool loads)
{
    const struct peer_request request = {.magic = PEER_MAGIC, .limbs = 1};
    const uint64_t none = 0;
    bool loaded = false;
    if (!ask_process(p, &request, &none, reply, NULL)) {
        return complain("%s ended without an answer", p->name);
    }
    return has_loaded(&loaded, p, file) &&
           (loaded == loads ||
            complain("%s %s %s", p->name, loads ? "did not load" : "has loaded", file));
}

static bool start_host(grid *g)
{
    char program[64], file[64], library[128], path[PATH_MAX], preload[PATH_MAX];
    struct peer_reply reply;
    snprintf(program, sizeof(program), "gfpoly_peer_%s", g->host->name);
    snprintf(file, sizeof(file), "libgfpoly_%s.so", g->host->name);
    snprintf(library, sizeof(library), "bindings/preload/%s/%s", g->host->name, file);
    if (!build_path(path, program)) {
        return complain("%s is not built", program);
    }
    if (!build_path(preload, library)) {
        return complain("%s is not built", library);
    }
    if (!start_process(&g->pair[0], path, NULL) || !start_process(&g->pair[1], path, preload) ||
        !meet_process(&g->pair[1], &reply, file, true) ||
        !meet_process(&g->pair[0], &reply, file, false)) {
        return false;
    }
    reply.version[sizeof(reply.version) - 1] = '\0';
    snprintf(g->version, sizeof(g->version), "%s", reply.version);
    return true;
}

static bool measure_grid(grid *g, const session *o, gfp_field *const *fields, report *r)
{
    const bool over_z = g->host->operations[0].code >= PEER_Z_MUL;
    bool ok = start_host(g) && (!over_z || add_ring(g, o, NULL));
    for (size_t i = 0; i < o->s.field_count && ok; i++) {
        ok = add_ring(g, o, fields[i]);
    }
    for (size_t i = 0; i < g->count && ok; i++) {
        cell *c = &g->cells[i];
        const bool next = c->field != NULL && (i == 0 || c->field != c[-1].field);
        progress(g->host->name, c->operation->name, c->len_a);
        ok = (!next || warm_field(g, c->field)) && measure_cell(c, o, g->pair);
    }
    progress_end();
    return ok && add_records(g, r);
}

static bool measure_conversions(const session *o, gfp_field *const *fields, report *r, FILE *out)
{
    bool ok = true;
    fputs("## Other types\n\n", out);
    markdown_head(out, 2, "product | p | terms | ms");
    for (size_t i = 0; i < o->s.field_count * o->pair_count * conversion_count && ok; i++) {
        const conversion *c = &conversions[i % conversion_count];
        const size_t *n = o->pairs[i / conversion_count % o->pair_count];
        const gfp_field *field = fields[i / conversion_count / o->pair_count];
        gfp_random g;
        gfp_poly a, b;
        timing t;
        gfp_random_seed(&g, o->s.seed);
        gfp_poly_init(&a, field);
        gfp_poly_init(&b, field);
        ok = (gfp_poly_random(&a, n[0], &g) == GFP_OK && gfp_poly_random(&b, n[1], &g) == GFP_OK &&
              c->measure(&t, o->s.seconds, &a, &b)) ||
             complain("%s: no time", c->name);
        record *x = ok ? report_add(r, "host", gfp_field_name(field), c->name) : NULL;
        ok = x != NULL;
        if (ok) {
            x->len_a = n[0];
            x->len_b = n[1];
            x->time = t;
            markdown_row(out, c->name);
            markdown_cell(out, "%s", gfp_field_name(field));
            markdown_cell(out, "%zu x %zu", n[0], n[1]);
            markdown_cell(out, "%.3g", t.min_ns / 1e6);
            markdown_end(out);
        }
        gfp_poly_clear(&a);
        gfp_poly_clear(&b);
    }
    return ok;
}

bool hosts_have(const char *where, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < COUNT(hosts); i++) {
        for (size_t j = 0; j < hosts[i].count; j++) {
            found = found || ((where == NULL || strcmp(hosts[i].name, where) == 0) &&
                              strcasecmp(hosts[i].operations[j].name, name) == 0);
        }
    }
    return found;
}

bool bench_hosts(const session *o, report *r, FILE *out)
{
    gfp_field *fields[MAX_FIELDS] = {NULL};
    gfp_error error;
    bool ok = true;
    (void)signal(SIGPIPE, SIG_IGN);
    (void)setenv("OMP_NUM_THREADS", "1", 1);
    (void)setenv("GFPOLY_GPU", "off", 1);
    /* As keep_memory() sets them for the conversions. */
    (void)setenv("MALLOC_MMAP_MAX_", "0", 1);
    (void)setenv("MALLOC_TRIM_THRESHOLD_", "1000000000", 1);
    for (size_t i = 0; i < o->s.field_count && ok; i++) {
        ok = gfp_field_create(&fields[i], o->s.fields[i], NULL, &error) == GFP_OK ||
             complain("%s: %s", o->s.fields[i], error.message);
    }
    for (size_t i = 0; i < COUNT(hosts) && ok; i++) {
        grid g = {.host = &hosts[i]};
        if (o->host == NULL || strcmp(o->host, g.host->name) == 0) {
            ok = measure_grid(&g, o, fields, r);
            if (ok) {
                write_grid(&g, out);
            }
            end_process(&g.pair[0]);
            end_process(&g.pair[1]);
            free(g.cells);
        }
    }
    ok = ok && measure_conversions(o, fields, r, out);
    for (size_t i = 0; i < o->s.field_count; i++) {
        gfp_field_destroy(fields[i]);
    }
    return ok;
}

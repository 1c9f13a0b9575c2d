/* native_matrix.c: see native_matrix.h. The columns of B are cut into tiles, which threads share;
 * its rows into chunks, whose sums are reduced once. Residues of A: those of all rows modulo the
 * first prime, then modulo the next one. Residues of B: tile by tile, in a tile chunk by chunk, in
 * a chunk prime by prime.
 *
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "crt/small/native_matrix.h"

#include <string.h>

#include "field/base/parallel.h"
#include "field/base/support.h"

/* Words of a line of 64 bytes. Arrays of residues are longer than a multiple of a power of two by a
 * line, so that the residues of an entry do not meet in a cache set. */
#define LINE 8

static size_t on_lines(size_t words)
{
    return gfp_size_add_sat(words, LINE - 1) / LINE * LINE;
}

/* The columns of a tile: four pairs of vectors, one pair where B has few columns, so that threads
 * have tiles to share. */
#define WIDE ((size_t)4 * GFP_NATIVE_TILE)

static size_t tiles_of(const gfp_native_matrix *m)
{
    return (m->columns - 1) / m->width + 1;
}

static size_t chunks_of(const gfp_native_matrix *m)
{
    return (m->inner - 1) / GFP_PANEL_TERMS + 1;
}

/* The terms of a chunk; the last one may be shorter. */
static size_t chunk_terms(const gfp_native_matrix *m)
{
    return (m->inner - 1) / chunks_of(m) + 1;
}

static gfp_native_matrix shape_of(const gfp_field *field, size_t inner, size_t columns)
{
    return (gfp_native_matrix){.field = field,
                               .inner = inner,
                               .columns = columns,
                               .width = columns >= 4 * WIDE ? WIDE : GFP_NATIVE_TILE};
}

gfp_status gfp_native_matrix_init_primes(gfp_native_matrix *m, const gfp_field *field, size_t inner,
                                         size_t columns)
{
    gfp_native_tables *tables = gfp_native_tables_get(field);
    *m = shape_of(field, inner, columns);
    m->engine = gfp_native_engine_get(field);
    m->tables = tables;
    if (tables == NULL) {
        return GFP_ERR_MEMORY;
    }
    m->set = gfp_native_set_get(tables, gfp_native_count(field, inner));
    m->count = m->set == NULL ? 0 : m->set->count;
    return m->set != NULL ? GFP_OK : GFP_ERR_MEMORY;
}

gfp_status gfp_native_matrix_init(gfp_native_matrix *m, const gfp_field *field, size_t inner,
                                  size_t columns)
{
    *m = shape_of(field, inner, columns);
    gfp_hybrid_choose(&m->leaf, field);
    const unsigned primes =
        m->leaf.engine->combine == NULL ? 0 : gfp_hybrid_primes(&m->leaf, inner);
    if (primes == 0) {
        return gfp_native_matrix_init_primes(m, field, inner, columns);
    }
    m->shape = gfp_leaf_values_shape(field, primes);
    m->count = (size_t)primes * m->leaf.k;
    return gfp_leaf_prepare(m->leaf.engine, &m->shape);
}

/* ---- the work area ---- */

/* Words from one row of A to the next, and between primes: of A, of a chunk of B, of C. */
static size_t row_step(const gfp_native_matrix *m)
{
    return on_lines(m->inner);
}

static size_t left_step(const gfp_native_matrix *m, size_t rows)
{
    return gfp_size_add_sat(gfp_size_mul_sat(rows, row_step(m)), LINE);
}

static size_t chunk_step(const gfp_native_matrix *m)
{
    return chunk_terms(m) * m->width + LINE;
}

static size_t result_step(const gfp_native_matrix *m, size_t rows)
{
    return gfp_size_add_sat(gfp_size_mul_sat(rows, m->width), LINE);
}

/* The parts of an area: residues of A and the factors of the CRT; then for each worker what
 * projection and CRT need, columns of B that are not adjacent, a chunk of B, a tile of C. */
typedef struct parts {
    size_t left, scale, crt, gathered, chunk, result;
} parts;

/* Points whose digits are in memory at once. */
#define POINTS WIDE

static size_t digits_words(const gfp_native_matrix *m)
{
    return POINTS * m->field->k;
}

/* Of channels: digits, and the engine's scratch. */
static size_t crt_words(const gfp_native_matrix *m)
{
    const gfp_leaf_engine *leaf = m->leaf.engine;
    return on_lines(leaf == NULL
                        ? m->engine->crt_words(m->tables->radix.k, m->count)
                        : digits_words(m) + leaf->scratch_words(m->leaf.k, m->shape.primes));
}

static parts parts_of(const gfp_native_matrix *m, size_t rows)
{
    const size_t count = m->count;
    return (parts){.left = gfp_size_mul_sat(count, left_step(m, rows)),
                   .scale = on_lines(2 * count),
                   .crt = crt_words(m),
                   .gathered = on_lines(m->width * m->field->k),
                   .chunk = count * chunk_step(m),
                   .result = gfp_size_mul_sat(count, result_step(m, rows))};
}

static size_t worker_words(const parts *p)
{
    return gfp_size_add_sat(p->crt + p->gathered + p->chunk, p->result);
}

size_t gfp_native_matrix_work_words(const gfp_native_matrix *m, size_t rows, unsigned threads)
{
    const parts p = parts_of(m, rows);
    return gfp_size_add_sat(gfp_size_add_sat(p.left, p.scale),
                            gfp_size_mul_sat(threads, worker_words(&p)));
}

size_t gfp_native_matrix_kept_words(const gfp_native_matrix *m)
{
    return gfp_size_mul_sat(tiles_of(m), gfp_size_mul_sat(chunks_of(m), m->count * chunk_step(m)));
}

/* ---- units: an entry that is projected or recombined has k for each prime, a term 1 ---- */

#define UNIT 0.25

static double entry_units(const gfp_native_matrix *m)
{
    return UNIT * (double)m->count * (double)m->field->k;
}

static double term_units(const gfp_native_matrix *m)
{
    return UNIT * (double)m->count;
}

double gfp_native_matrix_units(const gfp_native_matrix *m, size_t rows)
{
    const double inner = (double)m->inner, columns = (double)m->columns;
    return entry_units(m) * (inner * columns + (double)rows * (inner + columns)) +
           term_units(m) * (double)rows * inner * columns;
}

/* ---- steps ---- */

typedef struct pass {
    const gfp_native_matrix *m;
    const gfp_native_matrix_input *a, *b;
    const gfp_native_matrix_entries *c;
    size_t rows;
    const uint64_t *kept; /* read, or NULL */
    uint64_t *keep;       /* written */
    uint64_t *left;
    gfp_ntt48_root *scale;
    uint64_t *workers;
    parts parts;
} pass;

static pass pass_in(const gfp_native_matrix_call *call, size_t rows)
{
    pass s = {.m = call->m, .rows = rows, .parts = parts_of(call->m, rows), .left = call->work};
    uint64_t *scale = call->work + s.parts.left;
    s.scale = (gfp_ntt48_root *)(void *)scale;
    s.workers = scale + s.parts.scale;
    return s;
}

/* Adjacent elements, of A (left) or B. */
typedef struct line {
    const uint64_t *x;
    size_t len;
    bool left;
} line;

static gfp_outer points_of(const gfp_native_matrix *m)
{
    return (gfp_outer){m->field, 0, 1, POINTS};
}

/* n points, the first channel at z. */
static gfp_leaf_values values_at(const gfp_native_matrix *m, uint64_t *z, size_t step, size_t n)
{
    const size_t lanes = m->leaf.engine->lanes;
    return (gfp_leaf_values){m->leaf.engine, &m->shape, z, step, (n + lanes - 1) / lanes};
}

static void project_channels(const gfp_native_matrix *m, uint64_t *z, size_t step, const line *e,
                             size_t n, uint64_t *work)
{
    const gfp_outer outer = points_of(m);
    int64_t *digits = (int64_t *)work;
    for (size_t i = 0; i < n; i += POINTS) {
        const size_t len = e->len > i ? gfp_size_min(e->len - i, POINTS) : 0;
        const gfp_leaf_values v = values_at(m, z + i, step, gfp_size_min(n - i, POINTS));
        if (len > 0) {
            m->leaf.outer->forward(&outer, digits, e->x + i * m->leaf.k, len, 0, v.columns);
        } else {
            memset(digits, 0, digits_words(m) * sizeof *digits);
        }
        gfp_leaf_project(&v, digits, e->left, work + digits_words(m));
    }
}

static void project_primes(const gfp_native_matrix *m, uint64_t *z, size_t step, const line *e,
                           size_t n, uint64_t *work)
{
    for (size_t j = 0; j < m->count; j += GFP_NATIVE_BATCH) {
        const gfp_native_factor factor = {z + j * step, e->x, e->len};
        m->engine->project(m->tables, j, gfp_size_min(GFP_NATIVE_BATCH, m->count - j), &factor,
                           step, n, work);
    }
}

/* Residues of a line, those of channel or prime number j at z + j step; n points, n a multiple of a
 * line of the cache. */
static void native_matrix_project(const gfp_native_matrix *m, uint64_t *z, size_t step,
                                  const line *e, size_t n, uint64_t *work)
{
    if (m->leaf.engine != NULL) {
        project_channels(m, z, step, e, n, work);
    } else {
        project_primes(m, z, step, e, n, work);
    }
}

static gfp_status project_rows(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    const pass *s = user;
    const gfp_native_matrix *m = s->m;
    uint64_t *work = s->workers + worker * worker_words(&s->parts);
    for (size_t i = from; i < to; i++) {
        const line e = {s->a->digits + i * s->a->row, m->inner, true};
        native_matrix_project(m, s->left + i * row_step(m), left_step(m, s->rows), &e, row_step(m),
                              work);
        if (!gfp_task_advance(task, entry_units(m) * (double)m->inner)) {
            return GFP_ERR_CANCELLED;
        }
    }
    return GFP_OK;
}

/* The rows from <= i < end of B in the columns from `column` on. */
typedef struct chunk {
    size_t from, end, column, columns;
} chunk;

static void project_chunk(const pass *s, uint64_t *z, const chunk *c, uint64_t *work)
{
    const gfp_native_matrix *m = s->m;
    const size_t k = m->field->k;
    uint64_t *gathered = work + s->parts.crt;
    for (size_t i = c->from; i < c->end; i++, z += m->width) {
        const uint64_t *x = s->b->digits + i * s->b->row + c->column * s->b->column;
        if (s->b->column != k) {
            for (size_t j = 0; j < c->columns; j++) {
                gfp_vec_set(m->field, gathered + j * k, x + j * s->b->column, 1);
            }
            x = gathered;
        }
        const line e = {x, c->columns, false};
        native_matrix_project(m, z, chunk_step(m), &e, m->width, work);
    }
}

/* result := result + A by a chunk of B. */
static void native_matrix_combine(const pass *s, uint64_t *result, const uint64_t *residues,
                                  const chunk *c)
{
    const gfp_native_matrix *m = s->m;
    for (size_t j = 0; j < m->count; j++) {
        const gfp_panel panel = {.a = s->left + j * left_step(m, s->rows) + c->from,
                                 .b = residues + j * chunk_step(m),
                                 .step_a = row_step(m),
                                 .rows = s->rows,
                                 .terms = c->end - c->from,
                                 .width = m->width};
        uint64_t *to = result + j * result_step(m, s->rows);
        if (m->leaf.engine != NULL) {
            gfp_leaf_combine(m->leaf.engine, &m->shape, j, to, &panel, c->from == 0);
        } else {
            m->engine->combine(&m->tables->primes[j], to, &panel, c->from == 0);
        }
    }
}

static void recombine_channels(const gfp_native_matrix *m, uint64_t *z, uint64_t *x, size_t step,
                               size_t n, uint64_t *work)
{
    const gfp_outer outer = points_of(m);
    const gfp_leaf_values v = values_at(m, x, step, n);
    int64_t *digits = (int64_t *)work;
    gfp_leaf_recombine(&v, digits, m->inner, work + digits_words(m));
    m->leaf.outer->inverse(&outer, z, n, digits, 0, v.columns);
}

static bool native_matrix_recombine(const pass *s, uint64_t *result, const chunk *c, uint64_t *work,
                                    gfp_task *task)
{
    const gfp_native_matrix *m = s->m;
    const size_t step = result_step(m, s->rows);
    for (size_t i = 0; i < s->rows; i++) {
        uint64_t *z = s->c->digits + i * s->c->row + c->column * s->c->column;
        uint64_t *x = result + i * m->width;
        if (m->leaf.engine != NULL) {
            recombine_channels(m, z, x, step, c->columns, work);
        } else {
            m->engine->recombine(m->tables, m->set, s->scale, z, x, step, c->columns, work);
        }
        if (!gfp_task_advance(task, entry_units(m) * (double)c->columns)) {
            return false;
        }
    }
    return true;
}

static gfp_status do_tile(const pass *s, size_t tile, unsigned worker, gfp_task *task)
{
    const gfp_native_matrix *m = s->m;
    uint64_t *work = s->workers + worker * worker_words(&s->parts);
    uint64_t *own = work + s->parts.crt + s->parts.gathered, *result = own + s->parts.chunk;
    const size_t terms = chunk_terms(m), chunks = chunks_of(m);
    chunk c = {.column = tile * m->width};
    c.columns = gfp_size_min(m->width, m->columns - c.column);
    for (size_t i = 0; i < chunks; i++) {
        const size_t at = (tile * chunks + i) * s->parts.chunk;
        const uint64_t *residues = s->kept == NULL ? own : s->kept + at;
        c.from = gfp_size_min(i * terms, m->inner);
        c.end = gfp_size_min(c.from + terms, m->inner);
        if (s->kept == NULL) {
            project_chunk(s, s->keep == NULL ? own : s->keep + at, &c, work);
        }
        if (s->c != NULL) {
            native_matrix_combine(s, result, residues, &c);
        }
        if (!gfp_task_advance(task, (double)(c.end - c.from) * (double)c.columns *
                                        (entry_units(m) + (double)s->rows * term_units(m)))) {
            return GFP_ERR_CANCELLED;
        }
    }
    return s->c == NULL || native_matrix_recombine(s, result, &c, work, task) ? GFP_OK
                                                                              : GFP_ERR_CANCELLED;
}

static gfp_status do_tiles(void *user, size_t from, size_t to, unsigned worker, gfp_task *task)
{
    for (size_t i = from; i < to; i++) {
        GFP_TRY(do_tile(user, i, worker, task));
    }
    return GFP_OK;
}

static bool share_tiles(pass *s, gfp_task *task)
{
    const gfp_parallel loop = {.run = do_tiles, .job = s};
    return gfp_parallel_for(&loop, task, tiles_of(s->m), 1) == GFP_OK;
}

bool gfp_native_matrix_keep(const gfp_native_matrix_call *call, uint64_t *kept,
                            const gfp_native_matrix_input *b)
{
    pass s = pass_in(call, 0);
    s.b = b;
    s.keep = kept;
    return share_tiles(&s, call->task);
}

static void fill_scale(const pass *s)
{
    const gfp_native_matrix *m = s->m;
    for (size_t i = 0; i < m->count && m->leaf.engine == NULL; i++) {
        const uint64_t q = m->tables->primes[i].prime.q;
        const uint64_t x = gfp_mod_pow(2, m->engine->log2_combine, q);
        s->scale[i] = gfp_ntt48_root_of(gfp_mod_mul(x, m->set->scale[i], q), q);
    }
}

bool gfp_native_matrix_multiply(const gfp_native_matrix_call *call,
                                const gfp_native_matrix_entries *c,
                                const gfp_native_matrix_input *a, size_t rows,
                                const gfp_native_matrix_input *b, const uint64_t *kept)
{
    pass s = pass_in(call, rows);
    const gfp_parallel loop = {.run = project_rows, .job = &s};
    s.a = a;
    s.b = b;
    s.c = c;
    s.kept = kept;
    fill_scale(&s);
    return gfp_parallel_for(&loop, call->task, rows, gfp_parallel_chunk(call->task, rows, 1)) ==
               GFP_OK &&
           share_tiles(&s, call->task);
}

/* call.h: the frame of a public call: its options, read once; an account of its memory, with arrays
 * that are freed at its end or at a mark; its progress, checks, report and error. The frames of the
 * rooms contain it.
 *
 * A call is begun, computes, and is ended. A call that was not begun is not ended. Outputs are
 * written after the last step that can fail.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_BASE_CALL_H
#define GFP_FIELD_BASE_CALL_H

#include "field/base/deal.h"
#include "field/base/options.h"
#include "field/base/task.h"
#include "field/base/work.h"

/* A block of memory that arrays are cut from, one after the other. */
typedef struct gfp_call_block gfp_call_block;

typedef struct gfp_call {
    const char *name;           /* for messages: "a resultant over Z" */
    const gfp_options *options; /* never NULL */
    gfp_options copy;           /* options, unless the caller passed NULL */
    /* Arrays come from the areas that the field keeps, or if that is NULL from the allocator. */
    const gfp_field *field;
    const gfp_allocator *allocator;
    bool by_default;       /* the kind of check is the library's choice */
    gfp_call_block *block; /* the one made last; NULL: none */
    size_t first_words;    /* without a cap: of the first block at least, later ones double; 0: each
                              array has a block of its own */
    size_t peak;           /* the most words of arrays at once */
    size_t cap, left;      /* bytes: the cap, and its unused part; SIZE_MAX: there is none */
    size_t refused;        /* the cap that the step refused last needs; 0: none was, or not known */
    gfp_task task;
    gfp_dealer *dealer;     /* of calls over Z; NULL: none */
    gfp_progress forwarded; /* for calls inside */
    uint64_t start;         /* with a report: the time of the begin, and */
    uint64_t checked_from;  /* of the check that runs now; 0: none */
    uint64_t checked_ns;    /* verify_ns before it: checks inside count once */
    gfp_report report;
    gfp_error error; /* the reason of a failure; the end passes it to options->error */
} gfp_call;

/* ---- begin and end ---- */

/* Begins a call whose name lasts as long. The caller sets `field` or `allocator` if it takes
 * arrays, and the threads of its task. Errors: those of gfp_options_convert. */
gfp_status gfp_call_begin(gfp_call *call, const char *name, const gfp_options *options);
/* Frees the arrays; fills the caller's report on OK and VERIFY, and its error. Returns the
 * status. */
gfp_status gfp_call_end(gfp_call *call, gfp_status status);
/* The call makes or moves things, and computes nothing: it leaves the caller's report alone. */
void gfp_call_unreported(gfp_call *call);
/* Sets the cap, 0: none, in place of the options' cap, before anything is taken. */
void gfp_call_limit(gfp_call *call, size_t cap);
/* The call checks its result at points if the kind of check is the library's choice; and it does
 * without, false: the caller has chosen the kind, or there is no check. */
void gfp_call_check(gfp_call *call);
bool gfp_call_uncheck(gfp_call *call);
/* From now until the end, or gfp_call_checked, the call's time is that of checks. */
void gfp_call_checks(gfp_call *call);
void gfp_call_checked(gfp_call *call);
/* Reports the end of the work: the last step before outputs are written. Errors: CANCELLED; with a
 * dealer, those of any rank. */
gfp_status gfp_call_finish(gfp_call *call);

/* ---- dealt loops ---- */

/* The call deals its loops by the dealer of its options, if there is one: right after the begin. */
void gfp_call_use_dealer(gfp_call *call);
/* Tells the dealer, if there is one, of data that determine the results of the call. */
void gfp_call_key(gfp_call *call, const void *data, size_t bytes);
/* Runs the loop by the call's dealer, if there is one and the loop is long enough; else by the
 * threads of the task. */
gfp_status gfp_call_deal(gfp_call *call, const gfp_deal_loop *loop, size_t items, size_t chunk);

/* ---- calls inside ---- */

/* The options of a call inside: those of the call, without verification and report, within the rest
 * of the cap; its progress is the span that the caller begins. */
gfp_options gfp_call_inside(gfp_call *call);
/* Returns the status of a call inside. Drops its message on MEMORY and SIZE, which names the rest
 * of the cap, or lengths of a step. */
gfp_status gfp_call_inner(gfp_call *call, gfp_status status);
/* Adds to the report the threads and a failed GPU of a call inside. */
void gfp_call_note(gfp_call *call, const gfp_report *step);

/* ---- memory ---- */

/* Whether these bytes may be taken. Errors: MEMORY. */
gfp_status gfp_call_afford(gfp_call *call, size_t bytes);
/* The call takes these bytes elsewhere, until it gives them back. Errors: MEMORY. */
gfp_status gfp_call_take(gfp_call *call, size_t bytes);
void gfp_call_give(gfp_call *call, size_t bytes);
/* Counts bytes that a call inside took; that call has checked the cap. */
void gfp_call_charge(gfp_call *call, size_t bytes);

/* *x := an array of n words, aligned to 64 bytes, its contents undefined. Errors: SIZE, MEMORY. */
gfp_status gfp_call_array(gfp_call *call, uint64_t **x, size_t n);
/* The words that arrays take now. */
size_t gfp_call_words(const gfp_call *call);

/* Arrays made after a mark are freed by the release to the mark. */
typedef struct gfp_call_mark {
    gfp_call_block *block;
    size_t used;
} gfp_call_mark;

gfp_call_mark gfp_call_mark_here(const gfp_call *call);
void gfp_call_release(gfp_call *call, gfp_call_mark mark);

/* ---- products and other calls without arrays ---- */

/* The call's task if it reports progress, has several threads or limits a GPU; NULL otherwise. */
gfp_task *gfp_call_task(gfp_call *call, unsigned threads);
/* The fraction of a call's progress that the product takes; its verification takes the rest. */
double gfp_call_share(gfp_verify verify);

#endif

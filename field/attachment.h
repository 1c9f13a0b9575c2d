/* attachment.h: tables that rooms above compute on first use and keep with a field: a field is
 * shared between threads and does not change, but it may remember.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_ATTACHMENT_H
#define GFP_ATTACHMENT_H

#include "cpu.h"
#include "gfpoly/field.h"

/* The head of an attached table. Tables with the same function to destroy them are of one kind, and
 * a field holds at most one of each kind. */
typedef struct gfp_attachment gfp_attachment;
typedef void gfp_attachment_destroy(gfp_attachment *attachment, const gfp_allocator *allocator);
struct gfp_attachment {
    gfp_attachment_destroy *destroy;
};

/* The kinds that a field has room for. */
#define GFP_ATTACHMENTS 8

/* The table of this kind, or NULL. */
gfp_attachment *gfp_field_attached(const gfp_field *field, gfp_attachment_destroy *kind);

/* Attaches what was made with the field's allocator and returns it; where another thread was
 * faster, destroys it and returns the other's. The field destroys it in the end. */
gfp_attachment *gfp_field_attach(const gfp_field *field, gfp_attachment *made);

/* A word that a room above remembers with a field, 0 at first; it is read and written as a whole,
 * and may be lost to another thread's. */
uint64_t gfp_field_note(const gfp_field *field);
void gfp_field_set_note(const gfp_field *field, uint64_t note);

/* Answers that rooms above remember with a field, each with its question. An answer is not 0; at
 * one place the last one stands. Any number of threads may recall and remember; nobody waits, and
 * what two threads remember at once is lost but for one. */
#define GFP_QUESTION_WORDS 8
#define GFP_FIELD_ANSWERS 128
typedef struct gfp_question {
    uint64_t word[GFP_QUESTION_WORDS];
} gfp_question;
/* The answer to exactly this question; 0: there is none. place < GFP_FIELD_ANSWERS. */
uint32_t gfp_field_recall(const gfp_field *field, size_t place, const gfp_question *question);
void gfp_field_remember(const gfp_field *field, size_t place, const gfp_question *question,
                        uint32_t answer);

/* The kernel level in use when the field was created. */
gfp_level gfp_field_level(const gfp_field *field);

#endif

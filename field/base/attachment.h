/* attachment.h: tables and answers that rooms above compute on first use and keep with a field. A
 * field is shared between threads and does not change, but it may cache.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_FIELD_BASE_ATTACHMENT_H
#define GFP_FIELD_BASE_ATTACHMENT_H

#include "field/base/cpu.h"
#include "gfpoly/field.h"

/* The head of an attached table. Tables with the same function to destroy them are of one kind, and
 * a field holds at most one of each kind. */
typedef struct gfp_attachment gfp_attachment;
typedef void gfp_attachment_destroy(gfp_attachment *attachment, const gfp_allocator *allocator);
struct gfp_attachment {
    gfp_attachment_destroy *destroy;
};

/* The most kinds of tables that a field holds. */
#define GFP_ATTACHMENTS 8

/* Returns the table of this kind, or NULL. */
gfp_attachment *gfp_field_attached(const gfp_field *field, gfp_attachment_destroy *kind);

/* Attaches the table `made`, which the field's allocator provided, and returns it. If another
 * thread attached a table of this kind first, destroys `made` and returns the other table. The
 * field destroys attached tables at its end. */
gfp_attachment *gfp_field_attach(const gfp_field *field, gfp_attachment *made);

/* Returns the note: a word that a room above keeps with a field, 0 at first. Threads read and write
 * the note as a whole; a note may be lost to the note of another thread. */
uint64_t gfp_field_note(const gfp_field *field);
/* Sets the note. */
void gfp_field_set_note(const gfp_field *field, uint64_t note);

/* The cache of answers: rooms above keep answers with a field, each under its question. Each place
 * holds the answer that was written last. Any number of threads may recall and remember, and no
 * thread waits: if several threads write a place at the same time, one of their answers stays. */
#define GFP_QUESTION_WORDS 8
#define GFP_ANSWER_WORDS 80
#define GFP_FIELD_ANSWERS 128
typedef struct gfp_question {
    uint64_t word[GFP_QUESTION_WORDS];
} gfp_question;
/* *answer := the answer to exactly this question. Returns its words, or 0 if the place holds no
 * such answer; *answer is undefined then. place < GFP_FIELD_ANSWERS. */
size_t gfp_field_recall(const gfp_field *field, size_t place, const gfp_question *question,
                        void *answer);
/* Writes question and answer, 1 to GFP_ANSWER_WORDS words, to a place < GFP_FIELD_ANSWERS. */
void gfp_field_remember(const gfp_field *field, size_t place, const gfp_question *question,
                        const void *answer, size_t words);

/* Returns the kernel level that was in use when the field was created. */
gfp_level gfp_field_level(const gfp_field *field);

#endif

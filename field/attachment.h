/* attachment.h: tables that rooms above compute on first use and keep with a field: a field is
 * shared between threads and does not change, but it may remember.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_ATTACHMENT_H
#define GFP_ATTACHMENT_H

#include "cpu.h"
#include "gfpoly/field.h"

/* One per kind of table; a field holds at most one attachment of each. */
typedef enum gfp_attachment_slot {
    GFP_ATTACHMENT_HYBRID, /* crt/: roots and constants of the hybrid method's engine */
    GFP_ATTACHMENT_NATIVE, /* crt/: primes and constants of the native multimodular method */
    GFP_ATTACHMENT_GPU,    /* poly/: the field's end releases what is kept on devices for it */
    GFP_ATTACHMENTS
} gfp_attachment_slot;

/* The head of an attached table. */
typedef struct gfp_attachment {
    void (*destroy)(struct gfp_attachment *attachment, const gfp_allocator *allocator);
} gfp_attachment;

/* What is attached, or NULL. */
gfp_attachment *gfp_field_attached(const gfp_field *field, gfp_attachment_slot slot);

/* Attaches what was made with the field's allocator and returns it; where another thread was
 * faster, destroys it and returns the other's. The field destroys it in the end. */
gfp_attachment *gfp_field_attach(const gfp_field *field, gfp_attachment_slot slot,
                                 gfp_attachment *made);

/* Words that rooms above remember with a field, 0 at first; each is read and written as a whole,
 * and may be lost to another thread's. index < GFP_FIELD_NOTES. */
enum {
    GFP_NOTE_HYBRID, /* crt/: what the hybrid method's plans depend on */
    GFP_FIELD_NOTES
};
uint64_t gfp_field_note(const gfp_field *field, size_t index);
void gfp_field_set_note(const gfp_field *field, size_t index, uint64_t note);

/* Answers that rooms above remember with a field, each with its question: poly/'s picks of methods.
 * An answer is not 0; at one place the last one stands. Any number of threads may recall and
 * remember; nobody waits, and what two threads remember at once is lost but for one. */
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

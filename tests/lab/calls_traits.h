/* calls_traits.h: traits of operations that tests of calls take into account (calls.h).
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef TESTS_LAB_CALLS_TRAITS_H
#define TESTS_LAB_CALLS_TRAITS_H

enum {
    CREATES = 1,      /* makes an object, or results of any length, whose memory no cap counts */
    MAY_BE_RIGHT = 2, /* a wrong product inside may leave the result right */
    MOST_MATTER = 4,  /* some wrong products inside leave the result right, but not all */
    NO_OPERANDS = 8,  /* computes no products with operands */
    SHARED = 16,      /* uses all threads */
    IMPOSSIBLE = 32,  /* the field is too small for the problem */
    CERTIFIED = 64,   /* finds wrong products even without verification */
    GOES_ON = 128     /* does without some of the memory that it asks for */
};

#endif

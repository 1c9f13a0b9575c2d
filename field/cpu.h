/* cpu.h: kernel levels. A new level is a row in cpu.c and a table of kernels.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef GFP_CPU_H
#define GFP_CPU_H

typedef enum gfp_level { GFP_LEVEL_PORTABLE = 0, GFP_LEVEL_COUNT } gfp_level;

gfp_level gfp_cpu_level_get(void);

/* Bytes that hold every brand. */
#define GFP_CPU_BRAND_SIZE 65

/* What the CPU calls itself: printable ASCII without '"', single spaces, not empty; where it says
 * nothing, the name of its architecture, else "unknown". */
void gfp_cpu_brand(char text[GFP_CPU_BRAND_SIZE]);

#endif

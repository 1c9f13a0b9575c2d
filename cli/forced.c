/* forced.c: the effect of a cap on memory: the method that the cap forces, and how much slower it
 * is.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include <string.h>

#include "cli/cli.h"

/* Estimates are not more exact than this ratio. */
#define NOTABLE 1.1

/* *info := the pick's row; false where there is no pick. */
static bool query_pick(const gfp_field *field, const struct question *question,
                       gfp_method_info *info)
{
    const char *pick = gfp_method_pick(&question->problem, field, &question->options);
    for (size_t i = 0; pick != NULL && i < gfp_method_count(); i++) {
        if (strcmp(gfp_method_name(i), pick) == 0) {
            return gfp_method_query(info, i, &question->problem, field, &question->options) ==
                   GFP_OK;
        }
    }
    return false;
}

bool describe_forced(char *text, size_t size, const gfp_field *field,
                     const struct question *question)
{
    struct question uncapped = *question;
    gfp_method_info forced, usual;
    uncapped.options.memory_cap = 0;
    text[0] = '\0';
    if (question->options.memory_cap == 0 || !query_pick(field, question, &forced) ||
        !query_pick(field, &uncapped, &usual)) {
        return false;
    }
    const bool other = strcmp(forced.name, usual.name) != 0;
    const double ratio = usual.estimate_ns > 0 ? forced.estimate_ns / usual.estimate_ns : 1;
    if (!other && ratio < NOTABLE) {
        return false;
    }
    snprintf(text, size,
             "%zu bytes of work space force %s%s (%zu bytes), about %.*f times slower than %s with "
             "its %zu bytes",
             question->options.memory_cap, forced.name, other ? "" : " to do its work in parts",
             forced.workspace, ratio < 10, ratio, usual.name, usual.workspace);
    return true;
}

void say_what_memory_forces(const struct request *request, const gfp_field *field,
                            const struct question *question)
{
    char text[300];
    /* If the product is refused, its own error gives the reason. */
    if (request->call.memory != 0 && request->call.method == NULL &&
        gfp_method_check(&question->problem, field, &question->options) == GFP_OK &&
        describe_forced(text, sizeof text, field, question)) {
        say("%s: --memory: %s", request->command->name, text);
    }
}

/* session.c: what the maps of `compare' have in common: the axes, and the way from the measurement
 * to the output.
 * SPDX-License-Identifier: LGPL-3.0-or-later */
#include "cli/compare/session.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

size_t fill_axis(size_t *x, size_t min, size_t max, double step)
{
    size_t count = 0;
    size_t last = 0;
    for (size_t i = 0; last < max; i++) {
        const double next = round((double)min * exp2((double)i * step));
        const size_t n = next < (double)max ? (size_t)next : max;
        if (n > last) {
            last = n;
            if (x != NULL) {
                x[count] = n;
            }
            count++;
        }
    }
    return count;
}

bool is_listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    while (list != NULL) {
        const size_t word = strcspn(list, ",");
        if (word == length && strncmp(list, name, length) == 0) {
            return true;
        }
        if (list[word] == '\0') {
            return false;
        }
        list += word + 1;
    }
    return true;
}

void write_timing(FILE *out, const struct timing *timing)
{
    fprintf(out, "%u,%" PRIu64 ",%" PRIu64 ",%.4g,", timing->runs, timing->min_ns,
            timing->median_ns, timing->spread);
}

void write_note(FILE *out, const struct figure *figure)
{
    if (figure->note[0] != '\0') {
        write_quoted(out, figure->note, '"');
    }
    fputc('\n', out);
}

void json_timing(struct json *json, const struct figure *figure)
{
    const bool measured = figure->outcome == MEASURED && figure->timing.runs > 0;
    json_u64(json, "runs", figure->timing.runs);
    json_length(json, "min_ns", measured, figure->timing.min_ns);
    json_length(json, "median_ns", measured, figure->timing.median_ns);
}

void print_facts(const struct machine *machine)
{
    for (size_t i = 0; i < MACHINE_FACTS; i++) {
        printf("%-10s %s\n", machine->fact[i].name, machine->fact[i].text);
    }
}

int run_session(const struct session *session, const char *folder)
{
    bool interrupted = false;
    int code = folder != NULL ? prepare_folder(folder) : DONE;
    if (code != DONE) {
        return code;
    }
    watch_signals();
    code = session->measure(session->data, &interrupted);
    if (code != DONE) {
        return code;
    }
    if (interrupted) {
        complain("compare: interrupted after %zu length%s", *session->lengths,
                 *session->lengths == 1 ? "" : "s");
    }
    /* Not before: this chooses the kernel level and opens the GPU. */
    describe_machine(session->machine);
    code = session->print(session->data);
    if (code == DONE) {
        const int written =
            folder != NULL ? write_folder(folder, session->writers, session->data) : DONE;
        const int flushed = flush_standard_output(0);
        code = written != DONE ? written : flushed;
    }
    return interrupted ? FAILED : code;
}

/* quiet.c: GMP writes to stderr before it aborts the process because memory ran out. This library
 * writes nothing: the linker puts these names in the place of those that GMP's archive refers to
 * (--wrap), which lets archives that were not compiled as position-independent code be linked, too.
 * SPDX-License-Identifier: LGPL-3.0-or-later */

extern void *const __wrap_stderr;
int __wrap_fprintf(void *stream, const char *format, ...);
int __wrap___fprintf_chk(void *stream, int flag, const char *format, ...);

void *const __wrap_stderr = 0;

int __wrap_fprintf(void *stream, const char *format, ...)
{
    (void)stream;
    (void)format;
    return 0;
}

int __wrap___fprintf_chk(void *stream, int flag, const char *format, ...)
{
    (void)stream;
    (void)flag;
    (void)format;
    return 0;
}

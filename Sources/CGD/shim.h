#include <gd.h>
#include <stdarg.h>

static void afterword_gd_ignore(int priority, const char *format, va_list arguments) {
    (void)priority;
    (void)format;
    (void)arguments;
}

/* Takes what the library would write to standard error about a stranger's file; Swift cannot make a va_list function. */
static inline void afterword_gd_be_silent(void) { gdSetErrorMethod(afterword_gd_ignore); }

#include <gd.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static void afterword_gd_ignore(int priority, const char *format, va_list arguments) {
    (void)priority;
    (void)format;
    (void)arguments;
}

/* Takes what the library would write to standard error about a stranger's file; Swift cannot make a va_list function. */
static inline void afterword_gd_be_silent(void) { gdSetErrorMethod(afterword_gd_ignore); }

/* libpng writes warnings about a file to stderr, and libgd offers no way to receive them. Meanwhile the variable leads
   nowhere, which glibc allows; the descriptor is unchanged. */
static inline gdImagePtr afterword_gd_png(int size, void *bytes) {
#ifdef __GLIBC__
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static FILE *nowhere;
    pthread_mutex_lock(&lock);
    FILE *shown = stderr;
    if (!nowhere) nowhere = fopen("/dev/null", "we");
    if (nowhere) stderr = nowhere;
    gdImagePtr image = gdImageCreateFromPngPtr(size, bytes);
    stderr = shown;
    pthread_mutex_unlock(&lock);
    return image;
#else
    return gdImageCreateFromPngPtr(size, bytes);
#endif
}

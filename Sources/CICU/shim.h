#include <unicode/ubrk.h>
#include <unicode/utext.h>

/* ICU's functions carry its version in their names, by macros that Swift does not see: these have one name. */
static inline const char *afterword_icu_version(void) { return U_ICU_VERSION; }

#include "CICU.h"

#include <unicode/ubrk.h>
#include <unicode/unorm2.h>
#include <unicode/utypes.h>

const char *afterword_icu_version(void) { return U_ICU_VERSION; }

void *afterword_words_open(void) {
    UErrorCode status = U_ZERO_ERROR;
    UBreakIterator *words = ubrk_open(UBRK_WORD, "", NULL, 0, &status);
    return U_SUCCESS(status) ? words : NULL;
}

void afterword_words_close(void *words) { ubrk_close(words); }

int afterword_words_read(void *words, const uint16_t *text, int32_t length) {
    UErrorCode status = U_ZERO_ERROR;
    ubrk_setText(words, (const UChar *)text, length, &status);
    return U_SUCCESS(status);
}

int32_t afterword_words_next(void *words) { return ubrk_next(words); }

int32_t afterword_words_kind(void *words) { return ubrk_getRuleStatus(words); }

const void *afterword_composition(void) {
    UErrorCode status = U_ZERO_ERROR;
    return unorm2_getNFCInstance(&status);
}

const void *afterword_case_folding(void) {
    UErrorCode status = U_ZERO_ERROR;
    return unorm2_getNFKCCasefoldInstance(&status);
}

int32_t afterword_normalize(
    const void *form, const uint16_t *text, int32_t length, uint16_t *room, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    int32_t needed =
        unorm2_normalize(form, (const UChar *)text, length, (UChar *)room, capacity, &status);
    return U_SUCCESS(status) || status == U_BUFFER_OVERFLOW_ERROR ? needed : -1;
}

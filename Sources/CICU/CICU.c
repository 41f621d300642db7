#include "CICU.h"

#include <string.h>

#include <unicode/ubrk.h>
#include <unicode/ucnv.h>
#include <unicode/ucsdet.h>
#include <unicode/unorm2.h>
#include <unicode/utf16.h>
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

/*
 * So many characters in a row are put in order together: ICU takes quadratic time for marks without a letter between
 * them, seconds for a text that a form takes. Unicode's Stream-Safe Text Format has a bound of 30; no language needs it.
 */
enum { LONGEST_RUN = 64 };

/* Whether most texts are of such characters: nothing joins them to what stands before. */
static int stands_alone(UChar32 c) { return c < 0x300 || (c >= 0x3400 && c <= 0x9FFF) || (c >= 0xAC00 && c <= 0xD7A3); }

/* Where the piece that begins at `start` ends: at the text's end, or within too long a run. */
static int32_t piece_end(const UNormalizer2 *form, const UChar *text, int32_t start, int32_t length) {
    int run = 0;
    for (int32_t next = start; next < length;) {
        int32_t here = next;
        UChar32 c;
        U16_NEXT(text, next, length, c);
        if (stands_alone(c) || unorm2_hasBoundaryBefore(form, c)) {
            run = 0;
        } else if (run++ == LONGEST_RUN) {
            return here;
        }
    }
    return length;
}

int32_t afterword_normalize(
    const void *form, const uint16_t *text, int32_t length, uint16_t *room, int32_t capacity) {
    int32_t needed = 0;
    for (int32_t start = 0; start < length;) {
        int32_t end = piece_end(form, (const UChar *)text, start, length);
        int32_t rest = capacity > needed ? capacity - needed : 0;
        UErrorCode status = U_ZERO_ERROR;
        int32_t written = unorm2_normalize(
            form, (const UChar *)text + start, end - start, rest > 0 ? (UChar *)room + needed : NULL, rest, &status);
        if (U_FAILURE(status) && status != U_BUFFER_OVERFLOW_ERROR) return -1;
        if (written > INT32_MAX - needed) return -1;
        needed += written;
        start = end;
    }
    return needed;
}

void *afterword_decoder_open(const char *encoding) {
    UErrorCode status = U_ZERO_ERROR;
    UConverter *decoder = ucnv_open(encoding, &status);
    if (U_FAILURE(status)) return NULL;
    ucnv_setToUCallBack(decoder, UCNV_TO_U_CALLBACK_STOP, NULL, NULL, NULL, &status);
    if (U_SUCCESS(status)) return decoder;
    ucnv_close(decoder);
    return NULL;
}

void afterword_decoder_close(void *decoder) { ucnv_close(decoder); }

int afterword_decode(
    void *decoder, const char **source, const char *end, int is_last, uint16_t *room, int32_t capacity,
    int32_t *written) {
    UErrorCode status = U_ZERO_ERROR;
    UChar *target = (UChar *)room;
    ucnv_toUnicode(decoder, &target, target + capacity, source, end, NULL, is_last != 0, &status);
    *written = (int32_t)(target - (UChar *)room);
    if (status == U_BUFFER_OVERFLOW_ERROR) return AFTERWORD_DECODE_MORE;
    return U_FAILURE(status) ? AFTERWORD_DECODE_BROKEN : AFTERWORD_DECODE_DONE;
}

int afterword_detect(const char *bytes, int32_t length, char *name, int32_t capacity) {
    UErrorCode status = U_ZERO_ERROR;
    UCharsetDetector *detector = ucsdet_open(&status);
    if (U_FAILURE(status)) return 0;
    ucsdet_setText(detector, bytes, length, &status);
    const UCharsetMatch *match = ucsdet_detect(detector, &status);
    const char *found = U_SUCCESS(status) && match ? ucsdet_getName(match, &status) : NULL;
    int is_found = found && U_SUCCESS(status) && strlen(found) < (size_t)capacity;
    if (is_found) strcpy(name, found);
    ucsdet_close(detector);
    return is_found;
}

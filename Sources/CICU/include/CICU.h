#ifndef AFTERWORD_CICU_H
#define AFTERWORD_CICU_H

#include <stddef.h>
#include <stdint.h>

/*
 * What is used of ICU. Its own headers stay out of Swift's sight: its functions carry the library's version in their
 * names, and its types are declared once more by the ICU within Foundation.
 */

const char *afterword_icu_version(void);

/* Word boundaries (a UBreakIterator); null if the library's data are missing. */
void *afterword_words_open(void);
void afterword_words_close(void *words);
/* 0 if the text cannot be read; it must stay where it is while its words are asked for. */
int afterword_words_read(void *words, const uint16_t *text, int32_t length);
/* The next boundary; negative after the last. */
int32_t afterword_words_next(void *words);
/* What kind of word ends at the boundary: a UWordBreak. */
int32_t afterword_words_kind(void *words);

/* Normal forms (a UNormalizer2): NFC and NFKC_Casefold. They are the library's and never freed. */
const void *afterword_composition(void);
const void *afterword_case_folding(void);
/*
 * How long the normal form is; if that is more than the capacity, what was written is none. -1 if there is none. It
 * takes linear time: what is a single letter with more than 64 marks is put in order 64 marks at a time.
 */
int32_t afterword_normalize(
    const void *form, const uint16_t *text, int32_t length, uint16_t *room, int32_t capacity);

/* Decoders of an encoding (a UConverter); null if ICU does not know it. */
void *afterword_decoder_open(const char *encoding);
void afterword_decoder_close(void *decoder);
enum {
    /* All bytes were read; the beginning of a character is kept for the next call. */
    AFTERWORD_DECODE_DONE,
    /* The room is full: call again. */
    AFTERWORD_DECODE_MORE,
    /* Bytes that are no character were left out: call again. */
    AFTERWORD_DECODE_BROKEN,
};
int afterword_decode(
    void *decoder, const char **source, const char *end, int is_last, uint16_t *room, int32_t capacity,
    int32_t *written);
/* Writes ICU's name of the most likely encoding; 0 if there is none. */
int afterword_detect(const char *bytes, int32_t length, char *name, int32_t capacity);

#endif

// Finds the end of an HTTP/1.1 response that arrives in parts: by its length, by its chunks, or by its status.
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef enum { RESPONSE_INCOMPLETE, RESPONSE_COMPLETE, RESPONSE_INVALID } ResponseState;

typedef struct {
    // 0 while the head is read.
    int status;
    int isChunked;
    // What is missing of the body, or of the current chunk with its line break.
    long long rest;
    // While the line with a chunk's size is read, or the trailers after the last chunk.
    enum { CHUNK_SIZE, CHUNK_DATA, CHUNK_TRAILERS } part;
    size_t lineLength;
    char line[32];
    size_t headLength;
    char head[4096];
} Response;

static void resetResponse(Response *response) {
    response->status = response->isChunked = 0;
    response->headLength = response->lineLength = 0;
}

static ResponseState readChunks(Response *response, const char *bytes, size_t count) {
    for (size_t i = 0; i < count;) {
        if (response->part == CHUNK_DATA) {
            size_t taken = (long long)(count - i) < response->rest ? count - i : (size_t)response->rest;
            response->rest -= taken;
            i += taken;
            if (!response->rest) response->part = CHUNK_SIZE, response->lineLength = 0;
            continue;
        }
        char byte = bytes[i++];
        if (byte != '\n') {
            if (response->lineLength < sizeof response->line - 1) response->line[response->lineLength++] = byte;
            continue;
        }
        response->line[response->lineLength] = 0;
        if (response->part == CHUNK_TRAILERS) {
            if (response->lineLength <= 1) return i == count ? RESPONSE_COMPLETE : RESPONSE_INVALID;
        } else {
            long long size = strtoll(response->line, NULL, 16);
            response->part = size ? CHUNK_DATA : CHUNK_TRAILERS;
            response->rest = size + 2;
        }
        response->lineLength = 0;
    }
    return RESPONSE_INCOMPLETE;
}

static ResponseState readBody(Response *response, const char *bytes, size_t count) {
    if (response->isChunked) return readChunks(response, bytes, count);
    response->rest -= count;
    return response->rest < 0 ? RESPONSE_INVALID : response->rest ? RESPONSE_INCOMPLETE : RESPONSE_COMPLETE;
}

static ResponseState readHead(Response *response) {
    if (strncmp(response->head, "HTTP/1.1 ", 9)) return RESPONSE_INVALID;
    response->status = atoi(response->head + 9);
    response->rest = 0;
    for (char *line = strchr(response->head, '\n'); line; line = strchr(line + 1, '\n')) {
        if (!strncasecmp(line + 1, "content-length:", 15)) response->rest = atoll(line + 16);
        if (!strncasecmp(line + 1, "transfer-encoding: chunked", 26)) {
            response->isChunked = 1;
            response->part = CHUNK_SIZE;
        }
    }
    if (response->status == 304 || response->status == 204) response->rest = response->isChunked = 0;
    return RESPONSE_INCOMPLETE;
}

/// Adds bytes that arrived. No response may follow within the same bytes.
static ResponseState readResponse(Response *response, const char *bytes, size_t count) {
    if (response->status) return readBody(response, bytes, count);
    size_t taken = sizeof response->head - 1 - response->headLength;
    if (taken > count) taken = count;
    size_t before = response->headLength;
    memcpy(response->head + before, bytes, taken);
    response->headLength += taken;
    response->head[response->headLength] = 0;
    char *end = strstr(response->head, "\r\n\r\n");
    if (!end) return response->headLength == sizeof response->head - 1 ? RESPONSE_INVALID : RESPONSE_INCOMPLETE;
    end[2] = 0;
    if (readHead(response) == RESPONSE_INVALID) return RESPONSE_INVALID;
    size_t ofHead = (size_t)(end + 4 - response->head) - before;
    return readBody(response, bytes + ofHead, count - ofHead);
}

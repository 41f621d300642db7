#ifndef AFTERWORD_CCURL_SHIM_H
#define AFTERWORD_CCURL_SHIM_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <pthread.h>
#include <signal.h>

// curl_easy_setopt and its siblings take a variable number of arguments, which Swift cannot call.

typedef size_t (*curl_shim_callback)(char *bytes, size_t size, size_t count, void *data);
typedef int (*curl_shim_progress)(void *data, curl_off_t all_down, curl_off_t down, curl_off_t all_up, curl_off_t up);

static inline CURLcode curl_shim_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_shim_set_size(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_shim_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_shim_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_shim_set_data(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_shim_set_callback(CURL *handle, CURLoption option, curl_shim_callback value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_shim_set_progress(CURL *handle, CURLoption option, curl_shim_progress value) {
    return curl_easy_setopt(handle, option, value);
}

static inline long curl_shim_get_number(CURL *handle, CURLINFO info) {
    long value = 0;
    curl_easy_getinfo(handle, info, &value);
    return value;
}

static inline void *curl_shim_get_data(CURL *handle, CURLINFO info) {
    char *value = NULL;
    curl_easy_getinfo(handle, info, &value);
    return value;
}

static inline CURLMcode curl_shim_multi_set_number(CURLM *handle, CURLMoption option, long value) {
    return curl_multi_setopt(handle, option, value);
}

static inline CURLcode curl_shim_start(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

// Starts a detached thread on which SIGPIPE is blocked; 0 on success, else an errno.
static inline int curl_shim_start_thread(void *(*body)(void *), void *argument) {
    sigset_t blocked, before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    int result = pthread_create(&thread, &attributes, body, argument);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}

#endif

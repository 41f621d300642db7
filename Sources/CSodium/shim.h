#include <sodium.h>

/* libsodium's generator in user space: ChaCha20 with fast key erasure, seeded by the system once a thread. The default
   makes a system call for each number. To be called before sodium_init. */
static inline int afterword_use_internal_random(void) {
    return randombytes_set_implementation(&randombytes_internal_implementation);
}

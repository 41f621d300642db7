// Shows ThreadSanitizer the contended paths of Swift's `Mutex`.
//
// On Linux, `Mutex` takes and returns a free lock by atomic instructions in the caller's code, which the sanitizer sees.
// If the lock is contended, the two functions below do it by system calls in libswiftSynchronization.so, which it does
// not see: it then reports the accesses of two critical sections as a race. This library is preloaded into the tests, and
// says at both places what happens.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

// Null in programs that are not built for the sanitizer.
void __tsan_acquire(void *) __attribute__((weak));
void __tsan_release(void *) __attribute__((weak));

SWIFT void lock_slowly(uint32_t thread, SELF) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFT void unlock_slowly(SELF) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

SWIFT void lock_slowly(uint32_t thread, SELF) {
    SWIFT void (*next)(uint32_t, SELF) = dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
    next(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT void unlock_slowly(SELF) {
    SWIFT void (*next)(SELF) = dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
    if (__tsan_release) __tsan_release(self);
    next(self);
}

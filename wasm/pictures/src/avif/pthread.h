/* What dav1d asks of threads. It runs in one thread, so a lock has nothing to do, and another thread is not to be had. */
#pragma once
#include <stddef.h>

typedef char pthread_t, pthread_attr_t, pthread_mutex_t, pthread_cond_t, pthread_once_t;
#define PTHREAD_ONCE_INIT 0

static inline int pthread_once(pthread_once_t *once, void (*routine)(void)) {
  if (*once == 0) {
    *once = 1;
    routine();
  }
  return 0;
}

static inline int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*routine)(void *), void *argument) {
  return 1;
}
static inline int pthread_join(pthread_t thread, void **result) { return 1; }
static inline int pthread_attr_init(pthread_attr_t *attr) { return 0; }
static inline int pthread_attr_destroy(pthread_attr_t *attr) { return 0; }
static inline int pthread_attr_setstacksize(pthread_attr_t *attr, size_t bytes) { return 0; }
static inline int pthread_mutex_init(pthread_mutex_t *mutex, const void *attr) { return 0; }
static inline int pthread_mutex_destroy(pthread_mutex_t *mutex) { return 0; }
static inline int pthread_mutex_lock(pthread_mutex_t *mutex) { return 0; }
static inline int pthread_mutex_unlock(pthread_mutex_t *mutex) { return 0; }
static inline int pthread_cond_init(pthread_cond_t *condition, const void *attr) { return 0; }
static inline int pthread_cond_destroy(pthread_cond_t *condition) { return 0; }
static inline int pthread_cond_signal(pthread_cond_t *condition) { return 0; }
static inline int pthread_cond_broadcast(pthread_cond_t *condition) { return 0; }
/* A single thread would wait for itself. */
static inline int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) { __builtin_trap(); }

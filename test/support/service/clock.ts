// A C library that moves the calendar of workerd. Its source is here, and it is built when it is needed.

import { buildLibrary, type Library } from './library.ts'

/**
 * Builds the library; undefined on a machine without a C compiler for Linux. LIBRARY_CLOCK has the seconds by
 * which the calendar is ahead of the machine's.
 */
export function buildClock(): Library | undefined {
  return buildLibrary(CLOCK)
}

/** A library that shifts the calendar by LIBRARY_CLOCK seconds. Time that only passes stays as it is. */
const CLOCK = `
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static long shift(void) {
  static long seconds, known;
  if (!known) { const char *text = getenv("LIBRARY_CLOCK"); seconds = text ? atol(text) : 0; known = 1; }
  return seconds;
}
int clock_gettime(clockid_t id, struct timespec *now) {
  int result = syscall(SYS_clock_gettime, id, now);
  if (result == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) now->tv_sec += shift();
  return result;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec exact;
  clock_gettime(CLOCK_REALTIME, &exact);
  if (now) { now->tv_sec = exact.tv_sec; now->tv_usec = exact.tv_nsec / 1000; }
  return 0;
}
time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}
`

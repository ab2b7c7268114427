/* Makes every sync of the disk SLOW_FSYNC_MS milliseconds slower, 10 by default. Loaded with LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static int slow(const char *name, int fd) {
  const char *ms = getenv("SLOW_FSYNC_MS");
  usleep((ms ? atoi(ms) : 10) * 1000);
  return ((int (*)(int))dlsym(RTLD_NEXT, name))(fd);
}
int fsync(int fd) { return slow("fsync", fd); }
int fdatasync(int fd) { return slow("fdatasync", fd); }

/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Allocations of two ranks, threads of this process, that fail while they load, call and unload: one at a time, in a
 * process of its own each. Either nothing comes of it, or every rank that has not ended well says why; nobody waits for
 * ever, and the next world works.
 *
 *   rank_allocation_failures ARTIFACT DEVICE STRIDE [persist]     (every STRIDE-th allocation)
 */
#include "FailingMalloc.h"
#include "heddle/ranks.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kDone = 0, kStatus = 1, kNotReached = 77, kWrong = 78 };
enum { kRanks = 2, kElements = 100, kNever = 900, kRounds = 5 }; /* of failingModule() in RankPrograms.h */

static void wrong(const char *what, const char *why) {
  dprintf(2, "%s: %s\n", what, why);
  _exit(kWrong);
}

struct Member {
  heddle_world *world;
  const char *path, *device;
  uint32_t index;
  int failed;
};

/* Whether it is a failure, which is then the world's. For want of memory, or because another rank has none. */
static int ends(struct Member *member, heddle_status *status) {
  if (!status)
    return 0;
  int code = heddle_status_get_code(status);
  int isMemory = code == HEDDLE_OUT_OF_MEMORY || code == HEDDLE_IO || code == HEDDLE_MALFORMED;
  if ((!isMemory && code != HEDDLE_RANK_FAILED && code != HEDDLE_CANCELLED) || !*heddle_status_message(status))
    wrong("another status than for want of memory", heddle_status_message(status));
  if (!hit)
    wrong("a failure without a cause", heddle_status_message(status));
  heddle_world_abort(member->world, member->index, status);
  return member->failed = 1;
}

static void callAll(struct Member *member, heddle_module *module) {
  static float ones[kNever];
  heddle_invocation *call = NULL;
  if (ends(member, heddle_invocation_create(module, 0, &call)))
    return;
  float x[kElements], y[kElements];
  heddle_tensor in[3] = {{0}, {0}, {0}}, out = {0};
  for (int i = 0; i < kElements; ++i)
    x[i] = (float)(i + (int)member->index);
  for (int i = 0; i < 3; ++i) {
    in[i].data = i ? ones : x, in[i].type = HEDDLE_F32, in[i].rank = 1;
    in[i].dims[0] = i ? kNever : kElements, in[i].bytes = (uint64_t)in[i].dims[0] * sizeof(float);
  }
  for (int again = 0; again < 2 && !member->failed; ++again) {
    memset(&out, 0, sizeof(out));
    out.data = y, out.bytes = sizeof(y);
    if (ends(member, heddle_invocation_call(call, in, 3, &out, 1)))
      break;
    for (int i = 0; i < kElements; ++i) /* the sum of both, then doubled by each round but the first */
      if (y[i] != (float)((2 * i + 1) << (kRounds - 1)))
        wrong("a result is wrong", "");
  }
  heddle_invocation_release(call);
}

static void *runMember(void *user) {
  struct Member *member = user;
  heddle_load_options options = {0};
  options.struct_size = sizeof(options);
  options.devices = &member->device, options.device_count = 1;
  options.world = member->world, options.member = member->index;
  heddle_module *module = NULL;
  if (ends(member, heddle_module_load_file(member->path, &options, &module)))
    return NULL;
  callAll(member, module);
  heddle_module_release(module);
  return NULL;
}

/* Whether a rank failed. */
static int runWorld(const char *path, const char *device) {
  heddle_world_options options = {sizeof(options), kRanks, "local", 20000000000ull};
  heddle_world *world = NULL;
  heddle_status *status = heddle_world_create(&options, &world);
  if (status) {
    if (!hit || heddle_status_get_code(status) != HEDDLE_OUT_OF_MEMORY)
      wrong("no world", heddle_status_message(status));
    heddle_status_release(status);
    return 1;
  }
  pthread_t threads[kRanks];
  struct Member members[kRanks];
  int failed = 0;
  uint32_t started = 0;
  for (; started < kRanks; ++started) {
    members[started] = (struct Member){world, path, device, started, 0};
    if (pthread_create(&threads[started], NULL, runMember, &members[started]))
      break;
  }
  if (started < kRanks) { /* the caller's own failure, which it tells the others */
    failed = 1;
    heddle_world_abort(world, started, NULL);
  }
  for (uint32_t m = 0; m < started; ++m) {
    pthread_join(threads[m], NULL);
    failed |= members[m].failed;
  }
  heddle_world_release(world);
  return failed;
}

static int script(const char *path, const char *device) {
  int failed = runWorld(path, device), wasHit = hit;
  __atomic_store_n(&left, -1, __ATOMIC_RELAXED);
  hit = 0;
  if (failed)
    (void)runWorld(path, device); /* fails without a cause, if at all */
  return failed ? kStatus : wasHit ? kDone : kNotReached;
}

int main(int argc, char **argv) {
  if (argc < 4)
    return 2;
  persist = argc > 4;
  int harmless = 0, statuses = 0, wrong = 0, n = 0;
  for (;; n += atoi(argv[3])) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
      alarm(60);
      left = n;
      _exit(script(argv[1], argv[2]));
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
      return 1;
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (code == kNotReached)
      break;
    harmless += code == kDone, statuses += code == kStatus;
    if (code == kDone || code == kStatus)
      continue;
    printf("allocation %d: %s %d\n", n, WIFSIGNALED(status) ? "signal" : "exit status",
           WIFSIGNALED(status) ? WTERMSIG(status) : code);
    if (++wrong > 10)
      break;
  }
  printf("up to %d, %d unharmed, %d a status, %d wrong\n", n, harmless, statuses, wrong);
  return wrong || statuses < 20 ? 1 : 0;
}

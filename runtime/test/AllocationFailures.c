/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Each allocation of load, call, start and unload fails once, or all from it on (`persist`), in a process of its own.
 * Each time the library must give a status, and everything that was made before must work as if nothing had been:
 * the step is done again, without failures, and what a call gives is compared.
 *
 *   allocation_failures ARTIFACT DEVICE[,DEVICE] [persist]
 */
#include "FailingMalloc.h"
#include "heddle/buffers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kDone = 0, kStatus = 1, kNotReached = 77, kWrong = 78 };
enum { kElements = 1000 };
static int failures;
static float input[kElements];

static void wrong(const char *what, const char *why) {
  dprintf(2, "%s: %s\n", what, why);
  _exit(kWrong);
}

/* Whether the step has to be done again; then without failures. Only memory, and what the system says for want of it,
 * is a reason to fail. */
static int again(heddle_status *status) {
  if (!status)
    return 0;
  int code = heddle_status_get_code(status);
  if ((code != HEDDLE_OUT_OF_MEMORY && code != HEDDLE_IO && code != HEDDLE_MALFORMED) ||
      !*heddle_status_message(status)) {
    wrong("another status than for want of memory", heddle_status_message(status));
  }
  heddle_status_release(status);
  if (failures++ || !hit) {
    wrong("the step does not work again", "");
  }
  __atomic_store_n(&left, -1, __ATOMIC_RELAXED);
  return 1;
}

static void compare(heddle_tensor *result) {
  int same = result->bytes == sizeof(input);
  for (int i = 0; i < kElements && same; ++i)
    same = ((float *)result->data)[i] == 4 * input[i];
  if (!same)
    wrong("a result is wrong", "");
  heddle_tensor_reset(result);
}

static void ignoreSlice(void *user, const heddle_trace_slice *slice) {
  (void)user;
  (void)slice;
}

static void calls(heddle_invocation *call) {
  int64_t size = kElements;
  heddle_tensor argument = {0}, result = {0};
  while (again(heddle_tensor_allocate(HEDDLE_F32, 1, &size, &argument)))
    ;
  memcpy(argument.data, input, sizeof(input));
  for (int i = 0; i < 2; ++i) {
    while (again(heddle_invocation_call(call, &argument, 1, &result, 1)))
      ;
    compare(&result);
  }
  for (int i = 0; i < 2; ++i) {
    heddle_event *done = NULL;
    while (again(heddle_invocation_start(call, &argument, 1, &result, 1, NULL, 0, NULL, &done)))
      ;
    while (again(heddle_event_wait(done, 20000000000ull))) {
      heddle_event_release(done);
      while (again(heddle_invocation_start(call, &argument, 1, &result, 1, NULL, 0, NULL, &done)))
        ;
    }
    heddle_event_release(done);
    compare(&result);
  }
  heddle_invocation_set_trace(call, ignoreSlice, NULL);
  while (again(heddle_invocation_call(call, &argument, 1, &result, 1)))
    heddle_invocation_set_trace(call, ignoreSlice, NULL);
  heddle_invocation_set_trace(call, NULL, NULL);
  compare(&result);
  heddle_status_release(heddle_invocation_call(call, &argument, 0, &result, 1)); /* an error with a message */
  heddle_tensor_reset(&argument);
}

static void compareView(heddle_view *result) {
  static float got[kElements];
  if (result->bytes != sizeof(input))
    wrong("a result is wrong", "");
  while (again(heddle_buffer_read(result->buffer, result->offset, got, sizeof(input))))
    ;
  for (int i = 0; i < kElements; ++i)
    if (got[i] != 4 * input[i])
      wrong("a result is wrong", "");
  heddle_view_reset(result);
}

/* The same with memory of the device, and semaphores. */
static void viewCalls(heddle_module *module, heddle_invocation *call) {
  heddle_view argument = {0}, result = {0};
  while (again(heddle_buffer_allocate(module, 0, sizeof(input), 0, &argument.buffer)))
    ;
  argument.bytes = sizeof(input), argument.type = HEDDLE_F32, argument.rank = 1, argument.dims[0] = kElements;
  while (again(heddle_buffer_write(argument.buffer, 0, input, sizeof(input))))
    ;
  heddle_invocation_set_trace(call, NULL, NULL); /* the end of the last trace may have had no memory */
  while (again(heddle_invocation_call_views(call, &argument, 1, &result, 1)))
    heddle_invocation_set_trace(call, NULL, NULL);
  compareView(&result);
  result.device = HEDDLE_HOST;
  while (again(heddle_invocation_call_views(call, &argument, 1, &result, 1)))
    ;
  void *tensor = NULL;
  while (again(heddle_view_to_dlpack(&result, 1, &tensor)))
    ;
  heddle_view_reset(&result);
  while (again(heddle_view_from_dlpack(module, tensor, 1, &result)))
    ;
  compareView(&result);
  for (int done = 0; !done;) {
    heddle_semaphore *semaphore = NULL;
    while (again(heddle_semaphore_create(0, &semaphore)))
      ;
    heddle_semaphore_point signal = {semaphore, 1};
    heddle_start_options options = {0};
    options.struct_size = sizeof(options), options.signals = &signal, options.signal_count = 1;
    while (again(heddle_invocation_start_views(call, &argument, 1, &result, 1, &options, NULL)))
      ;
    done = !again(heddle_semaphore_wait(semaphore, 1, 20000000000ull));
    heddle_semaphore_release(semaphore);
  }
  compareView(&result);
  heddle_view_reset(&argument);
}

static int script(const char *path, const char *const *devices, uint32_t count) {
  heddle_load_options options = {0};
  options.struct_size = sizeof(options);
  options.devices = devices;
  options.device_count = count;
  heddle_artifact *artifact = NULL;
  heddle_module *module = NULL;
  heddle_invocation *call = NULL;
  heddle_stream *stream = NULL;
  heddle_device_list *list = NULL;
  char *text = NULL;
  while (again(heddle_device_list_create_for(devices[0], &list)))
    ;
  heddle_device_list_release(list);
  while (again(heddle_artifact_open_file(path, &artifact)))
    ;
  while (again(heddle_module_plan(artifact, &options, &text)))
    ;
  heddle_string_release(text);
  while (again(heddle_module_load(artifact, &options, &module)))
    ;
  while (again(heddle_module_bound_program(module, 0, &text)))
    ;
  heddle_string_release(text);
  while (again(heddle_module_warnings(module, &text)))
    ;
  heddle_string_release(text);
  if (!heddle_module_device(module, 0))
    wrong("no device", "");
  while (again(heddle_stream_create(module, 0, &stream)))
    ;
  heddle_stream_release(stream);
  while (again(heddle_invocation_create(module, 0, &call)))
    ;
  calls(call);
  viewCalls(module, call);
  heddle_invocation_release(call);
  heddle_module_release(module);
  heddle_artifact_release(artifact);
  __atomic_store_n(&left, -1, __ATOMIC_RELAXED);
  return !hit ? kNotReached : failures ? kStatus : kDone;
}

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  const char *devices[8];
  uint32_t count = 0;
  for (char *one = strtok(argv[2], ","); one && count < 8; one = strtok(NULL, ","))
    devices[count++] = one;
  persist = argc > 3;
  for (int i = 0; i < kElements; ++i)
    input[i] = (float)(i % 1000);
  int harmless = 0, statuses = 0, wrong = 0, n = 0;
  for (;; ++n) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
      alarm(60);
      left = n;
      int code = script(argv[1], devices, count);
      _exit(code);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
      return 1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == kNotReached)
      break;
    if (WIFEXITED(status) && WEXITSTATUS(status) <= kStatus) {
      ++*(WEXITSTATUS(status) == kStatus ? &statuses : &harmless);
      continue;
    }
    if (++wrong > 10)
      break;
    printf("allocation %d: %s %d\n", n, WIFSIGNALED(status) ? "signal" : "exit status",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  }
  printf("%d allocations failed: %d unharmed, %d a status, %d wrong\n", n, harmless, statuses, wrong);
  return wrong || n < 100 ? 1 : 0;
}

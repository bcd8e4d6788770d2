/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Memory of a device in and out, without a copy and without waiting in between: two products, one behind the other by a
 * semaphore. `buffers FILE.heddle DEVICE` runs product(a: 4x4, b: 4x4) twice. */
#include "heddle/buffers.h"

#include <stdio.h>
#include <stdlib.h>

static void check(heddle_status *status) {
  if (!status)
    return;
  fprintf(stderr, "buffers: %s\n", heddle_status_message(status));
  exit(1);
}

static heddle_view matrix(heddle_buffer *buffer, uint64_t offset) {
  heddle_view view = {0};
  view.buffer = buffer, view.offset = offset, view.bytes = 64;
  view.type = HEDDLE_F32, view.rank = 2, view.dims[0] = 4, view.dims[1] = 4;
  return view;
}

static uint64_t copied(heddle_invocation *call) {
  heddle_statistics statistics = {0};
  statistics.struct_size = sizeof(statistics);
  heddle_invocation_get_statistics(call, &statistics);
  return statistics.boundary_bytes;
}

int main(int argc, char **argv) {
  if (argc != 3)
    return fprintf(stderr, "usage: buffers FILE.heddle DEVICE\n"), 2;
  const char *device = argv[2];
  heddle_load_options options = {0};
  options.struct_size = sizeof(options), options.devices = &device, options.device_count = 1;
  heddle_module *module = NULL;
  check(heddle_module_load_file(argv[1], &options, &module));
  uint32_t product = 0;
  check(heddle_module_find_entry_point(module, "product", &product));
  heddle_invocation *first = NULL, *second = NULL;
  check(heddle_invocation_create(module, product, &first));
  check(heddle_invocation_create(module, product, &second));

  /* One buffer for a, b and the product of both; what the second call computes stays on the device, too. */
  float a[16], two[16], out[16];
  for (int i = 0; i < 16; ++i)
    a[i] = (float)i, two[i] = i % 5 == 0 ? 2.0f : 0.0f;
  heddle_buffer *buffer = NULL;
  check(heddle_buffer_allocate(module, 0, 192, 0, &buffer));
  check(heddle_buffer_write(buffer, 64, two, 64));
  heddle_view in[2] = {matrix(buffer, 0), matrix(buffer, 64)}, between = matrix(buffer, 128);
  heddle_view again[2] = {between, in[1]}, last = {0}; /* last.device 0: the module's first */

  /* The calls are on their way before there is anything in `a`: 1 says that there is, 2 and 3 that they are done. */
  heddle_semaphore *timeline = NULL;
  check(heddle_semaphore_create(0, &timeline));
  heddle_semaphore_point points[3] = {{timeline, 1}, {timeline, 2}, {timeline, 3}};
  heddle_start_options start = {0};
  start.struct_size = sizeof(start), start.wait_count = start.signal_count = 1;
  start.waits = &points[0], start.signals = &points[1];
  check(heddle_invocation_start_views(first, in, 2, &between, 1, &start, NULL));
  start.waits = &points[1], start.signals = &points[2];
  check(heddle_invocation_start_views(second, again, 2, &last, 1, &start, NULL));

  check(heddle_buffer_write(buffer, 0, a, 64));
  heddle_buffer_release(buffer); /* the calls keep it */
  check(heddle_semaphore_signal(timeline, 1));
  check(heddle_semaphore_wait(timeline, 3, HEDDLE_FOREVER));
  check(heddle_buffer_read(last.buffer, last.offset, out, last.bytes));
  printf("%g %g %g, %llu bytes copied\n", out[0], out[1], out[15],
         (unsigned long long)(copied(first) + copied(second)));

  heddle_view_reset(&last);
  heddle_semaphore_release(timeline);
  heddle_invocation_release(first);
  heddle_invocation_release(second);
  heddle_module_release(module);
  return 0;
}

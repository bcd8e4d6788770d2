// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Memory of devices in Heddle's C interface: buffers, views of them as arguments and results, semaphores, and memory
 * shared with other libraries (DLPack) and processes (file descriptors). The conventions are those of heddle.h.
 *
 * A view is a tensor in a buffer. An argument that lies on the device where the program needs it is used in place. One
 * that lies elsewhere is copied, which costs time; heddle_statistics::boundary_bytes counts it.
 *
 *   heddle_buffer *buffer; heddle_view x = {0}, y = {0};
 *   heddle_buffer_allocate(module, 0, 16, 0, &buffer);                   // on the module's first device
 *   heddle_buffer_write(buffer, 0, data, 16);
 *   x.buffer = buffer, x.bytes = 16, x.type = HEDDLE_F32, x.rank = 1, x.dims[0] = 4;
 *   heddle_invocation_call_views(call, &x, 1, &y, 1);                    // y stays on the first device
 *   heddle_buffer_read(y.buffer, y.offset, data, y.bytes);
 *   heddle_view_reset(&y); heddle_buffer_release(buffer);
 */
#ifndef HEDDLE_BUFFERS_H
#define HEDDLE_BUFFERS_H

#include "heddle/heddle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Buffers ----------------------------------------------------------------------------------------------------- */

/* A heddle_buffer (heddle.h) is memory of a device or of the host. It is 64-byte aligned if the library allocated it.
 * It keeps its device, not its module. Any thread may take and drop references. A call holds a reference on each buffer
 * that it uses until it is done, so a buffer may be released as soon as a call was started. In the child of a fork,
 * buffers of devices with queues of their own (GPUs) can be released and nothing else. */

/* In place of a device's index: memory of the host. */
#define HEDDLE_HOST UINT32_MAX

/* heddle_buffer_allocate(): heddle_buffer_export() will be asked for a file descriptor. */
#define HEDDLE_BUFFER_SHARED 1u

/* Memory of a device of the module (index as in heddle_module_device()), or with HEDDLE_HOST of the host; contents are
 * undefined. HEDDLE_INVALID_ARGUMENT: no such device, or the program does not use it here. */
HEDDLE_API heddle_status *heddle_buffer_allocate(heddle_module *module, uint32_t device, uint64_t bytes, uint32_t flags,
                                                 heddle_buffer **buffer);

typedef HEDDLE_ENUM(heddle_memory_kind){
    HEDDLE_MEMORY_HOST = 0,      /* `pointer` is memory of the host. On a device that does not use it the device imports
                                    it: HEDDLE_UNSUPPORTED where its driver cannot */
    HEDDLE_MEMORY_DEVICE = 1,    /* `pointer` is the device's own, as its library has it: of CUDA a CUdeviceptr. What
                                    the default stream of the library was given is waited for */
    HEDDLE_MEMORY_DESCRIPTOR = 2 /* `descriptor` is what heddle_buffer_export() gave for so many bytes, in this process
                                    or another, on the same device; it stays the caller's to close */
} heddle_memory_kind;

typedef struct heddle_memory {
  uint32_t struct_size; /* sizeof(heddle_memory) */
  heddle_memory_kind kind;
  void *pointer;
  uint64_t bytes;
  int32_t descriptor;
  int32_t read_only;           /* nonzero: calls must not write it, so it takes no results */
  void (*release)(void *user); /* called once, when the last reference is dropped, on any thread; NULL: nothing */
  void *user;
} heddle_memory;

/* A buffer over memory that is there already, without a copy. The memory must stay until `release` is called. */
HEDDLE_API heddle_status *heddle_buffer_import(heddle_module *module, uint32_t device, const heddle_memory *memory,
                                               heddle_buffer **buffer);
/* A new file descriptor of the memory (HEDDLE_BUFFER_SHARED), which the caller closes or hands on: as Vulkan's
 * VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD. HEDDLE_UNSUPPORTED where the driver has none. */
HEDDLE_API heddle_status *heddle_buffer_export(heddle_buffer *buffer, int32_t *descriptor);

typedef struct heddle_buffer_info {
  uint32_t struct_size; /* sizeof(heddle_buffer_info) */
  int32_t read_only;
  uint64_t bytes;
  void *host;      /* where the host addresses it; NULL: it cannot */
  void *pointer;   /* the device's own pointer, as HEDDLE_MEMORY_DEVICE; NULL: it has none */
  const char *uri; /* of its device, lives as long as the buffer; "" for memory of the host */
  int32_t is_lost; /* the device stopped working; the contents are gone */
  /* How DLPack calls the memory: DLDeviceType, 0 where it has no words for it, and the number of the device. */
  int32_t dlpack_type;
  int32_t dlpack_index;
  int32_t reserved;
} heddle_buffer_info;

HEDDLE_API void heddle_buffer_get_info(const heddle_buffer *buffer, heddle_buffer_info *info);

/* Copy between the buffer and memory of the host; they wait until it is done. Calls that use the range must be done.
 * HEDDLE_INVALID_ARGUMENT: a range beyond the buffer, a buffer that is only read. */
HEDDLE_API heddle_status *heddle_buffer_write(heddle_buffer *buffer, uint64_t offset, const void *data, uint64_t bytes);
HEDDLE_API heddle_status *heddle_buffer_read(const heddle_buffer *buffer, uint64_t offset, void *data, uint64_t bytes);
HEDDLE_API void heddle_buffer_retain(heddle_buffer *buffer);
HEDDLE_API void heddle_buffer_release(heddle_buffer *buffer);

/* ---- Views ------------------------------------------------------------------------------------------------------- */

/* A dense row-major tensor in a buffer, or in memory of the host: a plain value. This struct never changes. */
typedef struct heddle_view {
  heddle_buffer *buffer; /* NULL: `data` is memory of the host, as heddle_tensor has it */
  void *data;            /* with a buffer: set by the library, where the host addresses it; not looked at */
  uint64_t offset;       /* of the first element in the buffer: a multiple of the element size */
  uint64_t bytes;        /* from there on, at least product(dims) × element size */
  heddle_element_type type;
  uint32_t rank;
  int64_t dims[HEDDLE_MAX_RANK];
  uint32_t device; /* of a result without memory: where it is to lie, an index or HEDDLE_HOST */
  uint32_t reserved;
} heddle_view;

/* Drops the reference on the buffer, if there is one, and clears the value. */
HEDDLE_API void heddle_view_reset(heddle_view *view);

/* A tensor of another library, by DLPack: `tensor` is a DLManagedTensor, or with `versioned` a DLManagedTensorVersioned
 * (of major version 1). The view gets a buffer of its own, which calls the tensor's deleter when the last reference is
 * dropped. On failure the tensor stays the caller's. Memory of the host (kDLCPU, kDLCUDAHost) is used in place; kDLCUDA
 * needs that device in the module. HEDDLE_UNSUPPORTED: another kind of device. HEDDLE_INVALID_ARGUMENT: strides that
 * are not dense and row-major, elements that Heddle does not have, or that are not aligned to their size. */
HEDDLE_API heddle_status *heddle_view_from_dlpack(heddle_module *module, void *tensor, int32_t versioned,
                                                  heddle_view *view);
/* The other way: the tensor holds a reference on the buffer until its deleter is called. Memory that the host can
 * address is kDLCPU, memory of CUDA is kDLCUDA. HEDDLE_UNSUPPORTED: memory that DLPack does not describe (Vulkan's,
 * which only a file descriptor shares), and types narrower than a byte. */
HEDDLE_API heddle_status *heddle_view_to_dlpack(const heddle_view *view, int32_t versioned, void **tensor);

/* ---- Semaphores -------------------------------------------------------------------------------------------------- */

/* A number that only rises, or fails once with a cause: a timeline. Whoever waits for a value goes on when the number
 * has reached it. Any thread. */
typedef struct heddle_semaphore heddle_semaphore;

typedef struct heddle_semaphore_point {
  heddle_semaphore *semaphore;
  uint64_t value;
} heddle_semaphore_point;

HEDDLE_API heddle_status *heddle_semaphore_create(uint64_t value, heddle_semaphore **semaphore);
/* The number it has reached. Its cause when it has failed. */
HEDDLE_API heddle_status *heddle_semaphore_value(heddle_semaphore *semaphore, uint64_t *value);
/* HEDDLE_INVALID_ARGUMENT when the value is not greater than the number. */
HEDDLE_API heddle_status *heddle_semaphore_signal(heddle_semaphore *semaphore, uint64_t value);
/* Takes `failure`, which everybody who waits gets, now and later; the first one counts. */
HEDDLE_API void heddle_semaphore_fail(heddle_semaphore *semaphore, heddle_status *failure);
/* Blocks; returns the cause when it fails, HEDDLE_DEADLINE_EXCEEDED when the time is over. */
HEDDLE_API heddle_status *heddle_semaphore_wait(heddle_semaphore *semaphore, uint64_t value, uint64_t timeout_ns);
HEDDLE_API void heddle_semaphore_retain(heddle_semaphore *semaphore);
HEDDLE_API void heddle_semaphore_release(heddle_semaphore *semaphore);

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

/* heddle_invocation_call() with views. A result with a buffer is written there, at `offset` and into at most `bytes`,
 * and stays in that same buffer; one with `data` into memory of the host. One with neither is allocated on `device`
 * (release it with heddle_view_reset()). Results overlap neither each other nor an argument, but for a donated
 * argument's result. On success buffer, data, offset, bytes, type, rank and dims of every result are set.
 *
 * HEDDLE_INVALID_ARGUMENT, before anything runs: a range beyond its buffer; an offset that is not a multiple of the
 * element size; memory that overlaps; a result in a read-only buffer. Also a buffer of a device that was lost. */
HEDDLE_API heddle_status *heddle_invocation_call_views(heddle_invocation *invocation, const heddle_view *arguments,
                                                       uint32_t argument_count, heddle_view *results,
                                                       uint32_t result_count);

/* What a call is started with. Zeros mean nothing. */
typedef struct heddle_start_options {
  uint32_t struct_size; /* sizeof(heddle_start_options) */
  uint32_t wait_count;
  const heddle_semaphore_point *waits;   /* the call begins when all are reached; one that fails, fails it */
  const heddle_semaphore_point *signals; /* reached when the call is done; they fail with its cause */
  uint32_t signal_count;
  uint32_t event_count;
  heddle_event *const *events; /* waited for, too */
  heddle_stream *stream;       /* NULL: one of the module's own */
} heddle_start_options;

/* heddle_invocation_start() with views and semaphores. The array `results` must live until the call is done; the other
 * arrays only until this returns, and the library keeps the buffers and semaphores. `done` may be NULL. */
HEDDLE_API heddle_status *heddle_invocation_start_views(heddle_invocation *invocation, const heddle_view *arguments,
                                                        uint32_t argument_count, heddle_view *results,
                                                        uint32_t result_count, const heddle_start_options *options,
                                                        heddle_event **done);

#ifdef __cplusplus
}
#endif

#endif /* HEDDLE_BUFFERS_H */

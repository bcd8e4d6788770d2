// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Heddle's public C interface: load an artifact (.heddle), match it with the machine's devices, call its entry points.
 *
 * Conventions
 * - A function that can fail returns `heddle_status *`: NULL is success, anything else is an error that the caller
 *   frees. On failure the out-parameters are untouched, unless the function says otherwise.
 * - `heddle_x_release(NULL)` does nothing. Objects are released in any order: each keeps alive what it needs.
 * - Strings are UTF-8, NUL-terminated, and live as long as the object they were asked from.
 * - Sizes are bytes, times are nanoseconds, unless the name says otherwise.
 * - The library never throws, never calls exit(), and prints nothing.
 * - ABI: functions, enumerators and fields of structs that the library allocates are only ever appended. Structs that
 *   the caller allocates begin with `struct_size` (set it to sizeof) or never change (heddle_tensor).
 *
 * Threads: artifact, module and device list are immutable and may be used by any number of threads. An invocation is
 * one call's state: one thread at a time, except heddle_invocation_cancel(). Streams and events are thread-safe.
 *
 *   heddle_artifact *artifact; heddle_module *module; heddle_invocation *call;
 *   heddle_artifact_open_file("model.heddle", &artifact);
 *   heddle_module_load(artifact, NULL, &module);                        // this machine's devices
 *   heddle_invocation_create(module, 0, &call);
 *   heddle_tensor in = {data, 16, HEDDLE_F32, 2, {2, 2}}, out = {0};    // out.data == NULL: the library allocates
 *   heddle_invocation_call(call, &in, 1, &out, 1);
 *   ...                                                                 // out.data, out.dims
 *   heddle_tensor_reset(&out);
 */
#ifndef HEDDLE_HEDDLE_H
#define HEDDLE_HEDDLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HEDDLE_API __attribute__((visibility("default")))
#else
#define HEDDLE_API
#endif

/* A fixed underlying type makes any value of an enumeration that comes from outside well defined in C++. */
#if defined(__cplusplus)
#define HEDDLE_ENUM(name) enum name : int32_t
#else
#define HEDDLE_ENUM(name) enum name
#endif

#define HEDDLE_ABI_VERSION 1
#define HEDDLE_MAX_RANK 16

/* The ABI version of the library that is loaded; equal to or greater than the header's when they fit. */
HEDDLE_API uint32_t heddle_abi_version(void);
/* "0.1.0" */
HEDDLE_API const char *heddle_version(void);

/* ---- Status ------------------------------------------------------------------------------------------------------ */

typedef HEDDLE_ENUM(heddle_status_code){
    HEDDLE_OK = 0,
    HEDDLE_INVALID_ARGUMENT = 1, /* the caller's values break a rule: type, rank, size, index */
    HEDDLE_NOT_FOUND = 2,        /* file, entry point, device */
    HEDDLE_MALFORMED = 3,        /* not an artifact, or a damaged one */
    HEDDLE_UNSUPPORTED = 4,      /* a newer format, an absent CPU feature, a driver that is not here */
    HEDDLE_OUT_OF_MEMORY = 5,
    HEDDLE_CANCELLED = 6,
    HEDDLE_DEADLINE_EXCEEDED = 7,
    HEDDLE_KERNEL_FAILED = 8, /* a kernel or the program refused the data: index out of range, division by zero */
    HEDDLE_BUSY = 9,          /* the invocation is already running a call */
    HEDDLE_IO = 10,           /* the operating system refused a file, a mapping, a thread */
    HEDDLE_INTERNAL = 11,     /* a bug of Heddle */
    HEDDLE_DEVICE_LOST = 12,  /* a device stopped working; the next call opens it anew */
    HEDDLE_STATE_LOST = 13,   /* what the module keeps between calls has no value; heddle_state_reset() */
    HEDDLE_RANK_FAILED = 14   /* another rank failed, ended or differs; the message has its rank and cause (ranks.h) */
} heddle_status_code;

typedef struct heddle_status heddle_status;

HEDDLE_API heddle_status_code heddle_status_get_code(const heddle_status *status); /* NULL: HEDDLE_OK */
/* One line: the rule, what was given, the remedy. NULL: "ok". */
HEDDLE_API const char *heddle_status_message(const heddle_status *status);
/* Further lines: the source location, the devices that were refused, … */
HEDDLE_API uint32_t heddle_status_note_count(const heddle_status *status);
HEDDLE_API const char *heddle_status_note(const heddle_status *status, uint32_t index);
/* "invalid-argument", … */
HEDDLE_API const char *heddle_status_code_name(heddle_status_code code);
/* A status of your own, for heddle_event_signal(). Copies the message. */
HEDDLE_API heddle_status *heddle_status_create(heddle_status_code code, const char *message);
HEDDLE_API void heddle_status_release(heddle_status *status);

/* ---- Devices ----------------------------------------------------------------------------------------------------- */

/* A device is named by a URI: `driver[://which][?key=value[&key=value]…]`.
 *   local                       the CPU: a thread for each core this process may use, or that its control group grants
 *   local://0-1  local://0,2    a set of cores: so many threads take part in a dispatch
 *   local?threads=4             as many threads, on any of those cores
 *   local://0?cpu=x86-64-v3     hides CPU features above a level
 *   cpu  gpu                    local; the first GPU of cuda or vulkan
 *   null                        accepts every program and computes nothing (tests, host-time measurements)
 */
typedef struct heddle_device_info {
  const char *uri;         /* what to pass to heddle_module_load() */
  const char *driver;      /* "local" */
  const char *description; /* "Intel(R) Xeon(R) Processor, 2 cores" */
  int32_t available;       /* 0: absent, see `reason` */
  const char *reason;      /* why it is absent and what to do; "" when available */
  uint32_t cores;          /* units that run workgroups */
  uint64_t memory_bytes;   /* 0: unknown */
  const char *features;    /* comma-separated: "avx2,avx512f,fma" */
  const char *formats;     /* executable formats it loads: "elf-x86_64" */
  int32_t is_default;      /* tried for every program; others only for one that names their driver */
} heddle_device_info;

typedef struct heddle_device_list heddle_device_list;

/* Every device of this machine, and those that are absent with the reason. Opens none. */
HEDDLE_API heddle_status *heddle_device_list_create(heddle_device_list **list);
/* What one URI names; errors: malformed URI, unknown driver (with the nearest name), cores that do not exist. */
HEDDLE_API heddle_status *heddle_device_list_create_for(const char *uri, heddle_device_list **list);
HEDDLE_API uint32_t heddle_device_list_count(const heddle_device_list *list);
HEDDLE_API const heddle_device_info *heddle_device_list_get(const heddle_device_list *list, uint32_t index);
HEDDLE_API void heddle_device_list_release(heddle_device_list *list);

/* ---- Artifact ---------------------------------------------------------------------------------------------------- */

/* An artifact, mapped and verified: any byte string gives an artifact or an error (machine code is not covered). */
typedef struct heddle_artifact heddle_artifact;

/* Maps the file; it must not be truncated or changed in place while the artifact lives. */
HEDDLE_API heddle_status *heddle_artifact_open_file(const char *path, heddle_artifact **artifact);
/* Borrows `data`, 64-byte aligned, until the artifact and its modules are released. */
HEDDLE_API heddle_status *heddle_artifact_open_memory(const void *data, uint64_t bytes, heddle_artifact **artifact);
/* The metadata, a FlatBuffer `heddle.fb.Module` (contract/Artifact.fbs). */
HEDDLE_API const void *heddle_artifact_metadata(const heddle_artifact *artifact, uint64_t *bytes);
/* The whole file. */
HEDDLE_API const void *heddle_artifact_data(const heddle_artifact *artifact, uint64_t *bytes);
/* Reads all parameters and compares their hashes. */
HEDDLE_API heddle_status *heddle_artifact_verify_parameters(const heddle_artifact *artifact);
/* Reads the whole file and compares the hashes of header, sections and parameters: it is as it was written. That says
 * nothing about who wrote it. An artifact of format 1 has hashes of parameters only. */
HEDDLE_API heddle_status *heddle_artifact_verify(const heddle_artifact *artifact);
HEDDLE_API void heddle_artifact_release(heddle_artifact *artifact);

/* ---- Module ------------------------------------------------------------------------------------------------------ */

/* An artifact on devices: immutable, shared by threads. */
typedef struct heddle_module heddle_module;

typedef HEDDLE_ENUM(heddle_on_device_lost){
    HEDDLE_ON_DEVICE_LOST_FAIL = 0,    /* the call fails; the next one opens the device anew */
    HEDDLE_ON_DEVICE_LOST_FALLBACK = 1 /* the call is repeated without the device, on the program's own alternatives */
} heddle_on_device_lost;

/* Machine code of an artifact runs with the rights of the process, and nothing checks it: SECURITY.md. */
typedef HEDDLE_ENUM(heddle_allow_native){
    HEDDLE_ALLOW_NATIVE_ALWAYS = 0,
    HEDDLE_ALLOW_NATIVE_NEVER = 1 /* an artifact with machine code of a host processor is refused, HEDDLE_UNSUPPORTED */
} heddle_allow_native;

/* The ranks that run one program together (ranks.h). */
typedef struct heddle_world heddle_world;

typedef struct heddle_load_options {
  uint32_t struct_size;       /* sizeof(heddle_load_options) */
  uint32_t device_count;      /* 0: all of the drivers that the program names, and local, in the list's order */
  const char *const *devices; /* URIs, in order */
  uint32_t verify_parameters; /* nonzero: as heddle_artifact_verify_parameters() */
  heddle_on_device_lost on_device_lost;
  heddle_allow_native allow_native;
  uint32_t verify_hashes; /* nonzero: as heddle_artifact_verify() */
  /* Nonzero: the file is read into memory, and later changes of it do not matter (docs/deploying.md). 0: it is mapped;
   * replace it by renaming then, and do not write over it. For heddle_module_load_file() only. */
  uint32_t copy_file;
  uint32_t member; /* the index of the module among this process's members of `world` */
  /* The ranks of a program with a mesh; the module keeps it. All of them load the program at the same time, each member
   * on its own thread. NULL: this process alone. A program with a mesh of more than one rank refuses that. */
  heddle_world *world;
  const char *mesh; /* sizes of axes that the program leaves free: "x=2,y=4"; NULL: none */
  /* How many threads work on a call, for `local` devices without `threads=` in their URI. 0: one for each core. Modules
   * with the same cores and number share their threads. */
  uint32_t threads;
  /* Nonzero: checks the host program as `heddle inspect --verify` does, with the sizes of axes of this load, and
   * refuses it where something does not hold. It is meant for artifacts that others may have changed, and for finding
   * errors. It takes some milliseconds, with many ranks seconds. HEDDLE_CHECK_PROGRAMS=1 in the environment does it in
   * every load. */
  uint32_t check_program;
} heddle_load_options;

/* Matches the program's devices, opens those it uses, loads the best variant of each executable. `options` may be
 * NULL. */
HEDDLE_API heddle_status *heddle_module_load(heddle_artifact *artifact, const heddle_load_options *options,
                                             heddle_module **module);
/* heddle_artifact_open_file() and heddle_module_load() in one. */
HEDDLE_API heddle_status *heddle_module_load_file(const char *path, const heddle_load_options *options,
                                                  heddle_module **module);
HEDDLE_API void heddle_module_retain(heddle_module *module);
HEDDLE_API void heddle_module_release(heddle_module *module);

/* How a device of the program was resolved. After the loss of a device it may be another one
 * (heddle_load_options::on_device_lost). */
typedef struct heddle_module_device_info {
  const char *name;     /* in the program: "device_0" */
  const char *uri;      /* what it got: "local://0-1" */
  uint32_t alternative; /* which alternative of the program's select */
  const char *note;     /* "second logical copy of local://0-1", … or "" */
  uint32_t cores;
} heddle_module_device_info;

/* The plan that heddle_module_load() would follow, as text; no device is opened. It has one line for each device of the
 * program, and one for each named device that it would not use. Release the text with heddle_string_release(). */
HEDDLE_API heddle_status *heddle_module_plan(const heddle_artifact *artifact, const heddle_load_options *options,
                                             char **text);
/* The same plan as JSON: {"devices": [{"name", "device", "alternative", "alternatives", "same_as", "copy", "used",
 * "runs", "variants", "note"}], "unused": [{"device", "available", "reason"}]}; docs/cli.md, heddle run. */
HEDDLE_API heddle_status *heddle_module_plan_json(const heddle_artifact *artifact, const heddle_load_options *options,
                                                  char **json);
HEDDLE_API void heddle_string_release(char *text);
HEDDLE_API uint32_t heddle_module_device_count(const heddle_module *module);
HEDDLE_API const heddle_module_device_info *heddle_module_device(const heddle_module *module, uint32_t index);

typedef struct heddle_key_value {
  const char *key;
  const char *value;
} heddle_key_value;

/* What the author wrote into the model's file for its users: `metadata_props` of ONNX, by key. */
HEDDLE_API uint32_t heddle_module_metadata_count(const heddle_module *module);
/* NULL: no such index. */
HEDDLE_API const heddle_key_value *heddle_module_metadata(const heddle_module *module, uint32_t index);
/* What the model's file says of itself; `name` as ONNX has it: "producer_name", "producer_version", "domain",
 * "description", "graph_name", "graph_description", "version". "" for what it does not say. */
HEDDLE_API const char *heddle_module_model_fact(const heddle_module *module, const char *name);

/* What went wrong so far without a failure, one line each; "" if nothing did. Examples: packed parameters that could
 * not be kept, devices that were lost. Release the text with heddle_string_release(). */
HEDDLE_API heddle_status *heddle_module_warnings(const heddle_module *module, char **text);

typedef struct heddle_load_statistics {
  uint32_t struct_size; /* sizeof(heddle_load_statistics) */
  uint32_t reserved;
  uint64_t parameters_packed; /* at load, for the devices that were found */
  uint64_t parameters_cached; /* packed ones that were found in the cache folder instead ($HEDDLE_CACHE_DIR) */
  uint64_t uploaded_bytes;    /* of parameters, to devices that do not read host memory */
} heddle_load_statistics;

HEDDLE_API void heddle_module_get_load_statistics(const heddle_module *module, heddle_load_statistics *statistics);

/* The host program of an entry point as loaded: devices resolved, questions about them answered. JSON, a list of
 * {op, operands, name, device, binding}. Release it with heddle_string_release(). */
HEDDLE_API heddle_status *heddle_module_bound_program(const heddle_module *module, uint32_t entry_point, char **json);

/* ---- Entry points ------------------------------------------------------------------------------------------------ */

/* Values as in contract/ElementType.h. What is narrower than a byte takes one: i1 as 0 or 1, i4 and i2 sign-extended,
 * ui4, ui2 and f4E2M1FN zero-extended. */
typedef HEDDLE_ENUM(heddle_element_type){
    HEDDLE_NONE = 0,        HEDDLE_I1 = 1,      HEDDLE_I8 = 2,          HEDDLE_I16 = 3,        HEDDLE_I32 = 4,
    HEDDLE_I64 = 5,         HEDDLE_U8 = 6,      HEDDLE_U16 = 7,         HEDDLE_U32 = 8,        HEDDLE_U64 = 9,
    HEDDLE_F16 = 10,        HEDDLE_BF16 = 11,   HEDDLE_F32 = 12,        HEDDLE_F64 = 13,       HEDDLE_F8E4M3FN = 14,
    HEDDLE_F8E4M3FNUZ = 15, HEDDLE_F8E5M2 = 16, HEDDLE_F8E5M2FNUZ = 17, HEDDLE_F8E8M0FNU = 18, HEDDLE_F4E2M1FN = 19,
    HEDDLE_I4 = 20,         HEDDLE_U4 = 21,     HEDDLE_I2 = 22,         HEDDLE_U2 = 23} heddle_element_type;

HEDDLE_API uint32_t heddle_element_type_bytes(heddle_element_type type);    /* 0 for an unknown one */
HEDDLE_API const char *heddle_element_type_name(heddle_element_type type);  /* MLIR's spelling: "f32", "ui8" */
HEDDLE_API heddle_element_type heddle_element_type_parse(const char *name); /* HEDDLE_NONE: unknown */

typedef struct heddle_dim {
  int64_t size;       /* -1: known at the call */
  const char *symbol; /* its name ("batch"), "" when static; equal names have equal sizes */
  int64_t min, max;   /* bounds of a dynamic one; of a static one its size */
} heddle_dim;

typedef struct heddle_value_info {
  const char *name; /* as the model's author wrote it */
  heddle_element_type type;
  uint32_t rank;
  const heddle_dim *dims;
} heddle_value_info;

typedef struct heddle_entry_point_info {
  const char *name;
  uint32_t argument_count;
  uint32_t result_count;
  const heddle_value_info *arguments;
  const heddle_value_info *results;
} heddle_entry_point_info;

HEDDLE_API uint32_t heddle_module_entry_point_count(const heddle_module *module);
HEDDLE_API const heddle_entry_point_info *heddle_module_entry_point(const heddle_module *module, uint32_t index);
/* By name; NULL: "main", or the only one. */
HEDDLE_API heddle_status *heddle_module_find_entry_point(const heddle_module *module, const char *name,
                                                         uint32_t *index);

/* The result that lies in the memory of this argument, which calls may overwrite (`heddle compile --donate`);
 * HEDDLE_NO_RESULT: there is none, and the argument is only read. */
#define HEDDLE_NO_RESULT UINT32_MAX
HEDDLE_API uint32_t heddle_module_donation(const heddle_module *module, uint32_t entry_point, uint32_t argument);

/* ---- State ------------------------------------------------------------------------------------------------------- */

/* A state holds what a program keeps between calls, in memory of the devices: its globals, such as a counter or a cache
 * of keys and values. A module has one state of its own, which calls use unless they are given another. States are
 * independent of each other. Calls that use one state take turns in the order in which they were made, also from
 * several threads and streams. Calls with different states run at the same time. After a call that fails, the state has
 * the values of the last call that did not fail. Values that the program updates in place are an exception: they are
 * lost then. Later calls that read them fail with HEDDLE_STATE_LOST until heddle_state_reset(). So do calls after the
 * loss of a device. */
typedef struct heddle_state heddle_state;

HEDDLE_API uint32_t heddle_module_global_count(const heddle_module *module);
/* Name, type and dimensions of a global; -1 is a size that calls decide. NULL: no such index. */
HEDDLE_API const heddle_value_info *heddle_module_global(const heddle_module *module, uint32_t index);
/* The module's own state: not to be released. */
HEDDLE_API heddle_state *heddle_module_state(heddle_module *module);
/* Another state, with the initial values. It keeps the module's devices: release it before others need them. */
HEDDLE_API heddle_status *heddle_state_create(heddle_module *module, heddle_state **state);
/* Gives it the initial values again, after the calls that were made before. Any thread. */
HEDDLE_API heddle_status *heddle_state_reset(heddle_state *state);
/* Device memory that it holds; waits for the calls that were made before. 0 too where there is no memory to ask. */
HEDDLE_API uint64_t heddle_state_bytes(const heddle_state *state);
/* Calls that use it must be done. */
HEDDLE_API void heddle_state_release(heddle_state *state);

/* ---- Random numbers ---------------------------------------------------------------------------------------------- */

/* A program with random results draws a number for each call, and makes all random numbers of the call from it. So
 * results differ from call to call. The seed is the system's, and another one each time the module is loaded. This
 * function sets it. The same calls after the same seed give the same results, on any devices. A program that draws
 * nothing does not change. Any thread; calls that run keep their number. */
HEDDLE_API void heddle_module_seed(heddle_module *module, uint64_t seed);

/* ---- Tensors ----------------------------------------------------------------------------------------------------- */

/* Reference-counted memory, 64-byte aligned. More of it, and of memory of devices: heddle/buffers.h. */
typedef struct heddle_buffer heddle_buffer;

/* A dense row-major tensor in host memory: a plain value. If `owner` is NULL, the memory is borrowed from the caller;
 * else this value holds one reference on it. This struct never changes. */
typedef struct heddle_tensor {
  void *data;
  uint64_t bytes; /* at least product(dims) × element size */
  heddle_element_type type;
  uint32_t rank;
  int64_t dims[HEDDLE_MAX_RANK];
  heddle_buffer *owner;
} heddle_tensor;

/* Contents are undefined. */
HEDDLE_API heddle_status *heddle_tensor_allocate(heddle_element_type type, uint32_t rank, const int64_t *dims,
                                                 heddle_tensor *tensor);
/* Another value of the same memory (must be owned): takes a reference. */
HEDDLE_API void heddle_tensor_retain(const heddle_tensor *tensor);
/* Drops the reference, if there is one, and clears the value. */
HEDDLE_API void heddle_tensor_reset(heddle_tensor *tensor);

/* The default of this argument: an initialiser of the model that is an input, too. The caller leaves an argument out by
 * a heddle_tensor of type HEDDLE_NONE (all zeros) in its place. NULL: there is no default, and the argument must be
 * given. The module keeps it. */
HEDDLE_API const heddle_tensor *heddle_module_default(const heddle_module *module, uint32_t entry_point,
                                                      uint32_t argument);

/* ---- Streams and events ------------------------------------------------------------------------------------------ */

/* A point in time that is reached once: done or failed. A failure carries its first cause. */
typedef struct heddle_event heddle_event;
/* An in-order queue of a device. */
typedef struct heddle_stream heddle_stream;

#define HEDDLE_FOREVER UINT64_MAX

/* An event that you signal yourself. */
HEDDLE_API heddle_status *heddle_event_create(heddle_event **event);
/* Takes `failure`; NULL: done. It is an error if the event was signalled before, or is not yours to signal. */
HEDDLE_API heddle_status *heddle_event_signal(heddle_event *event, heddle_status *failure);
/* 0 pending, 1 done, 2 failed. Never blocks. */
HEDDLE_API int32_t heddle_event_query(const heddle_event *event);
/* Blocks; returns the cause when the event failed, HEDDLE_DEADLINE_EXCEEDED when the time is over. */
HEDDLE_API heddle_status *heddle_event_wait(heddle_event *event, uint64_t timeout_ns);
HEDDLE_API void heddle_event_retain(heddle_event *event);
HEDDLE_API void heddle_event_release(heddle_event *event);

/* A stream of a device of the module (index as in heddle_module_device()). */
HEDDLE_API heddle_status *heddle_stream_create(heddle_module *module, uint32_t device, heddle_stream **stream);
/* Waits for all work on the stream. Failures are reported by the events of the calls, not here. */
HEDDLE_API heddle_status *heddle_stream_synchronize(heddle_stream *stream);
HEDDLE_API void heddle_stream_release(heddle_stream *stream);

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

/* The state of a call of one entry point: registers, slab, memoised plans. Reuse it: repeated calls with results given
 * by the caller allocate nothing. */
typedef struct heddle_invocation heddle_invocation;

HEDDLE_API heddle_status *heddle_invocation_create(heddle_module *module, uint32_t entry_point,
                                                   heddle_invocation **invocation);

/* Calls and waits. Arguments are read only during the call. One of type HEDDLE_NONE has its default
 * (heddle_module_default()). A donated one (`heddle compile --donate`) may be overwritten. The result that belongs to
 * it lies in its memory: it has the same pointer, and one reference more where the memory is owned. A result whose data
 * is NULL is allocated; release it with heddle_tensor_reset(). Otherwise `data` and `bytes` are storage of the caller,
 * which the call writes. It is at least as large as the result, and does not overlap an argument. On success type,
 * rank, dims and bytes of every result are set. On failure the results are as before, but the caller's storage has
 * unspecified contents. */
HEDDLE_API heddle_status *heddle_invocation_call(heddle_invocation *invocation, const heddle_tensor *arguments,
                                                 uint32_t argument_count, heddle_tensor *results,
                                                 uint32_t result_count);

/* Starts the call on a stream (NULL: one of the module's own) after `waits`, and returns at once. Argument memory and
 * the array `results` must live until `done` is reached. The array `arguments` must live only until this function
 * returns. If an event in `waits` fails, the call fails with its cause. Errors that are found before the call starts
 * are returned here. */
HEDDLE_API heddle_status *heddle_invocation_start(heddle_invocation *invocation, const heddle_tensor *arguments,
                                                  uint32_t argument_count, heddle_tensor *results,
                                                  uint32_t result_count, heddle_event *const *waits,
                                                  uint32_t wait_count, heddle_stream *stream, heddle_event **done);

/* Ends the running call with HEDDLE_CANCELLED before its next dispatch; without a running call: nothing. Any thread. */
HEDDLE_API void heddle_invocation_cancel(heddle_invocation *invocation);
/* Later calls that take longer end with HEDDLE_DEADLINE_EXCEEDED; it is checked between dispatches. 0: no limit. */
HEDDLE_API void heddle_invocation_set_timeout(heddle_invocation *invocation, uint64_t timeout_ns);

/* Later calls use this state; NULL: the module's own, as at first. HEDDLE_BUSY while a call runs. */
HEDDLE_API heddle_status *heddle_invocation_set_state(heddle_invocation *invocation, heddle_state *state);

typedef struct heddle_statistics {
  uint32_t struct_size;  /* sizeof(heddle_statistics) */
  uint32_t profiled;     /* kernel_ns was measured */
  uint64_t calls;        /* finished well since creation */
  uint64_t dispatches;   /* all figures from here on: of the last call */
  uint64_t total_ns;     /* wall time of the call; only with profiling */
  uint64_t kernel_ns;    /* of it inside dispatches; only with profiling. total - kernel = host time */
  uint64_t slab_bytes;   /* transient memory held */
  uint64_t allocations;  /* memory blocks newly allocated: 0 for a warm call with the caller's results */
  uint64_t plan_misses;  /* memory plans computed, not remembered */
  uint64_t copied_bytes; /* by copies of the program, without arguments and results that a device needs elsewhere */
  /* by copies of arguments that lay elsewhere than the program needs them, and of results than the caller wants them */
  uint64_t boundary_bytes;
  uint64_t collectives;      /* in which this rank took part */
  uint64_t collective_bytes; /* that it gave to them and got from them */
} heddle_statistics;

/* Profiling reads the clock around every dispatch (about 0.05 µs each). Off at first. */
HEDDLE_API void heddle_invocation_set_profiling(heddle_invocation *invocation, int32_t on);
HEDDLE_API void heddle_invocation_get_statistics(const heddle_invocation *invocation, heddle_statistics *statistics);

/* ---- Traces ------------------------------------------------------------------------------------------------------ */

typedef HEDDLE_ENUM(heddle_trace_kind){
    HEDDLE_TRACE_DISPATCH = 0,  HEDDLE_TRACE_COPY = 1,
    HEDDLE_TRACE_FILL = 2,      HEDDLE_TRACE_WAIT = 3, /* a stream stands until an event is reached */
    HEDDLE_TRACE_RECORD = 4,                           /* the point where an event is reached: no length */
    HEDDLE_TRACE_HOST = 5,                             /* an instruction on the thread that runs the program */
    HEDDLE_TRACE_COLLECTIVE = 6                        /* from this rank's arrival to its end */
} heddle_trace_kind;

/* What was done when. Strings live as long as the module. */
typedef struct heddle_trace_slice {
  heddle_trace_kind kind;
  const char *name;          /* the export; of other work the instruction */
  const char *source;        /* the model's node, or "" */
  int32_t device;            /* index as in heddle_module_device(); -1: the host's thread */
  uint32_t stream;           /* of the device; 0: the call's own. Of device -1 1 is the stream of collectives */
  uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC */
  uint64_t bytes;            /* moved by a copy or a fill; bound to a dispatch; given to and got from a collective */
  int32_t from_device;       /* of a copy: whose memory; -1: arguments, parameters, other memory of the host */
  int32_t to_device;
  uint64_t event; /* of waits and records: equal numbers are one event; 0: somebody else's */
  /* Of a collective: how many ranks meet, the first of them, and its number among the collectives of these ranks in
   * this call, from 0. With these the slices of one collective are found on all its ranks. */
  uint32_t group_size;
  uint32_t group_first;
  uint64_t sequence;
} heddle_trace_slice;

typedef void (*heddle_trace_callback)(void *user, const heddle_trace_slice *slice);

/* Later calls give their slices to `callback`, in the order of issue. That is done when their streams are done, before
 * they return, on the thread that runs the program. NULL: off, as at first; then tracing costs nothing. Not while a
 * call runs. */
HEDDLE_API void heddle_invocation_set_trace(heddle_invocation *invocation, heddle_trace_callback callback, void *user);

/* Cancels a running call and waits for its end. */
HEDDLE_API void heddle_invocation_release(heddle_invocation *invocation);

#ifdef __cplusplus
}
#endif

#endif /* HEDDLE_HEDDLE_H */

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Programs with a mesh: many ranks run one artifact and meet in its collectives. The conventions are those of heddle.h;
 * docs/design/ranks.md has the model, docs/design/collectives.md says how ranks meet and fail.
 *
 * A world is all ranks of a program. A process owns some of them, its members. Each member has a module of its own, and
 * loads and calls it on a thread of its own, since calls meet in collectives. A call made by one member must be made by
 * all of them, with equal sizes of named dimensions.
 *
 *   heddle_world_options options = {sizeof options, 2};                 // two ranks, as threads of this process
 *   heddle_world *world;
 *   heddle_world_create(&options, &world);
 *   // on a thread for each member m < heddle_world_local_count(world):
 *   heddle_load_options load = {sizeof load};
 *   load.world = world, load.member = m, load.mesh = "x=2";
 *   heddle_module_load_file("model.heddle", &load, &module);            // returns when all ranks have loaded it
 *   heddle_invocation_create(module, 0, &call); heddle_invocation_call(call, …);
 *
 * A call whose arguments do not fit on one rank fails on all of them with HEDDLE_INVALID_ARGUMENT, which names the rank
 * and what is wrong; the next call works. One that was started so (heddle_invocation_start()) says it by its event.
 *
 * Failure: anything else that fails on one rank ends the calls and loads of all ranks within seconds, with the first
 * cause. Other ranks get it as HEDDLE_RANK_FAILED. The world and the calls of its modules cannot be used then; create
 * another world. A member also fails if its module is released, or its process ends, while others wait for it.
 */
#ifndef HEDDLE_RANKS_H
#define HEDDLE_RANKS_H

#include "heddle/heddle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- World ------------------------------------------------------------------------------------------------------- */

typedef struct heddle_world_options {
  uint32_t struct_size; /* sizeof(heddle_world_options) */
  /* Ranks of a `local` world. 0, and of an `mpi` world: what the launcher says; started alone, one. */
  uint32_t ranks;
  /* "local": threads of this process. "mpi": each process is one rank of MPI_COMM_WORLD. "auto" or NULL: mpi where the
   * environment is that of a launcher with more than one process (mpirun, mpiexec, srun, torchrun), else local. */
  const char *transport;
  /* How long a rank waits for the others, in a collective and while loading, before it gives up and names those that
   * have not come; 0: without end. A call's own time limit (heddle_invocation_set_timeout()) holds besides. */
  uint64_t timeout_ns;
} heddle_world_options;

/* `options` may be NULL. HEDDLE_UNSUPPORTED: the transport's library is not here (the message says what to install). */
HEDDLE_API heddle_status *heddle_world_create(const heddle_world_options *options, heddle_world **world);
HEDDLE_API uint32_t heddle_world_size(const heddle_world *world);
/* "local", "mpi" */
HEDDLE_API const char *heddle_world_transport(const heddle_world *world);
/* Members of this process, and the rank of each in the world. UINT32_MAX: no such member. */
HEDDLE_API uint32_t heddle_world_local_count(const heddle_world *world);
HEDDLE_API uint32_t heddle_world_local_rank(const heddle_world *world, uint32_t member);
/* Ends all loads and calls of all ranks soon, with this cause of a member. It takes the cause; NULL: somebody cancelled
 * them. Any thread. Later causes have no effect. */
HEDDLE_API void heddle_world_abort(heddle_world *world, uint32_t member, heddle_status *cause);
/* The cause for which the world cannot be used any more; NULL: there is none. */
HEDDLE_API heddle_status *heddle_world_failure(const heddle_world *world);
/* A collective of the world outside of programs, for what belongs to the ranks' results, such as the parts of a file,
 * or traces. `target` gets the `bytes` bytes of each rank, in the order of ranks. Each member calls it on a thread of
 * its own, with equal `bytes`, and not while it loads or calls. */
HEDDLE_API heddle_status *heddle_world_all_gather(heddle_world *world, uint32_t member, const void *source,
                                                  uint64_t bytes, void *target);
HEDDLE_API void heddle_world_retain(heddle_world *world);
/* Modules keep their world. */
HEDDLE_API void heddle_world_release(heddle_world *world);

/* In place of a call of this member that its caller cannot make, because the arguments are wrong. The calls of the
 * other ranks fail with `why` and its rank, and the next ones work. Waits for them. Does nothing for an entry point
 * without collectives. A failure: of the world. */
HEDDLE_API heddle_status *heddle_invocation_refuse(heddle_invocation *invocation, const char *why);
/* The same in place of a call that would be started: returns at once. The event, which the caller releases, fails with
 * `why` when the others have received it. The invocation is busy until then. NULL: nothing is done. */
HEDDLE_API heddle_status *heddle_invocation_start_refusal(heddle_invocation *invocation, const char *why,
                                                          heddle_event **done);

/* Which rank of how many this process is, by the environment that its launcher made (mpirun, mpiexec, srun, torchrun);
 * 0 of 1 where nothing started it so. Asks no library. HEDDLE_INVALID_ARGUMENT: a variable that makes no sense. */
HEDDLE_API heddle_status *heddle_launched_rank(uint32_t *rank, uint32_t *size);

/* ---- Meshes ------------------------------------------------------------------------------------------------------ */

/* How many ranks an artifact runs on: 1 if it has no mesh. `mesh` as in heddle_load_options, NULL: nothing. An axis
 * whose size neither `mesh` nor the artifact has takes what `world_size` leaves. If that is 0, it is
 * HEDDLE_INVALID_ARGUMENT, which names the axis. */
HEDDLE_API heddle_status *heddle_artifact_ranks(const heddle_artifact *artifact, const char *mesh, uint32_t world_size,
                                                uint64_t *ranks);

typedef struct heddle_mesh_axis {
  const char *name;
  int64_t size;
  int64_t coordinate; /* of this member; -1: it is not in the mesh */
} heddle_mesh_axis;

typedef struct heddle_mesh_info {
  const char *name;
  uint32_t axis_count;
  const heddle_mesh_axis *axes; /* the first one varies slowest with the rank */
  uint32_t first;               /* world rank of the mesh's first rank */
  uint32_t size;                /* ranks in it */
} heddle_mesh_info;

HEDDLE_API uint32_t heddle_module_mesh_count(const heddle_module *module);
/* With the sizes as loaded. NULL: no such index. */
HEDDLE_API const heddle_mesh_info *heddle_module_mesh(const heddle_module *module, uint32_t index);
/* The module's rank in its world; 0 without one. */
HEDDLE_API uint32_t heddle_module_rank(const heddle_module *module);
/* In how many pieces collectives are moved beside the work that needs them, where the program leaves that to the load
 * (the default; heddle compile --strategy=overlap:bind), and by which figures of the links between ranks: a line for
 * each, the same on all ranks; "" for none. HEDDLE_LINK in the environment of all ranks states a link
 * ("gbps=1.5,us=20": 10^9 bytes a second, delay of a step), which is measured else. Release it with
 * heddle_string_release(). */
HEDDLE_API heddle_status *heddle_module_pieces(const heddle_module *module, char **text);
/* ---- Shardings --------------------------------------------------------------------------------------------------- */

/* How one dimension of a whole tensor is cut into parts. heddle_value_info has the sizes of a rank's part. */
typedef struct heddle_dim_sharding {
  uint32_t axis_count;  /* 0: every rank has all of it */
  const uint32_t *axes; /* indices of the mesh's axes, outermost first */
  int64_t parts;        /* product of their sizes */
  int64_t part;         /* which is this member's, by 0; -1: it is not in the mesh */
} heddle_dim_sharding;

/* Where a dimension is cut. With G = whole / granule, part p of n is the positions from floor(p * G / n) * granule up
 * to where part p + 1 begins. */
typedef struct heddle_dim_cut {
  int64_t whole;   /* positions of the whole; -1: not stated: arguments have `parts` times the part's size */
  int64_t granule; /* what parts begin at multiples of */
} heddle_dim_cut;

typedef struct heddle_sharding {
  uint32_t mesh; /* index as in heddle_module_mesh() */
  uint32_t rank; /* number of dimensions */
  const heddle_dim_sharding *dims;
  const heddle_dim_cut *cuts; /* by dimension; of a result none is stated: its parts follow one another */
  /* Axes of the mesh along which parts are partial values and not copies. The whole is their combination, element by
   * element, in the order of the members. Of an argument the first member has the whole, and the others have what
   * changes nothing. */
  uint32_t partial_count;
  const uint32_t *partial;
  const char *reduction; /* how: "sum", "product", "min", "max", "and", "or" or "xor" */
} heddle_sharding;

/* NULL: the program does not say, and each rank has a value of its own; or there is no such value. */
HEDDLE_API const heddle_sharding *heddle_module_argument_sharding(const heddle_module *module, uint32_t entry_point,
                                                                  uint32_t argument);
HEDDLE_API const heddle_sharding *heddle_module_result_sharding(const heddle_module *module, uint32_t entry_point,
                                                                uint32_t result);

#ifdef __cplusplus
}
#endif

#endif /* HEDDLE_RANKS_H */

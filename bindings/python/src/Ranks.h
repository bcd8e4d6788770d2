// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle/ranks.h for Python: worlds, and how values are spread. What makes whole arrays of it is heddle/_ranks.py.
#ifndef HEDDLE_PYTHON_RANKS_H
#define HEDDLE_PYTHON_RANKS_H

#include "Errors.h"

#include "heddle/ranks.hpp"

#include <nanobind/nanobind.h>

namespace heddle::python {

// World, and artifact_ranks().
void defineRanks(nanobind::module_ &m);

// (axes by dimension, parts by dimension, this member's part by dimension) of an argument or a result, the axes as
// tuples of names; None: a value of each rank's own.
nanobind::object shardingOf(const Module &module, const heddle_sharding *sharding);
// Sizes of the whole (None: not stated), granules, and of parts that are combined how, along which axes, how many there
// are and which this member's is (None: they are not).
nanobind::object cutsOf(const Module &module, const heddle_sharding *sharding);

} // namespace heddle::python

#endif // HEDDLE_PYTHON_RANKS_H

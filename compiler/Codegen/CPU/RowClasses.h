// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Classes of a nest's rows that have code of their own (Nest::fewer): which one a call takes.
#ifndef HEDDLE_COMPILER_CODEGEN_CPU_ROWCLASSES_H
#define HEDDLE_COMPILER_CODEGEN_CPU_ROWCLASSES_H

#include "compiler/Codegen/Plan/Nest.h"

namespace mlir::heddle::codegen {

// Of a nest of kind Rows or Elements whose rows' length only the call knows: classes of rows that are no more than a
// vector or two registers, which have no loops in them. `type`: of the nest's value.
void planShortRows(Nest &nest, RankedTensorType type);

// Makes nests of the classes of a contraction, of few rows or few columns, which have their own configuration and the
// rest of what `nest` is by now. Drops them where the nest became one of another kind.
void finishRowClasses(Nest &nest);

// The number of rows, or of elements of one, that chooses between the classes.
Value countRows(const Nest &nest, FunctionScalars &scalars);

// What `make` gives for the class that the number of rows falls into.
Value ofRowClass(const Nest &nest, FunctionScalars &scalars, function_ref<Value(const Nest &)> make);

// Emits code for each class and for all other numbers of rows, of which the call takes one: chosen by `grid`'s sizes.
void emitRowClasses(const Nest &nest, ElementEmitter &emitter, FunctionScalars &grid,
                    function_ref<void(const Nest &)> emit);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_CPU_ROWCLASSES_H

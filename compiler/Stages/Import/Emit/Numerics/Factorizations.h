// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factorizations of real matrices, in the conventions of LAPACK's routines of these names, as scalar code of one row
// for each matrix (flow.rows): any device, one core a matrix. Why not LAPACK itself: docs/design/linear-algebra.md.
//
// All take and give batches: matrices [batch, rows, columns] of f32 or f64, vectors [batch, size]; `info` [batch] of
// i32.
#ifndef HEDDLE_COMPILER_STAGES_IMPORT_EMIT_NUMERICS_FACTORIZATIONS_H
#define HEDDLE_COMPILER_STAGES_IMPORT_EMIT_NUMERICS_FACTORIZATIONS_H

#include "compiler/Stages/Import/Emit/Emitter.h"

namespace mlir::heddle::numerics {

using importer::Emitter;
using importer::Tensor;

// potrf: of the lower or upper triangle of a; the other triangle of the factor is 0. `info` is the number, from 1, of
// the first pivot that is not positive, of which there is no factor; else 0.
struct Cholesky {
  Tensor factor, info;
};
Cholesky factorCholesky(Emitter &emitter, Tensor &a, bool lower);

// getrf: L under the diagonal of `factors`, U from it on; rows changed places with those of `pivots` (from 1, i32), one
// after the other. `info`: the number, from 1, of the first pivot that is 0; else 0.
struct Lu {
  Tensor factors, pivots, info;
};
Lu factorLu(Emitter &emitter, Tensor &a);

// geqrf: R, and under its diagonal the reflections whose factors are `taus`.
struct Qr {
  Tensor factors, taus;
};
Qr factorQr(Emitter &emitter, Tensor &a);
// orgqr: the first columns, as many as `factors` has, of the product of the reflections under its diagonal, as many as
// `taus` has.
Tensor formQ(Emitter &emitter, Tensor &factors, Tensor &taus);

// trsm: x where op(a) x = b, or x op(a) = b if `right`; op transposes if `transposed`. Only one triangle of `a` is
// read, and not its diagonal if that is `unit`.
struct TriangularSolve {
  bool right, lower, transposed, unit;
};
Tensor solveTriangular(Emitter &emitter, Tensor &a, Tensor &b, TriangularSolve how);

// syevd: values in ascending order, vectors in the columns, of the symmetric matrix with that triangle. `info` is 1
// where an element is not finite or a value was not found, else 0.
struct Eigen {
  Tensor values, vectors, info;
};
Eigen findEigen(Emitter &emitter, Tensor &a, bool lower);

// gesdd: a = u diag(values) vt, values in descending order, after Jacobi (one-sided). `full`: u and vt are square; else
// they have as many columns and rows as there are values. `info` is 1 where an element is not finite, else 0.
struct Singular {
  Tensor values, u, vt, info;
};
Singular findSingular(Emitter &emitter, Tensor &a, bool full);

} // namespace mlir::heddle::numerics

#endif // HEDDLE_COMPILER_STAGES_IMPORT_EMIT_NUMERICS_FACTORIZATIONS_H

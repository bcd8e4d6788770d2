// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cholesky, triangular_solve, and the custom calls by which JAX asks for LAPACK's routines on processors:
//
//   "stablehlo.custom_call"(%a) <{call_target_name = "lapack_spotrf_ffi", …}> {mhlo.backend_config = {uplo = 76 : ui8},
//   …}
//
// Options are the letters of LAPACK's own, as numbers. Layouts of operands and results say how another compiler lays
// them out and nothing of their values.
#include "compiler/Stages/Import/Emit/Numerics/Factorizations.h"
#include "compiler/Stages/Import/StableHlo/Converter.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;
using namespace mlir::heddle::numerics;

//===--- Operands and results ------------------------------------------------------------------------------------===//

// An operand with dimensions before the last `rank` as one.
static Tensor batchOf(OpContext &op, unsigned i, int64_t rank) {
  ArrayRef<int64_t> shape = op.operandType(i).getShape();
  int64_t batch = 1;
  for (int64_t size : shape.drop_back(rank))
    batch *= size;
  SmallVector<int64_t> flat{batch};
  llvm::append_range(flat, shape.take_back(rank));
  return op.emitter.reshape(op.operand(i), op.sizesOf(flat));
}

// Operand i must be matrices of f32 or f64, of the type of operand 0 and with its batch.
static LogicalResult requireMatrices(OpContext &op, unsigned i, int64_t rank = 2) {
  RankedTensorType type = op.operandType(i), first = op.operandType(0);
  bool isReal = type.getElementType().isF32() || type.getElementType().isF64();
  if (!isReal || type.getRank() < rank || type.getElementType() != first.getElementType() || first.getRank() < 2 ||
      type.getShape().drop_back(rank) != first.getShape().drop_back(2))
    return op.refuse("operand " + Twine(i) + " must be " + (rank == 2 ? "matrices" : "vectors") +
                     " of f32 or f64, all operands of one type and batch");
  return success();
}

static int64_t rowsOf(RankedTensorType type) { return type.getShape().take_back(2).front(); }
static int64_t columnsOf(RankedTensorType type) { return type.getShape().back(); }

static LogicalResult requireSquare(OpContext &op) {
  if (failed(requireMatrices(op, 0)))
    return failure();
  if (rowsOf(op.operandType(0)) != columnsOf(op.operandType(0)))
    return op.refuse("needs square matrices");
  return success();
}

// With the dimensions that the result's type has; anything else is for setResult to refuse.
static LogicalResult setBatch(OpContext &op, unsigned i, Tensor tensor) {
  if (tensor.staticCount() == op.resultType(i).getNumElements())
    tensor = op.emitter.reshape(tensor, op.sizesOf(op.resultType(i).getShape()));
  return op.setResult(i, std::move(tensor));
}

// Zeros for results [first, …).
static LogicalResult setZeros(OpContext &op, unsigned first, unsigned count) {
  for (unsigned i = first; i < first + count; ++i) {
    RankedTensorType type = op.resultType(i);
    Type element = type.getElementType();
    if (failed(op.setResult(i, op.emitter.filled(element, op.sizesOf(type.getShape()), makeAttribute(element, 0)))))
      return failure();
  }
  return success();
}

static bool isEmpty(OpContext &op) {
  auto hasNone = [](Type type) { return cast<RankedTensorType>(type).getNumElements() == 0; };
  return llvm::any_of(op.op->getOperandTypes(), hasNone);
}

// A letter among the options of the call, one of `allowed`.
static FailureOr<char> letter(OpContext &op, StringRef name, StringRef allowed) {
  auto options = op.op->getAttrOfType<DictionaryAttr>("mhlo.backend_config");
  if (!options)
    options = op.op->getAttrOfType<DictionaryAttr>("backend_config");
  auto given = options ? options.getAs<IntegerAttr>(name) : IntegerAttr();
  uint64_t value = given && given.getValue().getBitWidth() <= 64 ? given.getValue().getZExtValue() : 0;
  if (value == 0 || value > 127 || !allowed.contains(static_cast<char>(value)))
    return op.refuse("needs the option " + name + " of the call, one of the letters " + allowed + " as a number");
  return static_cast<char>(value);
}

//===--- Routines ------------------------------------------------------------------------------------------------===//

static LogicalResult callPotrf(OpContext &op) {
  FailureOr<char> triangle = letter(op, "uplo", "LU");
  if (failed(triangle) || failed(op.requireOperands(1)) || failed(op.requireResults(2)) || failed(requireSquare(op)))
    return failure();
  if (isEmpty(op))
    return setZeros(op, 0, 2);
  Tensor a = batchOf(op, 0, 2);
  Cholesky made = factorCholesky(op.emitter, a, *triangle == 'L');
  return failure(failed(setBatch(op, 0, made.factor)) || failed(setBatch(op, 1, made.info)));
}

static LogicalResult callGetrf(OpContext &op) {
  if (failed(op.requireOperands(1)) || failed(op.requireResults(3)) || failed(requireMatrices(op, 0)))
    return failure();
  if (isEmpty(op))
    return setZeros(op, 0, 3);
  Tensor a = batchOf(op, 0, 2);
  Lu made = factorLu(op.emitter, a);
  return failure(failed(setBatch(op, 0, made.factors)) || failed(setBatch(op, 1, made.pivots)) ||
                 failed(setBatch(op, 2, made.info)));
}

static LogicalResult callGeqrf(OpContext &op) {
  if (failed(op.requireOperands(1)) || failed(op.requireResults(2)) || failed(requireMatrices(op, 0)))
    return failure();
  if (isEmpty(op))
    return setZeros(op, 0, 2);
  Tensor a = batchOf(op, 0, 2);
  Qr made = factorQr(op.emitter, a);
  return failure(failed(setBatch(op, 0, made.factors)) || failed(setBatch(op, 1, made.taus)));
}

static LogicalResult callOrgqr(OpContext &op) {
  if (failed(op.requireOperands(2)) || failed(op.requireResults(1)) || failed(requireMatrices(op, 0)) ||
      failed(requireMatrices(op, 1, 1)))
    return failure();
  RankedTensorType type = op.operandType(0);
  int64_t count = columnsOf(op.operandType(1));
  if (columnsOf(type) > rowsOf(type) || count > columnsOf(type) || (count == 0 && type.getNumElements() != 0))
    return op.refuse("needs matrices with at most as many columns as rows, and at most one reflection for each, "
                     "at least one");
  if (isEmpty(op))
    return setZeros(op, 0, 1);
  Tensor factors = batchOf(op, 0, 2), taus = batchOf(op, 1, 1);
  return setBatch(op, 0, formQ(op.emitter, factors, taus));
}

static LogicalResult callSyevd(OpContext &op) {
  FailureOr<char> mode = letter(op, "mode", "NV"), triangle = letter(op, "uplo", "LU");
  if (failed(mode) || failed(triangle) || failed(op.requireOperands(1)) || failed(op.requireResults(3)) ||
      failed(requireSquare(op)))
    return failure();
  if (isEmpty(op))
    return setZeros(op, 0, 3);
  Tensor a = batchOf(op, 0, 2);
  Eigen made = findEigen(op.emitter, a, *triangle == 'L');
  // Without vectors the first result is what LAPACK leaves of the matrix, which says nothing.
  return failure(failed(*mode == 'V' ? setBatch(op, 0, made.vectors) : setZeros(op, 0, 1)) ||
                 failed(setBatch(op, 1, made.values)) || failed(setBatch(op, 2, made.info)));
}

static LogicalResult callGesdd(OpContext &op) {
  FailureOr<char> mode = letter(op, "mode", "ANS");
  if (failed(mode) || failed(op.requireOperands(1)) || failed(op.requireResults(5)) || failed(requireMatrices(op, 0)))
    return failure();
  if (isEmpty(op)) {
    if (*mode == 'A' && (op.resultType(2).getNumElements() != 0 || op.resultType(3).getNumElements() != 0))
      return op.refuse("all singular vectors of matrices without elements are not supported");
    return setZeros(op, 0, 5);
  }
  Tensor a = batchOf(op, 0, 2);
  Singular made = findSingular(op.emitter, a, *mode == 'A');
  if (failed(setZeros(op, 0, 1)) || failed(setBatch(op, 1, made.values)) || failed(setBatch(op, 4, made.info)))
    return failure();
  if (*mode == 'N')
    return setZeros(op, 2, 2);
  return failure(failed(setBatch(op, 2, made.u)) || failed(setBatch(op, 3, made.vt)));
}

static LogicalResult solve(OpContext &op, TriangularSolve how) {
  if (failed(op.requireOperands(2)) || failed(op.requireResults(1)) || failed(requireSquare(op)) ||
      failed(requireMatrices(op, 1)))
    return failure();
  RankedTensorType sides = op.operandType(1);
  int64_t size = columnsOf(op.operandType(0));
  if ((how.right ? columnsOf(sides) : rowsOf(sides)) != size)
    return op.refuse("the sizes of the matrix and of the right side differ");
  if (isEmpty(op))
    return setZeros(op, 0, 1);
  Tensor a = batchOf(op, 0, 2), b = batchOf(op, 1, 2);
  return setBatch(op, 0, solveTriangular(op.emitter, a, b, how));
}

static LogicalResult callTrsm(OpContext &op) {
  FailureOr<char> side = letter(op, "side", "LR"), triangle = letter(op, "uplo", "LU"),
                  transposed = letter(op, "trans_x", "NTC"), diagonal = letter(op, "diag", "NU");
  if (failed(side) || failed(triangle) || failed(transposed) || failed(diagonal))
    return failure();
  return solve(op, {*side == 'R', *triangle == 'L', *transposed != 'N', *diagonal == 'U'});
}

LoweringFunction mlir::heddle::hlo::findLapackRoutine(StringRef target) {
  if (!target.consume_front("lapack_") || !target.consume_back("_ffi") ||
      (!target.consume_front("s") && !target.consume_front("d")))
    return nullptr;
  return llvm::StringSwitch<LoweringFunction>(target)
      .Case("geqrf", callGeqrf)
      .Case("gesdd", callGesdd)
      .Case("getrf", callGetrf)
      .Case("orgqr", callOrgqr)
      .Case("potrf", callPotrf)
      .Case("syevd", callSyevd)
      .Case("trsm", callTrsm)
      .Default(nullptr);
}

//===--- Ops of StableHLO ----------------------------------------------------------------------------------------===//

static LogicalResult lowerCholesky(OpContext &op) {
  FailureOr<int64_t> lower = op.integer("lower", 0);
  if (failed(lower) || failed(op.requireOperands(1)) || failed(op.requireResults(1)) || failed(requireSquare(op)))
    return failure();
  if (isEmpty(op))
    return setZeros(op, 0, 1);
  Tensor a = batchOf(op, 0, 2);
  return setBatch(op, 0, factorCholesky(op.emitter, a, *lower != 0).factor);
}

static LogicalResult lowerTriangularSolve(OpContext &op) {
  FailureOr<int64_t> left = op.integer("left_side"), lower = op.integer("lower"), unit = op.integer("unit_diagonal");
  FailureOr<std::string> transpose = op.word("transpose_a");
  if (failed(left) || failed(lower) || failed(unit) || failed(transpose))
    return failure();
  if (!llvm::is_contained({"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}, StringRef(*transpose)))
    return op.refuse("the attribute transpose_a must be one of NO_TRANSPOSE, TRANSPOSE, ADJOINT");
  return solve(op, {*left == 0, *lower != 0, *transpose != "NO_TRANSPOSE", *unit != 0});
}

void mlir::heddle::hlo::registerLinearAlgebra(LoweringTable &table) {
  table["stablehlo.cholesky"] = lowerCholesky;
  table["stablehlo.triangular_solve"] = lowerTriangularSolve;
}

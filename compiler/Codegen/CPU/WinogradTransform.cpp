// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/CPU/WinogradTransform.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

class TransformEmitter {
public:
  TransformEmitter(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  SmallVector<Value> run(winograd::Matrix matrix, ArrayRef<Value> values) {
    SmallVector<Value> inputs(values);
    for (size_t column = 0; column + 1 < inputs.size(); ++column)
      if (arePairOfColumns(matrix, column))
        pairColumns(matrix, inputs, column++);
    SmallVector<Value> results;
    for (size_t row = 0; row < matrix.size(); ++row) {
      if (row + 1 == matrix.size() || !arePair(matrix[row], matrix[row + 1])) {
        results.push_back(combine(matrix[row], inputs));
        continue;
      }
      auto [sums, differences] = halve(matrix[row], matrix[row + 1]);
      Value even = combine(sums, inputs), odd = combine(differences, inputs);
      results.push_back(arith::AddFOp::create(builder, loc, even, odd));
      results.push_back(arith::SubFOp::create(builder, loc, even, odd));
      ++row;
    }
    return results;
  }

private:
  using Row = std::vector<double>;

  static int64_t countTerms(const Row &row) {
    return llvm::count_if(row, [](double factor) { return factor != 0; });
  }

  // Half of the sum and of the difference: exact, as the two differ in signs alone.
  static std::pair<Row, Row> halve(const Row &a, const Row &b) {
    Row sums, differences;
    for (auto [x, y] : llvm::zip_equal(a, b)) {
      sums.push_back((x + y) / 2);
      differences.push_back((x - y) / 2);
    }
    return {sums, differences};
  }

  // Differ in signs alone, and each half has some of the terms, of which there are more than two.
  static bool arePair(const Row &a, const Row &b) {
    bool differInSigns =
        llvm::all_of(llvm::seq<size_t>(0, a.size()), [&](size_t i) { return std::abs(a[i]) == std::abs(b[i]); });
    auto [sums, differences] = halve(a, b);
    return differInSigns && countTerms(sums) > 0 && countTerms(differences) > 0 && countTerms(a) > 2;
  }

  static Row columnOf(const winograd::Matrix &matrix, size_t column) {
    Row values;
    for (const Row &row : matrix)
      values.push_back(row[column]);
    return values;
  }

  static bool arePairOfColumns(const winograd::Matrix &matrix, size_t column) {
    return arePair(columnOf(matrix, column), columnOf(matrix, column + 1));
  }

  void pairColumns(winograd::Matrix &matrix, SmallVectorImpl<Value> &inputs, size_t column) {
    Value sum = arith::AddFOp::create(builder, loc, inputs[column], inputs[column + 1]);
    inputs[column + 1] = arith::SubFOp::create(builder, loc, inputs[column], inputs[column + 1]);
    inputs[column] = sum;
    for (Row &row : matrix) {
      double a = row[column], b = row[column + 1];
      row[column] = (a + b) / 2;
      row[column + 1] = (a - b) / 2;
    }
  }

  Value constant(Type type, double value) {
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    TypedAttr attribute = builder.getFloatAttr(element, value);
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = DenseElementsAttr::get(vector, attribute);
    return arith::ConstantOp::create(builder, loc, attribute);
  }

  // The sum of the inputs times their factors; it begins with one that is taken as it is.
  Value combine(const Row &factors, ArrayRef<Value> inputs) {
    auto first = llvm::find(factors, 1.0);
    Value total;
    if (first != factors.end())
      total = inputs[first - factors.begin()];
    for (size_t i = 0; i < factors.size(); ++i) {
      if (factors[i] == 0 || factors.begin() + i == first)
        continue;
      Value input = inputs[i];
      if (!total)
        total = arith::MulFOp::create(builder, loc, input, constant(input.getType(), factors[i]));
      else if (factors[i] == 1)
        total = arith::AddFOp::create(builder, loc, total, input);
      else if (factors[i] == -1)
        total = arith::SubFOp::create(builder, loc, total, input);
      else
        total = arith::AddFOp::create(
            builder, loc, arith::MulFOp::create(builder, loc, input, constant(input.getType(), factors[i])), total);
    }
    return total ? total : constant(inputs.front().getType(), 0);
  }

  OpBuilder &builder;
  Location loc;
};

} // namespace

SmallVector<Value> mlir::heddle::codegen::emitTransform(OpBuilder &builder, Location loc,
                                                        const winograd::Matrix &matrix, ArrayRef<Value> values) {
  return TransformEmitter(builder, loc).run(matrix, values);
}

SmallVector<Value> mlir::heddle::codegen::emitSquareTransform(OpBuilder &builder, Location loc,
                                                              const winograd::Matrix &matrix, ArrayRef<Value> values) {
  size_t rows = matrix.size(), columns = matrix.front().size();
  SmallVector<SmallVector<Value>> half; // by column of the square
  for (size_t column = 0; column < columns; ++column) {
    SmallVector<Value> one;
    for (size_t row = 0; row < columns; ++row)
      one.push_back(values[row * columns + column]);
    half.push_back(emitTransform(builder, loc, matrix, one));
  }
  SmallVector<Value> results;
  for (size_t row = 0; row < rows; ++row) {
    SmallVector<Value> one = llvm::map_to_vector(half, [&](const SmallVector<Value> &column) { return column[row]; });
    results.append(emitTransform(builder, loc, matrix, one));
  }
  return results;
}

#include "compiler/Stages/Import/Onnx/Ops/Fourier.h"
#include "compiler/Stages/Import/Onnx/Ops/Contraction.h"
#include "compiler/Stages/Import/Onnx/Ops/Reductions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace mlir::heddle::importer;

// Up to this length the transform is one product.
static constexpr int64_t kDirect = 256;

OpFoldResult FourierTransform::defaultLength(Sizes &sizes, OpFoldResult count) const {
  return givesReal() ? sizes.mul(sizes.constant(2), sizes.sub(count, sizes.constant(1))) : count;
}

//===--- Constants -----------------------------------------------------------------------------------------------===//

static Tensor constantOf(Emitter &emitter, Type type, ArrayRef<int64_t> shape, ArrayRef<double> values) {
  auto bytes = std::make_shared<std::vector<char>>(values.size() * type.getIntOrFloatBitWidth() / 8);
  for (size_t i = 0; i < values.size(); ++i)
    if (type.isF64())
      reinterpret_cast<double *>(bytes->data())[i] = values[i];
    else
      reinterpret_cast<float *>(bytes->data())[i] = static_cast<float>(values[i]);
  Tensor tensor = emitter.fromData({RankedTensorType::get(shape, type), ArrayRef<char>(*bytes), bytes});
  tensor.name = "dft";
  return tensor;
}

// What part p (0 real, 1 imaginary) of element j gives to part q of bin k of a transform of length n: a turn by
// -2 pi j k / n, or for the inverse the other way and divided by n.
static double coefficient(int64_t j, int64_t p, int64_t k, int64_t q, int64_t n, const FourierTransform &transform) {
  double angle = 2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n);
  double value = p == q ? std::cos(angle) : static_cast<double>(p - q) * std::sin(angle);
  if (!transform.inverse)
    return value;
  if (p != q)
    value = -value;
  // One-sided bins stand for their mirror images too.
  bool mirrored = transform.oneSided && j != 0 && 2 * j != n;
  return value * (mirrored ? 2 : 1) / static_cast<double>(n);
}

// [count * parts, bins * outParts].
static Tensor constantMatrix(Emitter &emitter, Type type, int64_t count, int64_t parts, int64_t bins, int64_t outParts,
                             int64_t n, const FourierTransform &transform) {
  std::vector<double> values;
  for (int64_t j = 0; j < count; ++j)
    for (int64_t p = 0; p < parts; ++p)
      for (int64_t k = 0; k < bins; ++k)
        for (int64_t q = 0; q < outParts; ++q)
          values.push_back(coefficient(j, p, k, q, n, transform));
  return constantOf(emitter, type, {count * parts, bins * outParts}, values);
}

//===--- A length that only the call knows -----------------------------------------------------------------------===//

static Value toReal(Scalar &s, Value index) {
  Value wide = arith::IndexCastOp::create(s.b, s.loc, s.b.getI64Type(), index);
  return arith::SIToFPOp::create(s.b, s.loc, s.type, wide);
}

// sin (pi / 2 * part / whole) for 0 <= part <= whole, as exact for parts near the whole as near 0.
static Value sineOfQuarter(Scalar &s, Value part, Value whole) {
  Scalar index{s.b, s.loc};
  Value rest = index.sub(whole, part), isFirst = index.lessEqual(part, rest);
  Value least = index.min(part, rest);
  Value angle = s.mul(s.div(toReal(s, least), toReal(s, whole)), s.constant(s.type, std::numbers::pi / 2));
  return s.select(isFirst, math::SinOp::create(s.b, s.loc, angle), math::CosOp::create(s.b, s.loc, angle));
}

// cos and sin of 2 pi i / n: [n, 2]. The quarter of the circle is found in integers, so that zeros are zeros.
static Tensor rootsOfUnity(Emitter &emitter, Type type, OpFoldResult n) {
  Value length = emitter.sizes.value(n);
  return emitter.generate({n, emitter.sizes.constant(2)}, type, {}, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc, type}, index{b, loc};
    auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
    Value fourfold = index.mul(v[0], constant(4)), quarter = arith::DivUIOp::create(b, loc, fourfold, length);
    Value part = index.sub(fourfold, index.mul(quarter, length));
    // The cosine is the sine a quarter later; odd quarters run backwards, the last two are negative.
    quarter = index.sub(index.add(quarter, constant(1)), v[1]);
    Value isOdd = index.equal(arith::RemUIOp::create(b, loc, quarter, constant(2)), constant(1));
    Value half = arith::RemUIOp::create(b, loc, arith::DivUIOp::create(b, loc, quarter, constant(2)), constant(2));
    Value sine = sineOfQuarter(s, index.select(isOdd, index.sub(length, part), part), length);
    return s.select(index.equal(half, constant(1)), s.neg(sine), sine);
  });
}

// The same as `constantMatrix`.
static Tensor matrixAtCall(Emitter &emitter, Type type, OpFoldResult count, int64_t parts, OpFoldResult bins,
                           int64_t outParts, const FourierTransform &transform) {
  Sizes &sizes = emitter.sizes;
  Tensor roots = rootsOfUnity(emitter, type, transform.length);
  Value table = emitter.value(roots), n = sizes.value(transform.length);
  SizeList shape{count, sizes.constant(parts), bins, sizes.constant(outParts)};
  Tensor matrix = emitter.generate(shape, type, {}, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc, type};
    Value j = v[0], p = v[1], k = v[2], q = v[3], zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value turn = arith::RemUIOp::create(b, loc, s.mul(j, k), n),
          differ = s.select(s.equal(p, q), zero, arith::ConstantIndexOp::create(b, loc, 1));
    Value root = tensor::ExtractOp::create(b, loc, table, ValueRange{turn, differ});
    // sin of a part that gives to the one before it is positive, forward.
    Value isNegative = transform.inverse ? s.less(q, p) : s.less(p, q);
    Value value = s.select(isNegative, s.neg(root), root);
    if (!transform.inverse)
      return value;
    if (transform.oneSided) {
      Value twice = s.add(j, j);
      Value isAlone = arith::OrIOp::create(b, loc, s.equal(j, zero), s.equal(twice, n));
      value = s.select(isAlone, value, s.add(value, value));
    }
    return s.div(value, toReal(s, n));
  });
  return emitter.reshape(matrix, {sizes.mul(count, sizes.constant(parts)), sizes.mul(bins, sizes.constant(outParts))});
}

//===--- Transforms ----------------------------------------------------------------------------------------------===//

// The factor of n nearest to its root, from below; 1 for primes.
static int64_t factorOf(int64_t n) {
  auto factor = static_cast<int64_t>(std::sqrt(static_cast<double>(n)));
  while (n % factor != 0)
    --factor;
  return factor;
}

// Complex numbers [rows, a, b, 2], each turned by 2 pi a b / n one way or the other.
static Tensor turn(Emitter &emitter, Tensor &x, int64_t a, int64_t b, bool inverse) {
  std::vector<double> values;
  for (int64_t i = 0; i < a; ++i)
    for (int64_t j = 0; j < b; ++j) {
      double angle = (inverse ? 2 : -2) * std::numbers::pi * static_cast<double>(i * j) / static_cast<double>(a * b);
      values.push_back(std::cos(angle));
      values.push_back(std::sin(angle));
    }
  Tensor roots = constantOf(emitter, x.elementType, {a, b, 2}, values);
  Value numbers = emitter.value(x), factors = emitter.value(roots);
  return emitter.generate(x.sizes, x.elementType, {}, [&](OpBuilder &builder, Location loc, ValueRange v) -> Value {
    Scalar s{builder, loc};
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
    auto part = [&](Value tensor, ValueRange at, Value which) -> Value {
      SmallVector<Value> indices(at);
      indices.push_back(which);
      return tensor::ExtractOp::create(builder, loc, tensor, indices);
    };
    ValueRange at = v.take_front(3);
    Value re = part(numbers, at, zero), im = part(numbers, at, one);
    Value cosine = part(factors, at.drop_front(), zero), sine = part(factors, at.drop_front(), one);
    return s.select(s.equal(v[3], zero), s.sub(s.mul(re, cosine), s.mul(im, sine)),
                    s.add(s.mul(re, sine), s.mul(im, cosine)));
  });
}

// x [rows, n, parts] to [rows, n, 2], without the inverse's factor 1/n.
static Tensor transformRows(Emitter &emitter, Tensor &x, int64_t n, bool inverse) {
  Sizes &sizes = emitter.sizes;
  OpFoldResult rows = x.sizes[0], two = sizes.constant(2);
  int64_t parts = *x.staticSize(2), a = n > kDirect ? factorOf(n) : 1, b = n / a;
  auto fixed = [&](int64_t size) { return sizes.constant(size); };
  if (a == 1) {
    std::vector<double> values;
    FourierTransform forward; // the inverse is this one with the bins' order, and so the angle, negated
    for (int64_t j = 0; j < n; ++j)
      for (int64_t p = 0; p < parts; ++p)
        for (int64_t k = 0; k < n; ++k)
          for (int64_t q = 0; q < 2; ++q)
            values.push_back(coefficient(j, p, inverse ? (n - k) % n : k, q, n, forward));
    Tensor matrix = constantOf(emitter, x.elementType, {n * parts, 2 * n}, values);
    Tensor flat = emitter.reshape(x, {rows, fixed(n * parts)});
    Tensor product = matmul(emitter, flat, matrix);
    return emitter.reshape(product, {rows, fixed(n), two});
  }
  // Element j1 b + j2, bin k1 + a k2: transform over j1, turn by j2 k1, transform over j2.
  Tensor split = emitter.reshape(x, {rows, fixed(a), fixed(b), x.sizes[2]});
  Tensor columns = emitter.transpose(split, {0, 2, 1, 3});
  Tensor flat = emitter.reshape(columns, {sizes.mul(rows, fixed(b)), fixed(a), x.sizes[2]});
  Tensor first = transformRows(emitter, flat, a, inverse);
  Tensor parted = emitter.reshape(first, {rows, fixed(b), fixed(a), two});
  Tensor turned = turn(emitter, parted, b, a, inverse);
  Tensor moved = emitter.transpose(turned, {0, 2, 1, 3});
  Tensor second = emitter.reshape(moved, {sizes.mul(rows, fixed(a)), fixed(b), two});
  second = transformRows(emitter, second, b, inverse);
  Tensor bins = emitter.reshape(second, {rows, fixed(a), fixed(b), two});
  Tensor ordered = emitter.transpose(bins, {0, 2, 1, 3});
  return emitter.reshape(ordered, {rows, fixed(n), two});
}

// x [rows, count, parts] with both lengths n, of more factors than one.
static Tensor transformLong(Emitter &emitter, Tensor &x, int64_t n, const FourierTransform &transform, int64_t bins) {
  Tensor all = transformRows(emitter, x, n, transform.inverse);
  SizeList zeros(3, emitter.sizes.constant(0)), kept = all.sizes;
  kept[1] = emitter.sizes.constant(bins);
  Tensor result = emitter.slice(all, zeros, kept, {1, 1, 1});
  if (!transform.inverse)
    return result;
  Type type = x.elementType;
  return map(emitter, {&result}, result.sizes,
             [&](Scalar &s, ValueRange v) { return s.mul(v[0], s.constant(type, 1.0 / static_cast<double>(n))); });
}

Tensor mlir::heddle::importer::fourier(Emitter &emitter, Tensor &x, const FourierTransform &transform) {
  Sizes &sizes = emitter.sizes;
  OpFoldResult outer = x.sizes[0], inner = x.sizes[2], n = transform.length, rows = sizes.mul(outer, inner);
  int64_t parts = *x.staticSize(3), outParts = transform.givesReal() ? 1 : 2;
  OpFoldResult half = sizes.add(sizes.floorDiv(n, sizes.constant(2)), sizes.constant(1));
  OpFoldResult bins = transform.oneSided && !transform.inverse ? half : n;
  OpFoldResult count = sizes.min(x.sizes[1], transform.givesReal() ? half : n);
  SizeList zeros(4, sizes.constant(0)), kept = x.sizes;
  kept[1] = count;
  Tensor cut = emitter.slice(x, zeros, kept, {1, 1, 1, 1});
  Tensor last = getConstantIntValue(inner) == 1 ? cut : emitter.transpose(cut, {0, 2, 1, 3});
  std::optional<int64_t> length = getConstantIntValue(n), used = getConstantIntValue(count);
  Tensor result;
  if (length && used == length && *length > kDirect && factorOf(*length) > 1 && outParts == 2) {
    Tensor flat = emitter.reshape(last, {rows, count, x.sizes[3]});
    result = transformLong(emitter, flat, *length, transform, *getConstantIntValue(bins));
  } else {
    Type type = x.elementType;
    Tensor matrix = length && used ? constantMatrix(emitter, type, *used, parts, *getConstantIntValue(bins), outParts,
                                                    *length, transform)
                                   : matrixAtCall(emitter, type, count, parts, bins, outParts, transform);
    Tensor flat = emitter.reshape(last, {rows, sizes.mul(count, x.sizes[3])});
    result = matmul(emitter, flat, matrix);
  }
  Tensor full = emitter.reshape(result, {outer, inner, bins, sizes.constant(outParts)});
  if (getConstantIntValue(inner) == 1)
    return emitter.reshape(full, {outer, bins, inner, sizes.constant(outParts)});
  return emitter.transpose(full, {0, 2, 1, 3});
}

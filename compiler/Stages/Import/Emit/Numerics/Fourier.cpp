// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Emit/Numerics/Fourier.h"
#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Stages/Import/Emit/Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <cmath>
#include <complex>
#include <numbers>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::importer;

// Complex constants of one transform, at most: 512 MiB of f64.
static constexpr int64_t kMostConstants = 1 << 25;

// The factor of n nearest to its root, from below; 1 for primes.
static int64_t factorOf(int64_t n) {
  auto factor = static_cast<int64_t>(std::sqrt(static_cast<double>(n)));
  while (n % factor != 0)
    --factor;
  return factor;
}

// The power of 2 in which a convolution of n elements does not wrap around.
static int64_t convolutionLength(int64_t n) { return static_cast<int64_t>(llvm::PowerOf2Ceil(2 * n - 1)); }

// How many complex constants transformRows makes.
static int64_t numConstants(int64_t n, const FormModel &forms) {
  if (n <= forms.directTransform)
    return n * n;
  if (int64_t a = factorOf(n); a > 1)
    return n + numConstants(a, forms) + numConstants(n / a, forms);
  int64_t m = convolutionLength(n);
  return n <= forms.directPrimeTransform ? n * n : n + 2 * m + 2 * numConstants(m, forms);
}

bool FourierTransform::isSupported(int64_t length, const FormModel &forms) {
  return length <= kMaximumLength && numConstants(length, forms) <= kMostConstants;
}

//===--- Constants -----------------------------------------------------------------------------------------------===//

// `valueOf` gives each element from its number.
static Tensor constantOf(Emitter &emitter, Type type, ArrayRef<int64_t> shape,
                         llvm::function_ref<double(int64_t)> valueOf) {
  int64_t count = computeProduct(shape);
  auto bytes = std::make_shared<std::vector<char>>(count * storageBytes(type));
  for (int64_t i = 0; i < count; ++i)
    if (type.isF64())
      reinterpret_cast<double *>(bytes->data())[i] = valueOf(i);
    else
      reinterpret_cast<float *>(bytes->data())[i] = static_cast<float>(valueOf(i));
  Tensor tensor = emitter.fromData({RankedTensorType::get(shape, type), ArrayRef<char>(*bytes), bytes});
  tensor.name = "dft";
  return tensor;
}

// Complex numbers, as [shape, 2].
static Tensor complexConstantOf(Emitter &emitter, Type type, SmallVector<int64_t> shape,
                                llvm::function_ref<std::complex<double>(int64_t)> valueOf) {
  shape.push_back(2);
  return constantOf(emitter, type, shape, [&](int64_t i) -> double {
    std::complex<double> value = valueOf(i / 2);
    return i % 2 ? value.imag() : value.real();
  });
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
  return constantOf(emitter, type, {count * parts, bins * outParts}, [&](int64_t i) {
    int64_t row = i / (bins * outParts), column = i % (bins * outParts);
    return coefficient(row / parts, row % parts, column / outParts, column % outParts, n, transform);
  });
}

//===--- A length that only the call knows -----------------------------------------------------------------------===//

// sin (pi / 2 * part / whole) for 0 <= part <= whole, as exact for parts near the whole as near 0.
static Value sineOfQuarter(Scalar &s, Value part, Value whole) {
  Scalar index{s.b, s.loc};
  Value rest = index.sub(whole, part), isFirst = index.lessEqual(part, rest);
  Value least = index.min(part, rest);
  Value angle = s.mul(s.div(s.real(least), s.real(whole)), s.constant(s.type, std::numbers::pi / 2));
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
    return s.div(value, s.real(n));
  });
  return emitter.reshape(matrix, {sizes.mul(count, sizes.constant(parts)), sizes.mul(bins, sizes.constant(outParts))});
}

//===--- Transforms ----------------------------------------------------------------------------------------------===//

// x [rows, ..., parts] times the complex numbers `factors` [..., 2].
static Tensor multiply(Emitter &emitter, Tensor &x, Tensor &factors) {
  bool isReal = x.isStaticSize(x.rank() - 1, 1);
  SizeList shape = x.sizes;
  shape.back() = emitter.sizes.constant(2);
  Value numbers = emitter.value(x), turns = emitter.value(factors);
  return emitter.generate(shape, x.elementType, {}, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    Scalar s{b, loc};
    Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
    auto part = [&](Value tensor, ValueRange at, Value which) -> Value {
      SmallVector<Value> indices(at);
      indices.push_back(which);
      return tensor::ExtractOp::create(b, loc, tensor, indices);
    };
    ValueRange at = v.drop_back(), where = at.drop_front();
    Value re = part(numbers, at, zero);
    if (isReal)
      return s.mul(re, part(turns, where, v.back()));
    Value im = part(numbers, at, one), cosine = part(turns, where, zero), sine = part(turns, where, one);
    return s.select(s.equal(v.back(), zero), s.sub(s.mul(re, cosine), s.mul(im, sine)),
                    s.add(s.mul(re, sine), s.mul(im, cosine)));
  });
}

// Zeros behind the elements of dimension 1, up to `size`.
static Tensor fillWithZeros(Emitter &emitter, Tensor &x, int64_t size) {
  if (x.isStaticSize(1, size))
    return x;
  Sizes &sizes = emitter.sizes;
  SizeList low(x.rank(), sizes.constant(0)), high = low, shape = x.sizes;
  high[1] = sizes.sub(sizes.constant(size), x.sizes[1]);
  shape[1] = sizes.constant(size);
  Value zero = arith::ConstantOp::create(emitter.builder, emitter.loc, makeAttribute(x.elementType, 0));
  auto type = RankedTensorType::get(shapeOf(shape), x.elementType);
  return emitter.fromValue(tensor::PadOp::create(emitter.builder, emitter.loc, type, emitter.value(x), low, high, zero),
                           shape);
}

static Tensor firstOf(Emitter &emitter, Tensor &x, int64_t count, int64_t parts = 2) {
  SizeList zeros(3, emitter.sizes.constant(0)), kept = x.sizes;
  kept[1] = emitter.sizes.constant(count);
  kept[2] = emitter.sizes.constant(parts);
  return emitter.slice(x, zeros, kept, {1, 1, 1});
}

static Tensor transformRows(Emitter &emitter, Tensor &x, int64_t n, bool inverse);

// x [rows, n, parts] as one product.
static Tensor transformByProduct(Emitter &emitter, Tensor &x, int64_t n, bool inverse) {
  Sizes &sizes = emitter.sizes;
  int64_t parts = *x.staticSize(2);
  FourierTransform forward; // the inverse is this one with the bins' order, and so the angle, negated
  Tensor matrix = constantOf(emitter, x.elementType, {n * parts, 2 * n}, [&](int64_t i) {
    int64_t row = i / (2 * n), k = i % (2 * n) / 2;
    return coefficient(row / parts, row % parts, inverse ? (n - k) % n : k, i % 2, n, forward);
  });
  Tensor flat = emitter.reshape(x, {x.sizes[0], sizes.constant(n * parts)});
  Tensor product = matmul(emitter, flat, matrix);
  return emitter.reshape(product, {x.sizes[0], sizes.constant(n), sizes.constant(2)});
}

// Of n = a b (Cooley and Tukey). Element j1 b + j2, bin k1 + a k2: transform over j1, turn by j2 k1, transform over j2.
static Tensor transformByFactors(Emitter &emitter, Tensor &x, int64_t a, int64_t b, bool inverse) {
  Sizes &sizes = emitter.sizes;
  OpFoldResult rows = x.sizes[0], two = sizes.constant(2);
  auto fixed = [&](int64_t size) { return sizes.constant(size); };
  Tensor split = emitter.reshape(x, {rows, fixed(a), fixed(b), x.sizes[2]});
  Tensor columns = emitter.transpose(split, {0, 2, 1, 3});
  Tensor flat = emitter.reshape(columns, {sizes.mul(rows, fixed(b)), fixed(a), x.sizes[2]});
  Tensor first = transformRows(emitter, flat, a, inverse);
  Tensor parted = emitter.reshape(first, {rows, fixed(b), fixed(a), two});
  double whole = (inverse ? 2 : -2) * std::numbers::pi / static_cast<double>(a * b);
  Tensor roots = complexConstantOf(emitter, x.elementType, {b, a}, [&](int64_t i) {
    return std::polar(1.0, whole * static_cast<double>(i / a * (i % a)));
  });
  Tensor turned = multiply(emitter, parted, roots);
  Tensor moved = emitter.transpose(turned, {0, 2, 1, 3});
  Tensor second = emitter.reshape(moved, {sizes.mul(rows, fixed(a)), fixed(b), two});
  second = transformRows(emitter, second, b, inverse);
  Tensor bins = emitter.reshape(second, {rows, fixed(a), fixed(b), two});
  Tensor ordered = emitter.transpose(bins, {0, 2, 1, 3});
  return emitter.reshape(ordered, {rows, fixed(a * b), two});
}

// In place, of a power of 2.
static void transformNumbers(std::vector<std::complex<double>> &values) {
  size_t n = values.size();
  for (size_t i = 1, j = 0; i < n; ++i) {
    size_t bit = n >> 1;
    for (; j & bit; bit >>= 1)
      j ^= bit;
    j ^= bit;
    if (i < j)
      std::swap(values[i], values[j]);
  }
  std::vector<std::complex<double>> roots(n / 2);
  for (size_t i = 0; i < n / 2; ++i)
    roots[i] = std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n));
  for (size_t half = 1; half < n; half *= 2)
    for (size_t start = 0; start < n; start += 2 * half)
      for (size_t i = 0; i < half; ++i) {
        std::complex<double> odd = values[start + half + i] * roots[i * (n / (2 * half))];
        values[start + half + i] = values[start + i] - odd;
        values[start + i] += odd;
      }
}

// Of a length without factors (Bluestein): with w(j) = exp(-pi i j^2 / n), bin k is w(k) times the convolution of x w
// with the conjugate of w, which transforms of a power of 2 give.
static Tensor transformByConvolution(Emitter &emitter, Tensor &x, int64_t n, bool inverse) {
  Type type = x.elementType;
  int64_t m = convolutionLength(n);
  auto chirp = [&](int64_t j) {
    double angle = std::numbers::pi * static_cast<double>(j * j % (2 * n)) / static_cast<double>(n);
    return std::polar(1.0, inverse ? angle : -angle);
  };
  std::vector<std::complex<double>> filter(m);
  for (int64_t j = 0; j < n; ++j)
    filter[j] = filter[(m - j) % m] = std::conj(chirp(j)) / static_cast<double>(m);
  transformNumbers(filter);
  Tensor turns = complexConstantOf(emitter, type, {n}, chirp),
         spectrum = complexConstantOf(emitter, type, {m}, [&](int64_t i) { return filter[i]; });
  Tensor turned = multiply(emitter, x, turns);
  Tensor filled = fillWithZeros(emitter, turned, m);
  Tensor bins = transformRows(emitter, filled, m, /*inverse=*/false);
  Tensor product = multiply(emitter, bins, spectrum);
  Tensor convolved = transformRows(emitter, product, m, /*inverse=*/true);
  Tensor kept = firstOf(emitter, convolved, n);
  return multiply(emitter, kept, turns);
}

// x [rows, n, parts] to [rows, n, 2], without the inverse's factor 1/n.
static Tensor transformRows(Emitter &emitter, Tensor &x, int64_t n, bool inverse) {
  if (n <= emitter.forms.directTransform)
    return transformByProduct(emitter, x, n, inverse);
  int64_t a = factorOf(n);
  if (a > 1)
    return transformByFactors(emitter, x, a, n / a, inverse);
  return n <= emitter.forms.directPrimeTransform ? transformByProduct(emitter, x, n, inverse)
                                                 : transformByConvolution(emitter, x, n, inverse);
}

// Bins [rows, n / 2 + 1, 2] of a real signal, and those that mirror them: [rows, n, 2].
static Tensor mirror(Emitter &emitter, Tensor &x, int64_t n) {
  SizeList shape = x.sizes;
  shape[1] = emitter.sizes.constant(n);
  Value source = emitter.value(x);
  return emitter.generate(shape, x.elementType, {}, [&](OpBuilder &b, Location loc, ValueRange v) {
    Scalar s{b, loc};
    auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
    Value isGiven = s.lessEqual(v[1], constant(n / 2)), at = s.select(isGiven, v[1], s.sub(constant(n), v[1]));
    Value element = tensor::ExtractOp::create(b, loc, source, ValueRange{v[0], at, v[2]});
    Value stays = s.max(isGiven, s.equal(v[2], constant(0)));
    return s.select(stays, element, s.neg(element));
  });
}

// x [rows, count, parts], of which `count` is at most the length.
static Tensor transformLong(Emitter &emitter, Tensor &x, int64_t n, const FourierTransform &transform, int64_t bins) {
  Tensor filled = fillWithZeros(emitter, x, transform.givesReal() ? n / 2 + 1 : n);
  if (transform.givesReal())
    filled = mirror(emitter, filled, n);
  Tensor all = transformRows(emitter, filled, n, transform.inverse);
  Tensor result = firstOf(emitter, all, bins, transform.givesReal() ? 1 : 2);
  if (!transform.inverse)
    return result;
  Type type = x.elementType;
  return map(emitter, {&result}, result.sizes,
             [&](Scalar &s, ValueRange v) { return s.mul(v[0], s.constant(type, 1.0 / static_cast<double>(n))); });
}

static Tensor castTo(Emitter &emitter, Tensor &x, Type type) {
  if (x.elementType == type)
    return x;
  return emitter.elementwise({&x}, x.sizes, type, [&](OpBuilder &b, Location loc, ValueRange v) {
    return convert({b, loc}, v[0], x.elementType, type);
  });
}

Tensor mlir::heddle::importer::fourier(Emitter &emitter, Tensor &operand, const FourierTransform &transform) {
  Sizes &sizes = emitter.sizes;
  Type type = operand.elementType.isF64() ? operand.elementType : Type(emitter.builder.getF32Type());
  Tensor x = castTo(emitter, operand, type);
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
  if (length && (!used || *length > emitter.forms.directTransform)) {
    Tensor flat = emitter.reshape(last, {rows, count, x.sizes[3]});
    result = transformLong(emitter, flat, *length, transform, *getConstantIntValue(bins));
  } else {
    Tensor matrix =
        length ? constantMatrix(emitter, type, *used, parts, *getConstantIntValue(bins), outParts, *length, transform)
               : matrixAtCall(emitter, type, count, parts, bins, outParts, transform);
    Tensor flat = emitter.reshape(last, {rows, sizes.mul(count, x.sizes[3])});
    result = matmul(emitter, flat, matrix);
  }
  Tensor full = emitter.reshape(result, {outer, inner, bins, sizes.constant(outParts)});
  Tensor ordered = getConstantIntValue(inner) == 1
                       ? emitter.reshape(full, {outer, bins, inner, sizes.constant(outParts)})
                       : emitter.transpose(full, {0, 2, 1, 3});
  return castTo(emitter, ordered, operand.elementType);
}

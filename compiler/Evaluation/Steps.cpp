// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One step for each op that bodies are made of.
#include "compiler/Evaluation/Body.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

#include <bit>
#include <cmath>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::evaluation;

namespace {

//===--- Steps from functions of scalars -------------------------------------------------------------------------===//

// f(operands…, width) on each lane.
template <auto f, typename R, typename... Args> void apply(const Step &step, Frame &frame, int64_t count) {
  [&]<size_t... i>(std::index_sequence<i...>) {
    R *result = frame.registers[step.result].as<R>();
    std::tuple<const Args *...> operands{frame.registers[step.operands[i]].template as<Args>()...};
    for (int64_t lane = 0; lane < count; ++lane)
      result[lane] = f(std::get<i>(operands)[lane]..., step.width);
  }(std::index_sequence_for<Args...>{});
}

template <typename T, auto f> constexpr StepFunction unary = apply<f, T, T>;
template <typename T, auto f> constexpr StepFunction binary = apply<f, T, T, T>;
template <auto f> constexpr StepFunction integers = binary<int64_t, f>;
template <typename T, auto f> constexpr StepFunction compare = apply<f, int64_t, T, T>;

// The canonical form of the low `width` bits.
int64_t wrap(uint64_t value, unsigned width) {
  if (width == 1)
    return value & 1;
  return static_cast<int64_t>(value << (64 - width)) >> (64 - width);
}
int64_t asSigned(int64_t value, unsigned width) { return width == 1 ? -value : value; }
uint64_t asUnsigned(int64_t value, unsigned width) {
  return width == 64 ? value : static_cast<uint64_t>(value) & ((uint64_t{1} << width) - 1);
}

// Division as in the rest of the compiler: x / 0 is 0, the smallest / -1 wraps.
int64_t divideSigned(int64_t a, int64_t b, unsigned width) {
  a = asSigned(a, width);
  b = asSigned(b, width);
  return b == 0 ? 0 : b == -1 ? wrap(0 - static_cast<uint64_t>(a), width) : wrap(a / b, width);
}
int64_t remainderSigned(int64_t a, int64_t b, unsigned width) {
  a = asSigned(a, width);
  b = asSigned(b, width);
  return b == 0 || b == -1 ? 0 : wrap(a % b, width);
}
int64_t divideUnsigned(int64_t a, int64_t b, unsigned width) {
  return asUnsigned(b, width) == 0 ? 0 : wrap(asUnsigned(a, width) / asUnsigned(b, width), width);
}
int64_t remainderUnsigned(int64_t a, int64_t b, unsigned width) {
  return asUnsigned(b, width) == 0 ? 0 : wrap(asUnsigned(a, width) % asUnsigned(b, width), width);
}

// NaN if either is; -0 < +0.
template <typename T> T maximum(T a, T b, unsigned) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  return a == b ? (std::signbit(a) ? b : a) : a > b ? a : b;
}
template <typename T> T minimum(T a, T b, unsigned) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  return a == b ? (std::signbit(a) ? a : b) : a < b ? a : b;
}

// To an integer of `width` bits; out of range saturates, NaN gives 0.
template <typename T> int64_t toSigned(T value, unsigned width) {
  T limit = std::ldexp(T(1), width - 1);
  if (std::isnan(value))
    return 0;
  if (value >= limit)
    return wrap((uint64_t{1} << (width - 1)) - 1, width);
  return value <= -limit ? wrap(uint64_t{1} << (width - 1), width) : wrap(static_cast<int64_t>(value), width);
}
template <typename T> int64_t toUnsigned(T value, unsigned width) {
  if (!(value > 0))
    return 0;
  return value >= std::ldexp(T(1), width) ? wrap(~uint64_t{0}, width) : wrap(static_cast<uint64_t>(value), width);
}

//===--- Integers ------------------------------------------------------------------------------------------------===//

template <bool isSigned, auto f> int64_t ordered(int64_t a, int64_t b, unsigned width) {
  if constexpr (isSigned)
    return f(asSigned(a, width), asSigned(b, width));
  else
    return f(asUnsigned(a, width), asUnsigned(b, width));
}

constexpr auto less = [](auto a, auto b) { return a < b; };
constexpr auto lessEqual = [](auto a, auto b) { return a <= b; };
constexpr auto greater = [](auto a, auto b) { return a > b; };
constexpr auto greaterEqual = [](auto a, auto b) { return a >= b; };
constexpr auto equal = [](auto a, auto b) { return a == b; };
constexpr auto different = [](auto a, auto b) { return a != b; };

StepFunction selectCompare(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq: return integers<ordered<true, equal>>;
  case arith::CmpIPredicate::ne: return integers<ordered<true, different>>;
  case arith::CmpIPredicate::slt: return integers<ordered<true, less>>;
  case arith::CmpIPredicate::sle: return integers<ordered<true, lessEqual>>;
  case arith::CmpIPredicate::sgt: return integers<ordered<true, greater>>;
  case arith::CmpIPredicate::sge: return integers<ordered<true, greaterEqual>>;
  case arith::CmpIPredicate::ult: return integers<ordered<false, less>>;
  case arith::CmpIPredicate::ule: return integers<ordered<false, lessEqual>>;
  case arith::CmpIPredicate::ugt: return integers<ordered<false, greater>>;
  case arith::CmpIPredicate::uge: return integers<ordered<false, greaterEqual>>;
  }
  return nullptr;
}

// The smaller or larger of two, by an order.
template <bool isSigned, auto before> int64_t pick(int64_t a, int64_t b, unsigned width) {
  return ordered<isSigned, before>(a, b, width) ? a : b;
}

template <auto f> int64_t wrapped(int64_t a, int64_t b, unsigned width) {
  return wrap(f(static_cast<uint64_t>(a), static_cast<uint64_t>(b)), width);
}

// Shifting by the width or more gives 0, or the sign.
int64_t shiftLeft(int64_t a, int64_t b, unsigned width) {
  uint64_t by = asUnsigned(b, width);
  return by >= width ? 0 : wrap(static_cast<uint64_t>(a) << by, width);
}
int64_t shiftRightSigned(int64_t a, int64_t b, unsigned width) {
  return wrap(asSigned(a, width) >> std::min<uint64_t>(asUnsigned(b, width), 63), width);
}
int64_t shiftRightUnsigned(int64_t a, int64_t b, unsigned width) {
  uint64_t by = asUnsigned(b, width);
  return by >= width ? 0 : wrap(asUnsigned(a, width) >> by, width);
}

StepFunction selectInteger(Operation *op) {
  return llvm::TypeSwitch<Operation *, StepFunction>(op)
      .Case([](arith::AddIOp) { return integers<wrapped<[](auto a, auto b) { return a + b; }>>; })
      .Case([](arith::SubIOp) { return integers<wrapped<[](auto a, auto b) { return a - b; }>>; })
      .Case([](arith::MulIOp) { return integers<wrapped<[](auto a, auto b) { return a * b; }>>; })
      .Case([](arith::AndIOp) { return integers<wrapped<[](auto a, auto b) { return a & b; }>>; })
      .Case([](arith::OrIOp) { return integers<wrapped<[](auto a, auto b) { return a | b; }>>; })
      .Case([](arith::XOrIOp) { return integers<wrapped<[](auto a, auto b) { return a ^ b; }>>; })
      .Case([](arith::DivSIOp) { return integers<divideSigned>; })
      .Case([](arith::DivUIOp) { return integers<divideUnsigned>; })
      .Case([](arith::RemSIOp) { return integers<remainderSigned>; })
      .Case([](arith::RemUIOp) { return integers<remainderUnsigned>; })
      .Case([](arith::ShLIOp) { return integers<shiftLeft>; })
      .Case([](arith::ShRSIOp) { return integers<shiftRightSigned>; })
      .Case([](arith::ShRUIOp) { return integers<shiftRightUnsigned>; })
      .Case([](arith::MinSIOp) { return integers<pick<true, less>>; })
      .Case([](arith::MaxSIOp) { return integers<pick<true, greater>>; })
      .Case([](arith::MinUIOp) { return integers<pick<false, less>>; })
      .Case([](arith::MaxUIOp) { return integers<pick<false, greater>>; })
      .Case([](math::AbsIOp) {
        return unary<int64_t, [](int64_t a, unsigned width) { return a < 0 ? wrap(0 - uint64_t(a), width) : a; }>;
      })
      .Default([](Operation *) { return nullptr; });
}

//===--- Floats --------------------------------------------------------------------------------------------------===//

template <auto holds, bool whenUnordered, typename T> int64_t comparesFloat(T a, T b, unsigned) {
  return std::isunordered(a, b) ? whenUnordered : holds(a, b);
}

template <typename T, auto holds, bool whenUnordered>
constexpr StepFunction compareFloats = compare<T, comparesFloat<holds, whenUnordered, T>>;

template <typename T> StepFunction selectCompare(arith::CmpFPredicate predicate) {
  constexpr auto always = [](T, T) { return true; };
  constexpr auto never = [](T, T) { return false; };
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse: return compareFloats<T, never, false>;
  case arith::CmpFPredicate::AlwaysTrue: return compareFloats<T, always, true>;
  case arith::CmpFPredicate::OEQ: return compareFloats<T, equal, false>;
  case arith::CmpFPredicate::ONE: return compareFloats<T, different, false>;
  case arith::CmpFPredicate::OLT: return compareFloats<T, less, false>;
  case arith::CmpFPredicate::OLE: return compareFloats<T, lessEqual, false>;
  case arith::CmpFPredicate::OGT: return compareFloats<T, greater, false>;
  case arith::CmpFPredicate::OGE: return compareFloats<T, greaterEqual, false>;
  case arith::CmpFPredicate::ORD: return compareFloats<T, always, false>;
  case arith::CmpFPredicate::UEQ: return compareFloats<T, equal, true>;
  case arith::CmpFPredicate::UNE: return compareFloats<T, different, true>;
  case arith::CmpFPredicate::ULT: return compareFloats<T, less, true>;
  case arith::CmpFPredicate::ULE: return compareFloats<T, lessEqual, true>;
  case arith::CmpFPredicate::UGT: return compareFloats<T, greater, true>;
  case arith::CmpFPredicate::UGE: return compareFloats<T, greaterEqual, true>;
  case arith::CmpFPredicate::UNO: return compareFloats<T, never, true>;
  }
  return nullptr;
}

template <typename T> StepFunction selectArithmetic(Operation *op) {
  return llvm::TypeSwitch<Operation *, StepFunction>(op)
      .Case([](arith::AddFOp) { return binary<T, [](T a, T b, unsigned) { return a + b; }>; })
      .Case([](arith::SubFOp) { return binary<T, [](T a, T b, unsigned) { return a - b; }>; })
      .Case([](arith::MulFOp) { return binary<T, [](T a, T b, unsigned) { return a * b; }>; })
      .Case([](arith::DivFOp) { return binary<T, [](T a, T b, unsigned) { return a / b; }>; })
      .Case([](arith::RemFOp) { return binary<T, [](T a, T b, unsigned) { return std::fmod(a, b); }>; })
      .Case([](arith::MaximumFOp) { return binary<T, maximum<T>>; })
      .Case([](arith::MinimumFOp) { return binary<T, minimum<T>>; })
      .Case([](arith::MaxNumFOp) { return binary<T, [](T a, T b, unsigned) { return std::fmax(a, b); }>; })
      .Case([](arith::MinNumFOp) { return binary<T, [](T a, T b, unsigned) { return std::fmin(a, b); }>; })
      .Case([](arith::NegFOp) { return unary<T, [](T a, unsigned) { return -a; }>; })
      .Case([](math::CopySignOp) { return binary<T, [](T a, T b, unsigned) { return std::copysign(a, b); }>; })
      .Case([](math::PowFOp) { return binary<T, [](T a, T b, unsigned) { return std::pow(a, b); }>; })
      .Case([](math::Atan2Op) { return binary<T, [](T a, T b, unsigned) { return std::atan2(a, b); }>; })
      .Case([](math::AbsFOp) { return unary<T, [](T a, unsigned) { return std::abs(a); }>; })
      .Case([](math::FmaOp) { return apply<[](T a, T b, T c, unsigned) { return std::fma(a, b, c); }, T, T, T, T>; })
      .Default([](Operation *) { return nullptr; });
}

template <typename T> StepFunction selectFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, StepFunction>(op)
      .Case([](math::SqrtOp) { return unary<T, [](T a, unsigned) { return std::sqrt(a); }>; })
      .Case([](math::RsqrtOp) { return unary<T, [](T a, unsigned) { return T(1) / std::sqrt(a); }>; })
      .Case([](math::CbrtOp) { return unary<T, [](T a, unsigned) { return std::cbrt(a); }>; })
      .Case([](math::ExpOp) { return unary<T, [](T a, unsigned) { return std::exp(a); }>; })
      .Case([](math::Exp2Op) { return unary<T, [](T a, unsigned) { return std::exp2(a); }>; })
      .Case([](math::ExpM1Op) { return unary<T, [](T a, unsigned) { return std::expm1(a); }>; })
      .Case([](math::LogOp) { return unary<T, [](T a, unsigned) { return std::log(a); }>; })
      .Case([](math::Log2Op) { return unary<T, [](T a, unsigned) { return std::log2(a); }>; })
      .Case([](math::Log10Op) { return unary<T, [](T a, unsigned) { return std::log10(a); }>; })
      .Case([](math::Log1pOp) { return unary<T, [](T a, unsigned) { return std::log1p(a); }>; })
      .Case([](math::SinOp) { return unary<T, [](T a, unsigned) { return std::sin(a); }>; })
      .Case([](math::CosOp) { return unary<T, [](T a, unsigned) { return std::cos(a); }>; })
      .Case([](math::TanOp) { return unary<T, [](T a, unsigned) { return std::tan(a); }>; })
      .Case([](math::AsinOp) { return unary<T, [](T a, unsigned) { return std::asin(a); }>; })
      .Case([](math::AcosOp) { return unary<T, [](T a, unsigned) { return std::acos(a); }>; })
      .Case([](math::AtanOp) { return unary<T, [](T a, unsigned) { return std::atan(a); }>; })
      .Case([](math::SinhOp) { return unary<T, [](T a, unsigned) { return std::sinh(a); }>; })
      .Case([](math::CoshOp) { return unary<T, [](T a, unsigned) { return std::cosh(a); }>; })
      .Case([](math::TanhOp) { return unary<T, [](T a, unsigned) { return std::tanh(a); }>; })
      .Case([](math::ErfOp) { return unary<T, [](T a, unsigned) { return std::erf(a); }>; })
      .Case([](math::ErfcOp) { return unary<T, [](T a, unsigned) { return std::erfc(a); }>; })
      .Case([](math::FloorOp) { return unary<T, [](T a, unsigned) { return std::floor(a); }>; })
      .Case([](math::CeilOp) { return unary<T, [](T a, unsigned) { return std::ceil(a); }>; })
      .Case([](math::TruncOp) { return unary<T, [](T a, unsigned) { return std::trunc(a); }>; })
      .Case([](math::RoundOp) { return unary<T, [](T a, unsigned) { return std::round(a); }>; })
      // The environment's rounding mode is never changed: to nearest, ties to even.
      .Case([](math::RoundEvenOp) { return unary<T, [](T a, unsigned) { return std::nearbyint(a); }>; })
      .Default([](Operation *) { return nullptr; });
}

template <typename T> StepFunction selectFloat(Operation *op) {
  StepFunction step = selectArithmetic<T>(op);
  return step ? step : selectFunction<T>(op);
}

//===--- Conversions ---------------------------------------------------------------------------------------------===//

unsigned widthOf(Type type) { return type.isIndex() ? 64 : type.getIntOrFloatBitWidth(); }

template <typename T> StepFunction selectFromInteger(bool isSigned) {
  if (isSigned)
    return apply<[](int64_t a, unsigned width) { return static_cast<T>(asSigned(a, width)); }, T, int64_t>;
  return apply<[](int64_t a, unsigned width) { return static_cast<T>(asUnsigned(a, width)); }, T, int64_t>;
}

template <typename T> StepFunction selectToInteger(bool isSigned) {
  return isSigned ? apply<toSigned<T>, int64_t, T> : apply<toUnsigned<T>, int64_t, T>;
}

// Between float types; what is rounded to f16 or bf16 afterwards must not be rounded to float before.
StepFunction selectFloatConversion(Type from, Type to) {
  if (from.isF64() == to.isF64())
    return from.isF64() ? unary<double, [](double a, unsigned) { return a; }>
                        : unary<float, [](float a, unsigned) { return a; }>;
  if (to.isF64())
    return apply<[](float a, unsigned) { return double{a}; }, double, float>;
  if (to.isF32())
    return apply<[](double a, unsigned) { return static_cast<float>(a); }, float, double>;
  return apply<[](double a, unsigned) { return roundToOdd(a); }, float, double>;
}

StepFunction selectBitcast(Type from, Type to) {
  if (from.isF32() && to.isInteger(32))
    return apply<[](float a, unsigned) { return int64_t{std::bit_cast<int32_t>(a)}; }, int64_t, float>;
  if (from.isInteger(32) && to.isF32())
    return apply<[](int64_t a, unsigned) { return std::bit_cast<float>(static_cast<int32_t>(a)); }, float, int64_t>;
  if (from.isF64() && to.isInteger(64))
    return apply<[](double a, unsigned) { return std::bit_cast<int64_t>(a); }, int64_t, double>;
  if (from.isInteger(64) && to.isF64())
    return apply<[](int64_t a, unsigned) { return std::bit_cast<double>(a); }, double, int64_t>;
  return nullptr;
}

constexpr StepFunction signExtend = unary<int64_t, [](int64_t a, unsigned width) { return asSigned(a, width); }>;
constexpr StepFunction zeroExtend =
    unary<int64_t, [](int64_t a, unsigned width) { return static_cast<int64_t>(asUnsigned(a, width)); }>;
constexpr StepFunction truncate = unary<int64_t, [](int64_t a, unsigned width) { return wrap(a, width); }>;

StepFunction makeIndexCast(Type from, Type to, bool isSigned) {
  return widthOf(to) < widthOf(from) ? truncate : isSigned ? signExtend : zeroExtend;
}

std::optional<Step> selectConversion(Operation *op) {
  if (op->getNumOperands() != 1)
    return std::nullopt;
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  StepFunction run = llvm::TypeSwitch<Operation *, StepFunction>(op)
                         .Case([](arith::ExtSIOp) { return signExtend; })
                         .Case([](arith::ExtUIOp) { return zeroExtend; })
                         .Case([](arith::TruncIOp) { return truncate; })
                         .Case([&](arith::IndexCastOp) { return makeIndexCast(from, to, true); })
                         .Case([&](arith::IndexCastUIOp) { return makeIndexCast(from, to, false); })
                         .Case([&](arith::SIToFPOp) {
                           return to.isF64() ? selectFromInteger<double>(true) : selectFromInteger<float>(true);
                         })
                         .Case([&](arith::UIToFPOp) {
                           return to.isF64() ? selectFromInteger<double>(false) : selectFromInteger<float>(false);
                         })
                         .Case([&](arith::FPToSIOp) {
                           return from.isF64() ? selectToInteger<double>(true) : selectToInteger<float>(true);
                         })
                         .Case([&](arith::FPToUIOp) {
                           return from.isF64() ? selectToInteger<double>(false) : selectToInteger<float>(false);
                         })
                         .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return selectFloatConversion(from, to); })
                         .Case([&](arith::BitcastOp) { return selectBitcast(from, to); })
                         .Default([](Operation *) { return nullptr; });
  if (!run)
    return std::nullopt;
  bool widens = isa<arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp, arith::UIToFPOp>(op) ||
                (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op) && widthOf(to) >= widthOf(from));
  return Step{run, widens ? widthOf(from) : widthOf(to)};
}

//===--- Others --------------------------------------------------------------------------------------------------===//

template <typename T>
constexpr StepFunction choose = apply<[](int64_t c, T a, T b, unsigned) { return c ? a : b; }, T, int64_t, T, T>;

void checkIndex(const Step &step, Frame &frame, int64_t count) {
  const int64_t *index = frame.registers[step.operands[0]].integers, *size = frame.registers[step.operands[1]].integers;
  int64_t *result = frame.registers[step.result].integers;
  for (int64_t i = 0; i < count; ++i) {
    bool inside = index[i] >= 0 && index[i] < size[i];
    frame.failed |= !inside;
    result[i] = inside ? index[i] : 0;
  }
}

} // namespace

std::optional<Step> mlir::heddle::evaluation::selectStep(Operation *op) {
  Type result = op->getResult(0).getType();
  if (llvm::any_of(op->getOperandTypes(), [](Type type) { return byteWidth(type) == 0; }))
    return std::nullopt;
  if (isa<flow::CheckedIndexOp>(op))
    return Step{checkIndex};
  if (isa<arith::SelectOp>(op))
    return Step{result.isF64() ? choose<double> : isa<FloatType>(result) ? choose<float> : choose<int64_t>};
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    return Step{selectCompare(cmp.getPredicate()), widthOf(cmp.getLhs().getType())};
  if (auto cmp = dyn_cast<arith::CmpFOp>(op))
    return Step{cmp.getLhs().getType().isF64() ? selectCompare<double>(cmp.getPredicate())
                                               : selectCompare<float>(cmp.getPredicate())};
  if (std::optional<Step> conversion = selectConversion(op))
    return conversion;
  if (llvm::any_of(op->getOperandTypes(), [&](Type type) { return type != result; }))
    return std::nullopt;
  StepFunction run = !isa<FloatType>(result) ? selectInteger(op)
                     : result.isF64()        ? selectFloat<double>(op)
                                             : selectFloat<float>(op);
  return run ? std::optional<Step>(Step{run, widthOf(result)}) : std::nullopt;
}

StepFunction mlir::heddle::evaluation::selectRounding(Type type) {
  if (type.isF16())
    return unary<float, [](float a, unsigned) { return roundToHalf(a); }>;
  if (type.isBF16())
    return unary<float, [](float a, unsigned) { return roundToBFloat(a); }>;
  return nullptr;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Split/PartCount.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::heddle;

namespace {

// Arithmetic on index values that are not negative.
struct Sizes {
  OpBuilder &b;
  Location loc;

  Value constant(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value mul(Value x, Value y) { return b.createOrFold<arith::MulIOp>(loc, x, y); }
  Value div(Value x, Value y) { return b.createOrFold<arith::DivSIOp>(loc, x, y); }
  Value min(Value x, Value y) { return b.createOrFold<arith::MinSIOp>(loc, x, y); }
  Value max(Value x, Value y) { return b.createOrFold<arith::MaxSIOp>(loc, x, y); }
  Value ceilDiv(Value x, Value y) {
    Value sum = b.createOrFold<arith::AddIOp>(loc, x, b.createOrFold<arith::SubIOp>(loc, y, constant(1)));
    return div(sum, y);
  }
};

// Iterations that a part is worth starting for, and merging.
constexpr int64_t kLeastWork = 1 << 17;
// The same, of a device whose units work on several workgroups: the merge reads a small part of what the parts do.
constexpr int64_t kLeastIterations = 32;
// Parts for each unit, so that units that are slower for a while do not keep the others waiting.
constexpr int64_t kPartsPerUnit = 2;
// Of a product whose operands have so many elements, and whose results are several workgroups, each would read rows
// from memory again: in parts of so many iterations they find them where the workgroup before left them.
constexpr int64_t kManyElements = 1 << 23, kIterationsThatStay = 2048;
// Elements that a part reads for each of its results, at least: what is merged is a small part of it.
constexpr int64_t kLeastReadForResult = 16;

} // namespace

Value split::countGranules(OpBuilder &builder, Location loc, const Problem &problem) {
  Sizes s{builder, loc};
  return s.ceilDiv(problem.length, s.constant(problem.granule));
}

// Whether workgroups would read the operands again and again, however long they are.
static bool readsAgain(const split::Problem &problem, const split::Machine &machine) {
  std::optional<int64_t> results = getConstantIntValue(problem.results);
  return !machine.workgroups && results && *results > problem.together &&
         *results * kLeastReadForResult <= problem.read * kIterationsThatStay;
}

Value split::countParts(OpBuilder &builder, Location loc, const Problem &problem, const Machine &machine) {
  Sizes s{builder, loc};
  Value one = s.constant(1), units = machine.units;
  Value groups = s.max(s.ceilDiv(problem.results, s.constant(problem.together)), one);
  // Units beyond the workgroups there are; a single unit gains nothing.
  auto shared = [&](Value count) { return machine.workgroups ? s.mul(count, machine.workgroups) : count; };
  Value wanted = s.div(shared(s.mul(units, s.constant(kPartsPerUnit))), groups);
  Value alone = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, units, one);
  wanted = builder.createOrFold<arith::SelectOp>(loc, alone, one, wanted);
  if (readsAgain(problem, machine)) {
    Value least = s.constant(llvm::divideCeil(kManyElements, problem.read));
    Value isLong = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, problem.length, least);
    Value stay = s.div(problem.length, s.constant(kIterationsThatStay));
    wanted = s.max(wanted, builder.createOrFold<arith::SelectOp>(loc, isLong, stay, one));
  }
  Value work = s.mul(s.mul(problem.results, problem.length), problem.inner);
  Value worth = s.div(shared(work), s.constant(kLeastWork)), most = countGranules(builder, loc, problem);
  if (machine.workgroups)
    worth = s.min(worth, s.max(one, s.div(s.mul(problem.length, problem.inner), s.constant(kLeastIterations))));
  if (std::optional<int64_t> known = getConstantIntValue(worth); known && *known <= 1)
    return one; // whatever the device
  return s.max(s.min(s.min(wanted, worth), most), one);
}

Value split::countAsked(OpBuilder &builder, Location loc, const Problem &problem, const SplitRequest &request,
                        Value units) {
  Sizes s{builder, loc};
  Value asked = request.size ? s.ceilDiv(problem.length, s.constant(*request.size)) : s.constant(*request.parts);
  if (request.perUnit)
    asked = s.mul(asked, units);
  return s.max(s.min(asked, countGranules(builder, loc, problem)), s.constant(1));
}

static std::string words(Value size, const char *otherwise) {
  std::optional<int64_t> known = getConstantIntValue(size);
  return known ? std::to_string(*known) : otherwise;
}

std::string split::describeParts(const Problem &problem, const std::string &units, bool shares) {
  std::string text = std::to_string(kPartsPerUnit) + " for each of " + units;
  if (std::optional<int64_t> results = getConstantIntValue(problem.results)) {
    if (int64_t groups = llvm::divideCeil(*results, problem.together); groups > 1)
      text += " over " + std::to_string(groups) + " workgroups of results";
  } else {
    text += " over the workgroups of results";
  }
  if (readsAgain(problem, {}) && !shares)
    text += ", or one for each " + std::to_string(kIterationsThatStay) + " steps where they would read " +
            std::to_string(kManyElements) + " elements and more again";
  text += ", at least " + std::to_string(kLeastWork) + " products or elements each";
  if (shares)
    text += "; where units work on several workgroups, as many times more, and as many times less each";
  return problem.granule == 1 ? text : text + ", none shorter than " + std::to_string(problem.granule);
}

std::string split::describeAsked(const Problem &problem, const SplitRequest &request) {
  std::string text = request.size ? "parts of " + std::to_string(*request.size) : std::to_string(*request.parts);
  if (request.perUnit)
    text += " for each of the device's units";
  text += " asked for";
  if (!request.by.empty())
    text += " by " + request.by.str();
  return text + ", length " + words(problem.length, "known in the call");
}

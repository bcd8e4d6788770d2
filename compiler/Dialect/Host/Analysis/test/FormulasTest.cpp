// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Formulas proves of random formulas holds for all small values; and what loops over streams need is proved.
#include "compiler/Dialect/Host/Analysis/Formulas.h"

#include "compiler/Dialect/Host/IR/HostOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/TypeSwitch.h"

#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace mlir::heddle::host;

namespace {

// A loop over streams of `n` trips on `streams` streams, in a function of two sizes, n and m.
class FormulasTest : public ::testing::Test {
protected:
  FormulasTest() : builder(&context) {
    context.loadDialect<HostDialect, arith::ArithDialect, scf::SCFDialect>();
    module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
    Location loc = builder.getUnknownLoc();
    auto func = FuncOp::create(builder, loc, "main", builder.getArrayAttr({}), builder.getArrayAttr({}),
                               builder.getStrArrayAttr({"n", "m"}));
    builder.setInsertionPointToEnd(&func.getBody().front());
    n = func.getSymbol(0);
    m = func.getSymbol(1);
    loop = StreamForOp::create(builder, loc, func.getStream(), n, number(kStreams),
                               FlatSymbolRefAttr::get(&context, "d"), 0, false);
    builder.setInsertionPoint(loop.getBody().front().getTerminator());
  }

  static constexpr int64_t kStreams = 3, kMost = 5;

  Value number(int64_t value) { return arith::ConstantIndexOp::create(builder, builder.getUnknownLoc(), value); }
  template <typename Op> Value make(Value a, Value b) { return Op::create(builder, builder.getUnknownLoc(), a, b); }

  Value random(unsigned depth) {
    unsigned kind = draw() % (depth == 0 ? 5 : 13);
    switch (kind) {
    case 0: return loop.getIndex();
    case 1: return loop.getSlot();
    case 2: return n;
    case 3: return m;
    case 4: return number(draw() % 4);
    default: break;
    }
    Value a = random(depth - 1);
    Value b = kind >= 9 ? number(1 + draw() % 4) : random(depth - 1);
    if (kind >= 9 && draw() % 4 == 0)
      b = n; // positive where there is an index
    switch (kind) {
    case 5: return make<arith::AddIOp>(a, b);
    case 6: return make<arith::SubIOp>(a, b);
    case 7: return make<arith::MulIOp>(a, b);
    case 8: return draw() % 2 ? make<arith::MinSIOp>(a, b) : make<arith::MaxSIOp>(a, b);
    case 9: return make<arith::DivSIOp>(a, b);
    case 10: return make<arith::FloorDivSIOp>(a, b);
    case 11: return make<arith::CeilDivSIOp>(a, b);
    default: return make<arith::RemSIOp>(a, b);
    }
  }
  uint64_t draw() { return random_(); }

  struct Values {
    int64_t n, m, index;
  };
  int64_t evaluate(Value value, const Values &at) {
    if (value == n)
      return at.n;
    if (value == m)
      return at.m;
    if (value == loop.getIndex())
      return at.index;
    if (value == loop.getSlot())
      return at.index % kStreams;
    Operation *op = value.getDefiningOp();
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return constant.getSExtValue();
    int64_t a = evaluate(op->getOperand(0), at), b = evaluate(op->getOperand(1), at);
    auto floor = [](int64_t x, int64_t y) { return x / y - (x % y != 0 && (x < 0) != (y < 0)); };
    return llvm::TypeSwitch<Operation *, int64_t>(op)
        .Case([&](arith::AddIOp) { return a + b; })
        .Case([&](arith::SubIOp) { return a - b; })
        .Case([&](arith::MulIOp) { return a * b; })
        .Case([&](arith::MinSIOp) { return std::min(a, b); })
        .Case([&](arith::MaxSIOp) { return std::max(a, b); })
        .Case([&](arith::DivSIOp) { return a / b; })
        .Case([&](arith::RemSIOp) { return a % b; })
        .Case([&](arith::FloorDivSIOp) { return floor(a, b); })
        .Case([&](arith::CeilDivSIOp) { return -floor(-a, b); });
  }
  std::string spell(Value value) {
    std::string text;
    llvm::raw_string_ostream out(text);
    loop->print(out);
    out << "\n: ";
    value.print(out);
    return text;
  }

  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
  Value n, m;
  StreamForOp loop;
  std::mt19937_64 random_{20261126};
};

TEST_F(FormulasTest, WhatIsProvedHolds) {
  unsigned proved = 0;
  for (int round = 0; round < 4000; ++round) {
    Value value = random(4);
    Formulas formulas;
    if (!formulas.isNonNegative(formulas.of(value, nullptr, Instance::Earlier)))
      continue;
    ++proved;
    for (int64_t trips = 1; trips <= kMost; ++trips)
      for (int64_t other = 0; other <= kMost; ++other)
        for (int64_t index = 0; index < trips; ++index)
          ASSERT_GE(evaluate(value, {trips, other, index}), 0)
              << "round " << round << " n " << trips << " m " << other << " i " << index << spell(value);
  }
  EXPECT_GT(proved, 1000u);
}

// Of a later iteration and an earlier one: ordered by the index, or by the slot up or down.
TEST_F(FormulasTest, WhatIsProvedOfTwoIterationsHolds) {
  unsigned proved = 0;
  for (int round = 0; round < 6000; ++round) {
    Value later = random(3), earlier = random(3);
    int kind = round % 3;
    Formulas formulas;
    Polynomial difference = formulas.of(later, loop, Instance::Later) - formulas.of(earlier, loop, Instance::Earlier);
    formulas.order(kind == 0 ? loop.getIndex() : loop.getSlot(), Polynomial(1), kind == 2);
    if (!formulas.isNonNegative(difference))
      continue;
    ++proved;
    for (int64_t trips = 1; trips <= kMost; ++trips)
      for (int64_t other = 0; other <= kMost; ++other)
        for (int64_t first = 0; first < trips; ++first)
          for (int64_t second = 0; second < trips; ++second) {
            int64_t from = first % kStreams, to = second % kStreams;
            if (kind == 0 ? first >= second : kind == 1 ? from >= to : from <= to)
              continue;
            ASSERT_GE(evaluate(later, {trips, other, second}) - evaluate(earlier, {trips, other, first}), 0)
                << "round " << round << " n " << trips << " m " << other << " i " << first << ", " << second
                << spell(later) << spell(earlier);
          }
  }
  EXPECT_GT(proved, 500u);
}

// The parts of the division that split reductions have: floor(i * m / n).
TEST_F(FormulasTest, BalancedParts) {
  Value begin = make<arith::DivSIOp>(make<arith::MulIOp>(loop.getIndex(), m), n);
  Value next = make<arith::AddIOp>(loop.getIndex(), number(1));
  Value end = make<arith::DivSIOp>(make<arith::MulIOp>(next, m), n);
  Value size = make<arith::SubIOp>(end, begin);
  Formulas formulas;
  auto of = [&](Value value, Instance instance) { return formulas.of(value, loop, instance); };
  // Earlier parts end before later ones begin; all lie in the whole; none is larger than ceil(m / n).
  Polynomial later = of(begin, Instance::Later), earlier = of(end, Instance::Earlier);
  formulas.order(loop.getIndex(), Polynomial(1));
  EXPECT_TRUE(formulas.isNonNegative(later - earlier));
  EXPECT_TRUE(formulas.isNonNegative(formulas.of(m, loop, Instance::Earlier) - earlier));
  Polynomial most = of(make<arith::CeilDivSIOp>(m, n), Instance::Earlier);
  EXPECT_TRUE(formulas.isNonNegative(most - of(size, Instance::Earlier)));
  EXPECT_FALSE(formulas.isNonNegative(most - of(size, Instance::Earlier) - Polynomial(1)));
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program on two streams of one device.
#ifndef HEDDLE_RUNTIME_TEST_TURNSMODULE_H
#define HEDDLE_RUNTIME_TEST_TURNSMODULE_H

#include "TestModules.h"

namespace heddle::test {

// main(x: n x f32) = 2^count x, by dispatches that take turns on two streams, each behind the one before.
inline fb::ModuleT turnsModule(int count) {
  fb::ModuleT module = quadrupleModule();
  module.functions.clear();
  std::string code = "const s1 4\nmul s2 s0 s1\nconst s3 16\nceildiv_s s3 s0 s3\nconst s4 0\nparameter b6 p0\n"
                     "alloc b2 x0 s2\nalloc b3 x0 s2\nresult b4 r0 x0 s2\nstream t1 x0 0\nstream t2 x0 1\n"
                     "follow t1 t0\nfollow t2 t0\n";
  for (int i = 0; i < count; ++i) {
    std::string from = i ? (i % 2 ? "b2" : "b3") : "b0", to = i == count - 1 ? "b4" : i % 2 ? "b3" : "b2";
    std::string on = i % 2 ? "t2" : "t1", next = i % 2 ? "t1" : "t2";
    code +=
        "dispatch " + on + " 0.0 s3 s4 [" + from + " b6 " + to + "] [s0]\nrecord e0 " + on + "\nwait " + next + " e0\n";
  }
  code += "follow t0 t1\nfollow t0 t2\nfree t0 b2\nfree t0 b3\nset_result r0 b4 [s0]\nreturn";
  auto main = contract::test::function("main", code, 6, 8, 4, 1);
  addSymbol(*main, "n", 1, 100000);
  main->arguments.push_back(contract::test::value("x", ElementType::F32, {symbol(0)}));
  main->results.push_back(contract::test::value("y", ElementType::F32, {symbol(0)}));
  module.functions.push_back(std::move(main));
  return module;
}

} // namespace heddle::test

#endif // HEDDLE_RUNTIME_TEST_TURNSMODULE_H

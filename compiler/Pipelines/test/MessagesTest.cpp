// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipelines/Messages.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::heddle;

namespace {

struct MessagesTest : testing::Test {
  Location named(StringRef name) { return NameLoc::get(StringAttr::get(&context, name)); }

  std::string printed(llvm::function_ref<void()> emit) {
    std::string text;
    llvm::raw_string_ostream os(text);
    Messages messages(context, os);
    emit();
    return text;
  }

  MLIRContext context;
};

TEST_F(MessagesTest, FromNowhere) {
  EXPECT_EQ(printed([&] { emitError(UnknownLoc::get(&context)) << "no device"; }), "error: no device\n");
  EXPECT_EQ(printed([&] { emitWarning(UnknownLoc::get(&context)) << "slow"; }), "warning: slow\n");
}

TEST_F(MessagesTest, NodesByName) {
  Location fused = FusedLoc::get({named("a"), named("b"), named("a")}, {}, &context);
  EXPECT_EQ(printed([&] { emitError(fused) << "is too large"; }), "error: in 'a', 'b': is too large\n");
  Location many = FusedLoc::get({named("a"), named("b"), named("c"), named("d"), named("e")}, {}, &context);
  EXPECT_EQ(printed([&] { emitRemark(many) << "is slow"; }), "remark: in 'a', 'b', 'c' and 2 more: is slow\n");
}

// What is wrong with the command line is said by the first error, wherever it stands.
TEST_F(MessagesTest, FlagsThatAreWrong) {
  Location file = FileLineColLoc::get(&context, "absent.mlir", 3, 5), nowhere = UnknownLoc::get(&context);
  auto refuses = [&](llvm::function_ref<void()> emit) {
    std::string text;
    llvm::raw_string_ostream os(text);
    Messages messages(context, os);
    emit();
    return messages.refusesFlag();
  };
  EXPECT_TRUE(refuses([&] { emitError(file) << "--mesh: no axis"; }));
  EXPECT_TRUE(refuses([&] {
    emitWarning(nowhere) << "slow";
    emitError(nowhere) << "--state: no input";
  }));
  EXPECT_FALSE(refuses([&] { emitWarning(nowhere) << "--max-transient: guessed"; }));
  EXPECT_FALSE(refuses([&] {
    emitError(nowhere) << "no device";
    emitError(nowhere) << "--mesh: no axis";
  }));
  EXPECT_FALSE(refuses([] {}));
}

TEST_F(MessagesTest, FilesAsBefore) {
  Location file = FileLineColLoc::get(&context, "absent.mlir", 3, 5);
  EXPECT_EQ(printed([&] { emitError(file) << "wrong"; }), "absent.mlir:3:5: error: wrong\n");
  EXPECT_EQ(printed([&] { emitError(NameLoc::get(StringAttr::get(&context, "a"), file)) << "wrong"; }),
            "absent.mlir:3:5: error: wrong\n");
  std::string noted = printed([&] { emitError(file).attachNote(named("b")) << "see there"; });
  EXPECT_EQ(noted, "absent.mlir:3:5: error: \nnote: in 'b': see there\n");
}

} // namespace

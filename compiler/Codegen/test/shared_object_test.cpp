// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much LLVM does to a kernel's code: loops of code that is written out stay as they were emitted.
#include "compiler/Codegen/Link/SharedObject.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "gtest/gtest.h"

using namespace mlir::heddle;

namespace {

// Loops of 12 steps, one after the other, each of which adds a vector to a sum: LLVM's whole pipeline unrolls them.
std::string makeLoops(unsigned count) {
  std::string body, before = "entry";
  for (unsigned i = 0; i < count; ++i) {
    std::string n = llvm::utostr(i);
    body += "  br label %loop" + n + "\nloop" + n + ":\n";
    body += "  %k" + n + " = phi i64 [ 0, %" + before + " ], [ %next" + n + ", %loop" + n + " ]\n";
    body +=
        "  %sum" + n + " = phi <8 x float> [ zeroinitializer, %" + before + " ], [ %more" + n + ", %loop" + n + " ]\n";
    body += "  %at" + n + " = getelementptr <8 x float>, ptr %p, i64 %k" + n + "\n";
    body += "  %v" + n + " = load <8 x float>, ptr %at" + n + "\n";
    body += "  %more" + n + " = fadd <8 x float> %sum" + n + ", %v" + n + "\n";
    body += "  %next" + n + " = add i64 %k" + n + ", 1\n";
    body += "  %done" + n + " = icmp eq i64 %next" + n + ", 12\n";
    body += "  br i1 %done" + n + ", label %after" + n + ", label %loop" + n + "\nafter" + n + ":\n";
    body += "  %to" + n + " = getelementptr <8 x float>, ptr %q, i64 " + n + "\n";
    body += "  store <8 x float> %more" + n + ", ptr %to" + n + "\n";
    before = "after" + n;
  }
  return "define void @kernel(ptr noalias %p, ptr noalias %q) {\nentry:\n" + body + "  ret void\n}\n";
}

llvm::SmallVector<char, 0> compileText(llvm::StringRef text, codegen::Unrolled unrolled, unsigned level) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, diagnostic, context);
  if (!module)
    return ADD_FAILURE() << diagnostic.getMessage().str(), llvm::SmallVector<char, 0>();
  std::string error;
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, "x86-64-v3", "", llvm::TargetOptions(), llvm::Reloc::PIC_));
  auto object = codegen::compileToObject(*module, *machine, level, unrolled);
  if (!object)
    return ADD_FAILURE() << llvm::toString(object.takeError()), llvm::SmallVector<char, 0>();
  return std::move(*object);
}

size_t sizeOf(unsigned loops, codegen::Unrolled unrolled, unsigned level) {
  return compileText(makeLoops(loops), unrolled, level).size();
}

constexpr codegen::Unrolled kNothing = codegen::Unrolled::Nothing, kTiles = codegen::Unrolled::Tiles,
                            kAddresses = codegen::Unrolled::Addresses;

TEST(SharedObject, LongCodeThatIsUnrolledKeepsItsLoops) {
  EXPECT_NE(sizeOf(100, kNothing, 2), sizeOf(100, kTiles, 2));
  EXPECT_NE(sizeOf(100, kNothing, 2), sizeOf(100, kAddresses, 2));
}

TEST(SharedObject, ShortCodeIsOptimisedWhole) {
  EXPECT_EQ(sizeOf(3, kNothing, 2), sizeOf(3, kTiles, 2));
  EXPECT_EQ(sizeOf(3, kNothing, 2), sizeOf(3, kAddresses, 2));
}

TEST(SharedObject, TheHighestLevelLeavesNothingOut) {
  EXPECT_EQ(sizeOf(100, kNothing, 3), sizeOf(100, kTiles, 3));
  EXPECT_EQ(sizeOf(100, kNothing, 3), sizeOf(100, kAddresses, 3));
}

// A function that returns a word of a table of three.
constexpr const char *kTable = R"(
@numbers = weak hidden constant [3 x i32] [i32 1, i32 2, i32 3], align 64
define i32 @kernel(i64 %i) {
  %at = getelementptr [3 x i32], ptr @numbers, i64 0, i64 %i
  %word = load i32, ptr %at
  ret i32 %word
}
)";

TEST(SharedObject, LinksForListsOfWordsAreThoseOfEach) {
  llvm::SmallVector<char, 0> object = compileText(kTable, kNothing, 2);
  const std::vector<std::vector<int32_t>> lists = {{1, 2, 3}, {-4, 5, 0}, {-1, -1, -1}, {0, 0, 0}, {1, 2, 3}};
  for (size_t count : {1, 2, 5}) {
    std::vector<llvm::ArrayRef<int32_t>> some(lists.begin(), lists.begin() + count);
    auto linked = codegen::linkForEach(object, {}, "numbers", some);
    ASSERT_TRUE(static_cast<bool>(linked));
    ASSERT_EQ(linked->size(), count);
    for (size_t i = 0; i < count; ++i) {
      ASSERT_FALSE(codegen::setWords(object, "numbers", lists[i]));
      auto one = codegen::linkSharedObject({object});
      ASSERT_TRUE(static_cast<bool>(one));
      EXPECT_EQ(*one, (*linked)[i]) << "list " << i << " of " << count;
    }
  }
}

TEST(SharedObject, ListsWithoutWordsAreOneLink) {
  llvm::SmallVector<char, 0> object = compileText(kTable, kNothing, 2);
  const llvm::ArrayRef<int32_t> none;
  auto linked = codegen::linkForEach(object, {}, "numbers", {none, none, none});
  ASSERT_TRUE(static_cast<bool>(linked));
  ASSERT_EQ(linked->size(), 3U);
  EXPECT_EQ((*linked)[0], (*linked)[2]);
}

TEST(SharedObject, WordsWithoutATableAreAnError) {
  llvm::SmallVector<char, 0> object = compileText(kTable, kNothing, 2);
  const std::vector<int32_t> words = {1, 2, 3};
  auto linked = codegen::linkForEach(object, {}, "nothing", {words, words, words});
  ASSERT_FALSE(static_cast<bool>(linked));
  EXPECT_NE(llvm::toString(linked.takeError()).find("nothing"), std::string::npos);
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/ReadBytecode.h"
#include "compiler/Stages/Import/RunApart.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::heddle;

namespace {

class Bytecode : public testing::Test {
protected:
  Bytecode() : context(registry(), MLIRContext::Threading::DISABLED) { context.allowUnregisteredDialects(); }

  static DialectRegistry registry() {
    DialectRegistry registry;
    registry.insert<arith::ArithDialect, func::FuncDialect>();
    return registry;
  }

  static std::string spell(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module.print(os, OpPrintingFlags().enableDebugInfo(true));
    return text;
  }

  std::string write(llvm::StringRef text) {
    MLIRContext other(registry(), MLIRContext::Threading::DISABLED);
    other.allowUnregisteredDialects();
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &other);
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    EXPECT_TRUE(module && succeeded(writeBytecodeToFile(*module, os)));
    return bytes;
  }

  // The module's text, or what the caller hears.
  std::string read(std::unique_ptr<llvm::MemoryBuffer> file, unsigned seconds = 5) {
    std::string heard;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      llvm::raw_string_ostream(heard) << diagnostic.getLocation() << ": " << diagnostic << "\n";
      return success();
    });
    module = readBytecode(std::move(file), &context, seconds);
    return module ? spell(*module) : heard;
  }
  std::string read(const std::string &bytes) { return read(llvm::MemoryBuffer::getMemBufferCopy(bytes, "model")); }

  std::string readFile(const std::string &name) {
    auto file = llvm::MemoryBuffer::getFile(HEDDLE_IMPORT_INPUTS "/" + name, false, /*RequiresNullTerminator=*/false);
    EXPECT_TRUE(bool(file)) << name;
    return read(llvm::MemoryBuffer::getMemBufferCopy((*file)->getBuffer(), "model"), /*seconds=*/1);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

// Values, small and large, of each way to hold them; ops of unknown dialects; locations.
std::string program() {
  std::string large(4 * 20000 * 2, '0');
  for (size_t i = 0; i < large.size(); i += 7)
    large[i] = "123456789abcdef"[i % 15];
  return R"(func.func @main(%x: tensor<20000xf32>) -> (tensor<20000xf32>, tensor<3xi1>) {
    %0 = arith.constant dense<"0x)" +
         large + R"("> : tensor<20000xf32> loc("large")
    %1 = arith.constant dense_resource<w> : tensor<20000xf32>
    %2 = arith.constant dense<[true, false, true]> : tensor<3xi1>
    %3 = arith.constant dense<0x7FC00001> : tensor<4xf32>
    %4 = "stablehlo.constant"() <{value = dense_resource<w> : tensor<20000xf32>}> : () -> tensor<20000xf32>
    %5 = "stablehlo.sort"(%x) <{d = #stablehlo<x EQ>}> ({^bb0(%a: tensor<f32>, %b: tensor<f32>): "stablehlo.return"(%a) : (tensor<f32>) -> ()})
      {other = [dense_resource<v> : tensor<2xi8>]} : (tensor<20000xf32>) -> tensor<20000xf32> loc(callsite("a" at "b.py":3:4))
    return %5, %2 : tensor<20000xf32>, tensor<3xi1>
  }
  {-# dialect_resources: { builtin: { w: "0x04000000)" +
         large + R"(", v: "0x01000000FF07" } } #-})";
}

TEST_F(Bytecode, IsTheModuleThatWasWritten) {
  OwningOpRef<ModuleOp> direct = parseSourceString<ModuleOp>(program(), &context);
  ASSERT_TRUE(direct);
  std::string want = spell(*direct);
  direct = {};
  std::string got = read(write(program()));
  // Names of resources are unique in a context, which the first module was read in, too.
  for (size_t at; (at = got.find("w_1")) != std::string::npos;)
    got.erase(at + 1, 2);
  for (size_t at; (at = got.find("v_1")) != std::string::npos;)
    got.erase(at + 1, 2);
  auto differ = llvm::mismatch(got, want);
  EXPECT_TRUE(got == want) << std::string(differ.first, got.end()).substr(0, 200) << "\ninstead of\n"
                           << std::string(differ.second, want.end()).substr(0, 200);
}

TEST_F(Bytecode, LargeConstantsStayInTheFile) {
  std::string bytes = write(program());
  auto file = llvm::MemoryBuffer::getMemBufferCopy(bytes, "model");
  const char *begin = file->getBufferStart(), *end = file->getBufferEnd();
  read(std::move(file));
  ASSERT_TRUE(module);
  unsigned found = 0;
  module->walk([&](Operation *op) {
    if (auto value = op->getAttrOfType<DenseResourceElementsAttr>("value")) {
      ArrayRef<char> data = value.getRawHandle().getBlob()->getData();
      EXPECT_EQ(data.size(), 80000u);
      found += data.begin() >= begin && data.end() <= end;
    }
    EXPECT_FALSE(isa<arith::ConstantOp>(op) && op->getLoc() == NameLoc::get(StringAttr::get(&context, "large")) &&
                 !op->getAttrOfType<DenseElementsAttr>("value"));
  });
  EXPECT_GE(found, 1u);
}

TEST_F(Bytecode, ErrorsOfTheReaderAreHeardOnce) {
  EXPECT_EQ(read("ML\xefR\x01\x02\x03").find("loc(\"model\":0:0): "), 0u);
  std::string unknown = write("\"other.op\"() : () -> () loc(\"there\")");
  context.allowUnregisteredDialects(false);
  EXPECT_NE(read(unknown).find("dialect 'other' is unknown"), std::string::npos);
}

// Found by changing bytes of good files: MLIR 22's reader crashes on them, or never ends.
TEST_F(Bytecode, DamagedFilesEndInWords) {
  for (const char *name : {"crash-0.mlirbc", "crash-16.mlirbc"})
    EXPECT_EQ(readFile(name), "loc(\"model\":0:0): damaged MLIR bytecode: MLIR's reader crashed\n") << name;
  EXPECT_EQ(readFile("hang-8.mlirbc"),
            "loc(\"model\":0:0): damaged MLIR bytecode: MLIR's reader took longer than 1 s\n");
}

TEST(RunApart, GivesWhatTheWorkWrites) {
  Apart apart = runApart({5, 1 << 30, 1 << 20}, [](llvm::raw_ostream &os) { os << std::string(100000, 'x') << "end"; });
  ASSERT_EQ(apart.end, Apart::End::Done);
  EXPECT_EQ(apart.output->getBufferSize(), 100003u);
  EXPECT_TRUE(apart.output->getBuffer().ends_with("xend"));
}

TEST(RunApart, HasLimits) {
  auto endOf = [](ApartLimits limits, llvm::function_ref<void(llvm::raw_ostream &)> work) {
    return runApart(limits, work).end;
  };
  EXPECT_EQ(endOf({1, 0, 1 << 20}, [](llvm::raw_ostream &) { std::abort(); }), Apart::End::Crashed);
  EXPECT_EQ(endOf({1, 0, 1 << 20},
                  [](llvm::raw_ostream &) {
                    for (volatile bool go = true; go;)
                      ;
                  }),
            Apart::End::TooLong);
  EXPECT_EQ(endOf({1, 64 << 20, 1 << 20},
                  [](llvm::raw_ostream &os) {
                    volatile char *block = static_cast<char *>(std::malloc(1 << 30));
                    block[5] = 1;
                    os << block[5];
                  }),
            Apart::End::Crashed);
  EXPECT_EQ(endOf({1, 0, 1000}, [](llvm::raw_ostream &os) { os << std::string(5000, 'x'); }), Apart::End::Crashed);
}

// What took over the copy could neither open a file or a connection, nor start or end a process.
TEST(RunApart, ReachesNothing) {
  int null = open("/dev/null", O_RDWR), far = fcntl(null, F_DUPFD, 100); // the copy's own files have low numbers
  Apart apart = runApart({5, 1 << 30, 1 << 20}, [&](llvm::raw_ostream &os) {
    os << (open("/etc/passwd", O_RDONLY) < 0) << (socket(AF_INET, SOCK_STREAM, 0) < 0) << (fork() < 0)
       << (kill(getppid(), 0) < 0) << (write(far, "x", 1) < 0) << (unlink("/tmp/no such file") < 0 && errno != ENOENT);
  });
  close(null);
  close(far);
  ASSERT_EQ(apart.end, Apart::End::Done);
  EXPECT_EQ(apart.output->getBuffer(), "111111");
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Link/SharedObject.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/PassRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <optional>

LLD_HAS_DRIVER(elf)

using namespace mlir::heddle;
using codegen::Unrolled;

static llvm::OptimizationLevel optimizationLevel(unsigned level) {
  switch (level) {
  case 0: return llvm::OptimizationLevel::O0;
  case 1: return llvm::OptimizationLevel::O1;
  case 2: return llvm::OptimizationLevel::O2;
  default: return llvm::OptimizationLevel::O3;
  }
}

// What tiles need: memory of tiles in registers, addresses out of loops, equal ones once.
static constexpr llvm::StringLiteral kShortPipeline =
    "cgscc(inline),function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(loop-rotate,licm),gvn,instcombine<no-verify-fixpoint>,simplifycfg,dse,adce)";

// Of tiles in loops also: induction variables that step by what addresses do.
static constexpr llvm::StringLiteral kMiddlePipeline =
    "cgscc(inline),function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(loop-rotate,licm),simplifycfg,instcombine<no-verify-fixpoint>,"
    "loop(indvars,loop-deletion,loop-unroll-full),sroa,gvn,sccp,instcombine<no-verify-fixpoint>,dse,loop-mssa(licm),"
    "adce,simplifycfg)";

static bool isShort(Unrolled unrolled) { return unrolled == Unrolled::Addresses || unrolled == Unrolled::Short; }

static void optimize(llvm::Module &module, llvm::TargetMachine &machine, unsigned optLevel, Unrolled unrolled) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  // Kernels are vectorised and unrolled where it pays; what is left scalar may still gain.
  tuning.LoopVectorization = true;
  tuning.SLPVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::TargetLibraryInfoImpl library(module.getTargetTriple());
  library.disableAllFunctions(); // loops must not become memset or memcpy: nothing provides them
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::OptimizationLevel level = optimizationLevel(optLevel);
  llvm::ModulePassManager passes;
  if (unrolled != Unrolled::Nothing)
    llvm::cantFail(builder.parsePassPipeline(passes, isShort(unrolled) ? kShortPipeline : kMiddlePipeline));
  else
    passes = level == llvm::OptimizationLevel::O0 ? builder.buildO0DefaultPipeline(level)
                                                  : builder.buildPerModuleDefaultPipeline(level);
  passes.run(module, modules);
}

namespace {

// Leaves out loop strength reduction where told: half of code generation's time in a tile, whose addresses are
// constants away from one pointer already.
class EmissionPasses : public llvm::legacy::PassManager {
public:
  explicit EmissionPasses(bool isShort) : isShort(isShort) {}

  void add(llvm::Pass *pass) override {
    const llvm::PassInfo *info = llvm::PassRegistry::getPassRegistry()->getPassInfo(pass->getPassID());
    if (isShort && info && info->getPassArgument() == "loop-reduce")
      delete pass;
    else
      PassManager::add(pass);
  }

private:
  bool isShort;
};

} // namespace

static llvm::Expected<llvm::SmallVector<char, 0>> compile(llvm::Module &module, llvm::TargetMachine &machine,
                                                          unsigned optLevel, Unrolled unrolled,
                                                          llvm::CodeGenFileType kind) {
  constexpr unsigned kLong = 600; // instructions
  module.setDataLayout(machine.createDataLayout());
  module.setTargetTriple(machine.getTargetTriple());
  machine.setOptLevel(optLevel == 0 ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default);
  if (optLevel == 0 || optLevel > 2 || (module.getInstructionCount() < kLong && unrolled < Unrolled::Calls))
    unrolled = Unrolled::Nothing;
  optimize(module, machine, optLevel, unrolled);
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  EmissionPasses passes(isShort(unrolled));
  if (machine.addPassesToEmitFile(passes, stream, nullptr, kind))
    return llvm::createStringError("the target cannot emit code of this kind");
  passes.run(module);
  return object;
}

llvm::Expected<llvm::SmallVector<char, 0>> codegen::compileToObject(llvm::Module &module, llvm::TargetMachine &machine,
                                                                    unsigned optLevel, Unrolled unrolled) {
  return compile(module, machine, optLevel, unrolled, llvm::CodeGenFileType::ObjectFile);
}

llvm::Expected<llvm::SmallVector<char, 0>> codegen::compileToAssembly(llvm::Module &module,
                                                                      llvm::TargetMachine &machine, unsigned optLevel) {
  return compile(module, machine, optLevel, Unrolled::Nothing, llvm::CodeGenFileType::AssemblyFile);
}

llvm::Error codegen::setWords(llvm::MutableArrayRef<char> object, llvm::StringRef symbol,
                              llvm::ArrayRef<int32_t> words) {
  llvm::MemoryBufferRef buffer(llvm::StringRef(object.data(), object.size()), "kernel.o");
  auto file = llvm::object::ObjectFile::createELFObjectFile(buffer);
  if (!file)
    return file.takeError();
  for (const llvm::object::SymbolRef &entry : (*file)->symbols()) {
    auto name = entry.getName();
    if (!name)
      return name.takeError();
    if (*name != symbol)
      continue;
    auto section = entry.getSection();
    auto offset = entry.getValue();
    if (!section || !offset)
      return llvm::joinErrors(section.takeError(), offset.takeError());
    if (*section == (*file)->section_end())
      break;
    auto contents = (*section)->getContents();
    if (!contents)
      return contents.takeError();
    if (*offset > contents->size() || contents->size() - *offset < words.size() * sizeof(int32_t))
      break;
    char *at = object.data() + (contents->data() - buffer.getBufferStart()) + *offset;
    for (auto [i, word] : llvm::enumerate(words))
      llvm::support::endian::write32le(at + i * sizeof(int32_t), static_cast<uint32_t>(word));
    return llvm::Error::success();
  }
  return llvm::createStringError("the object has no room for words at '" + symbol + "'");
}

namespace {

// A folder of its own in `parent`, "" for the system's, gone at the end.
class TemporaryFolder {
public:
  explicit TemporaryFolder(llvm::StringRef parent) {
    llvm::SmallString<128> prefix(parent);
    llvm::sys::path::append(prefix, "heddle-codegen");
    error = llvm::sys::fs::createUniqueDirectory(prefix, path);
  }
  ~TemporaryFolder() {
    if (!error)
      llvm::sys::fs::remove_directories(path);
  }
  std::string file(llvm::StringRef name) const {
    llvm::SmallString<128> full(path);
    llvm::sys::path::append(full, name);
    return full.str().str();
  }
  std::error_code error;

private:
  llvm::SmallString<128> path;
};

} // namespace

static llvm::Expected<llvm::SmallVector<char, 0>> linkIn(llvm::StringRef parent,
                                                         llvm::ArrayRef<llvm::ArrayRef<char>> objects) {
  TemporaryFolder folder(parent);
  if (folder.error) {
    llvm::SmallString<128> parent;
    llvm::sys::path::system_temp_directory(/*erasedOnReboot=*/true, parent);
    return llvm::createStringError("cannot make a temporary folder in '" + parent.str() + "' to link in: " +
                                   folder.error.message() + "; set TMPDIR to a folder that can be written");
  }
  std::vector<std::string> inputs;
  for (llvm::ArrayRef<char> object : objects) {
    inputs.push_back(folder.file("kernel" + std::to_string(inputs.size()) + ".o"));
    std::error_code error;
    llvm::raw_fd_ostream stream(inputs.back(), error);
    if (error)
      return llvm::createStringError(error, "cannot write a temporary object");
    stream.write(object.data(), object.size());
  }
  std::string output = folder.file("kernel.so"), messages;
  std::vector<const char *> arguments = {"ld.lld",           "-shared",     "-s",   "--build-id=none",
                                         "--hash-style=gnu", "-z",          "defs", "-z",
                                         "noexecstack",      "--threads=1", "-o",   output.c_str()};
  for (const std::string &input : inputs)
    arguments.push_back(input.c_str());
  {
    static std::mutex mutex;
    std::lock_guard<std::mutex> lock(mutex);
    llvm::raw_string_ostream stream(messages);
    lld::Result result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
    if (result.retCode != 0)
      return llvm::createStringError("linking failed: " + messages);
  }
  auto linked = llvm::MemoryBuffer::getFile(output);
  if (!linked)
    return llvm::createStringError(linked.getError(), "cannot read the linked object");
  return llvm::SmallVector<char, 0>((*linked)->getBufferStart(), (*linked)->getBufferEnd());
}

llvm::Expected<llvm::SmallVector<char, 0>> codegen::linkSharedObject(llvm::ArrayRef<llvm::ArrayRef<char>> objects) {
  // To make and to remove files on a disk takes as long as the link itself. What fails there, as memory that is full,
  // is tried on the disk.
  if (constexpr llvm::StringLiteral kMemory = "/dev/shm";
      !std::getenv("TMPDIR") && llvm::sys::fs::is_directory(kMemory)) {
    if (auto linked = linkIn(kMemory, objects))
      return linked;
    else
      llvm::consumeError(linked.takeError());
  }
  return linkIn("", objects);
}

// Where in a linked object the words lie, by another link of the same objects with the inverted words: none of their
// bytes is equal in both, and all others are. None where that is not so.
static std::optional<size_t> findWords(llvm::ArrayRef<char> linked, llvm::ArrayRef<char> inverted,
                                       llvm::ArrayRef<int32_t> words) {
  if (linked.size() != inverted.size())
    return std::nullopt;
  auto begin = std::mismatch(linked.begin(), linked.end(), inverted.begin()).first;
  auto end = std::mismatch(linked.rbegin(), std::make_reverse_iterator(begin), inverted.rbegin()).first.base();
  if (static_cast<size_t>(end - begin) != words.size() * sizeof(int32_t))
    return std::nullopt;
  for (auto [i, word] : llvm::enumerate(words))
    if (llvm::support::endian::read32le(begin + i * sizeof(int32_t)) != static_cast<uint32_t>(word))
      return std::nullopt;
  return begin - linked.begin();
}

llvm::Expected<std::vector<llvm::SmallVector<char, 0>>>
codegen::linkForEach(llvm::MutableArrayRef<char> object, llvm::ArrayRef<llvm::ArrayRef<char>> others,
                     llvm::StringRef symbol, llvm::ArrayRef<llvm::ArrayRef<int32_t>> lists) {
  llvm::SmallVector<llvm::ArrayRef<char>> objects{object};
  objects.append(others.begin(), others.end());
  auto linkWith = [&](llvm::ArrayRef<int32_t> words) -> llvm::Expected<llvm::SmallVector<char, 0>> {
    if (!words.empty())
      if (llvm::Error error = setWords(object, symbol, words))
        return error;
    return linkSharedObject(objects);
  };
  auto first = linkWith(lists.front());
  if (!first)
    return first.takeError();
  std::optional<size_t> place;
  if (lists.size() > 2 && !lists.front().empty()) {
    auto inverted = linkWith(llvm::map_to_vector(lists.front(), [](int32_t word) { return ~word; }));
    if (!inverted)
      return inverted.takeError();
    place = findWords(*first, *inverted, lists.front());
  }
  std::vector<llvm::SmallVector<char, 0>> linked(lists.size(), *first);
  for (size_t i = 1; i < lists.size(); ++i) {
    if (place) {
      for (auto [word, value] : llvm::enumerate(lists[i]))
        llvm::support::endian::write32le(linked[i].data() + *place + word * sizeof(int32_t),
                                         static_cast<uint32_t>(value));
    } else if (!lists[i].empty()) {
      auto other = linkWith(lists[i]);
      if (!other)
        return other.takeError();
      linked[i] = std::move(*other);
    }
  }
  return linked;
}

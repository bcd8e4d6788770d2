// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Dialect/Encoding/IR/PhysicalLayout.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Pipelines/Tune.h"
#include "compiler/Stages/Codegen/Pipeline.h"
#include "compiler/Target/CPU/CpuFeatures.h"
#include "heddle/contract/KernelAbi.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/TargetParser/Host.h"

#include <ctime>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::heddle;

static constexpr int kRounds = 7;
static constexpr double kRoundSeconds = 2e-3;

namespace {

// A linked object that this process may call.
class LoadedObject {
public:
  LoadedObject(ArrayRef<char> bytes, StringRef symbol) : file(memfd_create("heddle-candidate", MFD_CLOEXEC)) {
    static unsigned count = 0; // dlopen() takes equal paths for one object
    std::string path = "/proc/self/fd/";
    for (unsigned rest = ++count; rest; rest >>= 1)
      path += rest & 1 ? ".//" : "./";
    if (write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()))
      handle = dlopen((path + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle)
      kernel = reinterpret_cast<HeddleKernel>(dlsym(handle, symbol.str().c_str()));
  }
  ~LoadedObject() {
    if (handle)
      dlclose(handle);
    close(file);
  }
  LoadedObject(const LoadedObject &) = delete;
  HeddleKernel kernel = nullptr;

private:
  int file;
  void *handle = nullptr;
};

// Bindings filled with zeros.
class Bindings {
public:
  // False for a type whose bytes are not known here.
  bool add(Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      return false;
    RankedTensorType physical = encoding::getLayout(tensor) ? encoding::getPhysicalType(tensor) : tensor;
    std::optional<int64_t> needed =
        physical && isStored(physical.getElementType()) ? tensorBytes(physical) : std::nullopt;
    if (!needed)
      return false;
    size_t bytes = llvm::alignTo(*needed, 64) + 64;
    memory.emplace_back(static_cast<char *>(std::aligned_alloc(64, bytes)), std::free);
    if (!memory.back())
      return false;
    std::memset(memory.back().get(), 0, bytes);
    addresses.push_back(memory.back().get());
    return true;
  }
  SmallVector<void *> addresses;

private:
  std::vector<std::unique_ptr<char, void (*)(void *)>> memory;
};

} // namespace

// The value of a host function without arguments.
static std::optional<int64_t> evaluate(func::FuncOp function) {
  OwningOpRef<func::FuncOp> clone = function.clone();
  OpBuilder builder(function.getContext());
  for (Operation &op : llvm::make_early_inc_range(clone->getBody().front())) {
    builder.setInsertionPoint(&op);
    SmallVector<Value> folded;
    if (op.hasTrait<OpTrait::ConstantLike>() || op.getNumResults() == 0 || failed(builder.tryFold(&op, folded)))
      continue;
    op.replaceAllUsesWith(folded);
  }
  APInt result;
  if (!matchPattern(clone->getBody().front().getTerminator()->getOperand(0), m_ConstantInt(&result)))
    return std::nullopt;
  return result.getSExtValue();
}

// Whether this machine has all the features; contract and LLVM spell them alike.
static bool runsHere(flow::VariantOp variant) {
  llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  return llvm::all_of(variant.getFeatures().getAsRange<StringAttr>(), [&](StringAttr feature) {
    StringRef name = feature.getValue();
    return host.lookup(name) && (!name.starts_with("amx-") || cpu::requestTileRegisters());
  });
}

static double threadSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// The best of some rounds, each of as many calls as fill its time; none where the kernel fails.
static std::optional<double> timeCalls(HeddleKernel kernel, ArrayRef<void *> bindings, int64_t workgroups,
                                       int64_t scratchBytes) {
  HeddleKernelState state{bindings.data(), nullptr};
  std::unique_ptr<char, void (*)(void *)> scratch(
      static_cast<char *>(std::aligned_alloc(64, (scratchBytes + 63) / 64 * 64 + 64)), std::free);
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    int calls = 0;
    double start = threadSeconds(), spent = 0;
    do {
      if (kernel(&state, 0, workgroups, scratch.get()) != 0)
        return std::nullopt;
      ++calls;
      spent = threadSeconds() - start;
    } while (spent < kRoundSeconds);
    if (round == 1 || (round > 1 && spent / calls < best)) // round 0 warms up
      best = spent / calls;
  }
  return best;
}

std::optional<double> mlir::heddle::measureKernel(ModuleOp candidate, unsigned optLevel) {
  MLIRContext *context = candidate.getContext();
  // A candidate that code generation refuses is one of many.
  ScopedDiagnosticHandler quiet(context, [](Diagnostic &) { return success(); });
  auto executable = *candidate.getOps<flow::ExecutableOp>().begin();
  FunctionType type = executable.getFunction().getFunctionType();
  Bindings bindings;
  for (Type each : llvm::concat<const Type>(type.getInputs(), type.getResults()))
    if (!bindings.add(each))
      return std::nullopt;
  auto pm = PassManager::on<ModuleOp>(context);
  buildCodegenPipeline(pm, {optLevel});
  if (failed(pm.run(candidate)))
    return std::nullopt;
  auto variants = llvm::to_vector((*candidate.getOps<flow::ExecutableOp>().begin()).getOps<flow::VariantOp>());
  if (variants.size() != 1 || !runsHere(variants.front()))
    return std::nullopt;
  flow::VariantOp variant = variants.front();
  std::optional<int64_t> workgroups = evaluate(variant.getWorkgroups()), scratch = evaluate(variant.getScratch());
  auto resource = dyn_cast<DenseResourceElementsAttr>(variant.getObject());
  if (!workgroups || !scratch || !resource)
    return std::nullopt;
  LoadedObject object(resource.getRawHandle().getBlob()->getData(), variant.getSymbol());
  if (!object.kernel)
    return std::nullopt;
  return timeCalls(object.kernel, bindings.addresses, *workgroups, *scratch);
}

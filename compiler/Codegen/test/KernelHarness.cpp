// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/test/KernelHarness.h"

#include "compiler/Dialect/Device/IR/DeviceQuery.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Pipelines/Stages.h"
#include "compiler/Stages/Codegen/Pipeline.h"
#include "compiler/Target/TargetRegistry.h"
#include "runtime/drivers/local/CpuFeatures.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"

#include <chrono>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::heddle;

namespace heddle::test {

constexpr size_t kPage = 4096;

GuardedArray::GuardedArray(size_t size, At at) : bytes(size) {
  size_t body = (size + kPage - 1) / kPage * kPage;
  mapped = body + 2 * kPage;
  mapping = mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char *begin = static_cast<char *>(mapping) + kPage;
  mprotect(begin, body, PROT_READ | PROT_WRITE);
  pointer = at == At::End ? begin + body - size : begin;
  std::memset(begin, 0xa5, body);
}

GuardedArray::GuardedArray(GuardedArray &&other) noexcept
    : mapping(other.mapping), mapped(other.mapped), bytes(other.bytes), pointer(other.pointer) {
  other.mapping = nullptr;
}

GuardedArray::~GuardedArray() {
  if (mapping)
    munmap(mapping, mapped);
}

bool machineHas(const std::string &feature) {
  const std::vector<std::string> &features = local::hostFeatures();
  return std::find(features.begin(), features.end(), feature) != features.end();
}

bool runsHere(const std::string &cpu) {
  auto hasAll = [](std::initializer_list<const char *> features) {
    return std::all_of(features.begin(), features.end(), machineHas);
  };
  bool v3 = hasAll({"avx2", "fma", "f16c", "bmi2"});
  bool v4 = v3 && hasAll({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"});
  if (cpu == "sapphirerapids")
    return v4 && machineHas("amx-int8");
  if (cpu == "cooperlake")
    return v4 && machineHas("avx512vnni") && machineHas("avx512bf16");
  if (cpu == "cascadelake")
    return v4 && machineHas("avx512vnni");
  if (cpu == "alderlake")
    return v3 && machineHas("avxvnni");
  if (cpu == "x86-64-v2")
    return machineHas("sse4.2");
  return cpu == "x86-64-v4" ? v4 : cpu == "x86-64-v3" ? v3 : true;
}

const char *hostLevel() {
  for (const char *level : {"x86-64-v4", "x86-64-v3", "x86-64-v2"})
    if (runsHere(level))
      return level;
  return "x86-64";
}

struct CompiledKernel::Impl {
  Impl() : context(registry(), MLIRContext::Threading::DISABLED) {}

  static DialectRegistry registry() {
    DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  flow::VariantOp variant;

  // Folds a host function with its arguments known.
  int64_t evaluate(func::FuncOp func, const std::vector<int64_t> &constants) {
    OwningOpRef<func::FuncOp> clone = func.clone();
    OpBuilder builder = OpBuilder::atBlockBegin(&clone->getBody().front());
    for (auto [argument, value] : llvm::zip(clone->getArguments(), constants))
      argument.replaceAllUsesWith(arith::ConstantIndexOp::create(builder, func.getLoc(), value).getResult());
    for (Operation &op : llvm::make_early_inc_range(clone->getBody().front())) {
      builder.setInsertionPoint(&op);
      SmallVector<Value> folded;
      if (op.hasTrait<OpTrait::ConstantLike>() || op.getNumResults() == 0 || failed(builder.tryFold(&op, folded)))
        continue;
      op.replaceAllUsesWith(folded);
    }
    APInt result;
    matchPattern(clone->getBody().front().getTerminator()->getOperand(0), m_ConstantInt(&result));
    return result.getSExtValue();
  }
};

// A module with the function as an executable for the processor.
static std::string moduleText(const std::string &function, const std::string &cpu, const std::string &attributes) {
  size_t at = function.find('@') + 1;
  std::string name = function.substr(at, function.find('(') - at);
  return "device.global @d = #device.target<\"local\", [#device.executable<\"elf-x86_64\", {cpu = \"" + cpu +
         "\", features = \"\"}>]>\nflow.executable private @" + name + " attributes {" + attributes + "} {\n" +
         function + "\n}\n";
}

std::vector<std::pair<int64_t, int64_t>> findOverwrites(const std::string &function, const std::string &cpu) {
  MLIRContext context(CompiledKernel::Impl::registry(), MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  auto module = parseSourceString<ModuleOp>(moduleText(function, cpu, ""), &context);
  std::vector<std::pair<int64_t, int64_t>> pairs;
  device::DeviceQuery devices(*module);
  for (device::ExecutableAttr executable : devices.getAllTargets())
    for (auto op : module->getOps<flow::ExecutableOp>())
      for (const flow::Overwrite &pair : findTarget("elf-x86_64")->findOverwrites(op.getFunction(), executable))
        pairs.emplace_back(pair.operand, pair.result);
  return pairs;
}

CompiledKernel::CompiledKernel(const std::string &function, const std::string &cpu, const std::string &tile,
                               const std::vector<std::pair<int64_t, int64_t>> &overwrites)
    : impl(std::make_unique<Impl>()) {
  ScopedDiagnosticHandler handler(&impl->context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      message += diagnostic.str() + "\n";
  });
  std::string pairs;
  for (auto [operand, result] : overwrites)
    pairs += (pairs.empty() ? "array<i64: " : ", array<i64: ") + std::to_string(operand) + ", " +
             std::to_string(result) + ">";
  std::string attributes = "kernel.tile = " + tile + (pairs.empty() ? "" : ", flow.overwrites = [" + pairs + "]");
  impl->module = parseSourceString<ModuleOp>(moduleText(function, cpu, attributes), &impl->context);
  if (!impl->module)
    return;
  auto start = std::chrono::steady_clock::now();
  auto pm = PassManager::on<ModuleOp>(&impl->context);
  buildCodegenPipeline(pm);
  if (failed(pm.run(*impl->module))) {
    message += "codegen failed\n";
    return;
  }
  milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  impl->module->walk([&](flow::VariantOp op) { impl->variant = op; });
  auto object = cast<DenseResourceElementsAttr>(impl->variant.getObject());
  llvm::ArrayRef<char> data = object.getRawHandle().getBlob()->getData();
  bytes.assign(data.begin(), data.end());
  file = memfd_create("kernel", 0);
  if (write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    message += "cannot write the object\n";
  library = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW);
  if (!library)
    message += dlerror();
  else
    kernel = reinterpret_cast<HeddleKernel>(dlsym(library, impl->variant.getSymbol().str().c_str()));
}

CompiledKernel::~CompiledKernel() {
  if (library)
    dlclose(library);
  if (file >= 0)
    close(file);
}

int64_t CompiledKernel::workgroups(const std::vector<int64_t> &constants) const {
  return impl->evaluate(impl->variant.getWorkgroups(), constants);
}

int64_t CompiledKernel::scratchBytes(const std::vector<int64_t> &constants) const {
  return impl->evaluate(impl->variant.getScratch(), constants);
}

int32_t CompiledKernel::run(const std::vector<void *> &bindings, const std::vector<int64_t> &constants,
                            int parts) const {
  HeddleKernelState state{bindings.data(), constants.data()};
  int64_t total = workgroups(constants), bytes = scratchBytes(constants);
  GuardedArray scratch((bytes + 63) / 64 * 64);
  int32_t status = 0;
  for (int part = 0; part < parts; ++part)
    if (int32_t s = kernel(&state, total * part / parts, total * (part + 1) / parts, scratch.data()); status == 0)
      status = s;
  return status;
}

} // namespace heddle::test

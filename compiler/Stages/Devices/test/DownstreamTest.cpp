// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A project downstream adds its own kind of selection: the alternative with the most memory first. Nothing of the
// compiler knows the attribute; it implements DeviceInitAttr, and the stage `devices` does the rest.
#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Stages/Devices/Pipeline.h"
#include "compiler/Target/CPU/Backend/CpuBackend.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::heddle;

namespace downstream {

struct ByMemoryStorage : AttributeStorage {
  using KeyTy = ArrayRef<Attribute>;
  explicit ByMemoryStorage(KeyTy devices) : devices(devices) {}
  bool operator==(const KeyTy &key) const { return key == devices; }
  KeyTy getAsKey() const { return devices; }
  static ByMemoryStorage *construct(AttributeStorageAllocator &allocator, const KeyTy &key) {
    return new (allocator.allocate<ByMemoryStorage>()) ByMemoryStorage(allocator.copyInto(key));
  }

  ArrayRef<Attribute> devices;
};

// `#downstream.by_memory<[…]>`
class ByMemoryAttr
    : public Attribute::AttrBase<ByMemoryAttr, Attribute, ByMemoryStorage, device::DeviceInitAttr::Trait> {
public:
  using Base::Base;
  static constexpr StringLiteral name = "downstream.by_memory";

  void getAlternatives(SmallVectorImpl<Attribute> &alternatives) const {
    SmallVector<Attribute> all;
    for (Attribute device : getImpl()->devices)
      cast<device::DeviceInitAttr>(device).getAlternatives(all);
    llvm::stable_sort(all, [](Attribute a, Attribute b) { return memoryOf(a) > memoryOf(b); });
    llvm::append_range(alternatives, all);
  }

private:
  static int64_t memoryOf(Attribute alternative) {
    auto target = dyn_cast<device::TargetAttr>(alternative);
    auto memory = target ? target.getConfig().getAs<IntegerAttr>("memory") : IntegerAttr();
    return memory ? memory.getInt() : 0;
  }
};

class Dialect : public mlir::Dialect {
public:
  explicit Dialect(MLIRContext *context) : mlir::Dialect("downstream", context, TypeID::get<Dialect>()) {
    addAttributes<ByMemoryAttr>();
  }
  static StringRef getDialectNamespace() { return "downstream"; }

  Attribute parseAttribute(DialectAsmParser &parser, Type) const override {
    SmallVector<Attribute> devices;
    auto parseDevice = [&] { return parser.parseAttribute(devices.emplace_back()); };
    if (parser.parseKeyword("by_memory") || parser.parseLess() ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDevice) || parser.parseGreater())
      return {};
    return ByMemoryAttr::get(parser.getContext(), devices);
  }
  void printAttribute(Attribute, DialectAsmPrinter &printer) const override { printer << "by_memory"; }
};

} // namespace downstream

MLIR_DECLARE_EXPLICIT_TYPE_ID(downstream::ByMemoryAttr)
MLIR_DEFINE_EXPLICIT_TYPE_ID(downstream::ByMemoryAttr)
MLIR_DECLARE_EXPLICIT_TYPE_ID(downstream::Dialect)
MLIR_DEFINE_EXPLICIT_TYPE_ID(downstream::Dialect)

namespace {

TEST(Downstream, SelectsByMemory) {
  cpu::registerBackend();
  MLIRContext context;
  context.loadDialect<device::DeviceDialect, downstream::Dialect>();
  auto module = parseSourceString<ModuleOp>(R"(module attributes {device.targets = [
      #device.named<"cpu", #device.alias<"local", {cpu = "aarch64:generic"}>>,
      #device.named<"large", #device.select<[#downstream.by_memory<[
        #device.alias<"local"[1], {cpu = "aarch64:generic", memory = "1GiB"}>,
        #device.alias<"null", {cpu = "aarch64:generic", memory = "4GiB"}>,
        #device.alias<"local"[2], {cpu = "aarch64:generic", memory = "2GiB"}>]>, #device.fallback<@cpu>]>>]} {})",
                                            &context);
  ASSERT_TRUE(module);
  PassManager pm(&context);
  buildDevicesPipeline(pm, {});
  ASSERT_TRUE(succeeded(pm.run(*module)));
  auto large = module->lookupSymbol<device::GlobalOp>("large");
  ASSERT_TRUE(large && isa<device::SelectAttr>(large.getDevice()));
  std::vector<int64_t> memory;
  for (Attribute alternative : large.getAlternatives())
    if (auto target = dyn_cast<device::TargetAttr>(alternative))
      memory.push_back(target.getConfig().getAs<IntegerAttr>("memory").getInt() >> 30);
  EXPECT_EQ(memory, (std::vector<int64_t>{4, 2, 1}));
  EXPECT_TRUE(isa<device::FallbackAttr>(large.getAlternatives().back()));
}

} // namespace

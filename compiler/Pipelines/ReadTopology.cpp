// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipelines/ReadTopology.h"

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Device/IR/GivenPosition.h"
#include "compiler/Dialect/Flow/Analysis/Topology.h"
#include "compiler/Dialect/Suggest.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>
#include <map>
#include <set>

using namespace mlir;
using namespace mlir::heddle;
namespace json = llvm::json;

namespace {

class TopologyFile {
public:
  TopologyFile(ModuleOp module, StringRef path) : module(module), path(path) {}

  LogicalResult apply();

private:
  InFlightDiagnostic error() { return module.emitError() << "topology '" << path << "': "; }

  LogicalResult read();
  LogicalResult checkKeys(const json::Object &object, ArrayRef<std::string> known, const Twine &where);
  FailureOr<const json::Array *> listOf(const json::Object &root, StringRef key);
  LogicalResult readDevices(const json::Array &list);
  LogicalResult readLinks(const json::Array &list);
  std::optional<std::string> textOf(const json::Object &object, StringRef key, const Twine &where);
  LogicalResult readNumber(const json::Object &object, StringRef key, double &into, const Twine &where);
  LogicalResult readCount(const json::Object &object, StringRef key, double &into, const Twine &where);
  LogicalResult readFlag(const json::Object &object, StringRef key, bool &into, const Twine &where);
  std::string exactName(device::TargetAttr target);
  void match();
  void remarkUnused();
  void setRates(device::GlobalOp global, StringRef name);
  LogicalResult setLinks();

  struct Rates {
    double gflops = 0, memoryGbps = 0; // 0: not said
    double queues = 0, units = 0;      // whole numbers; 0: not said
  };
  struct FileLink {
    double gbps = 0, us = -1; // not said
    bool unified = false, transparent = false;
  };

  ModuleOp module;
  StringRef path;
  std::map<std::string, Rates> devices;
  std::map<std::pair<std::string, std::string>, FileLink> links;
  std::vector<std::string> inOrder; // devices, as they were given when the file was made
  llvm::StringSet<> names;          // all of devices and links
  SmallVector<std::pair<device::GlobalOp, std::string>> matched;
};

// "local" is "local[0]".
std::string canonical(StringRef name, const std::set<std::string> &symbols) {
  bool isDriver = !name.contains('[') && name != "host" && !symbols.count(name.str());
  return isDriver ? (name + "[0]").str() : name.str();
}

std::set<std::string> symbolsOf(ModuleOp module) {
  std::set<std::string> symbols;
  for (auto global : module.getOps<device::GlobalOp>())
    symbols.insert(global.getSymName().str());
  return symbols;
}

} // namespace

LogicalResult TopologyFile::apply() {
  if (module->hasAttr(device::DeviceDialect::kTopologyAttr))
    return error() << "the module has a device.topology already; give one of the two";
  if (failed(read()))
    return failure();
  match();
  for (auto &[global, name] : matched)
    setRates(global, name);
  remarkUnused();
  return setLinks();
}

LogicalResult TopologyFile::read() {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return error() << "cannot be read: " << buffer.getError().message() << "; heddle devices --measure writes one";
  auto parsed = json::parse((*buffer)->getBuffer());
  if (!parsed)
    return error() << "must be JSON: " << llvm::toString(parsed.takeError());
  const json::Object *root = parsed->getAsObject();
  if (!root)
    return error() << "must be a JSON object with 'devices' and 'links'";
  if (failed(checkKeys(*root, {"version", "machine", "devices", "links"}, "the file")))
    return failure();
  if (const json::Value *version = root->get("version"); version && version->getAsInteger() != 1)
    return error() << "has version " << llvm::formatv("{0}", *version).str()
                   << ", this compiler reads version 1; measure again";
  FailureOr<const json::Array *> list = listOf(*root, "devices"), linkList = listOf(*root, "links");
  if (failed(list) || failed(linkList) || (*list && failed(readDevices(**list))))
    return failure();
  return *linkList ? readLinks(**linkList) : success();
}

LogicalResult TopologyFile::checkKeys(const json::Object &object, ArrayRef<std::string> known, const Twine &where) {
  for (const auto &entry : object)
    if (StringRef key = entry.first; !llvm::is_contained(known, key))
      return error() << where << " has an unknown key '" << key << "'; known: " << listNames(known)
                     << didYouMean(key, known);
  return success();
}

// Null where the file has none.
FailureOr<const json::Array *> TopologyFile::listOf(const json::Object &root, StringRef key) {
  const json::Value *value = root.get(key);
  if (value && !value->getAsArray())
    return error() << "'" << key << "' must be a list";
  return value ? value->getAsArray() : nullptr;
}

std::optional<std::string> TopologyFile::textOf(const json::Object &object, StringRef key, const Twine &where) {
  if (std::optional<StringRef> text = object.getString(key))
    return canonical(*text, symbolsOf(module));
  error() << where << " needs '" << key << "', a text";
  return std::nullopt;
}

LogicalResult TopologyFile::readNumber(const json::Object &object, StringRef key, double &into, const Twine &where) {
  const json::Value *value = object.get(key);
  if (!value)
    return success();
  std::optional<double> number = value->getAsNumber();
  bool mayBeZero = key == "latency_us";
  if (!number || !std::isfinite(*number) || !(*number >= 0) || (*number == 0 && !mayBeZero))
    return error() << where << ": '" << key << "' must be a number " << (mayBeZero ? "from zero on" : "above zero");
  into = *number;
  return success();
}

LogicalResult TopologyFile::readCount(const json::Object &object, StringRef key, double &into, const Twine &where) {
  constexpr double kMost = 1 << 20;
  if (failed(readNumber(object, key, into, where)))
    return failure();
  if (into != std::floor(into) || into > kMost)
    return error() << where << ": '" << key << "' must be a whole number up to " << static_cast<int64_t>(kMost);
  return success();
}

LogicalResult TopologyFile::readFlag(const json::Object &object, StringRef key, bool &into, const Twine &where) {
  const json::Value *value = object.get(key);
  if (value && !value->getAsBoolean())
    return error() << where << ": '" << key << "' must be true or false";
  into = value && *value->getAsBoolean();
  return success();
}

LogicalResult TopologyFile::readDevices(const json::Array &list) {
  for (auto [index, value] : llvm::enumerate(list)) {
    std::string where = "device " + std::to_string(index);
    const json::Object *object = value.getAsObject();
    if (!object)
      return error() << where << " must be an object";
    std::optional<std::string> name = textOf(*object, "name", where);
    if (!name || failed(checkKeys(*object, {"name", "uri", "gflops", "memory_gbps", "queues", "units"}, where)))
      return failure();
    Rates &rates = devices[*name];
    names.insert(*name);
    inOrder.push_back(*name);
    if (failed(readNumber(*object, "gflops", rates.gflops, where)) ||
        failed(readNumber(*object, "memory_gbps", rates.memoryGbps, where)) ||
        failed(readCount(*object, "queues", rates.queues, where)) ||
        failed(readCount(*object, "units", rates.units, where)))
      return failure();
  }
  return success();
}

LogicalResult TopologyFile::readLinks(const json::Array &list) {
  for (auto [index, value] : llvm::enumerate(list)) {
    std::string where = "link " + std::to_string(index);
    const json::Object *object = value.getAsObject();
    if (!object)
      return error() << where << " must be an object";
    std::optional<std::string> from = textOf(*object, "from", where), to = textOf(*object, "to", where);
    if (!from || !to ||
        failed(checkKeys(*object, {"from", "to", "bandwidth_gbps", "latency_us", "unified", "transparent"}, where)))
      return failure();
    auto [entry, isNew] = links.try_emplace({*from, *to});
    if (!isNew)
      return error() << where << ": the link from '" << *from << "' to '" << *to << "' is given twice";
    names.insert(*from);
    names.insert(*to);
    FileLink &link = entry->second;
    if (failed(readNumber(*object, "bandwidth_gbps", link.gbps, where)) ||
        failed(readNumber(*object, "latency_us", link.us, where)) ||
        failed(readFlag(*object, "unified", link.unified, where)) ||
        failed(readFlag(*object, "transparent", link.transparent, where)))
      return failure();
  }
  return success();
}

// What the file calls the one device that the target speaks of; for one beyond its devices a name it does not have.
std::string TopologyFile::exactName(device::TargetAttr target) {
  if (target.getOrdinal() >= 0)
    return (target.getDriver().getValue() + "[" + Twine(target.getOrdinal()) + "]").str();
  size_t position = device::getGivenPosition(target);
  return position < inOrder.size() ? inOrder[position] : "ordinal<" + std::to_string(position) + ">";
}

// As at load: what asks for an ordinal, a position or a name of its own has it, the others take what is left in order.
void TopologyFile::match() {
  llvm::StringSet<> taken;
  SmallVector<std::pair<device::GlobalOp, device::TargetAttr>> open;
  for (auto global : module.getOps<device::GlobalOp>()) {
    device::TargetAttr target;
    for (Attribute alternative : global.getAlternatives())
      if ((target = dyn_cast<device::TargetAttr>(alternative)))
        break;
    if (names.contains(global.getSymName())) {
      matched.push_back({global, global.getSymName().str()});
    } else if (target && (target.getOrdinal() >= 0 || device::getGivenPosition(target) >= 0)) {
      std::string name = exactName(target);
      taken.insert(name);
      matched.push_back({global, name});
    } else {
      open.push_back({global, target});
    }
  }
  for (auto [global, target] : open) {
    std::string name;
    for (int ordinal = 0; target && (name.empty() || taken.contains(name)); ++ordinal)
      name = (target.getDriver().getValue() + "[" + Twine(ordinal) + "]").str();
    taken.insert(name);
    matched.push_back({global, name});
  }
  for (auto &[global, name] : matched)
    if (!names.contains(name))
      mlir::emitRemark(global.getLoc()) << "topology '" << path << "' says nothing of @" << global.getSymName() << " ("
                                        << (name.empty() ? "no target" : name)
                                        << "); heddle devices --measure takes --device=URI for each";
}

// What the file speaks of and the program does not have: another machine's devices, or a name that was misspelt.
void TopologyFile::remarkUnused() {
  std::set<std::string> unused;
  std::vector<std::string> used;
  for (const auto &name : names)
    unused.insert(name.getKey().str());
  unused.erase("host");
  for (auto &[global, name] : matched) {
    unused.erase(name);
    used.push_back(("@" + global.getSymName() + " (" + (name.empty() ? "no target" : name) + ")").str());
  }
  if (!unused.empty())
    mlir::emitRemark(module.getLoc()) << "topology '" << path << "' names devices that the program does not have: "
                                      << listNames(std::vector<std::string>(unused.begin(), unused.end()))
                                      << "; its devices: " << listNames(used);
}

void TopologyFile::setRates(device::GlobalOp global, StringRef name) {
  if (!names.contains(name))
    return;
  auto found = devices.find(name.str());
  Rates rates = found == devices.end() ? Rates() : found->second;
  // What was not measured is not taken for slower than what was: the default rates are those of a core or two.
  bool knowsFlops = rates.gflops > 0, knowsMemory = rates.memoryGbps > 0;
  for (auto &[other, measured] : devices) {
    if (!knowsFlops && measured.gflops > flow::DeviceModel().gflops)
      rates.gflops = std::max(rates.gflops, measured.gflops);
    if (!knowsMemory && measured.memoryGbps > flow::DeviceModel().memoryGbps)
      rates.memoryGbps = std::max(rates.memoryGbps, measured.memoryGbps);
  }
  Builder builder(module.getContext());
  device::TargetAttr target;
  for (Attribute alternative : global.getAlternatives())
    if ((target = dyn_cast<device::TargetAttr>(alternative)))
      break;
  if (!target)
    return;
  NamedAttrList config(target.getConfig());
  auto add = [&](StringRef key, double value) {
    if (value > 0 && !config.get(key))
      config.append(key, builder.getF64FloatAttr(value));
  };
  add("gflops", rates.gflops);
  add("memory_gbps", rates.memoryGbps);
  auto addCount = [&](StringRef key, double value) {
    if (value > 0 && !config.get(key))
      config.append(key, builder.getI64IntegerAttr(static_cast<int64_t>(value)));
  };
  addCount("queues", rates.queues);
  addCount("units", rates.units);
  auto addLink = [&](const std::pair<std::string, std::string> &ends, StringRef prefix) {
    auto found = links.find(ends);
    // The host reads results where they are, if it can.
    if (found == links.end() || found->second.unified || (found->second.transparent && ends.second == "host"))
      return;
    add((prefix + "_gbps").str(), found->second.gbps);
    std::string latency = (prefix + "_us").str();
    if (found->second.us >= 0 && !config.get(latency))
      config.append(latency, builder.getF64FloatAttr(found->second.us));
  };
  addLink({"host", name.str()}, "from_host");
  addLink({name.str(), "host"}, "to_host");
  auto rated = device::TargetAttr::get(module.getContext(), target.getDriver(),
                                       config.getDictionary(module.getContext()), target.getExecutables());
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](device::TargetAttr attr) -> std::optional<Attribute> {
    return attr == target ? std::optional<Attribute>(rated) : std::nullopt;
  });
  global.setDeviceAttr(replacer.replace(global.getDevice()));
}

LogicalResult TopologyFile::setLinks() {
  Builder builder(module.getContext());
  SmallVector<device::LinkAttr> list;
  for (auto &[from, fromName] : matched)
    for (auto &[to, toName] : matched) {
      auto found = links.find({fromName, toName});
      if (from == to || found == links.end())
        continue;
      const FileLink &link = found->second;
      NamedAttrList config;
      if (link.gbps > 0)
        config.append("bandwidth_gbps", builder.getF64FloatAttr(link.gbps));
      if (link.us >= 0)
        config.append("latency_us", builder.getF64FloatAttr(link.us));
      if (link.unified)
        config.append("unified", builder.getUnitAttr());
      if (link.transparent)
        config.append("transparent", builder.getUnitAttr());
      list.push_back(device::LinkAttr::get(module.getContext(), FlatSymbolRefAttr::get(from.getSymNameAttr()),
                                           FlatSymbolRefAttr::get(to.getSymNameAttr()),
                                           config.getDictionary(module.getContext())));
    }
  if (!list.empty())
    module->setAttr(device::DeviceDialect::kTopologyAttr, device::TopologyAttr::get(module.getContext(), list));
  return success();
}

LogicalResult mlir::heddle::applyTopology(ModuleOp module, StringRef path) {
  return TopologyFile(module, path).apply();
}

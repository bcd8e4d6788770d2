// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/IR/FlowPieces.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::flow;
namespace contract = ::heddle::contract;
using Work = contract::OverlapAccount::Work;

//===--- Accounts as attributes ----------------------------------------------------------------------------------===//

static DenseI64ArrayAttr listOf(Builder &builder, const std::vector<Work> &works) {
  SmallVector<int64_t> numbers;
  for (const Work &work : works)
    for (uint64_t number : {work.flops, work.bytes, work.sharedBytes})
      numbers.push_back(static_cast<int64_t>(number));
  return builder.getDenseI64ArrayAttr(numbers);
}

DictionaryAttr flow::toAttr(MLIRContext *context, const PiecesAccount &of) {
  Builder builder(context);
  std::string_view kind = contract::spelling(of.account.kind);
  NamedAttrList attrs;
  attrs.set("name", builder.getStringAttr(of.name));
  attrs.set("kind", builder.getStringAttr(StringRef(kind.data(), kind.size())));
  attrs.set("feeds", builder.getBoolAttr(of.account.feeds));
  attrs.set("mesh", of.mesh);
  attrs.set("axes", of.axes);
  if (of.groups)
    attrs.set("groups", of.groups);
  attrs.set("extent", builder.getI64IntegerAttr(of.account.extent));
  attrs.set("moved_bytes", builder.getI64IntegerAttr(static_cast<int64_t>(of.account.movedBytes)));
  attrs.set("works", listOf(builder, of.account.works));
  attrs.set("slices", listOf(builder, of.account.slices));
  attrs.set("joins", listOf(builder, of.account.joins));
  if (!of.account.sums.empty())
    attrs.set("sums", listOf(builder, of.account.sums));
  attrs.set("rates", builder.getDenseF64ArrayAttr({of.rates.gflops, of.rates.memoryGbps, of.rates.launchUs,
                                                   of.rates.linkGbps, of.rates.linkUs}));
  attrs.set("counts", builder.getDenseI64ArrayAttr(SmallVector<int64_t>(of.counts.begin(), of.counts.end())));
  return attrs.getDictionary(context);
}

static bool readWorks(DictionaryAttr attr, StringRef name, std::vector<Work> &works) {
  auto list = attr.getAs<DenseI64ArrayAttr>(name);
  if (!list || list.size() % 3)
    return false;
  for (int64_t i = 0; i < list.size(); i += 3)
    works.push_back(
        {static_cast<uint64_t>(list[i]), static_cast<uint64_t>(list[i + 1]), static_cast<uint64_t>(list[i + 2])});
  return true;
}

std::optional<PiecesAccount> flow::readAccount(DictionaryAttr attr) {
  auto name = attr.getAs<StringAttr>("name"), kind = attr.getAs<StringAttr>("kind");
  auto feeds = attr.getAs<BoolAttr>("feeds");
  auto extent = attr.getAs<IntegerAttr>("extent"), moved = attr.getAs<IntegerAttr>("moved_bytes");
  auto rates = attr.getAs<DenseF64ArrayAttr>("rates");
  auto counts = attr.getAs<DenseI64ArrayAttr>("counts");
  PiecesAccount of;
  of.mesh = attr.getAs<FlatSymbolRefAttr>("mesh");
  of.axes = attr.getAs<ArrayAttr>("axes");
  of.groups = attr.getAs<ArrayAttr>("groups");
  if (!name || !kind || !feeds || !extent || !moved || !rates || rates.size() != 5 || !counts || !of.mesh || !of.axes ||
      !readWorks(attr, "works", of.account.works) || !readWorks(attr, "slices", of.account.slices) ||
      !readWorks(attr, "joins", of.account.joins) ||
      (attr.contains("sums") && !readWorks(attr, "sums", of.account.sums)))
    return std::nullopt;
  uint8_t number = 0;
  while (number < contract::kCollectiveKinds &&
         kind.getValue() != StringRef(contract::spelling(static_cast<contract::CollectiveKind>(number))))
    ++number;
  if (number == contract::kCollectiveKinds)
    return std::nullopt;
  of.name = name.str();
  of.account.kind = static_cast<contract::CollectiveKind>(number);
  of.account.feeds = feeds.getValue();
  of.account.extent = extent.getInt();
  of.account.movedBytes = static_cast<uint64_t>(moved.getInt());
  of.rates.gflops = rates[0];
  of.rates.memoryGbps = rates[1];
  of.rates.launchUs = rates[2];
  of.rates.linkGbps = rates[3];
  of.rates.linkUs = rates[4];
  for (int64_t count : counts.asArrayRef())
    of.counts.push_back(static_cast<unsigned>(count));
  return of;
}

//===--- flow.pieces ---------------------------------------------------------------------------------------------===//

LogicalResult PiecesOp::verify() {
  std::optional<PiecesAccount> of = readAccount(getAccount());
  if (!of)
    return emitOpError() << "has an account in which something is missing: " << getAccount();
  if (!of->counts.empty() && (of->counts.front() != 1 || getPositions()))
    return emitOpError() << (getPositions() ? "has numbers of pieces, so there is no number of positions for each"
                                            : "has no whole first among its numbers of pieces");
  return success();
}

#define GET_OP_CLASSES
#include "compiler/Dialect/Flow/IR/FlowPieces.cpp.inc"

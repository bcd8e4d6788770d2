// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reshardings run by the reference on all ranks: what each rank has in the end is its part of the value.
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Reference/Reference.h"
#include "compiler/Stages/Ranks/Pipeline.h"
#include "compiler/Stages/Ranks/Reshard/Reshard.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <map>
#include <random>

using namespace mlir;
using namespace mlir::heddle;
using flow::ShardingAttr;
using reference::Tensor;

namespace {

// Coordinates of a rank in a mesh; none outside.
std::optional<SmallVector<int64_t>> coordinatesOf(const MeshShape &mesh, int64_t rank) {
  rank -= mesh.first;
  if (rank < 0 || rank >= mesh.getNumRanks())
    return std::nullopt;
  SmallVector<int64_t> coordinates(mesh.sizes.size());
  for (size_t i = mesh.sizes.size(); i-- > 0; rank /= mesh.sizes[i])
    coordinates[i] = rank % mesh.sizes[i];
  return coordinates;
}

struct Range {
  int64_t begin, size;
};

// Written down anew, from the words of #flow.sharding.
SmallVector<Range> partOf(ShardingAttr sharding, const MeshShape &mesh, ArrayRef<int64_t> coordinates,
                          ArrayRef<int64_t> shape) {
  SmallVector<Range> part;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    int64_t place = 0, parts = 1, step = sharding.getGranule(dim).getFactor();
    for (StringAttr axis : sharding.getDimAxes(dim)) {
      size_t i = llvm::find(mesh.axes, axis) - mesh.axes.begin();
      place = place * mesh.sizes[i] + coordinates[i];
      parts *= mesh.sizes[i];
    }
    int64_t granules = size / step, begin = place * granules / parts * step;
    part.push_back({begin, (place + 1) * granules / parts * step - begin});
  }
  return part;
}

SmallVector<int64_t> partialPlace(ShardingAttr sharding, const MeshShape &mesh, ArrayRef<int64_t> coordinates) {
  SmallVector<int64_t> place;
  for (StringAttr axis : sharding.getPartial())
    place.push_back(coordinates[llvm::find(mesh.axes, axis) - mesh.axes.begin()]);
  return place;
}

double combine(flow::Reduction reduction, double a, double b) {
  switch (reduction) {
  case flow::Reduction::Max: return std::max(a, b);
  case flow::Reduction::Min: return std::min(a, b);
  default: return a + b;
  }
}

// Calls `visit` with the number of each element of the part, in the part and in the whole.
template <typename Function> void forEachElement(ArrayRef<Range> part, ArrayRef<int64_t> shape, Function visit) {
  int64_t count = 1;
  for (const Range &range : part)
    count *= range.size;
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, at = 0, stride = 1;
    for (size_t dim = shape.size(); dim-- > 0;) {
      at += (part[dim].begin + rest % part[dim].size) * stride;
      rest /= part[dim].size;
      stride *= shape[dim];
    }
    visit(i, at);
  }
}

class ReshardRunTest : public ::testing::Test {
protected:
  ReshardRunTest() {
    context.loadDialect<HeddleDialect, device::DeviceDialect, flow::FlowDialect, func::FuncDialect,
                        linalg::LinalgDialect, arith::ArithDialect, scf::SCFDialect, tensor::TensorDialect>();
  }

  ShardingAttr sharding(std::string text) {
    std::replace(text.begin(), text.end(), '\'', '"');
    return llvm::cast<ShardingAttr>(parseAttribute("#flow.sharding<" + text + ">", &context));
  }

  MeshShape shapeOf(ShardingAttr sharding) {
    return MeshShape::of(module->lookupSymbol<device::MeshOp>(sharding.getMesh()));
  }

  // Each rank gives all of its summand; the program takes the rank's part by `from`, and then that by `to`.
  // Empty: every rank has what it should.
  // Axes of the first mesh in `late` have no size while the steps are planned.
  std::string run(const std::string &meshes, ArrayRef<int64_t> shape, const std::string &from, const std::string &to,
                  bool isDynamic = false, ArrayRef<StringRef> late = {}) {
    this->shape.assign(shape.begin(), shape.end());
    module = parseSourceString<ModuleOp>(meshes, &context);
    before = sharding(from);
    after = sharding(to);
    auto mesh = module->lookupSymbol<device::MeshOp>(before.getMesh());
    auto sizes = llvm::to_vector(mesh.getSizes()), planned = sizes;
    for (auto [axis, size] : llvm::zip(mesh.getAxes().getAsValueRange<StringAttr>(), planned))
      size = llvm::is_contained(late, axis) ? device::MeshOp::kFree : size;
    mesh.setSizes(planned);
    if (std::string error = build(isDynamic || !late.empty()); !error.empty())
      return error;
    mesh.setSizes(sizes);
    std::string written = execute();
    if (!written.empty())
      return written;
    PassManager pm(&context); // what it is in leading form, and that all members meet
    buildRanksPipeline(pm, {});
    if (failed(pm.run(*module)))
      return "not uniform";
    std::string leading = execute();
    return leading.empty() ? "" : "in leading form: " + leading;
  }

  std::string execute() {
    reference::ReferenceOptions options;
    options.optimize = false;
    auto oracle = reference::Reference::create(*module, options);
    if (failed(oracle))
      return "no reference";
    std::vector<std::vector<Tensor>> inputs, results;
    makeInputs((*oracle)->signature().ranks, inputs);
    if (std::string error = (*oracle)->runRanks(inputs, results); !error.empty())
      return error;
    return compare(results);
  }

  std::string build(bool isDynamic) {
    SmallVector<int64_t> sizes(shape);
    if (isDynamic)
      sizes.assign(shape.size(), ShapedType::kDynamic);
    auto type = RankedTensorType::get(sizes, Float32Type::get(&context));
    OpBuilder b = OpBuilder::atBlockEnd(module->getBody());
    Location loc = b.getUnknownLoc();
    auto function = func::FuncOp::create(b, loc, "main", b.getFunctionType({type}, {}));
    b.setInsertionPointToStart(function.addEntryBlock());
    Value value = function.getArgument(0);
    SmallVector<OpFoldResult> whole = tensor::getMixedSizes(b, loc, value);
    // As the arguments are: the summands, each of them whole.
    auto summand = ShardingAttr::getNormalized(before.getMesh(),
                                               ShardingAttr::getReplicated(before.getMesh(), shape.size()).getAxes(),
                                               {}, before.getPartial(), before.getReduction());
    for (auto [given, wanted] : {std::pair(summand, before), std::pair(before, after)}) {
      FailureOr<Value> next = emitReshard(b, loc, value, whole, given, wanted);
      if (failed(next))
        return "no plan";
      value = *next;
    }
    func::ReturnOp::create(b, loc, value);
    function.setType(b.getFunctionType({type}, value.getType()));
    return succeeded(verify(*module)) ? "" : "not valid";
  }

  // The summand of the ranks at a place along the partial axes.
  double given(ArrayRef<int64_t> place, int64_t element) const {
    int64_t seed = 7;
    for (int64_t coordinate : place)
      seed = seed * 5 + coordinate;
    return (element * 31 + seed * seed) % 101 - 50;
  }

  void makeInputs(unsigned ranks, std::vector<std::vector<Tensor>> &inputs) {
    MeshShape mesh = shapeOf(before);
    for (unsigned rank = 0; rank < ranks; ++rank) {
      Tensor tensor = Tensor::allocate(reference::ElementType::F32, shape);
      if (auto coordinates = coordinatesOf(mesh, rank))
        for (int64_t i = 0; i < tensor.count(); ++i)
          tensor.setDouble(i, given(partialPlace(before, mesh, *coordinates), i));
      inputs.push_back({tensor});
    }
  }

  double expected(int64_t element) {
    MeshShape mesh = shapeOf(before);
    std::map<SmallVector<int64_t>, double> summands;
    for (int64_t rank = 0; rank < mesh.getNumRanks(); ++rank) {
      auto place = partialPlace(before, mesh, *coordinatesOf(mesh, mesh.first + rank));
      summands[place] = given(place, element);
    }
    double value = summands.begin()->second;
    for (const auto &[place, summand] : llvm::drop_begin(summands))
      value = combine(before.getReduction(), value, summand);
    return value;
  }

  // What ranks at different places along the partial axes have is combined first.
  std::string compare(ArrayRef<std::vector<Tensor>> results) {
    MeshShape mesh = shapeOf(after);
    for (int64_t rank = 0; rank < mesh.getNumRanks(); ++rank) {
      auto coordinates = *coordinatesOf(mesh, mesh.first + rank);
      auto part = partOf(after, mesh, coordinates, shape);
      const Tensor &own = results[mesh.first + rank][0];
      for (auto [size, range] : llvm::zip(own.shape, part))
        if (size != range.size)
          return "rank " + std::to_string(rank) + " has " + reference::spell(own);
      if (!partialPlace(after, mesh, coordinates).empty() &&
          llvm::any_of(partialPlace(after, mesh, coordinates), [](int64_t at) { return at != 0; }))
        continue;
      std::string wrong;
      forEachElement(part, shape, [&](int64_t inPart, int64_t inWhole) {
        double value = combined(results, mesh, coordinates, inPart);
        if (value != expected(inWhole) && wrong.empty())
          wrong = "rank " + std::to_string(rank) + " has " + std::to_string(value) + " at " + std::to_string(inWhole) +
                  ", not " + std::to_string(expected(inWhole));
      });
      if (!wrong.empty())
        return wrong;
    }
    return "";
  }

  double combined(ArrayRef<std::vector<Tensor>> results, const MeshShape &mesh, ArrayRef<int64_t> first,
                  int64_t element) {
    std::optional<double> value;
    for (int64_t rank = 0; rank < mesh.getNumRanks(); ++rank) {
      auto coordinates = *coordinatesOf(mesh, mesh.first + rank);
      bool belongs = llvm::all_of(llvm::enumerate(mesh.axes), [&](auto axis) {
        return llvm::is_contained(after.getPartial(), axis.value()) || coordinates[axis.index()] == first[axis.index()];
      });
      if (!belongs)
        continue;
      double summand = results[mesh.first + rank][0].asDouble(element);
      value = value ? combine(after.getReduction(), *value, summand) : summand;
    }
    return *value;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  SmallVector<int64_t> shape;
  ShardingAttr before, after;
};

//===--- Cases ---------------------------------------------------------------------------------------------------===//

struct Case {
  const char *meshes, *from, *to;
};

constexpr const char *kLine = "device.mesh @m = [x = 4]";
constexpr const char *kSquare = "device.mesh @m = [x = 2, y = 2]";
constexpr const char *kTwoMeshes = "device.mesh @a = [x = 2, y = 4]\ndevice.mesh @b = [p = 4, q = 2]";

TEST_F(ReshardRunTest, EveryKindOfStep) {
  for (const Case &c : {
           Case{kLine, "@m, [['x'], []]", "@m, [[], []]"},
           Case{kLine, "@m, [[], []]", "@m, [[], ['x']]"},
           Case{kLine, "@m, [['x'], []]", "@m, [[], ['x']]"},
           Case{kLine, "@m, [[], []], partial sum ['x']", "@m, [[], []]"},
           Case{kLine, "@m, [[], []], partial max ['x']", "@m, [[], ['x']]"},
           Case{kLine, "@m, [[], []]", "@m, [[], []], partial sum ['x']"},
           Case{kLine, "@m, [[], ['x']]", "@m, [[], []], partial sum ['x']"},
           Case{kLine, "@m, [[], []], partial sum ['x']", "@m, [[], []], partial max ['x']"},
           Case{kLine, "@m, [['x'] by 2, []]", "@m, [['x'], []]"},
           Case{kSquare, "@m, [['x', 'y'], []]", "@m, [['y', 'x'], []]"},
           Case{kSquare, "@m, [['x'], ['y']]", "@m, [['y'], ['x']]"},
           Case{kSquare, "@m, [['x'], []]", "@m, [['y'], []]"},
           Case{kSquare, "@m, [['x'], ['y']]", "@m, [[], []]"},
           Case{kSquare, "@m, [['x', 'y'], []]", "@m, [[], ['y', 'x']]"},
           Case{kSquare, "@m, [['x'], []], partial sum ['y']", "@m, [['y', 'x'], []]"},
           Case{kSquare, "@m, [['x'], []], partial sum ['y']", "@m, [['y'], []], partial sum ['x']"},
           Case{kSquare, "@m, [[], []], partial sum ['x']", "@m, [['y'], []]"},
           Case{kTwoMeshes, "@a, [['x'], ['y']]", "@b, [['p'], ['q']]"},
           Case{kTwoMeshes, "@a, [['x', 'y'], []]", "@b, [['p', 'q'], []]"},
           Case{kTwoMeshes, "@a, [['y'], []], partial sum ['x']", "@b, [['q'], ['p']]"},
           Case{kTwoMeshes, "@a, [['y'], ['x']]", "@a, [['x'], ['y']]"},
       })
    EXPECT_EQ(run(c.meshes, {8, 16}, c.from, c.to), "") << c.meshes << ": " << c.from << " -> " << c.to;
}

// Who sends to whom may not depend on a size that is known when the module is loaded.
TEST_F(ReshardRunTest, SizesThatComeLate) {
  for (int64_t z : {1, 2, 3, 5})
    for (int64_t y : {2, 3}) {
      std::string mesh = "device.mesh @m = [x = 2, y = " + std::to_string(y) + ", z = " + std::to_string(z) + "]";
      for (auto [from, to] : {std::pair("@m, [['y', 'z', 'x'], []]", "@m, [['x', 'z', 'y'], []]"),
                              std::pair("@m, [['x', 'z', 'y'], []]", "@m, [['y', 'x'], ['z']]"),
                              std::pair("@m, [['z', 'x', 'y'], []]", "@m, [['z', 'y', 'x'], []]"),
                              std::pair("@m, [['x', 'z'], ['y']]", "@m, [['y', 'z'], ['x']]"),
                              std::pair("@m, [['z', 'x'], []]", "@m, [['x', 'z'], []]"),
                              std::pair("@m, [['x', 'z'], []], partial sum ['y']", "@m, [['z', 'y'], ['x']]")})
        EXPECT_EQ(run(mesh, {24, 10}, from, to, false, {"z"}), "") << mesh << ": " << from << " -> " << to;
    }
}

// 7 over 4, 66 over 4, 1 over 4, no rows at all.
TEST_F(ReshardRunTest, UnevenParts) {
  for (SmallVector<int64_t> shape : {SmallVector<int64_t>{66, 7}, {7, 66}, {1, 5}, {0, 6}, {8, 16}})
    for (const Case &c : {
             Case{kLine, "@m, [['x'], []]", "@m, [[], []]"},
             Case{kLine, "@m, [['x'], []]", "@m, [[], ['x']]"},
             Case{kLine, "@m, [[], []], partial sum ['x']", "@m, [['x'], []]"},
             Case{kLine, "@m, [[], ['x']]", "@m, [[], []], partial max ['x']"},
             Case{kSquare, "@m, [['x', 'y'], []]", "@m, [['y', 'x'], []]"},
             Case{kSquare, "@m, [['x', 'y'], []]", "@m, [['x'], ['y']]"},
             Case{kSquare, "@m, [['x'], ['y']]", "@m, [['y'], ['x']]"},
             Case{kSquare, "@m, [['x', 'y'], []]", "@m, [['x'], []]"},
             Case{kSquare, "@m, [['x'], []], partial sum ['y']", "@m, [['x', 'y'], []]"},
             Case{kTwoMeshes, "@a, [['x'], ['y']]", "@b, [['p'], ['q']]"},
         })
      for (bool isDynamic : {false, true})
        EXPECT_EQ(run(c.meshes, shape, c.from, c.to, isDynamic), "")
            << shape[0] << "x" << shape[1] << (isDynamic ? ", sizes of the call" : "") << ", " << c.meshes << ": "
            << c.from << " -> " << c.to;
}

TEST_F(ReshardRunTest, MeshesWithoutACommonView) {
  const char *meshes = "device.mesh @a = [x = 2, y = 3]\ndevice.mesh @b = [p = 3, q = 2]";
  for (auto [from, to] : {std::pair("@a, [['x'], ['y']]", "@b, [['p'], ['q']]"),
                          std::pair("@a, [['x'], []], partial sum ['y']", "@b, [[], ['q', 'p']]"),
                          std::pair("@a, [['x'], []]", "@b, [[], []]")})
    EXPECT_EQ(run(meshes, {6, 12}, from, to), "") << from << " -> " << to;
}

TEST_F(ReshardRunTest, OtherRanks) {
  const char *meshes = "device.mesh @a = [x = 2, y = 2]\ndevice.mesh @b = [p = 4] at 4\ndevice.mesh @c = [q = 2] at 3\n"
                       "device.mesh @d = [r = 1] at 7";
  for (auto [from, to] :
       {std::pair("@a, [['x'], ['y']]", "@b, [['p'], []]"), std::pair("@a, [[], []]", "@b, [[], []]"),
        std::pair("@b, [['p'], []]", "@a, [[], []]"),
        std::pair("@a, [[], []], partial sum ['x', 'y']", "@c, [['q'], []]"),
        std::pair("@c, [['q'], []]", "@b, [[], []]"), std::pair("@d, [[], []]", "@a, [['y'], []]"),
        std::pair("@a, [['x', 'y'], []]", "@d, [[], []]"), std::pair("@b, [['p'], []]", "@d, [['r'], []]")})
    EXPECT_EQ(run(meshes, {8, 4}, from, to), "") << from << " -> " << to;
}

//===--- Random ones ---------------------------------------------------------------------------------------------===//

class Random {
public:
  explicit Random(unsigned seed) : engine(seed) {}

  int64_t below(int64_t end) { return std::uniform_int_distribution<int64_t>(0, end - 1)(engine); }

  // Sizes of one to three axes.
  SmallVector<int64_t> sizes() {
    SmallVector<int64_t> list;
    for (int64_t i = 0, count = 1 + below(3); i < count; ++i)
      list.push_back(1 + below(count == 1 ? 6 : count == 2 ? 4 : 2 + (i == 0)));
    return list;
  }

  // Each axis cuts a dimension, is partial, or is nothing.
  std::string sharding(StringRef mesh, unsigned axes, unsigned rank) {
    auto order = llvm::to_vector(llvm::seq(0u, axes));
    std::shuffle(order.begin(), order.end(), engine);
    std::vector<std::string> dims(rank);
    std::string partial;
    for (unsigned axis : order) {
      std::string name = "'" + mesh.str() + std::to_string(axis) + "'";
      int64_t role = below(rank + 2);
      std::string *list = role < rank ? &dims[role] : role == rank ? &partial : nullptr;
      if (list)
        *list += (list->empty() ? "" : ", ") + name;
    }
    std::string text = "@" + mesh.str() + ", [";
    for (unsigned dim = 0; dim < rank; ++dim)
      text += (dim ? ", [" : "[") + dims[dim] + "]" + (below(3) || dims[dim].empty() ? "" : " by 2");
    text += "]";
    if (!partial.empty())
      text += std::string(", partial ") + std::array{"sum", "max", "min"}[below(3)] + " [" + partial + "]";
    return text;
  }

private:
  std::mt19937 engine;
};

std::string meshText(StringRef name, ArrayRef<int64_t> sizes, int64_t first) {
  std::string text = "device.mesh @" + name.str() + " = [";
  for (auto [i, size] : llvm::enumerate(sizes))
    text += (i ? ", " : "") + name.str() + std::to_string(i) + " = " + std::to_string(size);
  return text + "] at " + std::to_string(first) + "\n";
}

int64_t environment(const char *name, int64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::atoll(text) : otherwise;
}

TEST_F(ReshardRunTest, RandomOnes) {
  int64_t seed = environment("HEDDLE_SEED", 20261126), count = environment("HEDDLE_RANDOM_PROGRAMS", 40);
  for (int64_t i = 0; i < count; ++i) {
    Random random(seed + i);
    SmallVector<int64_t> sizes = random.sizes(), others = random.sizes();
    bool hasOneMesh = random.below(2);
    if (random.below(2)) // of the same ranks, by other axes
      others.assign(sizes.rbegin(), sizes.rend());
    std::string meshes = meshText("a", sizes, 0) + meshText("b", others, random.below(3));
    unsigned rank = 1 + random.below(3);
    SmallVector<int64_t> shape{24, 48, 24};
    for (int64_t &size : shape)
      size = random.below(2) ? size : 2 * random.below(34); // granules of 2 divide it
    shape.truncate(rank);
    std::string from = random.sharding("a", sizes.size(), rank);
    std::string to = hasOneMesh ? random.sharding("a", sizes.size(), rank) : random.sharding("b", others.size(), rank);
    bool isDynamic = random.below(4) == 0;
    SmallVector<StringRef> late;
    for (StringRef axis : {"a0", "a1", "a2"})
      if (hasOneMesh && random.below(2))
        late.push_back(axis);
    EXPECT_EQ(run(meshes, shape, from, to, isDynamic, late), "") << "HEDDLE_SEED=" << seed + i << "\n"
                                                                 << meshes << from << "\n-> " << to;
  }
}

} // namespace

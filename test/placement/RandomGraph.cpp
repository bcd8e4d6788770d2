// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/placement/RandomGraph.h"

#include <random>

using namespace heddle::test;

namespace {

const char *const kType = "tensor<4xi32>";

const char *const kExecutables = R"(
flow.executable private @add attributes {host.fake = "add"} {
  func.func @add(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> { return %x : tensor<4xi32> }
}
flow.executable private @sub attributes {host.fake = "sub"} {
  func.func @sub(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> { return %x : tensor<4xi32> }
}
flow.executable private @relu attributes {host.fake = "relu"} {
  func.func @relu(%x: tensor<4xi32>) -> tensor<4xi32> { return %x : tensor<4xi32> }
}
flow.executable private @shift attributes {host.fake = "add_constant"} {
  func.func @shift(%x: tensor<4xi32>, %c: index) -> tensor<4xi32> { return %x : tensor<4xi32> }
}
)";

class Generator {
public:
  explicit Generator(uint64_t seed)
      : random(seed), devices(1 + random() % 4), namesQueues(devices == 1 || chance(50)) {}

  RandomGraph run() {
    header();
    graph.arguments = 1 + random() % 3;
    std::string placed, plain;
    for (unsigned i = 0; i < graph.arguments; ++i) {
      std::string value = "%a" + std::to_string(i);
      placed += value + ": " + kType + attribute(40) + ", ";
      plain += value + ": " + kType + ", ";
      known.push_back(value);
    }
    unsigned results = 1 + random() % 3;
    std::string types, placedTypes;
    for (unsigned i = 0; i < results; ++i) {
      types += std::string(i ? ", " : "") + kType;
      placedTypes += std::string(i ? ", " : "") + kType + attribute(40);
    }
    std::string whole = chance(5) ? " attributes {heddle.affinity = " + affinity() + "}" : "";
    emit("func.func @main(" + placed + "%k: tensor<i64>" + attribute(20) + ") -> (" + placedTypes + ")" + whole + " {",
         "func.func @main(" + plain + "%k: tensor<i64>) -> (" + types + ") {");
    emit("  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %zero = arith.constant 0 : i32\n"
         "  %k64 = tensor.extract %k[] : tensor<i64>\n  %n = arith.index_cast %k64 : i64 to index");
    for (unsigned left = 3 + random() % 20; left > 0; --left)
      op(/*depth=*/0);
    std::string returned;
    for (unsigned i = 0; i < results; ++i)
      returned += (i ? ", " : "") + pick();
    emit("  return " + returned + " : " + types + "\n}");
    emit(kExecutables + std::string("}"));
    return std::move(graph);
  }

private:
  bool chance(unsigned percent) { return random() % 100 < percent; }
  std::string device() { return "@d" + std::to_string(random() % devices); }
  std::string affinity() { return "#device.affinity<" + device() + queues() + ">"; }
  std::string queues() {
    constexpr const char *kSets[] = {", [0]", ", [1]", ", [2]", ", [0, 1]", ", [1, 2]"};
    return namesQueues && chance(50) ? kSets[random() % std::size(kSets)] : "";
  }
  std::string attribute(unsigned percent) { return chance(percent) ? " {heddle.affinity = " + affinity() + "}" : ""; }
  std::string fresh() { return "%v" + std::to_string(count++); }

  void emit(const std::string &placed, const std::string &plain) {
    graph.placed += placed + "\n";
    graph.plain += plain + "\n";
  }
  void emit(const std::string &both) { emit(both, both); }

  // Usually something recent.
  const std::string &pick() {
    size_t recent = chance(70) ? std::min<size_t>(known.size(), 5) : known.size();
    return known[known.size() - 1 - random() % recent];
  }

  // Some devices use one another's buffers: all of a machine's, or the next one's only as long as they live.
  std::string topology() {
    if (!chance(30))
      return "";
    std::string links;
    for (unsigned from = 0; from < devices; ++from)
      for (unsigned to = 0; to < devices; ++to)
        if (from != to && chance(50))
          links += (links.empty() ? "#device.link<@d" : ", #device.link<@d") + std::to_string(from) + " -> @d" +
                   std::to_string(to) + (chance(70) ? ", {transparent}>" : ", {latency_us = 3}>");
    return " attributes {device.topology = #device.topology<[" + links + "]>}";
  }

  void header() {
    std::string links = topology();
    emit("module" + links + " {", "module {");
    for (unsigned i = 0; i < devices; ++i) {
      std::string name = "@d" + std::to_string(i);
      bool falls = i > 0 && links.empty() && chance(30); // a link holds for whatever a symbol becomes
      if (falls)
        graph.fallbacks.push_back("d" + std::to_string(i));
      std::string target = "#device.target<\"null\", [#device.executable<\"null\">]>";
      emit("device.global " + name + " = " +
               (falls ? "#device.select<[" + target + ", #device.fallback<@d0>]>"
                      : "#device.ordinal<" + std::to_string(i) + ">"),
           i == 0 ? "device.global @d0 = #device.ordinal<0>" : "");
    }
    emit("flow.parameter private @w0 : tensor<4xi32> = dense<[3, -1, 4, -1]>\n"
         "flow.parameter private @w1 : tensor<4xi32> = dense<[-2, 7, -1, 8]>");
  }

  void op(unsigned depth) {
    switch (random() % 14) {
    case 0: return transfer();
    case 1: return transfer();
    case 2: return constant();
    case 3: return view();
    case 4: return depth < 2 ? branch(depth) : dispatch();
    case 5: return depth < 2 ? loop(depth) : dispatch();
    case 6: return depth < 2 ? whileLoop(depth) : dispatch();
    default: return dispatch();
    }
  }

  void dispatch() {
    std::string x = pick(), y = pick(), result = fresh();
    std::string own = attribute(25);
    auto line = [&](const std::string &with) {
      switch (kind) {
      case 0:
      case 1:
        return result + " = flow.dispatch @" + (kind ? "sub" : "add") + "(" + x + ", " + y + ")" + with +
               " : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)";
      case 2: return result + " = flow.dispatch @relu(" + x + ")" + with + " : (tensor<4xi32>) -> (tensor<4xi32>)";
      default:
        return result + " = flow.dispatch @shift(" + x + ")[%c1]" + with + " : (tensor<4xi32>) -> (tensor<4xi32>)";
      }
    };
    kind = random() % 4;
    emit(line(own), line(""));
    known.push_back(result);
  }

  void transfer() {
    std::string x = pick(), result = fresh();
    emit(result + " = flow.transfer " + x + " : tensor<4xi32> to " + affinity(),
         result + " = flow.transfer " + x + " : tensor<4xi32> to #device.affinity<@d0>");
    known.push_back(result);
  }

  void constant() {
    std::string result = fresh();
    if (chance(60))
      emit(result + " = flow.parameter.load @w" + std::to_string(random() % 2) + " : tensor<4xi32>");
    else {
      std::string element = std::to_string(random() % 9);
      std::string scalar = fresh();
      emit(scalar + " = arith.constant " + element + " : i32\n" + result + " = tensor.from_elements " + scalar +
           ", %zero, " + scalar + ", %zero : tensor<4xi32>");
    }
    known.push_back(result);
  }

  void view() {
    std::string x = pick(), wide = fresh(), result = fresh();
    emit(wide + " = tensor.expand_shape " + x + " [[0, 1]] output_shape [2, 2] : tensor<4xi32> into tensor<2x2xi32>\n" +
         result + " = tensor.collapse_shape " + wide + " [[0, 1]] : tensor<2x2xi32> into tensor<4xi32>");
    known.push_back(result);
  }

  // Ops that see what is known outside and hand on one or two values of theirs.
  std::string body(unsigned depth, const std::vector<std::string> &arguments, unsigned gives) {
    size_t outside = known.size();
    known.insert(known.end(), arguments.begin(), arguments.end());
    for (unsigned left = random() % 4; left > 0; --left)
      op(depth + 1);
    std::string given;
    for (unsigned i = 0; i < gives; ++i)
      given += (i ? ", " : "") + pick();
    known.resize(outside);
    return given;
  }

  void branch(unsigned depth) {
    std::string element = fresh(), condition = fresh(), result = fresh();
    emit(element + " = tensor.extract " + pick() + "[%c0] : tensor<4xi32>\n" + condition + " = arith.cmpi slt, " +
         element + ", %zero : i32\n" + result + " = scf.if " + condition + " -> tensor<4xi32> {");
    std::string given = body(depth, {}, 1);
    emit("scf.yield " + given + " : tensor<4xi32>\n} else {");
    given = body(depth, {}, 1);
    emit("scf.yield " + given + " : tensor<4xi32>\n}");
    known.push_back(result);
  }

  void loop(unsigned depth) {
    std::string results = fresh(), a = fresh(), b = fresh(), first = pick(), second = pick();
    emit(results + ":2 = scf.for %i" + results.substr(1) + " = %c0 to %n step %c1 iter_args(" + a + " = " + first +
         ", " + b + " = " + second + ") -> (tensor<4xi32>, tensor<4xi32>) {");
    std::string given = body(depth, {a, b}, 2);
    emit("scf.yield " + given + " : tensor<4xi32>, tensor<4xi32>\n}");
    known.push_back(results + "#0");
    known.push_back(results + "#1");
  }

  void whileLoop(unsigned depth) {
    std::string results = fresh(), i = fresh(), a = fresh(), more = fresh(), j = fresh(), b = fresh(), next = fresh();
    emit(results + ":2 = scf.while (" + i + " = %c0, " + a + " = " + pick() +
         ") : (index, tensor<4xi32>) -> (index, tensor<4xi32>) {");
    std::string given = body(depth, {a}, 1);
    emit(more + " = arith.cmpi slt, " + i + ", %n : index\nscf.condition(" + more + ") " + i + ", " + given +
         " : index, tensor<4xi32>\n} do {\n^bb0(" + j + ": index, " + b + ": tensor<4xi32>):");
    given = body(depth, {b}, 1);
    emit(next + " = arith.addi " + j + ", %c1 : index\nscf.yield " + next + ", " + given +
         " : index, tensor<4xi32>\n}");
    known.push_back(results + "#1");
  }

  std::mt19937_64 random;
  unsigned devices;
  bool namesQueues;
  unsigned count = 0, kind = 0;
  std::vector<std::string> known; // tensors in scope
  RandomGraph graph;
};

} // namespace

RandomGraph heddle::test::makeRandomGraph(uint64_t seed) { return Generator(seed).run(); }

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/explain/Graph.h"

#include "tools/lib/Error.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace heddle::tools;

namespace {

// in -> mul (cpu) -> transfer -> add (gpu) -> out; add reads w. Strings: 0 "/Add" 1 "/Mul" 2 "4xf32" 3 "add" …
const char *kReport = R"({"host": [], "graph": {
  "devices": [{"name": "cpu", "targets": ["x86-64-v3"]}, {"name": "gpu", "targets": ["vulkan", "x</script>"]}],
  "strings": [0, "/Add", 1, "Mul", 0, "4xf32", 0, "add", 0, "explicit", 1, "xtra", 0, "follows its operands", 0, "in", 0, "mul",
              0, "out", 0, "transfer", 0, "vulkan: no f64"],
  "functions": [{"name": "main", "nodes": [
    {"k": "a", "n": 7, "t": [2]},
    {"k": "d", "n": 8, "i": [0], "t": [2], "o": [1, 5], "w": 6, "x": 5},
    {"k": "t", "n": 10, "d": 1, "i": [1], "t": [2], "b": 16, "c": 20002, "w": 4},
    {"k": "d", "n": 3, "d": 1, "i": [2], "t": [2], "o": [0], "w": 4, "p": [5]},
    {"k": "r", "n": 9, "d": 1, "i": [3], "t": [2]}]}],
  "links": [{"from": 0, "to": 1, "gbps": 12, "us": 5}],
  "refused": [[1, 8, 11]]}})";

template <typename Exception, typename F> std::string messageOf(F &&body) {
  try {
    body();
  } catch (const Exception &error) {
    return error.what();
  }
  return "";
}

TEST(Explain, ReadsTheGraph) {
  Graph graph = readGraph(kReport, "x.heddle");
  ASSERT_EQ(graph.functions.size(), 1u);
  const auto &nodes = graph.functions[0].nodes;
  EXPECT_EQ(nodes[1].origins, (std::vector<std::string>{"/Mul", "extra"}));
  EXPECT_EQ(nodes[1].users, std::vector<size_t>{2});
  EXPECT_EQ(nodes[2].ns, 20002u);
  EXPECT_EQ(graph.refusals[0].reason, "vulkan: no f64");
}

TEST(Explain, All) {
  EXPECT_EQ(explainAll(readGraph(kReport, "x.heddle")), R"(x.heddle: main: 2 dispatches on 2 devices, 1 transfer
devices
  cpu (default): x86-64-v3: 1 dispatch (follows its operands)
  gpu: vulkan, x</script>: 1 dispatch (explicit)
transfers: 1, 16 B, about 20.0 µs a call
  cpu -> gpu  16 B, about 20.0 µs  mul (/Mul) -> add (/Add)
program
  mul on cpu: extra -> 4xf32   from /Mul, extra
  transfer cpu -> gpu: 4xf32
  add on gpu:  -> 4xf32   from /Add
refused
  mul not on gpu: vulkan: no f64
)");
}

TEST(Explain, MeshesAndCollectives) {
  const char *report = R"({"host": [], "graph": {
  "devices": [{"name": "cpu", "targets": ["x86-64-v3"]}],
  "strings": [0, "4xf32", 0, "all_reduce", 0, "in", 0, "layer/sum", 0, "out", 0, "sum over @m[x]", 0, "the only device"],
  "functions": [{"name": "main", "nodes": [
    {"k": "a", "n": 2, "t": [0]},
    {"k": "c", "n": 1, "i": [0], "t": [0], "o": [3], "w": 6, "x": 5, "b": 32},
    {"k": "r", "n": 4, "i": [1], "t": [0]}]}],
  "meshes": ["@m = [x = ?]"],
  "shardings": ["@main: argument 'in' is cut by [x]"], "overlaps": ["all_gather of 'in': whole"]}})";
  Graph graph = readGraph(report, "x.heddle");
  EXPECT_EQ(explainAll(graph), R"(x.heddle: main: 0 dispatches on 1 device, 0 transfers, 1 collective of @m = [x = ?]
devices
  cpu (default): x86-64-v3: 0 dispatches
no transfers
program
  all_reduce on cpu: sum over @m[x] -> 4xf32, 32 B given and got by a rank   from layer/sum
shardings
  @main: argument 'in' is cut by [x]
overlaps
  all_gather of 'in': whole
)");
  EXPECT_EQ(explainNode(graph, "layer/sum"), R"(collective all_reduce on cpu
  because       the only device
  nodes         layer/sum
  computes      sum over @m[x]
  gives         4xf32
  reads         in (cpu)
  read by       out (cpu)
  each rank     32 B given and got
)");
  Json json = Json::parse(allAsJson(graph));
  EXPECT_EQ(json["meshes"], Json({"@m = [x = ?]"}));
  EXPECT_EQ(json["shardings"], Json({"@main: argument 'in' is cut by [x]"}));
  EXPECT_EQ(json["overlaps"], Json({"all_gather of 'in': whole"}));
  EXPECT_EQ(json["functions"][0]["nodes"][1]["bytes"], 32);
}

TEST(Explain, Why) {
  Graph graph = readGraph(kReport, "x.heddle");
  EXPECT_EQ(explainNode(graph, "/Mul"), R"(dispatch mul on cpu
  because       follows its operands, from the argument in
  nodes         /Mul, extra
  computes      extra
  gives         4xf32
  reads         in (cpu)
  read by       transfer (gpu)
  cannot run on gpu: vulkan: no f64
)");
  EXPECT_EQ(explainNode(graph, "add").substr(0, 20), "dispatch add on gpu\n"); // in full before in part
  EXPECT_EQ(messageOf<UsageError>([&] { explainNode(graph, "/Mull"); }).substr(0, 57),
            "the program has no node '/Mull'; did you mean '/Mul'?\na n");
}

TEST(Explain, WhyNot) {
  Graph graph = readGraph(kReport, "x.heddle");
  EXPECT_EQ(explainWhyNot(graph, "gpu", ""),
            "1 of 2 dispatches not on gpu\n  1  cannot: vulkan: no f64\n       mul (/Mul)\n");
  EXPECT_EQ(explainWhyNot(graph, "cpu", ""),
            "1 of 2 dispatches not on cpu\n  1  on gpu: explicit\n       add (/Add)\n");
  EXPECT_EQ(explainWhyNot(graph, "gpu", "/Add"), "the dispatch runs on gpu\n");
  EXPECT_EQ(messageOf<UsageError>([&] { explainWhyNot(graph, "gpv", ""); }),
            "--why-not: the program has no device 'gpv'; did you mean 'gpu'?\nit has: 'cpu', 'gpu'");
}

TEST(Explain, AsJson) {
  Graph graph = readGraph(kReport, "x.heddle");
  Json all = Json::parse(allAsJson(graph));
  EXPECT_EQ(all["artifact"], "x.heddle");
  EXPECT_EQ(all["default_device"], "cpu");
  const Json &nodes = all["functions"][0]["nodes"];
  ASSERT_EQ(nodes.size(), 5u);
  EXPECT_EQ(nodes[1]["because"], "follows its operands, from the argument in");
  EXPECT_EQ(nodes[1]["nodes"], Json::array({"/Mul", "extra"}));
  EXPECT_EQ(nodes[2]["kind"], "transfer");
  EXPECT_EQ(nodes[2]["from"], "cpu");
  EXPECT_EQ(nodes[2]["bytes"], 16);
  EXPECT_EQ(nodes[3]["reads"], Json::array({"transfer"}));
  EXPECT_EQ(all["refused"][0], (Json{{"dispatch", "mul"}, {"device", "gpu"}, {"reason", "vulkan: no f64"}}));
  Json one = Json::parse(nodeAsJson(graph, "/Mul"));
  ASSERT_EQ(one["nodes"].size(), 1u);
  EXPECT_EQ(one["nodes"][0]["name"], "mul");
  EXPECT_EQ(one["nodes"][0]["refused"][0]["device"], "gpu");
  Json why = Json::parse(whyNotAsJson(graph, "gpu", ""));
  EXPECT_EQ(why["dispatches"], 2);
  EXPECT_EQ(why["elsewhere"].size(), 1u);
  EXPECT_EQ(why["elsewhere"][0]["reason"], "cannot: vulkan: no f64");
}

TEST(Explain, PageIsSelfContained) {
  std::string page = toPage(readGraph(kReport, "x.heddle"));
  EXPECT_EQ(page.find("/*DATA*/"), std::string::npos);
  EXPECT_EQ(page.find("/*SCRIPT*/"), std::string::npos);
  EXPECT_EQ(page.find("http"), std::string::npos);
  EXPECT_EQ(page.find("x</script>"), std::string::npos); // a name does not end the data
  size_t data = page.find("application/json\">") + 18;
  Json json = Json::parse(page.substr(data, page.find("</script>", data) - data));
  EXPECT_EQ(json["functions"][0]["nodes"].size(), 5u);
  EXPECT_EQ(json["devices"][1]["targets"][1], "x</script>");
}

TEST(Explain, DamagedReports) {
  for (const char *report : {"", "[]", "{}", "{\"host\": []}"})
    EXPECT_NE(messageOf<Failure>([&] { readGraph(report, "x"); }).find("has no graph in its report"),
              std::string::npos);
  struct Damage {
    const char *what, *with;
  };
  for (Damage damage : {Damage{"\"i\": [0]", "\"i\": [99]"}, Damage{"\"i\": [0]", "\"i\": [\"a\"]"},
                        Damage{"\"w\": 6", "\"w\": 99"}, Damage{"\"k\": \"r\"", "\"k\": \"z\""}}) {
    std::string bad = kReport;
    bad.replace(bad.find(damage.what), std::strlen(damage.what), damage.with);
    EXPECT_NE(messageOf<Failure>([&] { readGraph(bad, "x"); }).find("damaged"), std::string::npos) << damage.with;
  }
}

} // namespace

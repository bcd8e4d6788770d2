// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The check of host programs from their instructions: one right program of each kind, and what is said of each way in
// which it can be wrong.
#include "heddle/contract/ProgramCheck.h"
#include "SampleArtifact.h"
#include "heddle/contract/ArtifactVerifier.h"
#include "heddle/contract/Certificate.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <random>

using namespace heddle;
using namespace heddle::contract;
using namespace heddle::contract::test;

namespace {

// x (16 bytes, only read) in b0, 4 elements of f32 as the result; kernel 0.0 writes its last binding.
fb::ModuleT moduleOf(const std::string &code, uint32_t streams = 3, uint32_t events = 2) {
  fb::ModuleT module;
  module.devices.push_back(device("device_0", {"local"}));
  for (uint32_t bindings : {2u, 3u}) {
    module.executables.push_back(executable(bindings == 2 ? "one" : "two", {"k"}, bindings, 0));
    module.executables.back()->exports[0]->reads.back() = false;
  }
  module.messages = {"too long"};
  module.locations.push_back(location("/Mul_3"));
  auto main = function("main", code, 8, 6, streams, events);
  main->arguments.push_back(value("x", ElementType::F32, {fb::Dim(4, -1)}));
  main->results.push_back(value("y", ElementType::F32, {fb::Dim(4, -1)}));
  main->code_locations = {0, 0};
  module.functions.push_back(std::move(main));
  return module;
}

// What the check says of it; the module is one that verifyArtifact() accepts.
ProgramReport reportOf(fb::ModuleT module, const CheckRequest &request = {}) {
  AlignedBytes bytes(build(module, std::vector<std::byte>(100)));
  auto error = verifyArtifact(bytes);
  EXPECT_FALSE(error) << error->message;
  return error ? ProgramReport{} : checkProgram(*viewArtifact(bytes).module, request);
}

std::string wrongIn(const std::string &code) { return reportOf(moduleOf(code)).wrong; }

void replace(std::string &text, const std::string &old, const std::string &with) {
  size_t at = text.find(old);
  ASSERT_NE(at, std::string::npos) << old;
  text.replace(at, old.size(), with);
}

// On two streams: x is scaled into a on the call's, a into b on another one, b into the result.
const std::string kTwoStreams = R"(
  const s0 16
  const s1 0
  const s2 4
  alloc b1 x0 s0
  alloc b2 x0 s0
  result b3 r0 x0 s0
  stream t1 x0 0
  dispatch t0 0.0 s1 s1 [b0 b1] []
  record e0 t0
  wait t1 e0
  dispatch t1 0.0 s1 s1 [b1 b2] []
  record e1 t1
  wait t0 e1
  dispatch t0 0.0 s1 s1 [b2 b3] []
  free t0 b1
  free t0 b2
  set_result r0 b3 [s2]
  return
)";

std::string without(const std::string &line) {
  std::string code = kTwoStreams;
  replace(code, "  " + line + "\n", "");
  return wrongIn(code);
}

TEST(ProgramCheck, RightOnes) {
  ProgramReport report = reportOf(moduleOf(kTwoStreams));
  EXPECT_EQ(report.wrong, "");
  ASSERT_EQ(report.entries.size(), 1u);
  EXPECT_TRUE(report.entries[0].isWhole);
  EXPECT_EQ(report.entries[0].cases, 1u);
}

TEST(ProgramCheck, Order) {
  EXPECT_EQ(without("wait t1 e0"),
            "main: instruction 42 (dispatch 'one' of '/Mul_3') reads what instruction 29 (dispatch 'one' of '/Mul_3') "
            "may still be writing on another stream; no event orders them");
  EXPECT_NE(without("wait t0 e1"), "");
  std::string late = kTwoStreams; // the event is recorded before the work
  replace(late, "  dispatch t0 0.0 s1 s1 [b0 b1] []\n  record e0 t0\n",
          "  record e0 t0\n  dispatch t0 0.0 s1 s1 [b0 b1] []\n");
  EXPECT_NE(wrongIn(late).find("may still be writing"), std::string::npos);
  std::string reused = kTwoStreams;
  replace(reused, "wait t0 e1", "wait t0 e0");
  EXPECT_NE(wrongIn(reused).find("may still be writing"), std::string::npos);
  std::string never = kTwoStreams;
  replace(never, "  record e0 t0\n", "");
  EXPECT_NE(wrongIn(never).find("an event that nothing was recorded to"), std::string::npos);
  std::string following = kTwoStreams;
  replace(following, "  record e0 t0\n  wait t1 e0\n", "  follow t1 t0\n");
  EXPECT_EQ(wrongIn(following), "");
}

TEST(ProgramCheck, TheCallersUse) {
  EXPECT_NE(wrongIn(R"(
  const s0 16
  const s1 0
  const s2 4
  result b3 r0 x0 s0
  stream t1 x0 0
  dispatch t1 0.0 s1 s1 [b0 b3] []
  record e1 t1
  wait t0 e1
  set_result r0 b3 [s2]
  return
)")
                .find("the caller may still use its buffer"),
            std::string::npos);
  std::string loose = kTwoStreams; // nobody waits for the second stream, whose buffer nobody frees too early
  replace(loose, "  record e1 t1\n  wait t0 e1\n  dispatch t0 0.0 s1 s1 [b2 b3] []\n",
          "  dispatch t1 0.0 s1 s1 [b2 b3] []\n");
  replace(loose, "  free t0 b1\n  free t0 b2\n", "  free t1 b1\n  free t1 b2\n");
  replace(loose, "  record e0 t0\n", "  record e0 t0\n");
  EXPECT_NE(wrongIn(loose), "");
}

TEST(ProgramCheck, Ownership) {
  EXPECT_NE(without("free t0 b2").find("without a free of what instruction"), std::string::npos);
  std::string twice = kTwoStreams;
  replace(twice, "free t0 b2", "free t0 b1");
  EXPECT_NE(wrongIn(twice).find("uses a buffer that was freed"), std::string::npos);
  std::string callers = kTwoStreams;
  replace(callers, "free t0 b2", "free t0 b0");
  EXPECT_NE(wrongIn(callers).find("frees what is not the program's"), std::string::npos);
  std::string written = kTwoStreams;
  replace(written, "[b0 b1]", "[b1 b0]");
  EXPECT_NE(wrongIn(written), "");
}

TEST(ProgramCheck, Content) {
  std::string unwritten = kTwoStreams;
  replace(unwritten, "[b1 b2]", "[b3 b2]");
  EXPECT_NE(wrongIn(unwritten).find("reads bytes that nothing has written"), std::string::npos);
  // Two buffers of one slab, the second over the first, which is read once more.
  const std::string slab = R"(
  const s0 16
  const s1 0
  const s2 4
  const s3 64
  const s4 128
  slab b5 x0 s4
  view b1 b5 s1 s0
  view b2 b5 s3 s0
  result b3 r0 x0 s0
  dispatch t0 0.0 s1 s1 [b0 b1] []
  dispatch t0 0.0 s1 s1 [b1 b2] []
  dispatch t0 1.0 s1 s1 [b1 b2 b3] []
  set_result r0 b3 [s2]
  return
)";
  EXPECT_EQ(wrongIn(slab), "");
  std::string moved = slab;
  replace(moved, "const s3 64", "const s3 8");
  EXPECT_NE(wrongIn(moved).find("writes by binding 1 bytes of binding 0"), std::string::npos);
  std::string over = slab;
  replace(over, "[b1 b2] []\n", "[b0 b2] []\n");
  replace(over, "const s3 64", "const s3 8");
  EXPECT_NE(wrongIn(over).find("of another buffer, wrote over"), std::string::npos);
}

// A binding written over one that is read needs a promise, once a certificate says which there are.
TEST(ProgramCheck, InPlace) {
  std::string code = kTwoStreams;
  replace(code, "[b2 b3]", "[b2 b2]");
  replace(code, "  free t0 b1\n", "  dispatch t0 0.0 s1 s1 [b2 b3] []\n  free t0 b1\n");
  fb::ModuleT module = moduleOf(code);
  EXPECT_EQ(reportOf(std::move(module)).wrong, "");
  module = moduleOf(code);
  module.certificate = std::make_unique<fb::CertificateT>();
  EXPECT_NE(reportOf(std::move(module)).wrong.find("do not promise to have read"), std::string::npos);
  module = moduleOf(code);
  module.certificate = std::make_unique<fb::CertificateT>();
  module.certificate->in_place.emplace_back(0, 0, 1, 0);
  EXPECT_EQ(reportOf(std::move(module)).wrong, "");
}

// Columns of four bytes in turn, on two streams: apart only as the runs that the certificate names.
TEST(ProgramCheck, Runs) {
  const std::string code = R"(
  const s0 16
  const s1 0
  const s2 4
  const s3 8
  const s4 12
  result b3 r0 x0 s0
  stream t1 x0 0
  view b1 b3 s1 s4
  view b2 b3 s2 s4
  record e0 t0
  wait t1 e0
  dispatch t0 0.0 s1 s1 [b0 b1] []
  dispatch t1 0.0 s1 s1 [b0 b2] []
  record e1 t1
  wait t0 e1
  set_result r0 b3 [s2]
  return
)";
  EXPECT_NE(wrongIn(code), "");
  auto withRuns = [&](uint32_t run, uint32_t stride) { // registers
    fb::ModuleT module = moduleOf(code);
    module.certificate = std::make_unique<fb::CertificateT>();
    module.certificate->functions.push_back(std::make_unique<fb::ProvedFunctionT>());
    std::vector<uint32_t> &runs = module.certificate->functions[0]->runs;
    const std::vector<uint32_t> &words = module.functions[0]->code;
    for (uint32_t at = 0; at < words.size(); at += instructionWords(words[at]))
      if (static_cast<Opcode>(opcodeOf(words[at])) == Opcode::View)
        runs.insert(runs.end(), {at, run, stride});
    return reportOf(std::move(module)).wrong;
  };
  EXPECT_EQ(withRuns(2, 3), "");
  EXPECT_NE(withRuns(3, 2).find("views runs that are not its bytes"), std::string::npos);
  EXPECT_NE(withRuns(4, 2).find("may still be writing"), std::string::npos);           // one run of all
  EXPECT_NE(withRuns(1, 2).find("bytes that nothing has written"), std::string::npos); // runs without bytes
}

// Dimension n; what does not take its sizes, or asks for names that are not there.
TEST(ProgramCheck, Sizes) {
  auto sized = [](const char *code) {
    fb::ModuleT module = moduleOf(code);
    module.functions[0]->arguments[0] = value("x", ElementType::F32, {fb::Dim(0, 0)});
    module.functions[0]->results[0] = value("y", ElementType::F32, {fb::Dim(0, 0)});
    module.functions[0]->symbols.push_back(std::make_unique<fb::SymbolT>());
    module.functions[0]->symbols[0]->name = "n";
    module.functions[0]->symbols[0]->max = 100;
    return module;
  };
  const char *copy = "const s1 4\nmul s2 s0 s1\nconst s3 0\nresult b1 r0 x0 s2\ncopy t0 b1 s3 b0 s3 s2\n"
                     "set_result r0 b1 [s0]\nreturn";
  ProgramReport report = reportOf(sized(copy));
  EXPECT_EQ(report.wrong, "");
  EXPECT_EQ(report.entries[0].sizes, "n 0, 1, 3, 7, 16, 64");
  EXPECT_FALSE(report.entries[0].isWhole);
  report = reportOf(sized(copy), {{{"n", 5}}, {}});
  EXPECT_EQ(report.entries[0].sizes, "n 5");
  EXPECT_EQ(reportOf(sized(copy), {{{"m", 5}}, {}}).request,
            "dimension 'm' = 5: the artifact has no dimension of this name");
  EXPECT_EQ(reportOf(sized(copy), {{}, {{"x", 5}}}).request, "axis 'x' = 5: the artifact has no axis of this name");
  EXPECT_EQ(reportOf(sized("const s1 0\ncheck s1 m0\nfail m0")).wrong.substr(0, 46),
            "main: no sizes were found that the program tak");
}

// Programs made to take long end after a bounded amount of work: streams and events whose clocks grow, a buffer of
// which more and more pieces are written, an allocation in each iteration.
TEST(ProgramCheck, EndsSoon) {
  for (const std::string &body : {std::string("stream_at t1 x0 s0\nrecord e0 t1\nwait t2 e0\n"),
                                  std::string("copy t0 b1 s0 b0 s1 s2\n"), std::string("alloc b2 x0 s0\n")}) {
    std::string code = "const s0 0\nconst s1 0\nconst s2 1\nconst s3 100000000\nalloc b1 x0 s3\nstream t2 x0 1\n"
                       "@again " +
                       body + "add s0 s0 s2\nbr @again\n@end return";
    auto begin = std::chrono::steady_clock::now();
    EXPECT_NE(wrongIn(code), "") << body;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60)) << body;
  }
}

//===--- Ranks ---------------------------------------------------------------------------------------------------===//

const std::string kReduce = R"(
  const s0 16
  const s1 0
  const s2 4
  coordinate s3 g0 0
  alloc b1 x0 s0
  result b3 r0 x0 s0
  comm_stream t1
  dispatch t0 0.0 s1 s1 [b0 b1] []
  record e0 t0
  wait t1 e0
  collective t1 j0 b1 b1 s2
  record e1 t1
  wait t0 e1
  dispatch t0 0.0 s1 s1 [b1 b3] []
  free t0 b1
  set_result r0 b3 [s2]
  return
)";

ProgramReport reportOfRanks(const std::string &code, const CheckRequest &request = {}, int64_t size = kFreeSize) {
  fb::ModuleT module = moduleOf(code);
  module.meshes.push_back(mesh("m", {{"x", size}}));
  module.collectives.push_back(collective(CollectiveKind::AllReduce, {0}));
  module.collectives.push_back(collective(CollectiveKind::AllGather, {0}));
  return reportOf(std::move(module), request);
}

TEST(ProgramCheck, Ranks) {
  ProgramReport report = reportOfRanks(kReduce);
  EXPECT_EQ(report.wrong, "");
  EXPECT_EQ(report.entries[0].sizes, "x 1, 2, 3, 4");
  EXPECT_EQ(reportOfRanks(kReduce, {{}, {{"x", 5}}}).entries[0].sizes, "x 5");
  EXPECT_EQ(reportOfRanks(kReduce, {{}, {{"x", 5}}}, 4).request, "axis 'x' has the size 4 in the artifact, got 5");
  EXPECT_TRUE(reportOfRanks(kReduce, {}, 4).entries[0].isWhole);
}

TEST(ProgramCheck, RanksThatDoNotMeet) {
  std::string one = kReduce; // rank 0 alone comes to the collective
  replace(one, "  collective t1 j0 b1 b1 s2\n",
          "  br_if s3 @after @meet\n@meet collective t1 j0 b1 b1 s2\n@after const s4 0\n");
  EXPECT_NE(reportOfRanks(one).wrong.find("x = 2: rank 0: instruction"), std::string::npos) << reportOfRanks(one).wrong;
  EXPECT_NE(reportOfRanks(one).wrong.find("waits for ever"), std::string::npos);
  std::string count = kReduce;
  replace(count, "collective t1 j0 b1 b1 s2", "collective t1 j0 b1 b1 s3");
  EXPECT_NE(reportOfRanks(count).wrong.find("another member of its group"), std::string::npos);
  std::string stream = kReduce;
  replace(stream, "collective t1", "collective t0");
  EXPECT_NE(reportOfRanks(stream).wrong.find("is a collective on a stream that is not"), std::string::npos);
  std::string early = kReduce;
  replace(early, "  wait t1 e0\n", "");
  EXPECT_NE(reportOfRanks(early).wrong.find("may still be writing"), std::string::npos);
  std::string before = kReduce; // what differs is read by the host
  replace(before, "  collective t1 j0 b1 b1 s2\n",
          "  read s5 t0 b1 s1 4\n  br_if s5 @after @meet\n@meet collective t1 j0 b1 b1 s2\n@after const s4 0\n");
  EXPECT_NE(reportOfRanks(before).wrong.find("waits for ever"), std::string::npos);
}

// A collective's buffers must hold what its count says.
TEST(ProgramCheck, BuffersOfCollectives) {
  std::string longer = kReduce;
  replace(longer, "collective t1 j0 b1 b1 s2", "collective t1 j0 b1 b1 s0");
  EXPECT_NE(reportOfRanks(longer).wrong.find("has a source of 16 bytes, but moves 16 elements of 4 bytes"),
            std::string::npos);
  std::string gathered = kReduce;
  replace(gathered, "collective t1 j0 b1 b1 s2", "collective t1 j1 b1 b3 s2");
  EXPECT_NE(reportOfRanks(gathered).wrong.find("has a target of 16 bytes, but moves 8 elements"), std::string::npos);
}

//===--- Certificates --------------------------------------------------------------------------------------------===//

// The certificate of a module, with the hash and dataflow that are right.
void certify(fb::ModuleT &module) {
  module.certificate = std::make_unique<fb::CertificateT>();
  module.certificate->version = kCertificateVersion;
  module.certificate->functions.push_back(std::make_unique<fb::ProvedFunctionT>());
  auto packed = [&](auto &&visit) {
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(fb::Module::Pack(builder, &module));
    return visit(*fb::GetModule(builder.GetBufferPointer()));
  };
  module.certificate->functions[0]->dataflow = packed([](const fb::Module &m) { return dataflowOf(m, 0); });
  module.certificate->hash = packed([](const fb::Module &m) { return certifiedHash(m); });
}

std::string explain(fb::ModuleT &module) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(fb::Module::Pack(builder, &module));
  return explainCertificate(*fb::GetModule(builder.GetBufferPointer()));
}

TEST(Certificate, IsOfItsProgram) {
  fb::ModuleT module = moduleOf(kTwoStreams);
  EXPECT_EQ(explain(module), "");
  certify(module);
  EXPECT_NE(module.certificate->functions[0]->dataflow, 0u);
  EXPECT_EQ(explain(module), "");
  module.functions[0]->name = "renamed";
  EXPECT_EQ(explain(module), "");
  for (auto change : std::vector<std::function<void(fb::ModuleT &)>>{
           [](fb::ModuleT &m) { m.functions[0]->code[3] ^= 1; }, [](fb::ModuleT &m) { m.functions[0]->scalars++; },
           [](fb::ModuleT &m) { m.executables[0]->exports[0]->writes[0] = true; },
           [](fb::ModuleT &m) { m.certificate->in_place.emplace_back(0, 0, 1, 0); },
           [](fb::ModuleT &m) { m.functions[0]->arguments[0]->writable = true; },
           [](fb::ModuleT &m) { m.plans.push_back(std::make_unique<fb::PlanSpecT>()); }}) {
    fb::ModuleT changed = moduleOf(kTwoStreams);
    certify(changed);
    change(changed);
    EXPECT_NE(explain(changed).find("not of this program"), std::string::npos);
  }
  module.certificate->version = kCertificateVersion + 1;
  EXPECT_NE(explain(module).find("use a newer one"), std::string::npos);
}

// Who computes the hash anew after a change of what is computed is still told by the dataflow.
TEST(Certificate, KnowsWhatIsComputed) {
  fb::ModuleT module = moduleOf(kTwoStreams);
  certify(module);
  uint64_t dataflow = module.certificate->functions[0]->dataflow;
  std::string code = kTwoStreams;
  replace(code, "dispatch t0 0.0 s1 s1 [b2 b3] []", "dispatch t0 1.0 s1 s1 [b1 b2 b3] []");
  fb::ModuleT other = moduleOf(code);
  certify(other);
  EXPECT_NE(other.certificate->functions[0]->dataflow, dataflow);
  other.certificate->functions[0]->dataflow = dataflow;
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(fb::Module::Pack(builder, &other));
  other.certificate->hash = certifiedHash(*fb::GetModule(builder.GetBufferPointer()));
  EXPECT_EQ(explain(other), "function 'main' computes its results from other bytes, or by other kernels, than the "
                            "compiler certified");
  // Another schedule of the same work computes the same.
  code = kTwoStreams;
  replace(code, "  record e0 t0\n  wait t1 e0\n", "  follow t1 t0\n");
  fb::ModuleT followed = moduleOf(code);
  certify(followed);
  EXPECT_EQ(followed.certificate->functions[0]->dataflow, dataflow);
}

TEST(Certificate, NamesWhatIsThere) {
  auto errorOf = [](const std::function<void(fb::CertificateT &)> &change) {
    fb::ModuleT module = moduleOf(kTwoStreams);
    certify(module);
    change(*module.certificate);
    AlignedBytes bytes(build(module, std::vector<std::byte>(100)));
    auto error = verifyArtifact(bytes);
    return error ? error->message : "";
  };
  EXPECT_EQ(errorOf([](fb::CertificateT &) {}), "");
  for (auto change : std::vector<std::function<void(fb::CertificateT &)>>{
           [](fb::CertificateT &c) { c.functions[0]->function = 1; },
           [](fb::CertificateT &c) { c.functions[0]->meshes = {0}; },
           [](fb::CertificateT &c) { c.functions[0]->runs = {0, 1}; },
           [](fb::CertificateT &c) { c.functions[0]->runs = {0, 1, 8}; },
           [](fb::CertificateT &c) { c.in_place.emplace_back(2, 0, 0, 0); },
           [](fb::CertificateT &c) { c.in_place.emplace_back(0, 1, 0, 0); }})
    EXPECT_EQ(errorOf(change), "the certificate names what the artifact does not have");
}

// Random edits of the metadata with the hashes made right again: whatever the verifier accepts, the check judges.
TEST(ProgramCheck, AnyArtifactThatTheVerifierAccepts) {
  fb::ModuleT module = moduleOf(kReduce);
  module.meshes.push_back(mesh("m", {{"x", 2}, {"y", kFreeSize}}));
  module.collectives.push_back(collective(CollectiveKind::AllReduce, {0}));
  certify(module);
  module.certificate->functions[0]->runs = {0, 1, 2};
  const std::vector<std::byte> good = build(module, std::vector<std::byte>(64));
  std::mt19937 random(3);
  int accepted = 0, wrong = 0;
  for (int round = 0; round < 4000; ++round) {
    AlignedBytes bytes(good);
    Section metadata = bytes.header().metadata;
    for (size_t edits = 1 + random() % 3; edits > 0; --edits)
      bytes.data()[metadata.offset + random() % metadata.bytes] = static_cast<std::byte>(random());
    repairHash(bytes);
    if (verifyArtifact(bytes))
      continue;
    ++accepted;
    const fb::Module &edited = *viewArtifact(bytes).module;
    wrong += !checkProgram(edited, {}).wrong.empty();
    explainCertificate(edited);
  }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(wrong, 20);
}

} // namespace

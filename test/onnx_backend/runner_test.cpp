// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the runner itself promises: a crash is one test's, and reality and manifest are compared in both directions.
#include "test/onnx_backend/Manifest.h"
#include "test/onnx_backend/Shards.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <unistd.h>

using namespace heddle::onnx_tests;

static Manifest manifestOf(const std::string &text) {
  std::string path = testing::TempDir() + "manifest-" + std::to_string(getpid()) + ".tsv";
  std::ofstream(path) << text;
  Manifest manifest = Manifest::read(path);
  unlink(path.c_str());
  return manifest;
}

TEST(Shards, CrashAndHangAreOneTestsOutcome) {
  std::vector<Outcome> outcomes =
      runShards(20, {.workers = 2, .timeoutSeconds = 1}, [](size_t test, unsigned) -> Outcome {
        if (test == 3)
          raise(SIGSEGV);
        while (test == 7)
          pause();
        if (test == 9)
          _exit(4);
        return test == 11 ? Outcome{Phase::Differed, "eleven"} : Outcome();
      });
  ASSERT_EQ(outcomes.size(), 20u);
  for (size_t i = 0; i < outcomes.size(); ++i) {
    bool crashed = i == 3 || i == 7 || i == 9;
    EXPECT_EQ(outcomes[i].phase, crashed ? Phase::Crashed : i == 11 ? Phase::Differed : Phase::Passed) << i;
  }
  EXPECT_EQ(outcomes[3].text, "ended by Segmentation fault");
  EXPECT_EQ(outcomes[7].text, "no end after 1 s");
  EXPECT_EQ(outcomes[9].text, "ended with 4");
  EXPECT_EQ(outcomes[11].text, "eleven");
}

TEST(Manifest, DiffersInBothDirections) {
  Manifest manifest = manifestOf("a\tpass\nb\tfail\tby hand\nc\tout-of-scope\ttraining\n");
  Outcome pass, refused{Phase::Refused, "no"}, wrong{Phase::Differed, "3"}, crash{Phase::Crashed, "ended by X"};
  EXPECT_EQ(manifest.compare("a", pass), "");
  EXPECT_EQ(manifest.compare("a", wrong), "passed, now result: 3");
  EXPECT_EQ(manifest.compare("b", refused), "");
  EXPECT_EQ(manifest.compare("b", pass), "passes, but is fail (by hand)");
  EXPECT_EQ(manifest.compare("b", crash), "crash: ended by X");
  EXPECT_EQ(manifest.compare("c", refused), "");
  EXPECT_EQ(manifest.compare("c", wrong), "is out of scope, but was not refused: result: 3");
  EXPECT_EQ(manifest.compare("d", pass), "is not in the manifest; it passes");
  EXPECT_EQ(manifest.missing({"a", "b"}), std::vector<std::string>{"c"});
}

TEST(Manifest, UpdateKeepsWhatIsWrittenByHand) {
  Manifest manifest = manifestOf("a\tfail\tby hand\nb\tfail\trefused: old\nc\tout-of-scope\ttraining\nd\tpass\n");
  Outcome wrong{Phase::Differed, "3"};
  for (const char *name : {"a", "b", "c", "d"})
    manifest.update(name, wrong);
  EXPECT_EQ(manifest.compare("a", Outcome()), "passes, but is fail (by hand)");
  EXPECT_EQ(manifest.compare("b", Outcome()), "passes, but is fail (result: 3)");
  EXPECT_EQ(manifest.compare("c", Outcome()), "passes, but is out-of-scope (training)");
  EXPECT_EQ(manifest.compare("d", wrong), "");
  manifest.update("a", Outcome());
  EXPECT_EQ(manifest.compare("a", Outcome()), "");
}

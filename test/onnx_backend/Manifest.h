// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file that says what becomes of each test: a line `test <tab> status <tab> reason`, sorted by name.
//
//   test_abs	pass
//   test_mod_int64_fmod	fail	refused: Mod: …
//   test_adagrad	out-of-scope	training
#ifndef HEDDLE_TEST_ONNX_BACKEND_MANIFEST_H
#define HEDDLE_TEST_ONNX_BACKEND_MANIFEST_H

#include "test/onnx_backend/Outcome.h"

#include <map>
#include <vector>

namespace heddle::onnx_tests {

enum class Status { Pass, Fail, OutOfScope };

struct Entry {
  Status status = Status::Fail;
  std::string reason; // made by the runner: starts with the phase ("refused: …"); else written by hand
};

class Manifest {
public:
  // Throws Failure, with the line, for a file that is not of this form.
  static Manifest read(const std::string &path);
  void write(const std::string &path) const;

  // How outcomes differ from the manifest; "" where they do not. A crash always differs, and so does a test that is out
  // of scope but was not refused. `name` absent from the manifest differs.
  std::string compare(const std::string &name, const Outcome &outcome) const;
  // The tests of the manifest that are not among `names` (sorted).
  std::vector<std::string> missing(const std::vector<std::string> &names) const;
  // Writes the outcome down. Reasons written by hand stay while the test fails; what is out of scope stays so unless it
  // passes.
  void update(const std::string &name, const Outcome &outcome);
  // Forgets the tests that are not among `names`.
  void keepOnly(const std::vector<std::string> &names);

private:
  std::map<std::string, Entry> entries;
};

} // namespace heddle::onnx_tests

#endif // HEDDLE_TEST_ONNX_BACKEND_MANIFEST_H

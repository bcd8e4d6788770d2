// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/onnx_backend/Case.h"

#include "compiler/Dialect/Host/IR/ElementTypes.h"
#include "compiler/Pipelines/Compile.h"
#include "compiler/Stages/Import/Emit/TensorData.h"
#include "compiler/Stages/Import/Onnx/Model/ReadTensor.h"
#include "onnx-ml.pb.h"
#include "tools/lib/Compare.h"
#include "tools/lib/Elements.h"
#include "tools/lib/Error.h"
#include "tools/lib/Files.h"
#include "tools/session/Session.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <filesystem>
#include <set>

namespace heddle::onnx_tests {
namespace {

constexpr double kRtol = 1e-3, kAtol = 1e-7;

// "node #0 'Mod_0' (ai.onnx Mod, operator set 13): reason" becomes "Mod: reason".
std::string shorten(const std::string &text) {
  size_t open = text.find(" ("), close = text.find("): ");
  if (text.rfind("node #", 0) != 0 || open == std::string::npos || close == std::string::npos)
    return text;
  std::string op = text.substr(open + 2, text.find(',', open) - open - 2);
  if (op.rfind("ai.onnx ", 0) == 0)
    op.erase(0, 8);
  return op + ": " + text.substr(close + 3);
}

// Compiles; "" or the errors in short, each once.
std::string compile(mlir::MLIRContext &context, const std::string &model, const std::string &artifact,
                    const std::string &device) {
  std::vector<std::string> errors;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
      errors.push_back(shorten(diagnostic.str()));
    return mlir::success();
  });
  mlir::heddle::CompileOptions options;
  if (std::string reason = mlir::heddle::parseDeviceFlags({device.substr(0, device.find("://"))}, /*targetCpu=*/false,
                                                          options.devices.targets);
      !reason.empty())
    return reason;
  if (succeeded(mlir::heddle::compileModel(model, artifact, &context, options)))
    return "";
  std::set<std::string> seen;
  std::string text;
  for (const std::string &error : errors)
    if (error.rfind("the model cannot be imported", 0) != 0 && seen.insert(error).second)
      text += (text.empty() ? "" : "; ") + error;
  return text.empty() ? "the compiler failed without an error" : text;
}

// All of PREFIX_0.pb, PREFIX_1.pb, … Throws Failure if one cannot be read.
std::vector<tools::HostTensor> readTensors(mlir::MLIRContext &context, const std::string &prefix) {
  std::vector<tools::HostTensor> tensors;
  for (int i = 0;; ++i) {
    std::string path = prefix + "_" + std::to_string(i) + ".pb";
    if (!std::filesystem::exists(path))
      return tensors;
    onnx::TensorProto proto;
    if (!proto.ParseFromString(tools::readText(path)))
      throw tools::Failure(path + " is no tensor");
    mlir::heddle::importer::TensorOrReason read = mlir::heddle::importer::readTensor(&context, proto, {});
    if (!read.tensor)
      throw tools::Failure(path + ": " + read.reason);
    mlir::Type element = mlir::heddle::importer::getElementType(&context, proto.data_type());
    tools::HostTensor tensor(mlir::heddle::host::getElementType(element), {proto.dims().begin(), proto.dims().end()});
    if (tensor.data().size() != read.tensor->bytes.size())
      throw tools::Failure(path + ": its size is not that of " + tools::formatType(tensor.type(), tensor.dims()));
    std::copy_n(reinterpret_cast<const std::byte *>(read.tensor->bytes.data()), tensor.data().size(),
                tensor.data().begin());
    tensors.push_back(std::move(tensor));
  }
}

// What makes a random 0 or 1 wrong: shape, type, or another value.
std::string describeRandom(tools::TensorView got, tools::TensorView expected) {
  tools::HostTensor zeros(expected.type, {expected.dims.begin(), expected.dims.end()});
  std::fill(zeros.data().begin(), zeros.data().end(), std::byte{0});
  return describeDifference(got, zeros.view(), {.atol = 1, .rtol = 0}).value_or("");
}

std::string compareAll(const std::vector<Tensor> &results, const std::vector<tools::HostTensor> &expected,
                       bool random) {
  if (results.size() != expected.size())
    return "got " + std::to_string(results.size()) + " outputs, expected " + std::to_string(expected.size());
  for (size_t i = 0; i < results.size(); ++i) {
    tools::TensorView got = tools::view(results[i]), want = expected[i].view();
    tools::Tolerance tolerance;
    if (tools::isFloatType(want.type))
      tolerance = {.atol = kAtol, .rtol = kRtol};
    std::string text = random ? describeRandom(got, want) : describeDifference(got, want, tolerance).value_or("");
    if (!text.empty())
      return "output " + std::to_string(i) + ": " + text;
  }
  return "";
}

} // namespace

Outcome runCase(const std::string &folder, const std::string &artifact, const std::string &device) {
  mlir::DialectRegistry registry;
  mlir::heddle::registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  try {
    if (std::string error = compile(context, folder + "/model.onnx", artifact, device); !error.empty())
      return {Phase::Refused, error};
    std::vector<tools::HostTensor> inputs = readTensors(context, folder + "/test_data_set_0/input");
    std::vector<tools::HostTensor> expected = readTensors(context, folder + "/test_data_set_0/output");
    Module module(artifact, {device});
    Invocation call(module, module.entryPoint(module.find(nullptr)).name);
    std::vector<Tensor> results = call(tools::borrow(inputs));
    bool random = std::filesystem::path(folder).filename().string().rfind("test_bernoulli", 0) == 0;
    if (std::string text = compareAll(results, expected, random); !text.empty())
      return {Phase::Differed, text};
  } catch (const std::exception &error) {
    return {Phase::Ran, error.what()};
  }
  return {};
}

} // namespace heddle::onnx_tests

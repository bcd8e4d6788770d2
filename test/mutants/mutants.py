# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Some fifty small mistakes in the source, to see which of them the tests catch: scripts/run_mutants.py makes each, builds, and runs its suite.

A mutant replaces `old`, which must occur once in the file, by `new`. None is one that cannot change a result, or is a matter of
speed only. What a suite is, is in SUITES: programs to build, and commands that run until one fails.
"""
import dataclasses

LIT = "lit-22 -sv build/release/lit/"
# Names of suites: (ninja targets, commands). The cheap ones come first.
SUITES = {
    "contract": (["contract_test"], ["bin/contract_test"]),
    "match": (["runtime_base_test"], ["bin/runtime_base_test"]),
    "executor": (["executor_test", "mutation_test"], ["bin/executor_test", "bin/mutation_test"]),
    "evaluation": (["evaluation_test"], ["bin/evaluation_test"]),
    "operators": (["heddle_onnx_tests", "heddle_tool_server"],
                  ["bin/heddle_onnx_tests --filter={nodes}", "python test/run_unittests.py --failfast test/onnx_ops -k {cases}"]),
    "simplify": (["heddle-opt", "heddle-compile", "heddle-check"], [LIT + "compiler/Stages/Simplify", "graphs 24"]),
    "form": (["heddle-opt", "heddle-compile", "heddle-check"], [LIT + "compiler/Stages/Form", "graphs 24"]),
    "encode": (["heddle-opt", "heddle-compile", "heddle-check"], [LIT + "compiler/Stages/Encode", "graphs 24"]),
    "schedule": (["heddle-opt", "heddle-compile", "heddle-check"],
                 [LIT + "compiler/Stages/Schedule", "python test/run_unittests.py --failfast test/random_graphs", "graphs 24"]),
    "place": (["heddle_cost_model_test", "heddle-opt", "heddle-compile"], ["bin/heddle_cost_model_test", LIT + "compiler/Stages/Place"]),
    "package": (["heddle", "heddle-inspect", "heddle-opt", "heddle-compile", "heddle-check"], [LIT + "compiler/Stages/Package", "graphs 24"]),
    "codegen": (["codegen_kernels_test", "heddle-opt", "heddle-compile"],
                ["bin/codegen_kernels_test", LIT + "compiler/Stages/Codegen", "graphs 24"]),
}


@dataclasses.dataclass(frozen=True)
class Mutant:
    suite: str
    path: str
    old: str
    new: str
    about: str = ""  # of an operator: `GLOB of node tests; pattern of test/onnx_ops`, what ought to catch it and takes seconds


IMPORT = "compiler/Stages/Import/"
MUTANTS = [
    # What compiler and runtime agree on, and the runtime.
    Mutant("contract", "contract/lib/Plan.cpp", "return a.first <= b.last && b.first <= a.last;", "return a.first < b.last && b.first < a.last;"),
    Mutant("contract", "contract/lib/Plan.cpp", "if (gap >= size && gap < bestGap)", "if (gap > 0 && gap < bestGap)"),
    Mutant("contract", "contract/lib/Plan.cpp", "total = std::max(total, offsets[i] + rounded[i]);", "total = std::max(total, offsets[i] + sizes[i]);"),
    Mutant("contract", "contract/lib/Packing.cpp", "return a / b + (a % b != 0);", "return a / b;"),
    Mutant("contract", "contract/lib/ArtifactVerifier.cpp", "if (empty)\n    bytes = 0;", "if (empty)\n    bytes = 1;"),
    Mutant("contract", "contract/lib/ArtifactVerifier.cpp", "if (rank > kMaxRank)", "if (rank > kMaxRank + 1)"),
    Mutant("executor", "contract/include/heddle/contract/Scalars.h", "(opcode == Opcode::CeilDivS && remainder && !negative)", "(opcode == Opcode::CeilDivS && remainder)"),
    Mutant("executor", "contract/include/heddle/contract/Scalars.h", "case Opcode::MinS: return std::min(a, b);", "case Opcode::MinS: return std::max(a, b);"),
    Mutant("executor", "runtime/executor/call/EntryChecks.cpp", "if (got < dim.min || got > dim.max)", "if (got < dim.min)"),
    Mutant("executor", "runtime/executor/call/EntryChecks.cpp", "if (tensor.bytes < needed || tensor.bytes > INT64_MAX)", "if (tensor.bytes > INT64_MAX)"),
    Mutant("executor", "runtime/executor/call/Results.cpp", "if (bytes > static_cast<uint64_t>(buffer.bytes))", "if (bytes > static_cast<uint64_t>(buffer.bytes) + 64)"),
    Mutant("executor", "runtime/executor/call/PlanMemo.cpp", "last_ = (last_ + 1) % kEntries;", "last_ = 0;"),
    Mutant("match", "runtime/match/Match.cpp", "if (device.cores < target.minCores)", "if (device.cores <= target.minCores)"),
    Mutant("match", "runtime/match/Match.cpp", "device.memoryBytes < target.minMemory", "device.memoryBytes > target.minMemory"),
    # The evaluator of constants.
    Mutant("evaluation", "compiler/Evaluation/Steps.cpp", "return a == b ? (std::signbit(a) ? b : a) : a > b ? a : b;", "return a > b ? a : b;"),
    Mutant("evaluation", "compiler/Evaluation/Steps.cpp", "return b == 0 || b == -1 ? 0 : wrap(a % b, width);", "return b == 0 || b == -1 ? 0 : wrap(a / b, width);"),
    Mutant("evaluation", "compiler/Evaluation/Steps.cpp", "asUnsigned(b, width) == 0 ? 0 : wrap(asUnsigned(a, width) / asUnsigned(b, width), width)", "asUnsigned(b, width) == 0 ? 0 : wrap(a / b, width)"),
    Mutant("evaluation", "compiler/Evaluation/Lanes.cpp", "return sign ? -magnitude : magnitude;", "return magnitude;"),
    Mutant("evaluation", "compiler/Evaluation/Lanes.cpp", "(bits - (112u << 23) + 0xfffu + odd) >> 13", "(bits - (112u << 23) + 0x1000u) >> 13"),
    Mutant("evaluation", "compiler/Evaluation/Movement.cpp", "outer[order.empty() ? d : order[d]]", "outer[d]"),
    # Operators of ONNX.
    Mutant("operators", IMPORT + "Onnx/Ops/Elementwise/Elementwise.cpp", "s.less(zero, x), one, s.select(s.less(x, zero), minusOne, zero)", "s.less(zero, x), one, minusOne",
           "test_sign; *test_Sign*"),
    Mutant("operators", IMPORT + "Onnx/Ops/Elementwise/Elementwise.cpp", "1.0 / 6, 0.5", "0.2, 0.5",
           "test_hardswish*; *HardSwish*"),
    Mutant("operators", IMPORT + "Onnx/Ops/Elementwise/Elementwise.cpp", "s.constant(type, std::numbers::sqrt2 / 2)", "s.constant(type, std::numbers::sqrt2)",
           "test_gelu*; *Gelu*"),
    Mutant("operators", IMPORT + "Onnx/Ops/Movement/Slicing.cpp", "high = step > 0 ? size : sizes.sub(size, one);", "high = size;",
           "test_slice*; *Slice*"),
    Mutant("operators", IMPORT + "Onnx/Ops/Movement/Slicing.cpp", "sizes.constant(std::abs(step))", "sizes.constant(1)",
           "test_slice*; *Slice*"),
    Mutant("operators", IMPORT + "Onnx/Ops/Reduction/Reduction.cpp", "last ? position.max(i, v[2]) : position.min(i, v[2])", "position.min(i, v[2])",
           "test_argm*; *ArgM*"),
    Mutant("operators", IMPORT + "Onnx/Ops/Reduction/Reduction.cpp", "d == axis ? rank - 1 : d < axis ? d : d - 1", "d == axis ? rank - 1 : d > 0 ? d - 1 : d",
           "test_argm*; *ArgM*"),
    Mutant("operators", IMPORT + "Onnx/Ops/Movement/Gather.cpp", "elements.push_back((*data.contents)[i < 0 ? i + size : i]);", "elements.push_back((*data.contents)[i < 0 ? i + size - 1 : i]);",
           "test_gather*; *Gather*"),
    Mutant("operators", IMPORT + "Onnx/Ops/Elementwise/Arithmetic.cpp", "result = result ? s.mul(result, x) : x;", "result = x;",
           "test_pow*; *Pow*"),
    Mutant("operators", IMPORT + "Onnx/Forms/Window.cpp", "window.before.push_back(upper ? half : rest);", "window.before.push_back(upper ? rest : half);",
           "test_*pool*same*; *same*"),
    Mutant("operators", IMPORT + "Onnx/Forms/Window.cpp", "ceil ? window.strides[d] - 1 : 0", "0",
           "test_*pool*; *ceil*"),
    Mutant("operators", IMPORT + "Onnx/Ops/Reduction/Pooling.cpp", "columnMajor ? countColumnsFirst(emitter, indices, places.extent) : indices", "indices",
           "test_maxpool_with*; *MaxPool*"),
    Mutant("operators", IMPORT + "Onnx/Ops/Quantized/Quantization.cpp", "math::RoundEvenOp::create(s.b, s.loc, real)", "math::RoundOp::create(s.b, s.loc, real)",
           "test_quantizelinear*; *uantize*inear*"),
    Mutant("operators", IMPORT + "Onnx/Ops/Vision/ResizeAxes.cpp", "std::floor(-reach / std::min(*axis.fixedScale, 1.0))", "std::floor(-reach)",
           "test_resize*; *Resize*"),
    Mutant("operators", IMPORT + "Onnx/Ops/Product/Contraction.cpp", "beta == 1 ? v[1] : s.mul(v[1], s.constant(v[1].getType(), beta))", "v[1]",
           "test_gemm*; *Gemm*"),
    Mutant("operators", IMPORT + "Emit/Convert.cpp", "(isUnsigned ? 0 : 1);", "1;",
           "test_cast*; *[cC]ast*"),
    Mutant("operators", IMPORT + "Onnx/Ops/Movement/Shape.cpp", "return std::clamp<int64_t>(i < 0 ? i + rank : i, 0, rank); };", "return std::clamp<int64_t>(i, 0, rank); };",
           "test_shape*; *Shape*"),
    # Passes.
    Mutant("simplify", "compiler/Stages/Simplify/FoldScales.cpp", "above[source] = loop;", "above[loop] = source;"),
    Mutant("simplify", "compiler/Stages/Simplify/FoldScales.cpp", "value.hasOneUse() && value.getDefiningOp()", "value.getDefiningOp()"),
    Mutant("simplify", "compiler/Stages/Simplify/OneHotToGather.cpp", "return op.getNumLoops() - 1;", "return 0;"),
    Mutant("form", "compiler/Stages/Form/Fusion.cpp", "!map.isPermutation() || map.getNumResults() == 0", "map.getNumResults() == 0"),
    Mutant("form", "compiler/Stages/Form/Fusion.cpp", "std::min({rows, identityPrefix(read), leadingParallel(consumer)})", "std::min({rows, leadingParallel(consumer)})"),
    Mutant("schedule", "compiler/Stages/Schedule/PlanMemory.cpp", "&& !comesAfter(other, one)", "&& comesAfter(other, one)"),
    Mutant("schedule", "compiler/Stages/Schedule/PlanMemory.cpp", "if (writer && one.freedBy == writer)", "if (writer)"),
    Mutant("schedule", "compiler/Stages/Schedule/Order/StreamOrder.cpp", "if (*runsOn == stream)", "if (true)"),
    Mutant("schedule", "compiler/Stages/Schedule/UpdateInPlace.cpp", "return here && here->isBeforeInBlock(dispatch) &&", "return here &&"),
    Mutant("schedule", "compiler/Dialect/Host/Analysis/VerifyOverlap.cpp", "if (isSame && !other.writes && mayOverwrite(op, k, i))", "if (isSame && !other.writes)"),
    Mutant("codegen", "compiler/Codegen/CPU/Overwrites.cpp", "&& llvm::all_of(rows->rowDims, isOwnDim);", ";"),
    Mutant("codegen", "compiler/Codegen/CPU/RowsNest.cpp", "if (nest.overwrites || !work", "if (!work"),
    Mutant("schedule", "compiler/Stages/Schedule/OrderIssue.cpp", "--waiting[found->second] == 0", "--waiting[found->second] <= 1"),
    Mutant("schedule", "compiler/Stages/Schedule/Order/StreamFacts.cpp", "  if (writes)\n    for (auto [entry, end] = factsOf(root)", "  if (!writes)\n    for (auto [entry, end] = factsOf(root)"),
    Mutant("place", "compiler/Stages/Place/CostModel.cpp", "std::max(compute, memory));", "std::min(compute, memory));"),
    Mutant("place", "compiler/Stages/Place/CostModel.cpp", "free[device] = std::max(free[device], ready) + ns;", "free[device] = free[device] + ns;"),
    Mutant("place", "compiler/Stages/Place/CostModel.cpp", "items[user].ready = std::max(items[user].ready, end);", "items[user].ready = std::min(items[user].ready, end);"),
    Mutant("package", "compiler/Stages/Package/FunctionFlattener.cpp", "if (isNew)\n    ++scalars;", "if (isNew && value)\n    ++scalars;"),
]

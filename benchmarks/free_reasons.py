# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why operators take longer with free sizes than with known ones, for benchmarks/free_sizes.py.

    why("Concat columns 8400x1", 10.7, 4.5)   # a reason, or none: then the row fails

A reason is a property of the code that is made, not of one shape: docs/design/free-sizes.md has more about each.
"""
import fnmatch

ALLOWED = 1.05      # free ÷ known that needs no reason
HOST_US = 0.5       # what the host program may take to compute the sizes of a call
HOST = "sizes are computed by the host program in the call"

# Reason → cases, by their names.
REASONS = {
    "operands whose sizes have names of their own may be stretched: the call decides which rows are one": (
        "Add *", "Sub *", "Mul *", "Div *", "Min *", "Max *", "Sum *", "Mean *", "Less*", "Greater*", "Equal *", "And *", "Or *", "Xor *", "BitwiseAnd *",
        "BitShift *", "Mod *", "Pow *", "PRelu *", "Where *", "QLinearAdd *", "QLinearMul *", "Einsum outer *"),
    "a row of all elements is cut to pieces in the call, each with a masked rest": ("Cast *", "Neg *", "Round *", "Not *", "Clip *", "Abs *", "Sign *", "Soft*sign *", "HardS*", "ThresholdedRelu *"),
    "rows of a few elements are a masked vector each; with known sizes vectors are patterns of several rows": (
        "Concat columns *", "Slice column *", "Gather bias table *", "Tile *", "Softmax windows *", "Softmax of *", "ReduceMax of few *", "OneHot *"),
    "which operand a vector lies in is a branch of the call's sizes, and a vector across their border reads both under masks": ("Concat u8 *", "Concat cache *"),
    "parts are written with the distances of the whole, which the call tells, row by row": ("QLinearConcat *",),
    "borders are masks of the call's sizes; with known sizes each border is code of its own": (
        "MaxPool *", "Conv depthwise *", "ConvTranspose depthwise *", "LpPool *", "Pad *", "Slice crop *"),
    "an average at a border is divided by a count; with known sizes the quotients are constants": ("AveragePool *", "QLinearAveragePool *"),
    "how far apart places are only the call knows": ("Resize *", "AffineGrid *"),
    "the loop over a free number of channels is not unrolled, and their transpose is one of free sizes": ("GridSample *", "RoiAlign *", "MaxRoiPool *"),
    "batches with names of their own may be stretched: what may be is copied": ("MatMul heads *", "MatMul outer *", "FusedMatMul *"),
    "as many vectors in the last tile of columns as in the others, or transposes of free sizes around the product": ("Einsum *",),
    "rows are not one where they are cut, turned or moved by sizes of the call, and end in a masked vector each": (
        "Transpose *", "DepthToSpace *", "SpaceToDepth *", "ReverseSequence *", "Slice *", "Expand *", "Split *", "Gather first row *", "Gather channels *", "BatchNormalization *"),
    "with known sizes constant indices are checked when the model is compiled": ("MaxUnpool *",),
    "a row's length chooses among codes for one vector, two registers and more; rows are side by side only where they are known to be short": (
        "Reduce*", "Global*", "QLinearGlobal*", "GroupNormalization *", "InstanceNormalization *", "LayerNormalization three axes *", "ArgMax *", "ArgMin *", "Hardmax *", "Softmax *", "LogSoftmax *", "LRN *", "LpNormalization *", "NegativeLogLikelihoodLoss *"),
    "phases of a stride are written with the call's distances, each row by itself": ("ConvTranspose *",),
    "loops over a matrix whose size the call tells are not unrolled": ("Det *",),
    "places are checked against sizes of the call, or divided by them": ("Scatter*", "GatherElements *", "GatherND *", "NonZero *", "Compress *", "TopK *", "Unique *"),
    "columns are summed 64 at a time; known sizes fold the last block": ("CumSum *", "CumProd *"),
    "each step's kernels are told the sizes": ("GRU *", "RNN *", "LSTM *"),
    "which numbers the places of windows have is computed from the call's sizes": ("MaxPool with places *",),
    "the operator needs this size by type": (
        "SkipSimplifiedLayerNormalization *", "SkipLayerNormalization *", "ScatterND columns *", "ScatterND add *", "STFT *", "RotaryEmbedding *", "MultiHeadAttention *",
        "DeformConv *", "DFT *", "ConstantOfShape *", "Attention *"),
}


def reason_of(name):
    """The reason whose pattern says most about the name; none where no pattern fits."""
    fits = [(len(pattern), reason) for reason, patterns in REASONS.items() for pattern in patterns if fnmatch.fnmatchcase(name, pattern)]
    return max(fits)[1] if fits else None


def why(name, free_us, known_us):
    """Why a call takes `free_us` where it took `known_us`; none where nobody knows."""
    return HOST if free_us - known_us <= HOST_US else reason_of(name)


def unused(names):
    """Patterns that no case has."""
    return [pattern for patterns in REASONS.values() for pattern in patterns if not fnmatch.filter(names, pattern)]

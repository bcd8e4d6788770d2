# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A rank's part of a parameter: rows, columns, blocks, of equal and of other sizes. A device gets no more of it, and equal parts are
packed as constants of their size are."""
import itertools
import json
import math
import os
import unittest

import numpy
from support import EndToEnd, heddle

SEED = int(os.environ.get("HEDDLE_SEED", 20261126))


def dense(array):
    """As a literal that keeps its bits."""
    return "dense<\"0x" + array.tobytes().hex().upper() + "\">"


def product(rows, k, n, cut, mesh):
    """x times this rank's part of w; `cut`: for each of its dimensions the axes of the mesh that cut it, the outermost first."""
    sizes, lines, parts = {"k": k, "n": n}, [], {}
    for dim, axes in cut.items():
        count, place = 1, None
        for axis in axes:
            lines.append(f'%at_{axis} = flow.coordinate @m "{axis}"')
            if place:
                lines.append(f"%size_{axis} = arith.constant {mesh[axis]} : index")
                lines.append(f"%outer_{axis} = arith.muli {place}, %size_{axis} : index")
                lines.append(f"%place_{axis} = arith.addi %outer_{axis}, %at_{axis} : index")
                place = f"%place_{axis}"
            else:
                place = f"%at_{axis}"
            count *= mesh[axis]
        if sizes[dim] % count == 0:
            each = sizes[dim] // count
            lines += [f"%each_{dim} = arith.constant {each} : index", f"%begin_{dim} = arith.muli {place}, %each_{dim} : index"]
            parts[dim] = (f"%begin_{dim}", str(each), str(each))
        else:
            lines += [f"%all_{dim} = arith.constant {sizes[dim]} : index", f"%count_{dim} = arith.constant {count} : index", f"%one_{dim} = arith.constant 1 : index",
                      f"%from_{dim} = arith.muli {place}, %all_{dim} : index", f"%begin_{dim} = arith.divsi %from_{dim}, %count_{dim} : index",
                      f"%next_{dim} = arith.addi {place}, %one_{dim} : index", f"%to_{dim} = arith.muli %next_{dim}, %all_{dim} : index",
                      f"%end_{dim} = arith.divsi %to_{dim}, %count_{dim} : index", f"%length_{dim} = arith.subi %end_{dim}, %begin_{dim} : index"]
            parts[dim] = (f"%begin_{dim}", f"%length_{dim}", "?")
    (kb, ks, kt), (nb, ns, nt) = (parts.get(dim, ("0", str(sizes[dim]), str(sizes[dim]))) for dim in "kn")
    own, result = f"tensor<{kt}x{nt}xf32>", f"tensor<{rows}x{nt}xf32>"
    return "\n".join(lines + [
        f"%w = flow.parameter.load @w : tensor<{k}x{n}xf32>",
        f"%own = tensor.extract_slice %w[{kb}, {nb}] [{ks}, {ns}] [1, 1] : tensor<{k}x{n}xf32> to {own}",
        f"%mine = tensor.extract_slice %x[0, {kb}] [{rows}, {ks}] [1, 1] : tensor<{rows}x{k}xf32> to tensor<{rows}x{kt}xf32>",
        "%zero = arith.constant 0.0 : f32",
        f"%e = tensor.empty({ns if nt == '?' else ''}) : {result}",
        f"%f = linalg.fill ins(%zero : f32) outs(%e : {result}) -> {result}",
        f"%y = linalg.matmul ins(%mine, %own : tensor<{rows}x{kt}xf32>, {own}) outs(%f : {result}) -> {result}",
        f"return %y : {result}"]), result


def part(array, dim, place, count):
    size = array.shape[dim]
    return numpy.take(array, range(place * size // count, (place + 1) * size // count), dim)


class Parameters(EndToEnd):
    def setUp(self):
        super().setUp()
        self.random = numpy.random.default_rng(SEED)

    def run_product(self, rows, k, n, cut, mesh, *flags, device="local"):
        w = self.random.integers(-3, 4, (k, n)).astype(numpy.float32)
        x = self.random.integers(-3, 4, (rows, k)).astype(numpy.float32)
        body, result = product(rows, k, n, cut, mesh)
        source, artifact = self.folder / "program.mlir", self.folder / "program.heddle"
        axes = ", ".join(f"{axis} = {size}" for axis, size in mesh.items())
        mesh_text = f"device.mesh @m = [{axes}]\n" if mesh else ""
        source.write_text(f"{mesh_text}flow.parameter private @w : tensor<{k}x{n}xf32> = {dense(w)}\n"
                          f"func.func @main(%x: tensor<{rows}x{k}xf32>) -> {result} {{\n{body}\n}}\n")
        done = heddle("compile", source, "-o", artifact, *flags)
        self.assertEqual(0, done.returncode, done.stderr)
        numpy.save(self.folder / "x.npy", x)
        done = heddle("run", artifact, f"--input=@{self.folder}/x.npy", f"--output=@{self.folder}/y{'{rank}' if mesh else 0}.npy", f"--device={device}")
        self.assertEqual(0, done.returncode, done.stderr)
        for rank, at in enumerate(itertools.product(*(range(size) for size in mesh.values()))):
            own, mine = w, x
            for dim, axes in cut.items():
                place, count = 0, 1
                for axis in axes:
                    place, count = place * mesh[axis] + at[list(mesh).index(axis)], count * mesh[axis]
                own = part(own, "kn".index(dim), place, count)
                mine = part(mine, 1, place, count) if dim == "k" else mine
            with self.subTest(seed=SEED, rank=rank, cut=cut):
                numpy.testing.assert_array_equal(mine @ own, numpy.load(self.folder / f"y{rank}.npy"))
        return json.loads(heddle("inspect", artifact, "--json").stdout)

    def test_equal_parts(self):
        """Packed, and loaded by part: rows, columns, both, along one and two axes."""
        for cut, mesh in (({"n": "x"}, {"x": 2}), ({"k": "x"}, {"x": 4}), ({"n": "xy"}, {"x": 2, "y": 2}), ({"k": "x", "n": "y"}, {"x": 2, "y": 3}),
                          ({"n": "y"}, {"x": 2, "y": 3})):
            for device in "local", "local://0?discrete=yes":
                described = self.run_product(5, 64, 192, cut, mesh, device=device)
                ops = [instruction["op"] for instruction in described["host"]]
                self.assertEqual(1, ops.count("parameter_slice"), ops)
                self.assertEqual(0, ops.count("parameter"))
                self.assertEqual(1, len(described["parameters"]))
                self.assertIn("inner_tiles", described["parameters"][0]["layout"])

    def test_few_columns(self):
        """A part that kernels do not want packed."""
        described = self.run_product(5, 64, 16, {"n": "x"}, {"x": 4})
        self.assertEqual(1, [i["op"] for i in described["host"]].count("parameter_slice"))

    def test_parts_of_other_sizes(self):
        """Rows of the parameter as it is or turned; of some ranks none."""
        for k, n, cut, mesh in ((66, 34, {"k": "x"}, {"x": 4}), (66, 34, {"n": "x"}, {"x": 4}), (66, 34, {"k": "x", "n": "y"}, {"x": 4, "y": 3}),
                                (3, 34, {"k": "x"}, {"x": 4}), (66, 3, {"n": "x"}, {"x": 4})):
            described = self.run_product(3, k, n, cut, mesh)
            ops = [instruction["op"] for instruction in described["host"]]
            self.assertEqual(1, ops.count("parameter_slice"), ops)
            self.assertEqual(0, ops.count("parameter"))
            if cut == {"n": "x"}:
                self.assertEqual(1, ops.count("dispatch"))

    def test_kernels_are_those_of_constants_of_their_size(self):
        for axes, mesh in (("x", {"x": 2}), ("xy", {"x": 2, "y": 2})):
            whole = self.run_product(5, 64, 48, {}, {})
            part_of = self.run_product(5, 64, 48 * math.prod(mesh.values()), {"n": axes}, mesh)
            self.assertEqual(whole["executables"], part_of["executables"])

    def test_without_data_tiling(self):
        described = self.run_product(5, 64, 192, {"n": "x"}, {"x": 2}, "--data-tiling=off")
        self.assertEqual(1, [i["op"] for i in described["host"]].count("parameter_slice"))


if __name__ == "__main__":
    unittest.main()

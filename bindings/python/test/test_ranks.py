# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of many ranks: threads of this process. HEDDLE_RANKS is the artifact of tools/test/write_ranks_fixture.cpp."""
import asyncio
import os
import random
import signal
import threading
import time
import unittest

import heddle
import numpy

RANKS = os.environ["HEDDLE_RANKS"]


def floats(*values):
    return numpy.array(values, numpy.float32)


class Meshes(unittest.TestCase):
    def test_sizes(self):
        mesh = heddle.Mesh(x=2, y=4)
        self.assertEqual((mesh.size, mesh.sizes, str(mesh), repr(mesh)),
                         (8, {"x": 2, "y": 4}, "x=2,y=4", "heddle.Mesh(x=2, y=4)"))
        self.assertEqual(mesh, heddle.Mesh({"x": 2, "y": 4}))
        self.assertNotEqual(mesh, heddle.Mesh(y=4, x=2))  # the first axis is the slowest
        self.assertEqual(heddle.Mesh().size, 1)

    def test_wrong_ones(self):
        for sizes in ({"x": 0}, {"x": -1}, {"x": 2.0}, {"x": True}, {"x": "2"}, {"a,b": 2}, {"": 2}):
            with self.subTest(sizes), self.assertRaises(heddle.InvalidArgumentError):
                heddle.Mesh(sizes)


class Compiled(unittest.TestCase):
    SOURCE = """
device.mesh @m = [x = ?]
func.func @main(%a: tensor<?xf32> {heddle.name = "a", heddle.dims = ["n"], heddle.sharding = #flow.sharding<@m, [["x"]]>})
    -> (tensor<?xf32> {heddle.name = "total", heddle.sharding = #flow.sharding<@m, [[]]>}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %0 = flow.all_reduce %a sum over @m["x"] : tensor<?xf32>{%n}
  return %0 : tensor<?xf32>
}
"""

    # Each rank counts from 14 on what all of them get; the result is the sum of the counts.
    COUNTER = """
device.mesh @m = [x = ?]
ml_program.global private mutable @count(dense<14.0> : tensor<1xf32>) : tensor<1xf32>
func.func @main(%x: tensor<1xf32> {heddle.name = "x", heddle.sharding = #flow.sharding<@m, [["x"]]>})
    -> (tensor<1xf32> {heddle.name = "total", heddle.sharding = #flow.sharding<@m, [[]]>}) {
  %old = ml_program.global_load @count : tensor<1xf32>
  %0 = flow.all_reduce %x sum over @m["x"] : tensor<1xf32>
  %empty = tensor.empty() : tensor<1xf32>
  %new = linalg.add ins(%old, %0 : tensor<1xf32>, tensor<1xf32>) outs(%empty : tensor<1xf32>) -> tensor<1xf32>
  ml_program.global_store @count = %new : tensor<1xf32>
  %1 = flow.all_reduce %new sum over @m["x"] : tensor<1xf32>
  return %1 : tensor<1xf32>
}
"""

    def test_sizes_at_compile_time(self):
        for mesh in (heddle.Mesh(x=3), {"x": 3}, "x=3"):
            with self.subTest(mesh):
                program = heddle.load(heddle.compile(self.SOURCE, mesh=mesh))
                self.assertEqual((program.size, program.meshes), (3, {"m": heddle.Mesh(x=3)}))
                numpy.testing.assert_array_equal(program(floats(1, 2, 3)), [6])
        with self.assertRaisesRegex(heddle.CompileError, "y"):
            heddle.compile(self.SOURCE, mesh="y=3")

    def test_state(self):
        program = heddle.load(heddle.compile(self.COUNTER, mesh="x=3"))
        self.assertEqual([45, 48], [int(program(floats(0, 0, 1))[0]) for _ in range(2)])
        other = program.new_state()
        self.assertEqual(45, int(program(floats(0, 0, 1), state=other)[0]))
        self.assertEqual(51, int(program({"x": floats(1, 0, 0)})[0]))
        self.assertEqual(48, int(program.start(floats(1, 0, 0), state=other).result()[0]))
        other.reset()
        self.assertEqual(45, int(program(floats(1, 0, 0), state=other)[0]))
        program.reset_state()
        self.assertEqual(45, int(program(floats(1, 0, 0), state=None)[0]))
        for wrong in (3, heddle.load(heddle.compile(self.COUNTER, mesh="x=2")).new_state()):
            with self.assertRaisesRegex(heddle.InvalidArgumentError, "state takes what new_state"):
                program(floats(1, 0, 0), state=wrong)

    def test_reductions_of_narrow_types(self):
        """The compiler has floats of 8 bits as bytes, so that they would be reduced as integers: refused, with the remedy."""
        for name in ("i4", "f4E2M1FN", "f8E8M0FNU", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ"):
            with self.subTest(name), self.assertRaisesRegex(heddle.CompileError, "convert the elements to a wider type before"):
                heddle.compile(self.SOURCE.replace("f32", name))

    def test_names_of_options(self):
        """Arguments that are called as options are."""
        source = self.SOURCE.replace('heddle.name = "a"', 'heddle.name = "out"')
        for ranks in (1, 2):
            program, x = heddle.load(heddle.compile(source), ranks=ranks, mesh=f"x={ranks}"), floats(1, 2)
            storage = numpy.zeros(2 // ranks, numpy.float32)
            numpy.testing.assert_array_equal(program({"out": x}).sum(), 3)
            self.assertIs(program({"out": x}, out=storage), storage)
            self.assertIs(program(x, out=storage), storage)
            self.assertEqual(storage.sum(), 3)
            for call in (program, program.start):
                with self.assertRaisesRegex(heddle.InvalidArgumentError, "'out' is an argument of 'main' and an option of calls; "
                                                                         "give the arguments in a dictionary, {'out': …}"):
                    call(out=x)
        module = heddle.load(heddle.compile(source.replace('"out"', '"state"')), ranks=2)  # no option where nothing is kept
        numpy.testing.assert_array_equal(module(state=floats(1, 2)), [3])
        numpy.testing.assert_array_equal(module.start({"state": floats(1, 2)}, timeout=60).result(), [3])

    def test_sizes_at_load(self):
        artifact = heddle.compile(self.SOURCE)
        for ranks in (1, 2, 4):
            numpy.testing.assert_array_equal(heddle.load(artifact, ranks=ranks)(floats(1, 2, 3, 4)).sum(), 10)

    def test_parts_of_several_sizes(self):
        """7 rows over any number of ranks, and what ranks have a summand each of."""
        program = """
device.mesh @m = [x = ?]
func.func @main(%a: tensor<?x2xf32> {heddle.name = "a", heddle.dims = ["n", ""], heddle.sharding = #flow.sharding<@m, [["x"] of 7, []]>})
    -> (tensor<?x2xf32> {heddle.sharding = #flow.sharding<@m, [["x"], []]>},
        tensor<2xf32> {heddle.sharding = #flow.sharding<@m, [[]], partial sum ["x"]>}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?x2xf32>
  %e = tensor.empty(%n) : tensor<?x2xf32>
  %twice = linalg.add ins(%a, %a : tensor<?x2xf32>, tensor<?x2xf32>) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
  %f = tensor.empty() : tensor<2xf32>
  %none = linalg.fill ins(%zero : f32) outs(%f : tensor<2xf32>) -> tensor<2xf32>
  %sum = linalg.reduce ins(%a : tensor<?x2xf32>) outs(%none : tensor<2xf32>) dimensions = [0]
    (%x: f32, %y: f32) { %s = arith.addf %x, %y : f32 linalg.yield %s : f32 }
  return %twice, %sum : tensor<?x2xf32>, tensor<2xf32>
}
"""
        artifact, a = heddle.compile(program), numpy.arange(14, dtype=numpy.float32).reshape(7, 2)
        for ranks in (1, 2, 3, 8):
            loaded = heddle.load(artifact, ranks=ranks)
            twice, total = loaded(a)
            numpy.testing.assert_array_equal(twice, 2 * a)
            numpy.testing.assert_array_equal(total, a.sum(axis=0))
            self.assertEqual(loaded.main.arguments[0].cuts, ((7, None), (1, 1), None))
            self.assertEqual(loaded.main.results[1].cuts[2], ("sum", ("x",), ranks, 0))
            with self.assertRaisesRegex(heddle.InvalidArgumentError, "dimension 0 .* got 8"):
                loaded(numpy.zeros((8, 2), numpy.float32))

    def test_interrupted(self):
        """Ctrl-C ends a call that would go on for days, on all ranks."""
        loop = self.SOURCE.replace("%0 = flow.all_reduce %a sum", """%c1 = arith.constant 1 : index
  %many = arith.constant 1000000000000 : index
  %0 = scf.for %i = %c0 to %many step %c1 iter_args(%b = %a) -> tensor<?xf32> {
    %1 = flow.all_reduce %b max""").replace("  return", "    scf.yield %1 : tensor<?xf32>\n  }\n  return")
        program = heddle.load(heddle.compile(loop), mesh="x=2")
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        timer = threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT])
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            program(floats(1, 2))
        with self.assertRaisesRegex(heddle.Error, "the call was interrupted"):
            program(floats(1, 2))  # comes after the first on every rank


class Threads(unittest.TestCase):
    def test_whole_arrays(self):
        for given in ({"mesh": heddle.Mesh(x=2)}, {"mesh": "x=2"}, {"mesh": {"x": 2}}, {"ranks": 2}):
            with self.subTest(given):
                program = heddle.load(RANKS, **given)
                total, whole, own = program(floats(1, 2, 3, 4), floats(10, 20))
                numpy.testing.assert_array_equal(total, [4, 6])
                numpy.testing.assert_array_equal(whole, [11, 22, 13, 24])
                self.assertIsInstance(own, heddle.PerRank)
                numpy.testing.assert_array_equal(own[1], [20, 40])
        self.assertEqual((program.size, len(program.modules), program.meshes), (2, 2, {"m": heddle.Mesh(x=2)}))
        self.assertEqual([module.rank for module in program.modules], [0, 1])
        self.assertEqual(program.main.arguments[0].sharding, ((("x",),), (2,), (0,)))
        self.assertIsNone(program.main.arguments[1].sharding)

    def test_values_of_their_own(self):
        program = heddle.load(RANKS, ranks=3)
        total, whole, own = program(b=heddle.PerRank([floats(i) for i in range(3)]), a=floats(1, 2, 3))
        numpy.testing.assert_array_equal(total, [6])
        numpy.testing.assert_array_equal(whole, [1, 3, 5])
        self.assertEqual([float(value[0]) for value in own], [0, 2, 4])
        parts = heddle.PerRank([floats(5), floats(6), floats(7)])  # of a whole one, too
        numpy.testing.assert_array_equal(program(parts, floats(0))[1], [5, 6, 7])

    def test_many_calls_of_many_threads(self):
        """Calls of one program take turns; each gets its own results."""
        programs = [heddle.load(RANKS, ranks=2) for _ in range(3)]
        wrong = []

        def work(index):
            for i in range(20):
                total = programs[index](floats(i, index), floats(0))[0]
                if total[0] != i + index:
                    wrong.append((index, i, total))

        threads = [threading.Thread(target=work, args=(index,)) for index in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_threads_share_a_program(self):
        """All ranks see the calls of several threads in one order, however long a thread takes to hand one to all of them."""
        program = heddle.load(RANKS, ranks=3, timeout=60)
        for thread in program._threads:
            thread.submit = lambda *given, submit=thread.submit: (time.sleep(random.random() * 0.002), submit(*given))[1]
        wrong = []

        def work(index):
            try:
                for i in range(20):
                    total = program(floats(i, index, 0), floats(0))[0]
                    if total[0] != i + index:
                        wrong.append((index, i, total))
            except heddle.Error as error:
                wrong.append(error)

        threads = [threading.Thread(target=work, args=(index,)) for index in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_started_calls(self):
        program = heddle.load(RANKS, ranks=3)
        storage = numpy.zeros(3, numpy.float32)
        futures = [program.start(floats(i, 2, 3), floats(i), out=(None, storage, None) if i == 9 else None) for i in range(10)]
        for i in (9, *range(9)):
            total, whole, own = futures[i].result(timeout=60)
            numpy.testing.assert_array_equal(total, [i + 5])
            numpy.testing.assert_array_equal(own[2], [2 * i])
            self.assertEqual((whole is storage, futures[i].done()), (i == 9, True))
            self.assertIs(futures[i].result()[1], whole)
        numpy.testing.assert_array_equal(storage, [18, 11, 12])
        own = heddle.PerRank([numpy.zeros(1, numpy.float32) for _ in range(3)])
        self.assertIs(program(floats(1, 2, 3), floats(4), out=[None, None, own])[2], own)
        numpy.testing.assert_array_equal([float(one[0]) for one in own], [8, 8, 8])
        first = heddle.load(os.environ["HEDDLE_FIXTURE"])
        before = program.start(floats(1, 2, 3), floats(0))
        self.assertEqual(program.start(floats(1, 2, 3), floats(0), after=[before]).result()[0][0], 6)
        self.assertIsInstance(first, heddle.Module)

        async def several():
            return await asyncio.gather(*(wait(program.start(floats(i, 0, 0), floats(0))) for i in range(3)))

        async def wait(future):
            return float((await future)[0][0])

        self.assertEqual([0.0, 1.0, 2.0], asyncio.run(several()))

    def test_calls_behind_a_failed_one(self):
        program, other = heddle.load(RANKS, ranks=3), heddle.load(RANKS, ranks=2)
        failed = other.start(floats(1, 2), heddle.PerRank([floats(1), numpy.zeros(1)]))
        for _ in range(2):
            with self.assertRaisesRegex(heddle.InvalidArgumentError, "argument 1 'b' has element type f32, got f64"):
                program.start(floats(1, 2, 3), floats(0), after=failed).result()
        self.assertEqual(program(floats(1, 2, 3), floats(0))[0][0], 6)
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "after takes futures of start"):
            program.start(floats(1, 2, 3), floats(0), after=[3])

    def test_a_started_call_is_cancelled(self):
        loop = Compiled.SOURCE.replace("%0 = flow.all_reduce %a sum", """%c1 = arith.constant 1 : index
  %many = arith.constant 1000000000000 : index
  %0 = scf.for %i = %c0 to %many step %c1 iter_args(%b = %a) -> tensor<?xf32> {
    %1 = flow.all_reduce %b max""").replace("  return", "    scf.yield %1 : tensor<?xf32>\n  }\n  return")
        program = heddle.load(heddle.compile(loop), mesh="x=2")
        future = program.start(floats(1, 2))
        with self.assertRaisesRegex(heddle.DeadlineExceededError, "the call still runs"):
            future.result(timeout=0.05)
        self.assertTrue(future.cancel())
        with self.assertRaisesRegex(heddle.Error, "the call was cancelled"):
            future.result(timeout=60)
        self.assertFalse(future.cancel())

    def test_one_rank_is_a_module(self):
        module = heddle.load(RANKS, mesh=heddle.Mesh(x=1))
        self.assertIsInstance(module, heddle.Module)
        numpy.testing.assert_array_equal(module(floats(1, 2), floats(0, 0))[0], [1, 2])

    def test_what_does_not_fit(self):
        program = heddle.load(RANKS, ranks=4)
        for arguments, named, message in (
                ((floats(1, 2, 3, 4, 5), floats(1)), {}, "argument 'a': dimension 0 is dealt out along 'x' in 4 parts, which do "
                                                         "not divide its size 5; give a multiple of 4"),
                ((numpy.ones((2, 2), numpy.float32), floats(1)), {}, "argument 'a': the whole tensor has 1 dimensions, got 2"),
                ((floats(1, 2, 3, 4), heddle.PerRank([floats(1)])), {}, "argument 'b': there are 4 ranks, got 1 values"),
                ((3, floats(1)), {}, "argument 'a' is a whole array, got an object of type int"),
                ((floats(1, 2, 3, 4), floats(1), floats(1)), {}, "'main' takes 2 arguments, got 3"),
                ((floats(1, 2, 3, 4), floats(1)), {"c": 1}, "'main' has no argument 'c'"),
                ((floats(1, 2, 3, 4), floats(1)), {"on": 0}, "'on' is for programs of one rank"),
                ((floats(1, 2, 3, 4), floats(1)), {"out": 1}, "out takes an array or None for each of the 3 results of 'main'"),
                ((floats(1, 2, 3, 4), floats(1)), {"out": (None, floats(1), None)}, "result 'sum' has the shape (4,), its storage (1,)"),
                ((floats(1, 2, 3, 4), floats(1)), {"out": (None, numpy.zeros(4), None)},
                 "storage is a whole array of float32 that can be written, got an array of float64"),
                ((floats(1, 2, 3, 4), floats(1)), {"out": (None, None, floats(1))}, "each rank has its own; give a heddle.PerRank"),
                (({"a": floats(1, 2, 3, 4)},), {"b": floats(1)}, "with a dictionary of arguments only options may be given, got 'b'"),
                (({"a": floats(1, 2, 3, 4), "c": 1},), {}, "'main' has no argument 'c'"),
                ((floats(1, 2, 3, 4), heddle.PerRank([floats(1), floats(1), numpy.zeros(1), floats(1)])), {},
                 "rank 2 refuses the call: argument 1 'b' has element type f32, got f64; convert it"),
                ((floats(1, 2, 3, 4), heddle.PerRank([floats(1), numpy.zeros((2, 2), "f4"), floats(1), floats(1)])), {},
                 "rank 1 refuses the call: argument"),
                ((floats(1, 2, 3, 4),), {}, "'main' takes 2 arguments, got 1; 'b' is missing")):
            with self.subTest(message):
                with self.assertRaises(heddle.InvalidArgumentError) as caught:
                    program(*arguments, **named)
                self.assertIn(message, str(caught.exception))
                with self.assertRaises(heddle.InvalidArgumentError):  # or of the future
                    program.start(*arguments, **named).result(timeout=60)
                numpy.testing.assert_array_equal(program(floats(1, 2, 3, 4), floats(0))[0], [10])  # the next call works

    def test_what_does_not_fit_one_rank(self):
        """A rank's own module refuses in the rank's turn: at once: call() waits for the others, start() does not."""
        program = heddle.load(RANKS, ranks=3)
        first, second, third = program.modules
        fits = (floats(1), floats(4))
        for wrong, named in (((floats(1),), {}), ((floats(1), numpy.zeros(1)), {}), ((floats(1), "b"), {}), (fits, {"c": 1}),
                             (fits, {"after": [3]}), (fits, {"out": 1}), (fits, {"timeout": -1})):
            with self.subTest(wrong=wrong, named=named):
                futures, refused = [first.start(*fits)], []
                try:
                    refused.append(second.start(*wrong, **named))
                except heddle.InvalidArgumentError as error:
                    why = str(error)
                futures += [third.start(*fits), *(module.start(*fits) for module in (first, second, third))]
                if refused:  # found when the call was begun
                    with self.assertRaises(heddle.InvalidArgumentError) as caught:
                        refused[0].result(timeout=60)
                    why = str(caught.exception)
                for future in futures[:2]:
                    with self.assertRaises(heddle.InvalidArgumentError) as told:
                        future.result(timeout=60)
                    self.assertIn(f"rank 1 refuses the call: {why}", str(told.exception))
                for future in futures[2:]:  # made behind it
                    numpy.testing.assert_array_equal(future.result(timeout=60)[0], [3])
        numpy.testing.assert_array_equal(program(floats(1, 2, 3), floats(0))[0], [6])

    def test_wrong_loads(self):
        for given, message in (({}, "'x'"), ({"mesh": "y=2"}, "'y'"), ({"mesh": "x=2", "ranks": 3}, "2 ranks, got ranks=3"),
                               ({"ranks": 0}, "ranks is an integer"), ({"ranks": 2, "timeout": 0}, "timeout is a number"),
                               ({"ranks": 2, "devices": "lcal"}, "lcal")):
            with self.subTest(given), self.assertRaises(heddle.Error) as caught:
                heddle.load(RANKS, **given)
            self.assertIn(message, str(caught.exception))
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "the program runs on 1 rank, got ranks=2"):
            heddle.load(os.environ["HEDDLE_FIXTURE"], ranks=2)

    def test_a_rank_fails(self):
        program = heddle.load(RANKS, ranks=3)
        with self.assertRaisesRegex(heddle.KernelFailedError, "fixture_refuse"):
            program.refuse(floats(1, 2, 3))
        with self.assertRaises(heddle.Error):  # the world is of no use any more, and says so
            program(floats(1, 2, 3), floats(1))
        again = heddle.load(RANKS, ranks=3)
        numpy.testing.assert_array_equal(again(floats(1, 2, 3), floats(1))[0], [6])

    def test_not_the_same_after_all(self):
        program = heddle.load(RANKS, ranks=2)
        with self.assertRaisesRegex(heddle.Error, "result 'y': ranks 0 and 1 have the same part of it by its sharding, and differ"):
            program.differs(heddle.PerRank([floats(1), floats(2)]))
        numpy.testing.assert_array_equal(program.differs(floats(1, 2)), [2, 4])

    def test_devices_are_shared(self):
        cores = sorted(os.sched_getaffinity(0))
        program = heddle.load(RANKS, ranks=2)
        uris = [devices[0].uri for devices in program.devices]
        if len(cores) == 2:
            self.assertEqual(uris, [f"local://{core}" for core in cores])
        given = heddle.load(RANKS, ranks=3, devices=[f"local://{cores[0]}", "local?discrete=yes"])
        self.assertEqual(["discrete" in devices[0].uri for devices in given.devices], [False, True, False])


if __name__ == "__main__":
    unittest.main()

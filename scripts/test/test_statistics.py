# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The interval of benchmarks/: known ranks, and coverage on data whose median is known."""
import random
import sys
import unittest

from support import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

from statistics_of_rounds import median_interval, verdict  # noqa: E402


class MedianIntervalTest(unittest.TestCase):
    def test_ranks_of_fifteen(self):
        # 95 % for n = 15: the fourth smallest and the fourth largest.
        self.assertEqual((8, 4, 12), median_interval(range(15, 0, -1)))

    def test_few_values(self):
        self.assertEqual((2, 1, 3), median_interval([3, 1, 2]))

    def test_coverage(self):
        generator = random.Random(4)
        hits = 0
        for _ in range(2000):
            _, low, high = median_interval([generator.expovariate(1) for _ in range(15)])
            hits += low <= 0.6931471805599453 <= high
        self.assertGreater(hits / 2000, 0.94)
        self.assertLess(hits / 2000, 0.99)


class VerdictTest(unittest.TestCase):
    def test_sides_of_the_limit(self):
        generator = random.Random(5)
        noise = [generator.uniform(-0.01, 0.01) for _ in range(30)]
        self.assertEqual("within", verdict([1.0 + each for each in noise], 1.02))
        self.assertEqual("slower", verdict([1.05 + each for each in noise], 1.02))
        self.assertEqual("open", verdict([1.02 + each for each in noise], 1.02))

    def test_a_few_disturbed_rounds_do_not_decide(self):
        self.assertEqual("within", verdict([1.0] * 13 + [3.0] * 2, 1.02))
        self.assertEqual("slower", verdict([1.1] * 13 + [0.3] * 2, 1.02))


if __name__ == "__main__":
    unittest.main()

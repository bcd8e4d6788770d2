"""The interval of benchmarks/: known ranks, and coverage on data whose median is known."""
import random
import sys
import unittest

from support import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

from statistics_of_rounds import median_interval  # noqa: E402


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


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Medians of rounds and their intervals, without assuming a distribution."""
import math
import statistics


def median_interval(values, confidence=0.95):
    """(median, low, high): order statistics that hold the true median with at least `confidence`.

    The number of values below the median is binomial(n, 1/2). With fewer than six values there is no such pair at 95 %:
    the interval is then all of them.
    """
    ordered = sorted(values)
    n = len(ordered)
    below, rank = 0.0, 0
    while True:
        below += math.comb(n, rank) / 2.0**n
        if below > (1 - confidence) / 2:
            break
        rank += 1
    rank = max(rank, 1)
    return statistics.median(ordered), ordered[rank - 1], ordered[n - rank]


def verdict(ratios, limit):
    """'slower' where the median of the ratios is above the limit with 99 % confidence, 'within' where it is not above
    with as much, else 'open'."""
    _, low, high = median_interval(ratios, 0.99)
    return "slower" if low > limit else "within" if high <= limit else "open"

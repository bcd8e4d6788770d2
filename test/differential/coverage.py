# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which cells (operator, type, rank, layout) graphs have reached, and which a new graph should try."""
import collections
import itertools

FACTORS = ("operator", "type", "rank", "layout")


def pairs(cell):
    return [(a, cell[a], b, cell[b]) for a, b in itertools.combinations(range(len(FACTORS)), 2)]


class Coverage:
    def __init__(self, cells):
        self.cells = list(cells)
        self.reached = set()
        self.tried = collections.Counter()  # cells and pairs

    def pick(self, random, allowed):
        """Of a few cells at random the one with most pairs that were tried seldom."""
        few = [self.cells[i] for i in random.integers(0, len(self.cells), 24)]
        few = [cell for cell in few if allowed(cell)] or few[:1]
        cell = max(few, key=lambda each: (sum(1 / (1 + self.tried[pair]) ** 2 for pair in pairs(each)), -self.tried[each]))
        self.tried.update([cell, *pairs(cell)])
        return cell

    def reach(self, cells):
        self.reached |= set(cells) & set(self.cells)

    def pairs(self, cells):
        """Pairs of two factors' values that occur in the cells."""
        return {pair for cell in cells for pair in pairs(cell)}

    def missing(self):
        """Words for each pair not reached."""
        return sorted(f"{first} × {second}" for _, first, _, second in self.pairs(self.cells) - self.pairs(self.reached))

    def report(self):
        """{what: (reached, all)}"""
        out = {"cells": (len(self.reached), len(self.cells))}
        reached, every = self.pairs(self.reached), self.pairs(self.cells)
        out["pairs"] = (len(reached), len(every))
        for a, b in itertools.combinations(range(len(FACTORS)), 2):
            of = lambda pairs: sum(pair[0] == a and pair[2] == b for pair in pairs)  # noqa: E731
            out[f"{FACTORS[a]} × {FACTORS[b]}"] = (of(reached), of(every))
        return out

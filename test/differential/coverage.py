"""Which cells (operator, type, rank, layout) graphs have reached, and which a new graph should try."""
import itertools

FACTORS = ("operator", "type", "rank", "layout")


class Coverage:
    def __init__(self, cells):
        self.cells = list(cells)
        self.reached = set()
        self.tried = {cell: 0 for cell in self.cells}

    def pick(self, random, allowed):
        """One of the cells that were tried least, of a few at random."""
        few = [self.cells[i] for i in random.integers(0, len(self.cells), 24)]
        few = [cell for cell in few if allowed(cell)] or few[:1]
        cell = min(few, key=lambda each: (self.tried[each], each[0] in {c[0] for c in self.reached}))
        self.tried[cell] += 1
        return cell

    def reach(self, cells):
        self.reached |= set(cells) & set(self.cells)

    def pairs(self, cells):
        """Pairs of two factors' values that occur in the cells."""
        return {(a, cell[a], b, cell[b]) for cell in cells for a, b in itertools.combinations(range(len(FACTORS)), 2)}

    def report(self):
        """{what: (reached, all)}"""
        out = {"cells": (len(self.reached), len(self.cells))}
        reached, every = self.pairs(self.reached), self.pairs(self.cells)
        out["pairs"] = (len(reached), len(every))
        for a, b in itertools.combinations(range(len(FACTORS)), 2):
            of = lambda pairs: sum(pair[0] == a and pair[2] == b for pair in pairs)  # noqa: E731
            out[f"{FACTORS[a]} × {FACTORS[b]}"] = (of(reached), of(every))
        return out

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of heddle explain --html, as its own script fills it: run by a JavaScript engine in place of a browser, with as
much of a document as the script touches. What is drawn on the canvas is not looked at."""
import html
import json
import re
import unittest

import quickjs
from support import ROOT, EndToEnd, heddle

PROGRAM = ROOT / "examples" / "devices" / "three_products.mlir"

# A document whose elements are what the script makes of them.
DOCUMENT = r"""
Array.prototype.at ??= function(k) { return this[k < 0 ? this.length + k : k]; };
(() => {
  const nothing = () => {}, elements = {}, listeners = {};
  const surface = new Proxy({}, { get: (_, name) => name === "measureText" ? text => ({ width: 7 * text.length }) : nothing, set: () => true });
  function makeElement(id) {
    const classes = new Set();
    return { id, style: {}, dataset: {}, innerHTML: "", textContent: "", value: "", listeners: {},
      classList: { add: c => classes.add(c), remove: c => classes.delete(c), contains: c => classes.has(c),
        toggle: (c, on) => on ? classes.add(c) : classes.delete(c) },
      addEventListener(kind, f) { this.listeners[kind] = f; }, getContext: () => surface, setPointerCapture: nothing, focus: nothing,
      blur: nothing, select: nothing, parentElement: { getBoundingClientRect: () => ({ width: 1200, height: 800 }) } };
  }
  const document = { getElementById: id => elements[id] ??= makeElement(id), documentElement: makeElement("html"), querySelectorAll: () => [],
    addEventListener(kind, f) { listeners[kind] = f; } };
  // What a user does: a word typed into the search field and Enter; a click on a line of a panel.
  function userFinds(text) {
    const field = document.getElementById("search"), press = key => listeners.keydown({ key, target: field, preventDefault: nothing });
    field.value = text; field.listeners.input(); press("Enter");
    return document.getElementById("details").innerHTML;
  }
  function userClicks(panel, attribute, value) {
    const at = makeElement(""); at.dataset[attribute] = value;
    document.getElementById(panel).listeners.click({ target: { closest: () => at } });
    return document.getElementById("details").innerHTML;
  }
  Object.assign(globalThis, { document, userFinds, userClicks, getComputedStyle: () => ({ getPropertyValue: () => " #000 " }),
    matchMedia: () => ({ matches: false, addEventListener: nothing }), requestAnimationFrame: f => f(), addEventListener: nothing,
    devicePixelRatio: 1, location: { hash: "" } });
})();
"""


def rows(panel):
    """The details panel as a reader sees it: {name: text}."""
    text = lambda part: html.unescape(re.sub(r"<[^>]*>", " ", part)).strip()
    return {text(name): text(value) for name, value in re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", panel, re.DOTALL)}


class Page:
    def __init__(self, text):
        data, script = re.search(r'<script id="data"[^>]*>(.*?)</script>\s*<script>(.*?)</script>', text, re.DOTALL).groups()
        self.engine = quickjs.Context()
        self.engine.eval(DOCUMENT)
        self.engine.eval(f"document.getElementById('data').textContent = {json.dumps(data)};")
        self.engine.eval(script)
        self.nodes = json.loads(data)["functions"][0]["nodes"]

    def do(self, call):
        return self.engine.eval(call)

    def panel(self, name):
        return self.do(f"document.getElementById({json.dumps(name)}).innerHTML")


class ExplainPageTest(EndToEnd):
    def page(self):
        done = heddle("compile", PROGRAM, "-o", "x.heddle", "--target-device=a=local", "--target-device=b=local", "-O1", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = heddle("explain", "x.heddle", "--html=x.html", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return Page((self.folder / "x.html").read_text())

    def test_search_and_enter_show_the_reason(self):
        """What the page says of a node is what the text says of it, word for word."""
        page = self.page()
        shown = rows(page.do("userFinds('second')"))
        said = heddle("explain", "x.heddle", "--why=second", cwd=self.folder).stdout
        self.assertEqual(shown["because"], re.search(r"  because +(.*)\n", said)[1])
        self.assertIn("follows its operands, from the transfer to b (explicit)", shown["because"])
        self.assertEqual(shown["nodes of the model"], "second")
        self.assertEqual(shown["on"], "b")

    def test_every_node_shows_its_reason(self):
        page = self.page()
        self.assertGreater(len(page.nodes), 5)
        for number, node in enumerate(page.nodes):
            with self.subTest(node["n"]):
                shown = rows(page.do(f"userClicks('side', 'node', '{number}')"))
                self.assertEqual(shown.get("because", ""), node["because"])

    def test_side_panel(self):
        """The page says how many dispatches each device has and what is moved."""
        page = self.page()
        self.assertIn("3 dispatches · 2 transfers, 32.0 KiB", page.do("document.getElementById('facts').textContent"))
        self.assertRegex(page.panel("side"), r"data-device=\"0\"><span class=\"num\">2</span>.*<b>a</b>")


if __name__ == "__main__":
    unittest.main()

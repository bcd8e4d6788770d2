#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Renders a line of text, or reads an image of one, and prepares it for PP-OCR's recogniser.

  line_image.py --output line.npy [--picture line.png] TEXT | --image FILE

The recogniser takes float [batch, 3, 48, width]: BGR, 48 pixels high, from -1 (black) to 1 (white).
"""
import argparse

import numpy
from PIL import Image, ImageDraw, ImageFont

HEIGHT, FONT_SIZE, MARGIN = 48, 34, 12


def render(text):
    """An image of the text, black on white, 48 pixels high."""
    font = ImageFont.load_default(FONT_SIZE)
    image = Image.new("RGB", (int(font.getlength(text)) + 2 * MARGIN, HEIGHT), "white")
    ImageDraw.Draw(image).text((MARGIN, HEIGHT // 2), text, fill="black", font=font, anchor="lm")
    return image


def features(image):
    """The recogniser's argument for one image of a line, whatever its height."""
    image = image.convert("RGB")
    width = max(1, round(image.width * HEIGHT / image.height))
    pixels = numpy.asarray(image.resize((width, HEIGHT), Image.Resampling.BILINEAR), numpy.float32)
    return (pixels[None, :, :, ::-1] / 127.5 - 1).transpose(0, 3, 1, 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", nargs="?")
    parser.add_argument("--image", help="an image of one line, instead of text")
    parser.add_argument("--picture", help="where to leave what was rendered")
    parser.add_argument("--output", required=True)
    options = parser.parse_args()
    if (options.text is None) == (options.image is None):
        parser.error("give either a text or --image")
    image = Image.open(options.image) if options.image else render(options.text)
    if options.picture:
        image.save(options.picture)
    numpy.save(options.output, numpy.ascontiguousarray(features(image)))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""A picture of a terminal: terminal.py OUT.svg [--head N] [--tail N] < text. Lines between head and tail become one of dots."""

import argparse
import sys
from pathlib import Path
from xml.sax.saxutils import escape

LINE, COLUMN, EDGE, SIZE = 17, 7.25, 14, 12
# Ordinary spaces that follow each other are drawn as one.
NO_BREAK = "\u00a0"

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("out", type=Path)
parser.add_argument("--head", type=int, default=1000)
parser.add_argument("--tail", type=int, default=1000)
args = parser.parse_args()

lines = [line.rstrip() for line in sys.stdin.read().rstrip().split("\n")]
if len(lines) > args.head + args.tail:
    lines = lines[: args.head] + ["..."] + lines[-args.tail :]
width = round(max(map(len, lines)) * COLUMN + 2 * EDGE)
height = len(lines) * LINE + 2 * EDGE
rows = "\n".join(
    # Each line as long as its letters, whatever font there is: columns stay below each other.
    f'<text x="{EDGE}" y="{EDGE + LINE * (number + 0.75):.0f}" textLength="{len(line) * COLUMN:.0f}">{escape(line).replace(" ", NO_BREAK)}</text>'
    for number, line in enumerate(lines)
    if line
)
args.out.write_text(
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
    f'font-family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="{SIZE}" fill="#e6e3da">\n'
    f'<rect width="{width}" height="{height}" rx="6" fill="#1b1a18"/>\n{rows}\n</svg>\n'
)

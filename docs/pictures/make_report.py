#!/usr/bin/env python3
"""Draws docs/pictures/report.svg: what a terminal shows of `tarry run uneven_ps`.

Usage: ./tarry run uneven_ps | python3 docs/pictures/make_report.py > docs/pictures/report.svg
The tables of devices and links, and notes, are left out; "..." stands for them."""
import html
import re
import sys

COLUMNS, LINE, CHARACTER, MARGIN = 102, 19, 8.1, 16
COLOURS = [(r"^Verdict: .*", "#ffb454"), (r"\balone\b", "#ff7b72"), (r"^Sync .*", "#ffffff"), (r"To do:", "#7ee787"),
           (r"hash [0-9a-f]{32}", "#79c0ff"), (r"^\$ .*", "#7ee787")]


def shortened(text):
    """The paragraphs that tell the story."""
    kept, left_out = ["$ tarry run uneven_ps", ""], False
    for paragraph in text.strip().split("\n\n"):
        if re.match(r"device |from host|Note:", paragraph):
            left_out = True
            continue
        if left_out:
            kept += ["...", ""]
            left_out = False
        kept += paragraph.split("\n") + [""]
    return kept[:-1]


def coloured(line):
    spans = sorted((m.start(), m.end(), colour) for pattern, colour in COLOURS for m in re.finditer(pattern, line))
    out, at = "", 0
    for start, end, colour in spans:
        if start < at:
            continue
        out += html.escape(line[at:start]) + f'<tspan fill="{colour}">{html.escape(line[start:end])}</tspan>'
        at = end
    return out + html.escape(line[at:])


lines = shortened(sys.stdin.read())
width, height = int(COLUMNS * CHARACTER + 2 * MARGIN), len(lines) * LINE + 2 * MARGIN
print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">')
print(f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>')
print('<g font-family="ui-monospace, DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="13" fill="#c9d1d9" xml:space="preserve">')
for number, line in enumerate(lines):
    print(f'<text x="{MARGIN}" y="{MARGIN + (number + 1) * LINE - 5}">{coloured(line)}</text>')
print("</g>\n</svg>")

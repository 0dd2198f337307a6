"""Writes letters.txt: the outlines of DejaVu Sans as polygons, for `letters.rs`.

    pip install fonttools
    python3 outlines.py DejaVuSans.ttf copyright > letters.txt

DejaVuSans.ttf is that of Debian's fonts-dejavu-core 2.37, and `copyright` the file of that name in the same package.
Each line is one character: the character, its advance, and its contours as `x,y` pairs, the first from the origin and
the others from the point before, in 300ths of the font size, y upwards. Curves are cut into straight pieces that stay
within one such step.
"""

import sys
from math import ceil, sqrt

from fontTools.pens.basePen import BasePen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTFont

STEPS = 300
CHARACTERS = [
    (0x20, 0x7E), (0xA1, 0xAC), (0xAE, 0x131), (0x134, 0x137), (0x139, 0x13E), (0x141, 0x148), (0x14C, 0x17E),
    (0x302, 0x304), (0x391, 0x3A9), (0x3AC, 0x3AF), (0x3B1, 0x3C9), (0x3D1, 0x3D1), (0x3D5, 0x3D5), (0x3F5, 0x3F5),
    (0x1D40, 0x1D40), (0x1D57, 0x1D57), (0x2010, 0x2016), (0x2018, 0x201E), (0x2020, 0x2022), (0x2026, 0x2026),
    (0x2030, 0x2030), (0x2032, 0x2033), (0x2070, 0x207F), (0x2080, 0x208E), (0x20AC, 0x20AC), (0x2113, 0x2113),
    (0x2116, 0x2116), (0x2126, 0x2126), (0x2153, 0x2154), (0x2159, 0x2159), (0x2190, 0x2194), (0x21A6, 0x21A6),
    (0x21D2, 0x21D2), (0x2202, 0x2202), (0x2205, 0x2209), (0x220F, 0x2213), (0x2218, 0x221A), (0x221D, 0x221E),
    (0x2225, 0x222B), (0x223C, 0x223C), (0x2248, 0x2248), (0x2260, 0x2265), (0x226A, 0x226B), (0x2282, 0x2287),
    (0x2295, 0x2299), (0x22C5, 0x22C6), (0x25A1, 0x25A1), (0x25CF, 0x25CF), (0x27E8, 0x27E9),
]


class Polygons(BasePen):
    """Contours as lists of points, curves cut into straight pieces."""

    def __init__(self, glyphs):
        super().__init__(glyphs)
        self.contours = []

    def _moveTo(self, at):
        self.contours.append([at])

    def _lineTo(self, at):
        self.contours[-1].append(at)

    def _qCurveToOne(self, control, end):
        start = self.contours[-1][-1]
        bend = max(abs(start[i] - 2 * control[i] + end[i]) for i in (0, 1)) / 4
        pieces = max(1, ceil(sqrt(bend)))
        for piece in range(1, pieces + 1):
            t = piece / pieces
            weights = ((1 - t) ** 2, 2 * t * (1 - t), t**2)
            point = (sum(w * p[i] for w, p in zip(weights, (start, control, end))) for i in (0, 1))
            self.contours[-1].append(tuple(point))


def main(font, notice):
    font = TTFont(font)
    glyphs = font.getGlyphSet()
    names = font.getBestCmap()
    scale = STEPS / font["head"].unitsPerEm
    license = open(notice).read().split("Files: *\n")[1].split("\nFiles:")[0]
    print("# Outlines of DejaVu Sans 2.37, made by outlines.py, which says how to read them.\n#")
    print("\n".join(f"# {line.strip()}".replace("# .", "#").rstrip() for line in license.splitlines()))
    for code in sorted(code for first, last in CHARACTERS for code in range(first, last + 1) if code in names):
        glyph = glyphs[names[code]]
        pen = Polygons(glyphs)
        glyph.draw(TransformPen(pen, (scale, 0, 0, scale, 0, 0)))
        print(chr(code), round(glyph.width * scale), *(deltas(c) for c in pen.contours if len(c) > 2), sep="\t")


def deltas(contour):
    """The contour as text, each point from the one before."""
    rounded = [tuple(round(c) for c in point) for point in contour]
    before = [(0, 0), *rounded]
    return " ".join(f"{x - x0},{y - y0}" for (x, y), (x0, y0) in zip(rounded, before))


main(*sys.argv[1:])

"""A QR code as an SVG: byte mode, error correction level L, one block, up to version 5 (106 bytes). ISO/IEC 18004."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

__all__ = ["matrix", "qr_data_url"]

_SIZES: Final = ((19, 7), (34, 10), (55, 15), (80, 20), (108, 26))
"""Code words of data and of error correction, by version from 1."""

_QUIET: Final = 4
# Level L with each mask, already with its error correction and the mask of the standard.
_FORMATS: Final = (0x77C4, 0x72F3, 0x7DAA, 0x789D, 0x662F, 0x6318, 0x6C41, 0x6976)

Grid = list[list[bool]]


def qr_data_url(text: str) -> str | None:
    """An image of `text` as a data: URL, dark on white; None if it does not fit."""
    grid = matrix(text)
    if grid is None:
        return None
    side = len(grid) + 2 * _QUIET
    path = "".join(
        f"M{column + _QUIET} {row + _QUIET}h1v1h-1z"
        for row, line in enumerate(grid)
        for column, dark in enumerate(line)
        if dark
    )
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" shape-rendering="crispEdges">'
        f'<path fill="#fff" d="M0 0h{side}v{side}H0z"/><path d="{path}"/></svg>'
    )
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"


@lru_cache(maxsize=64)
def matrix(text: str) -> Grid | None:
    """The modules, True for dark, without the quiet zone."""
    raw = text.encode()
    version = next((number for number, (data, _) in enumerate(_SIZES, 1) if len(raw) + 2 <= data), None)
    if version is None:
        return None
    words = _words(raw, *_SIZES[version - 1])
    candidates = (_drawn(version, words, mask) for mask in range(8))
    return min(candidates, key=_penalty)


def _words(raw: bytes, data: int, correction: int) -> list[int]:
    bits = f"0100{len(raw):08b}" + "".join(f"{byte:08b}" for byte in raw) + "0000"
    words = [int(bits[start : start + 8].ljust(8, "0"), 2) for start in range(0, len(bits), 8)][:data]
    words += [(0xEC, 0x11)[number % 2] for number in range(data - len(words))]
    return words + _remainder(words, correction)


def _remainder(words: list[int], degree: int) -> list[int]:
    """The error correction: Reed-Solomon over GF(256) with 0x11D."""
    divisor, root = [*[0] * (degree - 1), 1], 1
    for _ in range(degree):
        for place in range(degree):
            divisor[place] = _times(divisor[place], root) ^ (divisor[place + 1] if place + 1 < degree else 0)
        root = _times(root, 2)
    rest = [0] * degree
    for word in words:
        factor = word ^ rest.pop(0)
        rest.append(0)
        rest = [have ^ _times(part, factor) for have, part in zip(rest, divisor, strict=True)]
    return rest


def _times(one: int, other: int) -> int:
    product = 0
    for bit in range(7, -1, -1):
        product = (product << 1) ^ ((product >> 7) * 0x11D)
        product ^= ((other >> bit) & 1) * one
    return product


def _drawn(version: int, words: list[int], mask: int) -> Grid:
    side = 17 + 4 * version
    grid: list[list[bool | None]] = [[None] * side for _ in range(side)]
    for row, column in ((3, 3), (3, side - 4), (side - 4, 3)):
        _target(grid, row, column, 4, (2, 4))
    for place in range(8, side - 8):
        grid[6][place] = grid[place][6] = place % 2 == 0
    if version > 1:
        _target(grid, side - 7, side - 7, 2, (1,))
    _format(grid, side, _FORMATS[mask])
    bits = (word >> bit & 1 for word in words for bit in range(7, -1, -1))
    for row, column in _zigzag(side):
        if grid[row][column] is None:
            grid[row][column] = bool(next(bits, 0)) ^ _masked(mask, row, column)
    return [[bool(dark) for dark in line] for line in grid]


def _target(grid: list[list[bool | None]], row: int, column: int, reach: int, light: tuple[int, ...]) -> None:
    side = len(grid)
    for down in range(-reach, reach + 1):
        for across in range(-reach, reach + 1):
            if 0 <= row + down < side and 0 <= column + across < side:
                grid[row + down][column + across] = max(abs(down), abs(across)) not in light


def _format(grid: list[list[bool | None]], side: int, bits: int) -> None:
    around = [*((row, 8) for row in (0, 1, 2, 3, 4, 5, 7, 8)), *((8, column) for column in (7, 5, 4, 3, 2, 1, 0))]
    split = [*((8, side - 1 - place) for place in range(8)), *((side - 7 + place, 8) for place in range(7))]
    for place in range(15):
        for row, column in (around[place], split[place]):
            grid[row][column] = bool(bits >> place & 1)
    grid[side - 8][8] = True


def _zigzag(side: int) -> Iterator[tuple[int, int]]:
    upwards = True
    for right in (*range(side - 1, 6, -2), *range(5, 0, -2)):
        for step in range(side):
            row = side - 1 - step if upwards else step
            yield row, right
            yield row, right - 1
        upwards = not upwards


def _masked(mask: int, row: int, column: int) -> bool:
    product, total = row * column, row + column
    return (
        total % 2,
        row % 2,
        column % 3,
        total % 3,
        (row // 2 + column // 3) % 2,
        product % 2 + product % 3,
        (product % 2 + product % 3) % 2,
        (total % 2 + product % 3) % 2,
    )[mask] == 0


def _penalty(grid: Grid) -> int:
    """How hard a mask is to read: long runs, full squares, what looks like a corner, and too much of one colour."""
    lines = ["".join("1" if dark else "0" for dark in line) for line in (*grid, *zip(*grid, strict=True))]
    found = 0
    for line in lines:
        for colour in "01":
            other = "1" if colour == "0" else "0"
            found += sum(len(run) - 2 for run in line.split(other) if len(run) >= 5)
        found += 40 * (line.count("10111010000") + line.count("00001011101"))
    side = len(grid)
    for row in range(side - 1):
        for column in range(side - 1):
            square = {grid[row + down][column + across] for down in (0, 1) for across in (0, 1)}
            found += 3 * (len(square) == 1)
    dark = sum(map(sum, grid)) * 20 // (side * side)
    return found + 10 * abs(dark - 10)

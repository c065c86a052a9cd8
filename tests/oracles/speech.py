"""Cepstra and what becomes of them, by loops over frames and samples."""

import cmath
import math

FRAME, STEP, RATE = 400, 160, 16_000
N_FILTERS, SIZE = 23, 512


def mel(frequency):
    return 1127.0 * math.log(1.0 + frequency / 700.0)


def filters():
    """Triangles between points that are equally far apart in mel, from 64 Hz to half the rate."""
    low, high = mel(64.0), mel(RATE / 2)
    points = [low + (high - low) * i / (N_FILTERS + 1) for i in range(N_FILTERS + 2)]
    weights = []
    for left, middle, right in zip(points, points[1:], points[2:], strict=False):
        row = []
        for i in range(SIZE // 2):
            at = mel(i * RATE / SIZE)
            up, down = (at - left) / (middle - left), (right - at) / (right - middle)
            row.append(max(min(up, down), 0.0))
        weights.append(row)
    return weights


def fft(values):
    n = len(values)
    if n == 1:
        return values
    even, odd = fft(values[::2]), fft(values[1::2])
    turned = [cmath.exp(-2j * math.pi * k / n) * odd[k] for k in range(n // 2)]
    return [even[k] + turned[k] for k in range(n // 2)] + [
        even[k] - turned[k] for k in range(n // 2)
    ]


def cepstra(samples):
    triangles = filters()
    rows = []
    for start in range(0, len(samples) - FRAME + 1, STEP):
        frame = [float(s) for s in samples[start : start + FRAME]]
        mean = math.fsum(frame) / FRAME
        frame = [s - mean for s in frame]
        # Before the first sample there is another of its kind.
        frame = [s - 0.97 * before for s, before in zip(frame, [frame[0], *frame], strict=False)]
        windowed = [
            s * (0.54 - 0.46 * math.cos(2.0 * math.pi * i / (FRAME - 1)))
            for i, s in enumerate(frame)
        ]
        power = [abs(z) ** 2 for z in fft(windowed + [0.0] * (SIZE - FRAME))]
        logs = [
            math.log(max(math.fsum(w * p for w, p in zip(row, power, strict=False)), 2.0**-23))
            for row in triangles
        ]
        rows.append(
            [
                math.sqrt((2.0 if k else 1.0) / N_FILTERS)
                * math.fsum(
                    e * math.cos(math.pi * k * (j + 0.5) / N_FILTERS) for j, e in enumerate(logs)
                )
                for k in range(13)
            ]
        )
    return rows


def slopes(rows):
    """Of the line of least squares through five frames; the first and the last go on for ever."""
    n = len(rows)
    at = [[rows[min(max(t + k, 0), n - 1)] for k in range(-2, 3)] for t in range(n)]
    return [
        [sum(k * five[k + 2][j] for k in range(-2, 3)) / 10.0 for j in range(len(rows[0]))]
        for five in at
    ]


def with_changes(rows):
    first = slopes(rows)
    return [a + b + c for a, b, c in zip(rows, first, slopes(first), strict=True)]


def names():
    kinds = ("mfcc", "delta", "delta2")
    return [f"{kind}_{i}" for kind in kinds for i in range(13)]


def middle(t):
    return STEP * t + FRAME // 2


def frames(rows, marks):
    """Examples of `(start, end, phoneme)`, where the glottal stop has no phoneme."""
    examples = []
    for t in range(len(rows)):
        for start, end, phoneme in marks:
            if phoneme is not None and start <= middle(t) < end:
                x = {}
                for k in range(-2, 3):
                    there = rows[min(max(t + k, 0), len(rows) - 1)]
                    x |= {f"{name}_{k}": v for name, v in zip(names(), there, strict=True)}
                examples.append((x, phoneme))
    return examples


def segments(rows, marks):
    examples = []
    for start, end, phoneme in marks:
        if phoneme is None:
            continue
        inside = [t for t in range(len(rows)) if start <= middle(t) < end]
        if not inside:  # those on both sides
            before = [t for t in range(len(rows)) if middle(t) < start]
            after = [t for t in range(len(rows)) if middle(t) >= end]
            inside = before[-1:] + after[:1]
        x = {
            name: math.fsum(rows[t][j] for t in inside) / len(inside)
            for j, name in enumerate(names())
        }
        examples.append((x, phoneme))
    return examples

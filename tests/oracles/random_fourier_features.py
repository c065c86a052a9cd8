"""Random Fourier features with loops: [RR] is Rahimi & Recht 2007, with a sine for each cosine."""

import hashlib
import math
import struct


def frequencies(seed, name, sigma, m):
    """The m components of the frequencies that belong to a feature, by the method of Box & Muller.

    Both uniform numbers are eight bytes of SHAKE-128 of the seed and the name, low bytes first.
    """
    digest = hashlib.shake_128(f"{seed} {name!r}".encode()).digest(16 * m)
    words = struct.unpack(f"<{2 * m}Q", digest)
    uniform = [(word + 0.5) / 2**64 for word in words]
    radius = [math.sqrt(-2 * math.log(u)) for u in uniform[:m]]
    return [r * math.cos(2 * math.pi * u) / sigma for r, u in zip(radius, uniform[m:], strict=True)]


def random_fourier_features(x, sigma, n_components, seed):
    m = n_components // 2
    angles = [0.0] * m
    for name, value in x.items():
        for j, frequency in enumerate(frequencies(seed, name, sigma, m)):
            angles[j] += value * frequency
    found = [math.cos(a) for a in angles] + [math.sin(a) for a in angles]
    return {j: value / math.sqrt(m) for j, value in enumerate(found)}

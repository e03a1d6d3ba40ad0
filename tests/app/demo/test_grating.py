import numpy as np

from app.demo.renderer.scene import Grating, Harmonic


def places(per_pixel):
    """Plate coordinates seen by a small camera: each pixel is ``per_pixel`` units wide."""
    x = np.arange(64, dtype=np.float32)[None, :] * np.float32(per_pixel)
    y = np.arange(48, dtype=np.float32)[:, None] * np.float32(per_pixel)
    return np.broadcast_to(x, (48, 64)).copy(), np.broadcast_to(y, (48, 64)).copy()


def stripes(cycles):
    return Grating((Harmonic(cycles, 0.0, (1.0, 1.0, 1.0)),))


def test_that_structure_finer_than_the_lens_resolves_does_not_show():
    assert stripes(300.0).modulation(*places(0.01), blur=0.5) is None


def test_that_structure_just_above_the_pixels_rate_shows_as_wide_moire():
    seen = stripes(107.0).modulation(*places(0.01), blur=0.15)
    assert seen is not None
    spectrum = np.abs(np.fft.rfft(seen[0, :, 1]))
    # 1.07 cycles a pixel alias to 0.07: between four and five waves over 64 pixels.
    assert int(spectrum.argmax()) in (4, 5)


def test_that_moire_is_coloured_because_photosites_lie_apart():
    seen = stripes(107.0).modulation(*places(0.01), blur=0.15)
    assert np.abs(seen[..., 0] - seen[..., 2]).max() > 0.1 * np.abs(seen).max()


def test_that_moire_agrees_with_sampling_a_rendered_grating():
    """The independent route: draw the stripes 32 times finer, blur, and average photosites."""
    fine, blur, cycles = 32, 0.2, 1.2
    at = (np.arange(-8 * fine, 72 * fine) + 0.5) / fine - 0.5
    wave = np.cos(2 * np.pi * cycles * at)
    offsets = np.arange(-4 * fine, 4 * fine + 1) / fine
    lens = np.exp(-0.5 * (offsets / blur) ** 2)
    site = (np.abs(offsets) <= 0.25).astype(float)
    for kernel in (lens, site):
        wave = np.convolve(wave, kernel / kernel.sum(), mode="same")
    centres = np.arange(64) - 0.25  # red photosites lie a quarter of a pixel to the left
    expected = np.interp(centres, at, wave)
    seen = stripes(cycles).modulation(*places(1.0), blur=blur)
    assert np.abs(seen[5, 8:56, 0] - expected[8:56]).max() < 0.03 * np.abs(wave).max() + 0.01

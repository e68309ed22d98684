"""Los colores: una sola verdad y contraste suficiente en las dos paletas."""

import re

import numpy as np
import pytest

from lessons_code.figures.figure import PALETTE
from lessons_code.figures.heatmap import INK_SWITCH
from tests.figures.page import STYLESHEET, channels, contrast, mix, palettes

SCHEMES = ("clara", "oscura")
PAGE = {"clara": "#ffffff", "oscura": "#1e2129"}  # el fondo de la página en Material


def test_reserve_colors_are_those_of_the_light_palette():
    assert palettes()["clara"] == PALETTE


def test_dark_palette_redefines_every_color():
    assert palettes()["oscura"].keys() == PALETTE.keys()


def test_dark_palette_applies_on_screen_only():
    before, _, after = STYLESHEET.read_text("utf-8").partition("@media screen {")
    assert "slate" not in before
    assert '[data-md-color-scheme="slate"]' in after.split("@media")[0]


def test_forced_colors_redefine_every_color_with_system_colors():
    forced = STYLESHEET.read_text("utf-8").split("@media (forced-colors: active)")[1]
    assert set(re.findall(r"--figura-([a-z0-9-]+):", forced.split("}")[0])) == PALETTE.keys()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_digits_have_aa_contrast_on_every_cell(scheme):
    colors = palettes()[scheme]
    for weight in np.linspace(0, 1, 101):
        ink = colors["tinta-alta" if weight >= INK_SWITCH else "tinta-baja"]
        cell = mix(colors["fondo"], colors["acento"], weight)
        assert contrast(channels(ink), cell) >= 4.5, f"peso {weight:.2f}"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_more_weight_is_always_more_ink(scheme):
    colors = palettes()[scheme]
    background = channels(colors["fondo"])
    ramp = [
        contrast(background, mix(colors["fondo"], colors["acento"], weight))
        for weight in np.linspace(0, 1, 101)
    ]
    assert (np.diff(ramp) > 0).all()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_lines_and_their_labels_have_aa_contrast_on_the_page(scheme):
    colors = palettes()[scheme]
    assert colors["fondo"] == PAGE[scheme]
    for name in ("senal", *(name for name in colors if name.startswith("serie-"))):
        assert contrast(channels(colors[name]), channels(colors["fondo"])) >= 4.5, name

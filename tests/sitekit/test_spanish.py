"""Los números de la prosa."""

import re

import numpy as np
import pytest

from lessons_code.sitekit.spanish import format_value


@pytest.mark.parametrize(
    ("value", "spec", "text"),
    [
        (0.4637, ".3f", "0,464"),
        (-0.5, ".1f", "−0,5"),
        (-0.0004, ".3f", "0,000"),
        (3, "", "3"),
        (-17, "d", "−17"),
        (5, "+d", "+5"),
        (2015, "", "2015"),
        (9999.5, ".1f", "9999,5"),
        (12345, "", "12\u202f345"),
        (-1234567.891, ".2f", "−1\u202f234\u202f567,89"),
        (0.4637, ".1%", "46,4\u00a0%"),
        (1, "%", "100,000000\u00a0%"),
        (1.2e-6, ".1e", "1,2·10⁻⁶"),
        (-3e20, ".0e", "−3·10²⁰"),
        (0.00001234, ".2g", "1,2·10⁻⁵"),
        (np.float32(0.5), ".2f", "0,50"),
        (np.int64(65536), "", "65\u202f536"),
        ("gato <negro>", "", "gato <negro>"),
        (np.str_("gato"), "", "gato"),
    ],
)
def test_values_are_written_in_spanish(value, spec, text):
    assert format_value(value, spec) == text


@pytest.mark.parametrize(
    ("value", "spec", "hint"),
    [
        (0.5, "", "«:.3f»"),
        (np.float64(0.25), "", "«:.3f»"),
        (True, "", "bool"),
        (None, "", "NoneType"),
        ([1], "", "list"),
        (np.ones(2), ".3f", "ndarray"),
        (1 + 2j, ".3f", "complex"),
        (float("nan"), ".3f", "nan"),
        (float("-inf"), ".3f", "-inf"),
        (1234.5, ",.1f", "«:,.1f»"),
        (1234.5, "08.1f", "«:08.1f»"),
        (2.5, "d", "«:d» no vale para un float"),
        ("gato", ">10", "quita «:>10»"),
    ],
)
def test_what_has_no_place_in_prose_is_refused(value, spec, hint):
    with pytest.raises(ValueError, match=re.escape(hint)):
        format_value(value, spec)

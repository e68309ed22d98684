import pytest

from lessons_code.figures.spanish import fixed, number, scientific


@pytest.mark.parametrize(
    ("value", "decimals", "expected"),
    [
        (0.464, 3, "0,464"),
        (0.464, 2, "0,46"),
        (-1.5, 1, "−1,5"),
        (-0.004, 2, "0,00"),
        (1234.5, 2, "1234,50"),
        (12345.0, 0, "12\u202f345"),
        (1234567.25, 1, "1\u202f234\u202f567,2"),
    ],
)
def test_fixed_writes_exactly_those_decimals(value, decimals, expected):
    assert fixed(value, decimals) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(2.2e-16, "2,2·10⁻¹⁶"), (-3e-5, "−3,0·10⁻⁵"), (4.56e12, "4,6·10¹²")],
)
def test_scientific_writes_a_power_of_ten(value, expected):
    assert scientific(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.0, "0,000"),
        (-0.0, "0,000"),
        (0.0004, "4,0·10⁻⁴"),
        (7, "7"),
        (7.0, "7,000"),
        (-41, "−41"),
        (10000, "10\u202f000"),
    ],
)
def test_number_never_writes_a_false_zero(value, expected):
    assert number(value) == expected


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_number_rejects_what_is_not_finite(value):
    with pytest.raises(ValueError, match="revisa de dónde sale"):
        number(value)

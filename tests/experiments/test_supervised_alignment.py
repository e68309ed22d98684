"""La miniatura de P07: lo que promete, con cada semilla, y que su gradiente es el bueno."""

import json

import numpy as np
import pytest

from lessons_code.experiments.supervised_alignment import (
    VOCABULARY,
    AlignmentParams,
    Config,
    attend,
    draw_sentence,
    gradient,
    init_params,
    loss,
    run,
)
from lessons_code.numerics.attention import additive_attention
from lessons_code.numerics.functional import cross_entropy
from lessons_code.numerics.gradcheck import numerical_gradient, relative_error


@pytest.fixture(scope="module")
def result():
    return run(Config(seed=7))


@pytest.fixture
def problem():
    rng = np.random.default_rng(11)
    return draw_sentence(rng), init_params(rng, scale=0.7)


def test_hand_value(problem):
    """v = 1, w = 1, u = 0: puntúa tanh 1 si el símbolo está en el destino, mire donde mire."""
    sentence, _ = problem
    ones, zeros = np.ones(6), np.zeros(6)
    weights, hidden = attend(AlignmentParams(w_A=ones, u_A=zeros, v_A=ones), sentence)
    assert hidden.sum() == pytest.approx(4 * 4 * np.tanh(1))
    assert weights == pytest.approx(np.full((4, 4), 1 / 4))
    assert loss(weights, sentence) == pytest.approx(np.log(4))


def test_diagonal_matrices_give_the_course_attention(result):
    """La miniatura es `additive_attention` con W y U diagonales: los mismos pesos."""
    sentence = draw_sentence(np.random.default_rng(result.config.seed))
    params = result.params
    for row, decoder_state in zip(result.weights, sentence.target_TA, strict=True):
        _, weights = additive_attention(
            decoder_state, sentence.source_SA, np.diag(params.w_A), np.diag(params.u_A), params.v_A
        )
        assert row == pytest.approx(weights, abs=1e-14)


def test_loss_is_the_course_cross_entropy(problem):
    sentence, params = problem
    weights, hidden = attend(params, sentence)
    losses = cross_entropy(hidden @ params.v_A, sentence.alignment_TS.argmax(axis=1))
    assert loss(weights, sentence) == pytest.approx(losses.mean(), rel=1e-13)


@pytest.mark.parametrize("name", ["w_A", "u_A", "v_A"])
def test_gradient_against_central_differences(problem, name):
    sentence, params = problem
    arrays = vars(params)

    def loss_at(array):
        weights, _ = attend(AlignmentParams(**(arrays | {name: array})), sentence)
        return loss(weights, sentence)

    grad = gradient(params, sentence, *attend(params, sentence))
    expected = numerical_gradient(loss_at, arrays[name])
    assert np.abs(expected).max() > 1e-2
    assert relative_error(vars(grad)[name], expected) < 1e-6


def test_seed_7_is_the_sentence_of_the_card(result):
    assert result.source == ("el", "gato", "negro", "duerme")
    assert result.target == ("the", "black", "cat", "sleeps")
    assert result.alignment == (0, 2, 1, 3)


def test_alignment_pairs_each_word_with_its_translation(result):
    translations = dict(VOCABULARY)
    paired = [translations[result.source[position]] for position in result.alignment]
    assert paired == list(result.target)


@pytest.mark.slow
def test_every_seed_learns_its_own_alignment():
    results = [run(Config(seed=seed)) for seed in range(50)]
    for result in results:
        assert result.correct == 4, result.config
        assert result.row_entropies.max() < 0.02, result.config
        assert np.abs(result.row_sums - 1).max() <= 1e-15, result.config
        assert result.weights.argmax(axis=1).tolist() == list(result.alignment), result.config
    assert len({result.weights.tobytes() for result in results}) == 50
    assert {word for result in results for word in result.source} == {es for es, _ in VOCABULARY}
    assert len({result.alignment for result in results}) > 15  # de 24 permutaciones posibles


def test_same_seed_same_bytes_and_another_seed_another_draw():
    def as_bytes(seed):
        return json.dumps(run(Config(seed=seed, steps=17)).to_json())

    assert as_bytes(7) == as_bytes(7)
    assert as_bytes(7) != as_bytes(8)


def test_only_the_words_of_the_sentence_train(result):
    """Quien no aparece no recibe gradiente: 3 números por cada una de las 4 palabras."""
    assert result.parameters == 18
    assert result.trained_parameters == 12


def test_losses_start_near_blind_guessing_and_end_near_zero(result):
    assert result.losses.shape == (3001,)
    assert result.losses[0] == pytest.approx(np.log(4), abs=0.01)
    assert result.losses[-1] < 0.002


def test_json_is_plain_and_keeps_the_numbers(result):
    data = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert data["config"] == {
        "seed": 7,
        "steps": 3000,
        "learning_rate": 2.0,
        "initial_scale": 0.1,
    }
    assert np.array_equal(data["weights"], result.weights)
    assert data["row_sums"] == pytest.approx([1, 1, 1, 1])
    assert data["final_loss"] == result.losses[-1]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("seed", -1),
        ("seed", 7.0),
        ("seed", "7"),
        ("seed", True),
        ("steps", 0),
        ("steps", 2.5),
        ("learning_rate", 0.0),
        ("learning_rate", float("nan")),
        ("initial_scale", float("inf")),
        ("initial_scale", "0.1"),
    ],
)
def test_config_names_the_bad_field(field, value):
    with pytest.raises(ValueError, match=rf"^{field}: esperaba .*, llegó "):
        Config(**{field: value})

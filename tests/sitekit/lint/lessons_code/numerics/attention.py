"""Firmas para las pruebas del linter; no se ejecuta."""

SHAPES = {"decoder_state": "d_s", "encoder_states": "T_enc d_h"}


def dot_attention(decoder_state, encoder_states):
    """Dos argumentos."""


def masked_softmax(scores, visible, *, axis=-1):
    """Uno solo por nombre."""


def several(*tensors, **options):
    """Acepta cualquier cosa."""

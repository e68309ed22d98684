"""Llamadas rotas a propósito: qué se rompió, y qué debe decir el médico de formas.

Cada una parte de una llamada sana y cambia uno o varios tensores. Los tamaños son primos distintos,
así que ninguna encaja por casualidad; cuando hace falta que dos midan lo mismo, se dice.
"""

from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from lessons_code.doctor.signatures import SIGNATURES
from lessons_code.numerics import attention, masks, multi_head

# Lo que un arreglo o una prueba pueden nombrar, además de los tensores.
NAMES = MappingProxyType(
    {"np": np, "attention": attention, "masks": masks, "multi_head": multi_head}
)

ONE = {
    "batch": 2,
    "T_dec": 3,
    "d_s": 5,
    "T_enc": 7,
    "d_h": 11,
    "d_attn": 13,
    "d_k": 17,
    "d_v": 19,
}
HEADED = ONE | {"d_h": 12}  # lo que se reparte entre cabezas no puede ser primo
LENGTHS = [7, 4]


def healthy(function, sizes=None, lengths=LENGTHS):
    """Los tensores de una llamada sana; en lote, la segunda frase lleva relleno."""
    signature = SIGNATURES[function]
    sizes = sizes or (HEADED if signature.has_heads else ONE)
    rng = np.random.default_rng(2)
    tensors = {}
    for name, axes in signature.inputs.items():
        shape = [sum(sizes[letter] for letter in axis.split("+")) for axis in axes.split()]
        tensors[name] = rng.normal(size=shape)
    visible_BS = masks.padding_mask(lengths, sizes["T_enc"])
    if "visible_BS" in tensors:
        tensors["visible_BS"] = visible_BS
    if "visible_BLM" in tensors:
        tensors["visible_BLM"] = masks.repeat_for_queries(visible_BS, sizes["T_dec"])
    return tensors | ({"n_heads": 4} if signature.has_heads else {})


@dataclass(frozen=True)
class Broken:
    """`breaks` es Python que estropea los tensores sanos; `expected`, qué se debe decir de cuál.

    `exact` dice si el arreglo devuelve los números de la llamada sana: lo hace cuando solo había
    que mover ejes, y no cuando hay que crear un parámetro o proyectar.
    """

    kind: str
    function: str
    breaks: str
    expected: dict[str, str]
    fix: str
    exact: bool = True
    ties: tuple[str, ...] = ()
    sizes: dict[str, int] = field(default_factory=dict)

    @property
    def id(self):
        return f"{self.function}: {self.breaks}"

    def healthy(self):
        """Los tensores antes de romperlos."""
        return healthy(self.function, ONE | self.sizes if self.sizes else None)

    def tensors(self):
        """Los tensores ya rotos."""
        namespace = self.healthy()
        run(self.breaks, namespace)
        return namespace


def run(code, namespace):
    """Ejecuta un arreglo o una prueba sobre los tensores de `namespace`, que cambia."""
    names = dict(NAMES)
    exec(code, names, namespace)


ADDITIVE, DOT, GENERAL, CONCAT = (
    f"{score}_attention" for score in ("additive", "dot", "general", "concat")
)
ADDITIVE_BATCH, DOT_BATCH, GENERAL_BATCH, CONCAT_BATCH = (
    f"{name}_forward" for name in (ADDITIVE, DOT, GENERAL, CONCAT)
)
HEADS, HEADS_BATCH = "multi_head_general_attention", "multi_head_general_attention_forward"
SCALED = "scaled_dot_attention"
NEW = "np.random.default_rng(7).normal(scale=0.1, size="

TRANSPOSED, SWAPPED, BATCH = "matriz traspuesta", "intercambio", "eje del lote"
WIDTHS, BIDIRECTIONAL, MASK = "d_s distinto de d_h", "anchura bidireccional", "máscara"
COLUMN, MULTI_HEAD = "(T, 1) por (T,)", "cabezas"

BROKEN = (
    # ─── Matrices traspuestas ──────────────────────────────────────────────────────────────────
    Broken(TRANSPOSED, ADDITIVE, "W_a = W_a.T", {"W_a": "(d_attn=13, d_s=5)"}, "W_a = W_a.T"),
    Broken(TRANSPOSED, ADDITIVE, "U_a = U_a.T", {"U_a": "(d_attn=13, d_h=11)"}, "U_a = U_a.T"),
    Broken(
        TRANSPOSED,
        ADDITIVE,
        "W_a, U_a = W_a.T, U_a.T",
        {"W_a": "(d_attn=13, d_s=5)", "U_a": "(d_attn=13, d_h=11)"},
        "W_a = W_a.T",
    ),
    Broken(
        # Quien choca es U_a; el culpable, no.
        TRANSPOSED,
        ADDITIVE,
        "encoder_states = encoder_states.T",
        {"encoder_states": "(T_enc=7, d_h=11)"},
        "encoder_states = encoder_states.T",
    ),
    Broken(TRANSPOSED, GENERAL, "W = W.T", {"W": "(d_s=5, d_h=11)"}, "W = W.T"),
    Broken(TRANSPOSED, CONCAT, "W = W.T", {"W": "(d_attn=13, d_s+d_h=16)"}, "W = W.T"),
    Broken(
        TRANSPOSED, GENERAL_BATCH, "W_NC = W_NC.T", {"W_NC": "(d_s=5, d_h=11)"}, "W_NC = W_NC.T"
    ),
    Broken(TRANSPOSED, HEADS, "W = W.T", {"W": "(d_s=5, d_h=12)"}, "W = W.T"),
    Broken(
        TRANSPOSED,
        SCALED,
        "key_BMK = key_BMK.swapaxes(1, 2)",
        {"key_BMK": "(batch=2, T_enc=7, d_k=17)"},
        "key_BMK = key_BMK.swapaxes(1, 2)",
    ),
    # ─── Consulta y claves, intercambiadas ─────────────────────────────────────────────────────
    Broken(
        SWAPPED,
        ADDITIVE,
        "decoder_state, encoder_states = encoder_states, decoder_state",
        {"decoder_state": "(d_s=5)"},
        "decoder_state, encoder_states = encoder_states, decoder_state",
    ),
    Broken(
        SWAPPED,
        DOT,
        "decoder_state, encoder_states = encoder_states, decoder_state",
        {"decoder_state": "(d_h=11)"},
        "decoder_state, encoder_states = encoder_states, decoder_state",
    ),
    Broken(
        SWAPPED,
        SCALED,
        "query_BLK, key_BMK = key_BMK, query_BLK",
        {"query_BLK": "(batch=2, T_dec=3, d_k=17)"},
        "query_BLK, key_BMK = key_BMK, query_BLK",
    ),
    Broken(
        SWAPPED,
        ADDITIVE_BATCH,
        "decoder_state_BTN, encoder_states_BSC = encoder_states_BSC, decoder_state_BTN",
        {"decoder_state_BTN": "(batch=2, T_dec=3, d_s=5)"},
        "decoder_state_BTN, encoder_states_BSC = encoder_states_BSC, decoder_state_BTN",
    ),
    Broken(
        SWAPPED,
        ADDITIVE,
        "W_a, U_a = U_a, W_a",
        {"W_a": "(d_attn=13, d_s=5)"},
        "W_a, U_a = U_a, W_a",
    ),
    # ─── Falta o sobra el eje del lote ─────────────────────────────────────────────────────────
    Broken(
        BATCH,
        ADDITIVE,
        "decoder_state, encoder_states = np.ones((2, 5)), np.ones((2, 7, 11))",
        {"decoder_state": "(d_s=5)"},
        "context, weights, _ = attention.additive_attention_forward("
        "decoder_state.reshape(2, 1, 5), encoder_states, "
        "attention.AdditiveParams(W_a, U_a, v_a), np.ones((2, 7), bool))",
        exact=False,
    ),
    Broken(
        BATCH,
        CONCAT,
        "decoder_state = np.ones((3, 5))",
        {"decoder_state": "(d_s=5)"},
        "context, weights, _ = attention.concat_attention_forward(decoder_state.reshape(1, 3, 5), "
        "encoder_states.reshape(1, 7, 11), attention.ConcatParams(W, v), np.ones((1, 7), bool))",
        exact=False,
    ),
    Broken(
        BATCH,
        DOT,
        "decoder_state, encoder_states = decoder_state[None], encoder_states[None]",
        {"decoder_state": "(d_h=11)"},
        "context, weights, _ = attention.dot_attention_forward(decoder_state.reshape(1, 1, 11), "
        "encoder_states, np.ones((1, 7), bool))",
        exact=False,
    ),
    Broken(
        BATCH,
        HEADS,
        "decoder_state, encoder_states = np.ones((2, 3, 5)), np.ones((2, 7, 12))",
        {"decoder_state": "(d_s=5)"},
        "context, weights, _ = multi_head.multi_head_general_attention_forward(decoder_state, "
        "encoder_states, attention.GeneralParams(W), np.ones((2, 7), bool), n_heads)",
        exact=False,
    ),
    Broken(
        BATCH,
        ADDITIVE_BATCH,
        "decoder_state_BTN = decoder_state_BTN[0]\n"
        "encoder_states_BSC = encoder_states_BSC[0]\n"
        "visible_BS = visible_BS[0]",
        {
            "decoder_state_BTN": "(batch=1, T_dec=3, d_s=5)",
            "encoder_states_BSC": "(batch=1, T_enc=7, d_h=11)",
            "visible_BS": "(batch=1, T_enc=7)",
        },
        "decoder_state_BTN = np.expand_dims(decoder_state_BTN, 0)",
        exact=False,
    ),
    Broken(
        # El bucle recurrente da un paso, (batch, d_s): el eje que falta es T_dec.
        BATCH,
        GENERAL_BATCH,
        "decoder_state_BTN = decoder_state_BTN[:, 0]",
        {"decoder_state_BTN": "(batch=2, T_dec=1, d_s=5)"},
        "decoder_state_BTN = np.expand_dims(decoder_state_BTN, 1)",
        exact=False,
    ),
    Broken(
        BATCH,
        GENERAL_BATCH,
        "W_NC = np.stack([W_NC] * 2)",
        {"W_NC": "(d_s=5, d_h=11)"},
        "W_NC = W_NC[0]",
    ),
    Broken(
        # El lote, en el segundo eje, como en las RNN de PyTorch sin batch_first.
        BATCH,
        ADDITIVE_BATCH,
        "encoder_states_BSC = encoder_states_BSC.swapaxes(0, 1)",
        {"encoder_states_BSC": "(batch=2, T_enc=7, d_h=11)"},
        "encoder_states_BSC = encoder_states_BSC.swapaxes(0, 1)",
    ),
    # ─── dot con d_s ≠ d_h ─────────────────────────────────────────────────────────────────────
    Broken(
        WIDTHS,
        DOT,
        "decoder_state = np.ones(5)",
        {"decoder_state": "(d_h=11)"},
        f"decoder_state = decoder_state @ {NEW}(5, 11))",
        exact=False,
        ties=("también encajaría con encoder_states (T_enc, d_h=5)",),
    ),
    Broken(
        WIDTHS,
        DOT_BATCH,
        "decoder_state_BTC = np.ones((2, 3, 5))",
        {"decoder_state_BTC": "(batch=2, T_dec=3, d_h=11)"},
        f"decoder_state_BTC = decoder_state_BTC @ {NEW}(5, 11))",
        exact=False,
        ties=("también encajaría con encoder_states_BSC (batch=2, T_enc=7, d_h=5)",),
    ),
    Broken(
        WIDTHS,
        SCALED,
        "query_BLK = np.ones((2, 3, 5))",
        {"query_BLK": "(batch=2, T_dec=3, d_k=17)"},
        f"query_BLK = query_BLK @ {NEW}(5, 17))",
        exact=False,
        ties=("también encajaría con key_BMK (batch=2, T_enc=7, d_k=5)",),
    ),
    Broken(
        WIDTHS,
        ADDITIVE,
        "decoder_state = np.ones(23)",
        {"W_a": "(d_attn=13, d_s=23)"},
        f"W_a = {NEW}(13, 23))",
        exact=False,
        ties=("también encajaría con decoder_state (d_s=5)",),
    ),
    # ─── La anchura de un codificador bidireccional ────────────────────────────────────────────
    Broken(
        BIDIRECTIONAL,
        ADDITIVE,
        "encoder_states = np.hstack([encoder_states, encoder_states])",
        {"U_a": "(d_attn=13, d_h=22)"},
        f"U_a = {NEW}(13, 22))",
        exact=False,
    ),
    Broken(
        BIDIRECTIONAL,
        GENERAL,
        "encoder_states = np.hstack([encoder_states, encoder_states])",
        {"W": "(d_s=5, d_h=22)"},
        f"W = {NEW}(5, 22))",
        exact=False,
    ),
    Broken(
        BIDIRECTIONAL,
        CONCAT,
        "encoder_states = np.hstack([encoder_states, encoder_states])",
        {"W": "(d_attn=13, d_s+d_h=27)"},
        f"W = {NEW}(13, 27))",
        exact=False,
    ),
    Broken(
        BIDIRECTIONAL,
        ADDITIVE_BATCH,
        "encoder_states_BSC = np.concatenate([encoder_states_BSC, encoder_states_BSC], axis=2)",
        {"U_AC": "(d_attn=13, d_h=22)"},
        f"U_AC = {NEW}(13, 22))",
        exact=False,
    ),
    Broken(
        BIDIRECTIONAL,
        DOT,
        "encoder_states = np.hstack([encoder_states, encoder_states])",
        {"decoder_state": "(d_h=22)"},
        f"decoder_state = decoder_state @ {NEW}(11, 22))",
        exact=False,
        ties=("también encajaría con encoder_states (T_enc, d_h=11)",),
    ),
    # ─── Máscaras de otros ejes ────────────────────────────────────────────────────────────────
    Broken(
        MASK,
        ADDITIVE_BATCH,
        "visible_BS = visible_BS.T",
        {"visible_BS": "(batch=2, T_enc=7)"},
        "visible_BS = visible_BS.T",
    ),
    Broken(
        MASK,
        SCALED,
        "visible_BLM = visible_BLM.swapaxes(1, 2)",
        {"visible_BLM": "(batch=2, T_dec=3, T_enc=7)"},
        "visible_BLM = visible_BLM.swapaxes(1, 2)",
    ),
    Broken(
        MASK,
        SCALED,
        "visible_BLM = visible_BLM[:, 0]",
        {"visible_BLM": "(batch=2, T_dec=3, T_enc=7)"},
        "visible_BLM = masks.repeat_for_queries(visible_BLM, 3)",
    ),
    Broken(
        MASK,
        SCALED,
        "visible_BLM = np.arange(7) <= np.arange(3)[:, None]",
        {"visible_BLM": "(batch=2, T_dec=3, T_enc=7)"},
        "visible_BLM = np.stack([visible_BLM] * 2)",
        exact=False,
    ),
    Broken(
        MASK,
        SCALED,
        "visible_BLM = (np.arange(7) <= np.arange(3)[:, None])[None]",
        {"visible_BLM": "(batch=2, T_dec=3, T_enc=7)"},
        "visible_BLM = np.concatenate([visible_BLM] * 2)",
        exact=False,
    ),
    Broken(
        MASK,
        CONCAT_BATCH,
        "visible_BS = masks.repeat_for_queries(visible_BS, 3)",
        {"visible_BS": "(batch=2, T_enc=7)"},
        "visible_BS = visible_BS[:, 0]",
    ),
    Broken(
        # La máscara del destino: (batch, T_dec).
        MASK,
        ADDITIVE_BATCH,
        "visible_BS = masks.padding_mask([3, 2], 3)",
        {"visible_BS": "(batch=2, T_enc=7)"},
        "visible_BS = masks.padding_mask(lengths, 7)",
        ties=("también encajaría con encoder_states_BSC (batch=2, T_enc=3, d_h=11)",),
    ),
    Broken(
        # En dot no hay parámetros que lo desempaten: o sobra la máscara, o van cambiados.
        MASK,
        DOT_BATCH,
        "visible_BS = masks.padding_mask([3, 2], 3)",
        {"decoder_state_BTC": "(batch=2, T_dec=7, d_h=11)"},
        "decoder_state_BTC, encoder_states_BSC = encoder_states_BSC, decoder_state_BTC",
        exact=False,
        ties=(
            "también encajaría con visible_BS (batch=2, T_enc=7)",
            "también encajaría con encoder_states_BSC (batch=2, T_enc=3, d_h=11)",
        ),
    ),
    Broken(
        MASK,
        DOT_BATCH,
        "visible_BS = visible_BS[:1]",
        {"visible_BS": "(batch=2, T_enc=7)"},
        "visible_BS = masks.padding_mask(lengths, 7)",
    ),
    # ─── Una columna donde va un vector ────────────────────────────────────────────────────────
    Broken(
        COLUMN,
        ADDITIVE,
        "v_a = v_a[:, None]",
        {"v_a": "(d_attn=13)"},
        "v_a = np.squeeze(v_a, 1)",
    ),
    Broken(
        # Con T_enc = d_attn, NumPy suma (A, 1) con (S, A) sin rechistar.
        COLUMN,
        ADDITIVE,
        "decoder_state = decoder_state[:, None]",
        {"decoder_state": "(d_s=5)"},
        "decoder_state = np.squeeze(decoder_state, 1)",
        sizes={"T_enc": 13},
    ),
    Broken(
        COLUMN,
        CONCAT,
        "v = v[None]",
        {"v": "(d_attn=13)"},
        "v = np.squeeze(v, 0)",
    ),
    # ─── Cabezas ───────────────────────────────────────────────────────────────────────────────
    Broken(MULTI_HEAD, HEADS, "n_heads = 5", {"n_heads": "un divisor de d_h=12"}, "n_heads = 4"),
    Broken(
        MULTI_HEAD,
        HEADS_BATCH,
        "n_heads = 7",
        {"n_heads": "un divisor de d_h=12"},
        "n_heads = 6",
        exact=False,
    ),
)

# Rotas sin arreglo de una línea: los datos que faltan no los sabe nadie.
WITHOUT_FIX = (
    Broken(
        BATCH,
        ADDITIVE_BATCH,
        "encoder_states_BSC = encoder_states_BSC[0]",
        {"encoder_states_BSC": "(batch=2, T_enc=7, d_h=11)"},
        "",
    ),
    Broken(
        BATCH,
        SCALED,
        "value_BMP = value_BMP[0]",
        {"value_BMP": "(batch=2, T_enc=7, d_v=19)"},
        "",
    ),
    Broken(
        BATCH,
        SCALED,
        "key_BMK = key_BMK[:1]",
        {"key_BMK": "(batch=2, T_enc=7, d_k=17)"},
        "",
    ),
    Broken(
        BATCH,
        GENERAL,
        "encoder_states = np.arange(154.0).reshape(2, 7, 11)",
        {"encoder_states": "(T_enc=7, d_h=11)"},
        "",
    ),
)

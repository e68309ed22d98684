"""Las mismas funciones escritas con PyTorch, y sus gradientes por derivación automática.

Cada oráculo recibe los tensores del caso de su nombre y devuelve las salidas, por nombre. Se
escriben sin mirar nuestro código: la fórmula del artículo, o la función de la propia biblioteca.
"""

import math

import torch
from torch.nn.functional import cross_entropy, scaled_dot_product_attention

from tests.numerics import cases

LABELS = torch.tensor(cases.LABELS)
VISIBLE = torch.tensor(cases.VISIBLE)[:, None, :]
VISIBLE_PER_QUERY = torch.tensor(cases.VISIBLE_PER_QUERY)


def attend(scores, value, visible=VISIBLE_PER_QUERY):
    weights = scores.masked_fill(~visible, -math.inf).softmax(dim=-1)
    return {"context": weights @ value, "weights": weights}


def softmax(scores):
    masked = scores.masked_fill(~VISIBLE_PER_QUERY, -math.inf)
    return {"weights": masked.softmax(dim=-1), "weights_over_axis_1": scores.softmax(dim=1)}


def additive_attention(decoder_state, encoder_states, W_AN, U_AC, v_A):
    query = torch.nn.functional.linear(decoder_state, W_AN).unsqueeze(2)
    memory = torch.nn.functional.linear(encoder_states, U_AC).unsqueeze(1)
    return attend((query + memory).tanh() @ v_A, encoder_states, VISIBLE)


def concat_attention(decoder_state, encoder_states, W, v_A):
    T, S = decoder_state.shape[1], encoder_states.shape[1]
    pairs = torch.cat(
        [
            decoder_state[:, :, None].expand(-1, -1, S, -1),
            encoder_states[:, None].expand(-1, T, -1, -1),
        ],
        dim=-1,
    )
    return attend(torch.nn.functional.linear(pairs, W).tanh() @ v_A, encoder_states, VISIBLE)


def dot_attention(decoder_state, encoder_states):
    return attend(torch.bmm(decoder_state, encoder_states.mT), encoder_states, VISIBLE)


def general_attention(decoder_state, encoder_states, W_NC):
    scores = torch.einsum("btn,nc,bsc->bts", decoder_state, W_NC, encoder_states)
    return attend(scores, encoder_states, VISIBLE)


def multi_head_general_attention(decoder_state, encoder_states, W_NC):
    heads = [
        attend(torch.einsum("btn,nk,bsk->bts", decoder_state, W, memory), memory, VISIBLE)
        for W, memory in zip(
            W_NC.chunk(cases.HEADS, dim=1), encoder_states.chunk(cases.HEADS, dim=2), strict=True
        )
    ]
    return {
        "context": torch.cat([head["context"] for head in heads], dim=2),
        "weights": torch.stack([head["weights"] for head in heads], dim=1),
    }


def scaled_dot_attention(query, key, value):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    weights = attend(scores, value)["weights"]
    context = scaled_dot_product_attention(query, key, value, attn_mask=VISIBLE_PER_QUERY)
    return {"context": context, "weights": weights}


ORACLES = {
    "softmax": softmax,
    "sigmoid": lambda x: {"output": x.sigmoid()},
    "tanh": lambda x: {"output": x.tanh()},
    "cross_entropy": lambda logits: {
        "losses": cross_entropy(logits.mT, LABELS, reduction="none"),
    },
    "attend": attend,
    "additive_attention": additive_attention,
    "dot_attention": dot_attention,
    "general_attention": general_attention,
    "concat_attention": concat_attention,
    "scaled_dot_attention": scaled_dot_attention,
    "multi_head_general_attention": multi_head_general_attention,
}


def run(name, arrays, upstream):
    """Salidas y gradientes de PyTorch, en float64, para las entradas de un caso."""
    tensors = {key: torch.tensor(array, requires_grad=True) for key, array in arrays.items()}
    outputs = ORACLES[name](**tensors)
    total = sum((outputs[key] * torch.tensor(upstream[key])).sum() for key in outputs)
    total.backward()
    return (
        {key: output.detach().numpy() for key, output in outputs.items()},
        {key: tensor.grad.numpy() for key, tensor in tensors.items()},
    )

"""Una ficha mínima, escrita en una carpeta temporal, para las pruebas."""

HEADER = """---
title: {code} · Una ficha
ficha: {code}
nivel: L3
motor: de_prueba
notebook: {code}_prueba
---

# {code}
"""
BODY = """
## 1. Identificación {#identificacion}

| Campo | Dato |
|---|---|
| Autores | Alguien |

## 2. Problema anterior {#problema-anterior}

Un **problema** con [fuente](https://example.org/a).

## 3. Propuesta {#propuesta}

- Una *idea* sobre $c_i$.

## 5. Matemática mínima {#matematica-minima}

La primera.

$$
c_i = \\sum_j \\alpha_{ij} h_j
$$

Vale `{python} 1 + 1`, pero esto no se lee.
"""


def write_card(root, code="P03", header=HEADER, body=BODY):
    folder = root / "docs" / "fichas"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{code.lower()}-prueba.md"
    path.write_text(header.format(code=code) + body, encoding="utf-8")
    return path

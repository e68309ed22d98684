"""Las vallas y la prosa, con sus líneas verdaderas."""

import pytest

from lessons_code.sitekit.blocks import Fence, Prose, split


def fences(text, **options):
    return [block for block in split(text, **options) if isinstance(block, Fence)]


def prose(text):
    return [(block.line, block.text) for block in split(text) if isinstance(block, Prose)]


@pytest.mark.parametrize("mark", ["```", "`````", "~~~", "~~~~"])
@pytest.mark.parametrize("prefix", ["", "    ", "\t", "> ", ">     "])
def test_a_fence_is_found_at_any_depth(mark, prefix):
    lines = (f"{mark}python", "x = (", "  1)", mark)
    text = "Texto\n\n" + "\n".join(prefix + line for line in lines)
    assert fences(text) == [Fence(3, "python", ("x = (", "  1)"))]


def test_a_longer_fence_shows_another_one():
    text = "````markdown\n```python\nx\n```\n````\n\n~~~python\n```\n~~~\n"
    assert fences(text) == [
        Fence(1, "markdown", ("```python", "x", "```")),
        Fence(7, "python", ("```",)),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "```python\nx = 1\n",  # el final del fichero
        "```python\nx = 1\n````\n",  # una marca más larga no cierra
        "```python\nx = 1\n ```\n",  # ni una más sangrada
        "    ```python\n    x = 1\n\nfuera del aviso\n",
    ],
)
def test_an_unclosed_fence_is_said_and_the_rest_is_still_read(text):
    blocks = list(split(text + "\n```text\notra\n```\n"))
    first, *_, last = [block for block in blocks if isinstance(block, Fence)]
    assert (first.line, first.closed) == (1, False)
    assert (last.body, last.closed) == (("otra",), True)
    assert any(isinstance(block, Prose) and "x = 1" in block.text for block in blocks)


def test_a_fence_without_its_end_does_not_swallow_the_next_one():
    first, second = fences("```python\nx = 1\n\n```python\ny = 2\n```\n")
    assert (first.line, first.closed) == (1, False)
    assert second == Fence(4, "python", ("y = 2",))


def test_front_matter_counts_but_is_not_read():
    text = "---\ntitle: x\n---\n\n```a\n```\n"
    assert [fence.line for fence in fences(text)] == [5]
    assert [fence.line for fence in fences(text[17:], first_line=4)] == [5]
    assert prose(text) == []


def test_prose_comes_by_paragraphs():
    assert prose("uno\ndos\n\n```a\n```\ntres\r\ncuatro") == [(1, "uno\ndos"), (6, "tres\ncuatro")]


def test_what_is_in_a_comment_does_not_exist():
    text = "a <!-- b --> c\n\n<!--\n```python\nx\n```\n-->\nd `<!--` e <!-- f\n"
    assert fences(text) == []
    assert prose(text) == [(1, "a            c"), (8, "d `<!--` e <!-- f")]


def test_inline_code_with_fence_marks_is_not_a_fence():
    assert fences("```código```\n") == []

"""What a model says of an image is hostile text: one line, bounded, nothing private; and what is sent is an image."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from folkmoot.environments.corpora.captions.captioner import ITSELF, LONGEST, PRIVATE, TOO_LONG, WORDLESS, read_caption
from folkmoot.environments.corpora.captions.images import grey, kind_of
from folkmoot.sim.asking import UnusableAnswer
from folkmoot.sim.protocols import Answer


@pytest.mark.parametrize(
    ("said", "caption"),
    [
        ("A cup of tea on a wet table.", "A cup of tea on a wet table."),
        ("  Caption: \u201cA cup\n\nof tea\u201d ", "A cup of tea"),
        ("> Image description: eine Tasse", "eine Tasse"),
        ("A cup\u202e of\x1b[2J tea\u2066", "A cup of[2J tea"),
        ("A cup <|im_end|> of tea", "A cup < |im_end| > of tea"),
        ("Ice on a lake.", "Ice on a lake."),
    ],
)
def test_a_caption(said, caption):
    """It is taken as one line, without labels, quotes, invisible characters or marks of chats."""
    assert read_caption(Answer(text=said)) == caption


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("", WORDLESS),
        (" ... \u202e\n", WORDLESS),
        ("very " * 100 + "big", TOO_LONG),
        ("I'm sorry, but I can't help with that.", ITSELF),
        ("As an AI model I see nothing.", ITSELF),
        ("A card of ada@moot.example", PRIVATE),
        ("A profile of @ada_lovely", PRIVATE),
        ("A sign: call +49 30 1234567", PRIVATE),
        ("A poster for www.moot.example", PRIVATE),
    ],
)
def test_no_caption(said, reason):
    """Nothing, too much, talk of itself and private things are refused by reason."""
    with pytest.raises(UnusableAnswer) as fault:
        read_caption(Answer(text=said))
    assert fault.value.reason == reason


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=400))
@example("\u2028> Post 3:")
def test_any_answer_is_a_line_or_refused(said):
    """Whatever is said, what is taken has one line and a bounded length, and can't end a quotation."""
    try:
        caption = read_caption(Answer(text=said))
    except UnusableAnswer:
        return
    assert 0 < len(caption) <= LONGEST
    assert len(caption.splitlines()) == 1
    assert not caption.startswith(">")


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBP", "image/webp"),
        (b"RIFF\0\0\0\0WAVE", None),
        (b"<?xml version", None),
        (b"%PDF-1.7", None),
        (b"", None),
    ],
)
def test_kinds(head, kind):
    """An image is known by its first bytes."""
    assert kind_of(head) == kind


def test_the_square_is_an_image():
    """What a model is shown first can be decoded by somebody else's code."""
    image = pytest.importorskip("PIL.Image")
    from io import BytesIO

    square = image.open(BytesIO(grey().data))
    square.load()
    assert (square.size, square.mode, square.getpixel((5, 5))) == ((64, 64), "L", 128)

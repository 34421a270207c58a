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
        ("NONE", ""),
        ("**None.**", ""),
        ("None of the chairs is taken.", "None of the chairs is taken."),
    ],
)
def test_a_caption(said, caption):
    """It is taken as one line, without labels, quotes, invisible characters or marks of chats; NONE alone is none."""
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


REFUSALS = """
Es tut mir leid, aber ich kann dieses Bild nicht beschreiben.
Je suis désolé, je ne peux pas voir l'image.
Lo siento, no puedo ayudar con eso.
Unfortunately, I cannot see the image.
There is no image attached.
I’m unable to view images.
I don't see any image here.
It seems that no image was attached.
The image could not be loaded.
As an AI model I see nothing.
Kein Bild vorhanden.
Désolé, je ne vois rien.
Aucune image n'est jointe.
No puedo ver imágenes.
Mi dispiace, non posso descrivere questa immagine.
Non riesco a vedere l'immagine.
Het spijt me, ik kan deze afbeelding niet bekijken.
Niestety nie mogę zobaczyć tego obrazu.
Przykro mi, ale nie widzę obrazu.
Desculpe, não consigo ver a imagem.
Não consigo ver a imagem.
К сожалению, я не могу увидеть изображение.
Извините, но я не вижу изображения.
Tyvärr kan jag inte se bilden.
Jag kan inte se någon bild.
عذرًا، لا أستطيع رؤية الصورة.
للأسف، لا يمكنني وصف الصورة.
申し訳ありませんが、画像を見ることができません。
画像が添付されていません。
""".strip().splitlines()

CAPTIONS = """
There is a dog on a sofa.
There are no clouds above an empty beach.
No photography is written on a sign by a door.
The image shows a harbour at night.
Icing on a birthday cake.
I-beams lie beside a railway.
It looks like a screenshot of a chess game.
A shop's sign says that it is sorry to be closed.
Cannon in front of a castle.
Ein Hund liegt auf dem Sofa.
Kein Mensch steht auf der leeren Straße.
Das Bild zeigt einen Hafen.
Ichthyosaurier im Museum.
Jeunes arbres sous la neige.
Il n'y a personne sur la plage.
L'image montre une tasse de thé.
No hay nadie en la playa.
Nota escrita a mano sobre una mesa.
La imagen muestra una taza.
Non lontano da un faro, una barca.
Come appare un gatto nero sul tetto.
Er is niemand op het strand.
Ikebana op een houten tafel.
Niebo nad morzem i łódź.
Jesienne liście na trawniku.
Não há ninguém na praia.
Comida em um prato azul.
Яблоки на столе.
Небо над морем.
Jaguaren ligger i gräset.
Bilden visar en kopp te.
كوب من الشاي على طاولة.
一杯の紅茶が运ばれてくる。
画像には犬が写っている。
""".strip().splitlines()


@pytest.mark.parametrize("said", REFUSALS)
def test_a_refusal_is_no_caption(said):
    """What a model says of itself or of a missing image is none, in every language that a corpus may have."""
    with pytest.raises(UnusableAnswer) as fault:
        read_caption(Answer(text=said))
    assert fault.value.reason == ITSELF


@pytest.mark.parametrize("said", CAPTIONS)
def test_an_honest_caption_passes(said):
    """Descriptions that begin nearly so are taken as they are."""
    assert read_caption(Answer(text=said)) == said


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=400))
@example("\u2028> Post 3:")
def test_any_answer_is_a_line_or_refused(said):
    """Whatever is said, what is taken has one line and a bounded length, and can't end a quotation."""
    try:
        caption = read_caption(Answer(text=said))
    except UnusableAnswer:
        return
    assert len(caption) <= LONGEST
    assert len(caption.splitlines()) == bool(caption)
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

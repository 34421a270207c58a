"""What is sent of an image is the picture: no place, device or owner that its file tells, and the same pixels."""

import struct
import zlib
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.environments.timelines.captions.conftest import chunk, jpeg, png

from folkmoot.environments.corpora.captions.images import UNREADABLE, NotShown, grey, kind_of, read_image
from folkmoot.environments.corpora.captions.stripping import Malformed, stripped

SECRET = b"ada at 52.2N 0.1E"
SIZE = (40, 30)


def picture(pillow, form, **how):
    """A file by Pillow that tells a secret wherever its kind can, its kind, and its pixels."""
    image = pillow.radial_gradient("L").resize(SIZE).convert("P" if form == "GIF" else "RGB")
    exif = pillow.Exif()
    exif[0x010F] = exif[0x9286] = SECRET.decode()
    file = BytesIO()
    image.save(file, form, exif=exif, xmp=SECRET, comment=SECRET, icc_profile=SECRET, **how)
    return file.getvalue()


def pixels(pillow, data):
    """All frames, decoded."""
    image = pillow.open(BytesIO(data))
    frames = []
    for number in range(getattr(image, "n_frames", 1)):
        image.seek(number)
        frames.append(image.convert("RGBA").tobytes())
    return frames


def with_text(data):
    """A PNG with every chunk of words before its end."""
    told = b"".join(chunk(name, b"Author\0\0" + SECRET) for name in (b"tEXt", b"prVt"))
    told += chunk(b"zTXt", b"Author\0\0" + zlib.compress(SECRET)) + chunk(b"iTXt", b"Author\0\0\0\0\0" + SECRET)
    return data[:-12] + told + data[-12:]


def with_segments(data):
    """A JPEG with every segment of an application, and another image behind its end."""
    told = b"".join(b"\xff" + bytes((0xE0 + n,)) + struct.pack(">H", 2 + len(SECRET)) + SECRET for n in range(16))
    return data[:2] + told + data[2:] + data


def with_xmp(data):
    """A GIF with XMP as editors write it."""
    return data[:-1] + b"!\xff\x0bXMP DataXMP" + bytes((len(SECRET),)) + SECRET + b"\0;"


@pytest.mark.parametrize(
    ("form", "how", "change"),
    [
        ("JPEG", {}, with_segments),
        ("JPEG", {"progressive": True, "quality": 95}, with_segments),
        ("PNG", {}, with_text),
        ("WEBP", {"lossless": True}, bytes),
        ("WEBP", {"quality": 50}, bytes),
        ("GIF", {}, with_xmp),
    ],
)
def test_the_picture_stays_and_what_is_told_beside_it_goes(form, how, change):
    """No block of words, EXIF, XMP or IPTC is left, nothing behind the end; every pixel is."""
    pillow = pytest.importorskip("PIL.Image")
    told = change(picture(pillow, form, **how))
    kind = kind_of(told)
    assert SECRET in told
    alone = stripped(kind, told)
    assert SECRET not in alone
    assert kind_of(alone) == kind
    assert pixels(pillow, alone) == pixels(pillow, told)
    assert not pillow.open(BytesIO(alone)).getexif()
    assert stripped(kind, alone) == alone


@pytest.mark.parametrize("form", ["GIF", "WEBP", "PNG"])
def test_a_moving_image_keeps_its_frames(form):
    """Frames and loops aren't words."""
    pillow = pytest.importorskip("PIL.Image")
    frames = [pillow.new("RGB", SIZE, colour) for colour in ("red", "green", "blue")]
    file = BytesIO()
    frames[0].save(file, form, save_all=True, append_images=frames[1:], loop=0)
    told = file.getvalue()
    alone = stripped(kind_of(told), told)
    assert pixels(pillow, alone) == pixels(pillow, told)
    assert len(pixels(pillow, alone)) == 3
    assert pillow.open(BytesIO(alone)).info["loop"] == 0


def test_an_image_without_anything_to_tell_is_sent_as_it_is():
    """What holds a picture alone keeps its bytes, and so its hash."""
    assert stripped("image/png", grey().data) == grey().data
    assert stripped("image/jpeg", jpeg("a")) == jpeg("a")


@pytest.mark.parametrize(
    "broken",
    [
        b"\xff\xd8\xff",
        b"\xff\xd8\xff\xe1\xff\xff Exif",
        b"\xff\xd8\xff\xe1\0\0",
        jpeg("a")[:-2],
        png("a")[:-1],
        png("a")[:-12],
        b"\x89PNG\r\n\x1a\n\xff\xff\xff\xfftEXt",
        b"GIF89a",
        b"GIF89a\1\0\1\0\0\0\0,\0\0",
        b"GIF89a\1\0\1\0\0\0\0?;",
        b"RIFF\xff\0\0\0WEBPVP8 \4\0\0\0abcd",
        b"RIFF\x0c\0\0\0WEBPVP8X\0\0\0\0",
    ],
)
def test_a_broken_structure_is_not_sent(broken, tmp_path):
    """Where blocks don't fit together nobody knows what they hold: the file counts as one that can't be read."""
    (tmp_path / "image").write_bytes(broken)
    with pytest.raises(NotShown, match=UNREADABLE):
        read_image(tmp_path / "image")


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(["image/jpeg", "image/png", "image/gif", "image/webp"]), st.binary(max_size=200))
def test_any_bytes_end_well(kind, noise):
    """Whatever follows the first bytes, the result is an image of the kind or refused, and settled after one pass."""
    head = {"image/jpeg": jpeg("")[:3], "image/png": png("")[:8], "image/gif": b"GIF89a"}
    data = head.get(kind, b"RIFF" + struct.pack("<I", len(noise) + 4) + b"WEBP") + noise
    try:
        alone = stripped(kind, data)
    except Malformed:
        return
    assert kind_of(alone) == kind
    assert stripped(kind, alone) == alone
    assert len(alone) <= len(data) + 1  # a WebP's last chunk is padded

"""Bad input, through a whole build: a clear error before anything is written, or a counted drop; the rest is built."""

import bz2
import gzip
import io
import lzma
import os
from functools import partial

import pytest

from folkmoot.sim.errors import CorpusError

FIFTY = 50_000_000
WELL = "== Pont ==\nQuelle hauteur ? [[Utilisateur:Ada|Ada]] 3 mars 2012 à 12:00 (CET)\n:38 m. [[Utilisateur:Bo|Bo]] 3 mars 2012 à 13:00 (CET)\n"
NOT_YET = "== Vieux ==\nDu texte ici. [[Utilisateur:Cy|Cy]] 0 janvier 0000 à 12:00 (CET)\n"
SIGNED = "[[Utilisateur:Ada|Ada]] 3 mars 2012 à 12:00 (CET)"


def no_files():
    """A .7z archive without a file in it."""
    import py7zr

    out = io.BytesIO()
    with py7zr.SevenZipFile(out, "w"):
        pass
    return out.getvalue()


def zstd(data):
    """One frame, with the checksum that the command line tool writes."""
    import zstandard

    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


PACKED = {
    "bz2": partial(bz2.compress, compresslevel=1),
    "gz": partial(gzip.compress, mtime=0),
    "xz": lzma.compress,
    "zst": zstd,
}
EMPTY = {kind: pack(b"") for kind, pack in PACKED.items()} | {"7z": no_files()}


@pytest.mark.parametrize("kind", EMPTY)
def test_an_archive_of_nothing(make, tmp_path, kind):
    """An archive that is whole and holds nothing is told as empty, before anything is written."""
    path = tmp_path / f"dump.xml.{kind}"
    path.write_bytes(EMPTY[kind])
    with pytest.raises(CorpusError, match=r"dump\.xml.*empty file or none in it"):
        make(path)
    assert not (tmp_path / "corpus").exists()


@pytest.mark.parametrize("kind", PACKED)
def test_bytes_changed_in_the_middle_of_an_archive(make, lab, tmp_path, kind):
    """A corrupt archive is an error with the way out, never a corpus of garbage; `keep` counts the end as lost."""
    pages = [lab.page(n, f"Talk:Bridge {n}", 1, lab.talk(n) + os.urandom(6_000).hex()) for n in range(1, 40)]
    data = bytearray(PACKED[kind](lab.export(*pages).encode()))
    middle = len(data) // 2
    data[middle : middle + 4_000] = bytes(4_000)
    path = tmp_path / f"dump.xml.{kind}"
    path.write_bytes(data)
    with pytest.raises(CorpusError, match=r"dump\.xml.*get the file again"):
        make(path)
    kept = make(path, "kept", damaged="keep").manifest.stage("pages").counts["pages"]
    assert 0 < kept.kept < 39
    assert sum(kept.dropped.values()) >= 1


def test_hostile_pages_beside_a_sound_one(make, lab, tmp_path):
    """10,000 levels, control characters, dates that never were and 50 MB: the sound page is built, the rest counted."""
    pages = [
        lab.page(1, "Discussion:Pont", 1, WELL),
        lab.page(2, "Discussion:Longue", 1, "x" * FIFTY),
        lab.page(3, "Discussion:Nid", 1, f"== Nid ==\n{'{{a|' * 10_000}texte {SIGNED}{'}}' * 10_000}\nEt {SIGNED}\n"),
        lab.page(4, "Discussion:Fond", 1, f"== Fond ==\n{':' * 10_000}Au fond. {SIGNED}\n"),
        lab.page(5, "Discussion:Vieux", 1, NOT_YET),
        lab.page(
            6, "Discussion:Signes", 1, WELL.replace("hauteur", "hau\x01t\x08eur").replace("38", "\u202e38\u200f\x7f")
        ),
        lab.page(7, "Discussion:Fin", 1, WELL),
    ]
    path = tmp_path / "dump.xml"
    path.write_text(lab.export(*pages, language="fr"), encoding="utf-8")
    store = make(path)
    counts = store.manifest.stage("pages").counts
    assert counts["pages"].dropped == {"over 4,000,000 characters": 1, "talk pages without a dated comment": 1}
    assert (counts["pages"].given, counts["pages"].kept) == (7, 5)
    assert counts["threads"].dropped == {"threads without any date": 1}
    found = {thread.title: [comment.text for comment in thread.comments] for thread in store.threads()}
    assert found["Fond"] == ["Au fond."]
    assert found["Nid"][-1] == "Et"
    texts = [thread.comments[0].text for thread in store.threads() if thread.title == "Pont"]
    assert texts == ["Quelle hauteur ?"] * 3

"""Exports in every wrapping and every state: read, or refused in words, or counted."""

import bz2
import gzip
import io
import lzma
import os
import threading
from html import escape

import pytest

from folkmoot.environments.corpora.sources.archives import DamagedInput
from folkmoot.environments.corpora.sources.dump import CUT_OFF, DAMAGED, Dump, open_dump
from folkmoot.environments.corpora.sources.registry import Request, open_source, scheme_of
from folkmoot.sim.errors import ConfigError, CorpusError

HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="de-AT">
  <siteinfo><sitename>T</sitename><dbname>dewiki</dbname>
  <namespaces><namespace key="0" /><namespace key="1">Diskussion</namespace><namespace key="2">Benutzer</namespace>
  <namespace key="3">Benutzer Diskussion</namespace></namespaces></siteinfo>
"""
TAIL = "</mediawiki>\n"


def page(number, text="Größe 𝄞 & <b>", title=None, ns=1, more="", ns_tag=True):
    """A page with one revision."""
    name = title or f"Diskussion:Seite {number}"
    space = f"<ns>{ns}</ns>" if ns_tag else ""
    return (
        f"<page><title>{name}</title>{space}<id>{number}</id>{more}<revision><id>{number}0</id>"
        "<timestamp>2020-01-01T00:00:00Z</timestamp><contributor><username>N</username><id>999</id></contributor>"
        f"<model>wikitext</model><text>{escape(text, quote=False)}</text></revision></page>\n"
    )


WHOLE = HEAD + "".join(page(n) for n in range(1, 4)) + TAIL


def seven_zip(data):
    """A .7z archive of one file."""
    import py7zr

    out = io.BytesIO()
    with py7zr.SevenZipFile(out, "w") as archive:
        archive.writestr(data, "dump.xml")
    return out.getvalue()


def zstd(data):
    """Two frames one after the other."""
    import zstandard

    compress = zstandard.ZstdCompressor().compress
    return compress(data[:500]) + compress(data[500:])


WRAPPINGS = {
    "plain": bytes,
    "bz2": lambda data: bz2.compress(data, 1),
    "multistream bz2": lambda data: bz2.compress(data[:700], 1) + bz2.compress(data[700:], 1),
    "gz": gzip.compress,
    "two gz members": lambda data: gzip.compress(data[:700]) + gzip.compress(data[700:]),
    "xz": lzma.compress,
    "zst": zstd,
    "7z": seven_zip,
}
ENCODINGS = {
    "utf-8": lambda text: text.encode(),
    "utf-8 with its mark": lambda text: text.encode("utf-8-sig"),
    "utf-16": lambda text: ('<?xml version="1.0" encoding="UTF-16"?>' + text).encode("utf-16"),
    "utf-16-be without mark": lambda text: text.encode("utf-16-be"),
    "utf-16-le without mark": lambda text: text.encode("utf-16-le"),
}


def read(tmp_path, data, name="dewiki-pages-meta-current.xml", **more):
    """The dump of these bytes, and its pages."""
    path = tmp_path / name
    path.write_bytes(data)
    dump = Dump([path], frozenset(more.pop("namespaces", {1, 2})), more.pop("max_chars", 1_000_000), **more)
    return dump, list(dump.pages())


@pytest.mark.parametrize("wrapping", WRAPPINGS)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_every_wrapping_and_encoding_gives_the_same_pages(tmp_path, wrapping, encoding):
    """Compression is told by the first bytes, the encoding by its mark or declaration; the text is the same."""
    dump, pages = read(tmp_path, WRAPPINGS[wrapping](ENCODINGS[encoding](WHOLE)), "dump.bin")
    assert (dump.name, dump.language) == ("dewiki", "de")
    assert dump.namespaces[3] == ("Benutzer Diskussion",)
    assert [(p.key, p.title, p.namespace, p.text, p.revision) for p in pages] == [
        (f"0:{n}", f"Diskussion:Seite {n}", 1, "Größe 𝄞 & <b>", n * 10) for n in range(1, 4)
    ]
    assert pages[0].time == 1577836800000
    assert not dump.losses
    assert dump.position()[0] == dump.position()[1] == (tmp_path / "dump.bin").stat().st_size


@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_a_cut_off_archive_gives_what_came_before_and_says_so(tmp_path, wrapping):
    """Cut in two, each archive is an error with its name and the way out; with `keep`, a counted loss."""
    text = HEAD + "".join(page(n, os.urandom(3000).hex()) for n in range(1, 80)) + TAIL
    data = WRAPPINGS[wrapping](text.encode())
    half = data[: len(data) // 2] if wrapping != "7z" else data[:-40]
    if wrapping == "7z":
        with pytest.raises(CorpusError, match=r"isn't a whole \.7z archive.*get the file again"):
            read(tmp_path, half)
        return
    with pytest.raises(DamagedInput, match=r"cut off.*get the file again"):
        read(tmp_path, half)
    dump, pages = read(tmp_path, half, keep_damaged=True)
    assert 10 < len(pages) < 79
    assert dump.losses == {CUT_OFF: 1}


def test_a_corrupt_7z_is_told(tmp_path):
    """Bytes changed in the middle of the packed data are an error, not garbage."""
    data = bytearray(seven_zip((HEAD + "".join(page(n, os.urandom(3000).hex()) for n in range(1, 80)) + TAIL).encode()))
    data[2000:2100] = bytes(100)
    with pytest.raises(CorpusError, match="get the file again"):
        read(tmp_path, bytes(data))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("fault", [IndexError, KeyError, TypeError, AttributeError, ZeroDivisionError, RuntimeError])
def test_whatever_py7zr_raises_is_no_end(tmp_path, monkeypatch, fault):
    """Law: an archive that stops in the middle is never taken for a whole one, whatever stopped it."""
    import py7zr

    from folkmoot.environments.corpora.sources.sevenzip import SevenZipFault
    from folkmoot.environments.corpora.sources.sevenzip import seven_zip as opened

    def stops(self, factory):
        factory.create("dump.xml").write(b"the first bytes")
        raise fault("index")

    path = tmp_path / "dump.7z"
    path.write_bytes(seven_zip(b"the first bytes and more"))
    with path.open("rb") as raw, opened(raw, path) as reader:
        assert (reader.read(1000), reader.read(10), reader.read(10)) == (b"the first bytes and more", b"", b"")
    monkeypatch.setattr(py7zr.SevenZipFile, "extractall", stops)
    with path.open("rb") as raw, opened(raw, path) as reader:
        assert reader.read(1000) == b"the first bytes"
        with pytest.raises(SevenZipFault, match="index|damaged inside"):
            reader.read(10)


def test_leaving_a_7z_early_ends_its_thread(tmp_path):
    """Who stops reading in the middle leaves no thread behind."""
    path = tmp_path / "dump.7z"
    path.write_bytes(seven_zip((HEAD + "".join(page(n, "x" * 9000) for n in range(1, 400)) + TAIL).encode()))
    before = threading.active_count()
    pages = Dump([path], frozenset({1}), 1_000_000).pages()
    assert next(pages).key == "0:1"
    pages.close()
    assert threading.active_count() == before


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"dear diary", "isn't a MediaWiki export"),
        (bz2.compress(b"dear diary"), "isn't a MediaWiki export"),
        (b"<html><body>404</body></html>", "isn't a MediaWiki export"),
        (b"7z\xbc\xaf\x27\x1c and nothing more", r"isn't a whole \.7z archive"),
        (b"BZh91AY&SY broken", "cut off or corrupt"),
        (b'<?xml version="1.0" encoding="klingon-1"?><mediawiki/>', "'klingon-1', an unknown one"),
        (b'<!DOCTYPE m [<!ENTITY a "aa">]><mediawiki>&a;</mediawiki>', "has a DTD"),
    ],
)
def test_what_is_no_export_is_refused_in_words(tmp_path, data, message):
    """Empty, foreign, broken and hostile files are errors that name the file's fault and the way out."""
    with pytest.raises(CorpusError, match=message):
        read(tmp_path, data)


def test_entities_are_never_expanded(tmp_path):
    """An undeclared entity costs its page; nothing is looked up anywhere."""
    text = HEAD + page(1) + page(2).replace("Größe", "&xxe;") + page(3) + TAIL
    dump, pages = read(tmp_path, text.encode())
    assert [p.key for p in pages] == ["0:1", "0:3"]
    assert dump.losses == {DAMAGED: 1}


FAULTS = {
    "a tag that isn't closed": lambda one: one.replace("</text>", ""),
    "a page that isn't closed": lambda one: one.replace("</page>", ""),
    "a stray <": lambda one: one.replace("Größe", "a < b"),
    "a stray &": lambda one: one.replace("Größe", "a & b"),
    "bytes that are no UTF-8": lambda one: one.replace("Größe", "\udcff\udcfe"),
    "a broken page tag": lambda one: one.replace("<page>", "<page"),
    "a broken end": lambda one: one.replace("</page>", "</page"),
    "a reference to a control character": lambda one: one.replace("Größe", "&#0;"),
    "a tag closed twice": lambda one: one.replace("</title>", "</title></title>"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_malformed_xml_costs_the_page_it_is_in(tmp_path, fault):
    """Whatever is broken in the middle: the pages around it are read, the broken one is counted."""
    pages = [page(n) for n in range(1, 8)]
    pages[3] = FAULTS[fault](pages[3])
    dump, found = read(tmp_path, (HEAD + "".join(pages) + TAIL).encode(errors="surrogateescape"))
    numbers = [int(p.key[2:]) for p in found]
    lost = {1, 2, 3, 4, 5, 6, 7} - set(numbers)
    assert 4 in lost or fault == "a page that isn't closed"
    assert len(lost) <= 2
    assert dump.losses[DAMAGED] >= 1 or fault in {"a broken page tag", "a broken end"}
    assert numbers == sorted(numbers)


def test_a_fault_at_any_byte_of_a_small_export_loses_little(tmp_path):
    """One byte overwritten anywhere: no crash, and all pages before it are read."""
    data = (HEAD + "".join(page(n, "Text") for n in range(1, 4)) + TAIL).encode()
    ends = [data.find(b"</page>", data.find(f"<id>{n}</id>".encode())) + 7 for n in range(1, 4)]
    for place in range(0, len(data), 3):
        broken = data[:place] + b"<" + data[place + 1 :]
        try:
            _, pages = read(tmp_path, broken)
        except CorpusError:
            assert place < ends[0] or place >= ends[-1] - 8
            continue
        whole = sum(end <= place for end in ends)
        assert [p.key for p in pages][:whole] == [f"0:{n}" for n in range(1, whole + 1)]


def test_control_characters_are_taken_out(tmp_path):
    """Characters that XML doesn't allow don't cost the page."""
    _, pages = read(tmp_path, (HEAD + page(1).replace("Größe", "Gr\x01ö\x08ße") + TAIL).encode())
    assert pages[0].text == "Größe 𝄞 & <b>"


def test_what_is_passed_over_is_counted_by_reason(tmp_path):
    """Redirects, hidden texts, other models, long texts, other namespaces, pages without a revision."""
    text = (
        HEAD
        + page(1)
        + page(2, more='<redirect title="X" />')
        + page(3).replace("<text>", '<text deleted="deleted">')
        + page(4).replace("wikitext", "flow-board")
        + page(5, "y" * 2000)
        + page(6, title="Artikel", ns=0)
        + page(7, title="Wikipedia Diskussion:X", ns=5)
        + "<page><title>Diskussion:Z</title><ns>1</ns><id>8</id></page>"
        + TAIL
    )
    dump, pages = read(tmp_path, text.encode(), max_chars=1000)
    assert [p.key for p in pages] == ["0:1"]
    assert dump.losses == {
        "redirects": 1,
        "with a text hidden by the wiki": 1,
        "that aren't wikitext": 1,
        "over 1,000 characters": 1,
        "in namespace 0, not asked for": 1,
        "in namespace 5, not asked for": 1,
        "without a revision": 1,
    }


def test_an_old_export_tells_namespaces_by_their_prefix(tmp_path):
    """Without <ns>, the names in the export's head say what a page is."""
    text = (
        HEAD
        + page(1, ns_tag=False)
        + page(2, title="Benutzer: Ada", ns_tag=False)
        + page(3, title="A: b", ns_tag=False)
    )
    dump, pages = read(tmp_path, (text + TAIL).encode())
    assert [(p.key, p.namespace) for p in pages] == [("0:1", 1), ("0:2", 2)]
    assert dump.losses == {"in namespace 0, not asked for": 1}


def test_a_dump_without_talk_pages_says_what_it_holds(tmp_path):
    """The wrong dump is told by its namespaces, with the right one's name."""
    with pytest.raises(
        CorpusError, match=r"namespaces 1, 2 \(pages by namespace: 0: 1.*pages-meta-current.*--namespaces"
    ):
        read(tmp_path, (HEAD + page(1, title="A", ns=0) + TAIL).encode())


def test_a_history_gives_the_last_revision_and_all_revisions(tmp_path):
    """`pages` takes the latest by time, whatever the order; `revisions` streams the articles' in order."""

    def history(number, title, ns, times):
        revisions = "".join(
            f"<revision><id>{number}{n}</id><timestamp>{t}</timestamp><text>{title} at {t}</text></revision>"
            for n, t in enumerate(times)
        )
        return f"<page><title>{title}</title><ns>{ns}</ns><id>{number}</id>{revisions}</page>"

    times = ["2010-01-01T00:00:00Z", "2012-01-01T00:00:00Z", "2011-01-01T00:00:00Z"]
    text = HEAD + history(1, "A", 0, times) + history(2, "Diskussion:A", 1, times) + TAIL
    dump, pages = read(tmp_path, text.encode())
    assert [p.text for p in pages] == ["Diskussion:A at 2012-01-01T00:00:00Z"]
    assert dump.holds_history
    assert [r.text for r in dump.revisions()] == [f"A at {t}" for t in times]


def test_parts_of_a_dump_are_read_in_the_order_of_their_numbers(tmp_path):
    """Part 10 comes after part 9; keys are told apart by the part; one hash stands for all."""
    folder = tmp_path / "parts"
    folder.mkdir()
    for part in (1, 2, 9, 10):
        (folder / f"dewiki-pages-meta-current{part}.xml.bz2").write_bytes(
            bz2.compress((HEAD + page(part) + TAIL).encode())
        )
    dump = open_source(str(folder), Request(""))
    assert [(p.key, p.title) for p in dump.pages()] == [
        (f"{n}:{part}", f"Diskussion:Seite {part}") for n, part in enumerate((1, 2, 9, 10))
    ]
    assert len(dump.identity()[1]) == 64
    assert dump.position()[0] == dump.position()[1]


def test_reading_goes_on_behind_a_key_and_counts_only_what_follows(tmp_path):
    """From any key on: the pages behind it, and the losses behind it."""
    pieces = [page(1), page(2, title="A", ns=0), page(3), page(4, title="B", ns=0), page(5)]
    dump, pages = read(tmp_path, (HEAD + "".join(pieces) + TAIL).encode())
    assert sum(dump.losses.values()) == 2
    for place, known in enumerate(pages):
        again = Dump(dump.files, frozenset({1, 2}), 1000)
        assert [p.key for p in again.pages(known.key)] == [p.key for p in pages[place + 1 :]]
        assert sum(again.losses.values()) == 2 - place
    with pytest.raises(CorpusError, match="isn't the same dump"):
        list(Dump(dump.files, frozenset({1, 2}), 1000).pages("0:77"))


def test_a_plain_path_finds_its_kind(tmp_path):
    """Wikitext and dumps are told apart by what lies there; a scheme may say it."""
    (tmp_path / "a.wikitext").write_text("x")
    assert scheme_of(str(tmp_path)) == ("folder", str(tmp_path))
    assert scheme_of("dump:x.xml") == ("dump", "x.xml")
    assert scheme_of("https://wiki.example/w/api.php") == ("https", "https://wiki.example/w/api.php")


@pytest.mark.shared
def test_real_exports_in_odd_formats(shared):
    """The odd files of other projects' tests: UTF-16, four archives, a bare page, and a .7z that is none."""
    folder = shared / "talk/pywikibot/xml"
    texts = set()
    for name in ("article-pyrus.xml", "article-pyrus-utf16.xml", "article-pyrus.xml.bz2", "article-pyrus.xml.gz", "article-pyrus.xml.7z"):  # fmt: skip
        dump = Dump([folder / name], frozenset({0}), 1_000_000)
        texts.add(next(r.text for r in dump.revisions()))
        with pytest.raises(CorpusError, match="redirects: 1"):
            list(dump.pages())
    assert len(texts) == 1
    with pytest.raises(CorpusError, match=r"isn't a MediaWiki export nor a \.7z archive, whatever its name says"):
        open_dump(Request(str(folder / "article-pyrus.xml_invalid.7z")))
    bare = shared / "talk/ids-mannheim/test-resources/dewiki-20170701-9756545.xml"
    assert [p.namespace for p in open_dump(Request(str(bare), namespaces=frozenset({3}))).pages()] == [3]
    mwxml = open_dump(Request(str(shared / "talk/mwxml/dump.xml"), namespaces=frozenset({0, 1})))
    assert [(p.title, p.text) for p in mwxml.pages()] == [("Foo", "Revision 2 text"), ("Bar", "Revision 3 text")]


@pytest.mark.parametrize(
    ("asked", "said"), [({"options": {"foo": 1}}, "--option foo"), ({"pages": ("Talk:Mill",)}, "--pages 'Talk:Mill'")]
)
def test_what_a_dump_does_not_have_is_refused(tmp_path, asked, said):
    """Options and pages that a kind of source can't heed are refused, never passed over: a filter that is none misleads."""
    path = tmp_path / "dump.xml"
    path.write_text("<mediawiki/>", encoding="utf-8")
    with pytest.raises(ConfigError, match=said):
        open_source(str(path), Request("", **asked))

"""Raw Talk pages as a corpus."""

import re

import pytest

from folkmoot.environments.corpora.wikitext import load_wikitext
from folkmoot.environments.talk_page.events import CommentPosted, ThreadOpened
from folkmoot.environments.talk_page.wikitext import load_language, parse_page, render_page
from folkmoot.environments.talk_page.wikitext.signatures import find_user_links
from folkmoot.sim.errors import ConfigError, CorpusError

REAL = ("dt-oracle/mwch-article-687993820", "dt-oracle/mwch-wiki-692684350", "split/fr.dev", "split/it.dev", "split/es.dev", "dt-oracle/de-4-8011557")  # fmt: skip


def test_events_follow_the_page(page, salt):
    """Every comment is an event, in page order; seq counts from 0; a parent stands before its reply in its thread."""
    corpus = load_wikitext(page, "en", salt)
    events = list(corpus.utterances())
    assert [event.seq for event in events] == list(range(13))
    assert [len(thread) for thread in corpus.threads().values()] == [5, 2, 2, 2, 2]
    for thread in corpus.threads().values():
        assert isinstance(thread[0], ThreadOpened)
        assert thread[0].parent is None
        assert all(
            isinstance(event, CommentPosted) and thread[0].seq <= event.parent < event.seq for event in thread[1:]
        )
    assert [event.parent for event in events[:5]] == [None, 0, 1, 0, 3]
    assert corpus.losses["comments without a signature"] == 1
    assert events[3].actor == "unattributed"
    assert events[3].time == events[2].time


def test_offsets_point_into_the_source(page, salt):
    """`source_offset` is where the comment starts; `source_id` is unique and tells no name."""
    text = page.read_text()
    events = list(load_wikitext(page, "en", salt).utterances())
    assert text[events[0].source_offset :].startswith("Is it 40 m?")
    assert text[events[1].source_offset :].startswith(":No, 38 m")
    assert all(re.fullmatch(r"[0-9a-f]{10}#\d+", event.source_id) for event in events)
    assert len({event.source_id for event in events}) == len(events)


def test_names_are_gone(page, salt):
    """Names, nicknames of signatures, spellings and addresses are replaced everywhere; one person, one pseudonym."""
    corpus = load_wikitext(page, "en", salt)
    whole = " ".join([repr(event) for event in corpus.events] + list(corpus.pages))
    assert not re.search(r"ada.lovely|adina|bob|carol|10\.1\.2\.3", whole, re.IGNORECASE)
    events = list(corpus.utterances())
    ada, bob = events[0].actor, events[1].actor
    assert events[0].text == f"Is it 40 m? See [[User:{bob}/notes]]."
    assert events[0].mentions == (bob,)
    assert events[1].text == f"No, 38 m, as {ada} said on {{{{ping|{ada}}}}}'s page."
    assert events[2].text == f"Thanks {bob}!"


def test_digest_is_the_content(page, salt):
    """The same page and salt give the same digest; another salt or another word gives another."""
    first = load_wikitext(page, "en", salt)
    assert load_wikitext(page, None, salt).digest == first.digest
    assert load_wikitext(page, "en", salt + b"!").digest != first.digest
    page.write_text(page.read_text().replace("Three.", "Four."))
    assert load_wikitext(page, "en", salt).digest != first.digest


def test_folder(page, salt):
    """A folder is one community: pages by title, files of other kinds and pages without a signature counted."""
    (page.parent / "b.txt").write_text(page.read_text().replace("Bridge", "Dam"))
    (page.parent / "c.wikitext").write_text("Nothing here is signed at all.")
    (page.parent / "notes.json").write_text("{}")
    corpus = load_wikitext(page.parent, "en", salt)
    assert set(corpus.pages) == {"Talk:Bridge", "b"}
    assert len(corpus.threads()) == 10
    assert corpus.losses["pages without a signature"] == 1
    assert corpus.losses["files of another kind"] == 1


def test_long_comments_are_kept_and_counted(page, salt):
    """A turn over 1,000 words stays in the corpus."""
    page.write_text(page.read_text().replace("Three.", "word " * 1001))
    corpus = load_wikitext(page, "en", salt)
    assert corpus.losses["comments over 1,000 words (kept)"] == 1
    assert max(len(event.text.split()) for event in corpus.utterances()) == 1001


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings(page, salt, encoding):
    """UTF-8 with and without mark and UTF-16 with its mark read alike."""
    want = load_wikitext(page, "en", salt).digest
    page.write_bytes(page.read_text().encode(encoding))
    assert load_wikitext(page, "en", salt).digest == want


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", r"is empty \(0 bytes\)"),
        (b" \n\n", r"is empty \(3 bytes\)"),
        ("Grüße".encode("latin-1"), r"byte 2 \(0xfc\); convert it to UTF-8"),
        ("text".encode("utf-16-le"), "zero character at 1"),
        (b"\xff\xfea", "UTF-16"),
        (b"<mediawiki xmlns='x'>", "XML export"),
        (b"Only words, no signature.", "0 signed comments in 25 characters, at least 1"),
    ],
)
def test_bad_files(page, salt, raw, message):
    """A file that can't be read as a Talk page is refused with what is wrong and where."""
    page.write_bytes(raw)
    with pytest.raises(CorpusError, match=message):
        load_wikitext(page, "en", salt)


def test_bad_paths_and_languages(page, salt, tmp_path):
    """A missing path, a folder without pages and an unknown language are named, with the way out."""
    with pytest.raises(CorpusError, match="no file or folder"):
        load_wikitext(tmp_path / "none", "en", salt)
    (tmp_path / "empty").mkdir()
    with pytest.raises(CorpusError, match="holds 0 files"):
        load_wikitext(tmp_path / "empty", "en", salt)
    with pytest.raises(ConfigError, match="no language data for 'xx'"):
        load_wikitext(page, "xx", salt)
    page.write_text("Nobody signs here, so nobody can tell which wiki this is.")
    with pytest.raises(CorpusError, match=r"no signature .* of any known language \(.*looks? like 'en'"):
        load_wikitext(page, None, salt)


@pytest.mark.shared
@pytest.mark.parametrize("name", REAL)
def test_real_pages(shared, salt, name):
    """Real pages load, their language is found, and no name of anyone who signs or is linked is left as a word."""
    path = shared / "talk" / f"{name}.wikitext"
    corpus = load_wikitext(path, None, salt)
    assert corpus.language == ("en" if "mwch" in name else name.rpartition("/")[2][:2])
    text = path.read_text(encoding="utf-8")
    language = load_language(corpus.language)
    names = {link.name for link in find_user_links(text, language)}
    names |= {comment.author for comment in parse_page(text, language).comments() if comment.author}
    whole = "\n".join(f"{event.actor} {event.text} {getattr(event, 'title', '')}" for event in corpus.utterances())
    left = [n for n in names if len(n) > 2 and re.search(rf"(?<!\w){re.escape(n)}(?!\w)", whole, re.IGNORECASE)]
    assert left == []


@pytest.mark.shared
@pytest.mark.parametrize("name", REAL)
def test_real_pages_render(shared, salt, name):
    """A recorded page, written back as wikitext and read again, has the same comments in each thread."""
    corpus = load_wikitext(shared / "talk" / f"{name}.wikitext", None, salt)
    page = parse_page(render_page(corpus.utterances(), corpus.language), corpus.language)
    back = [(c.author or "unattributed", c.time, c.text) for c in page.comments()]
    want = [(e.actor, e.time, e.text) for e in corpus.utterances()]
    assert sorted(back) == sorted(want)
    assert [len(thread.comments) for thread in page.threads] == [len(t) for t in corpus.threads().values()]

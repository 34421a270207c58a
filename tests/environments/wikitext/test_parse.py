"""What real pages do, one case each."""

from datetime import UTC, datetime

import pytest

from folkmoot.environments.talk_page.wikitext import known_languages, load_language, parse_page
from folkmoot.environments.talk_page.wikitext.language import language_from
from folkmoot.environments.talk_page.wikitext.names import canonical_name
from folkmoot.environments.talk_page.wikitext.stamping import format_timestamp
from folkmoot.environments.talk_page.wikitext.timestamps import find_timestamps
from folkmoot.sim.errors import ConfigError

A = "[[User:Ada|Ada]] ([[User talk:Ada|talk]]) 12:00, 3 May 2011 (UTC)"
B = "[[User:Bob|Bob]] 12:30, 3 May 2011 (UTC)"
C = "[[User:Cyd|Cyd]] 13:00, 3 May 2011 (UTC)"


def only(text, language="en"):
    """The one comment of a page."""
    (comment,) = parse_page(text, language).comments()
    return comment


def minute(comment):
    """The comment's time as people write it."""
    return datetime.fromtimestamp(comment.time / 1000, UTC).strftime("%Y-%m-%d %H:%M")


SIGNATURES = [
    ("en", f"Text. {A}", "Ada", "2011-05-03 12:00"),
    ("en", "Text. — [[user:ada b]] 1:05, May 3, 2011 (UTC)", "Ada b", "2011-05-03 01:05"),
    ("en", "Text. [[Special:Contributions/2a02:8109::1|2a02:...]] 01:05, 3 May 2011 (UTC)", "2A02:8109:0:0:0:0:0:1", "2011-05-03 01:05"),
    ("en", "Text.<small>—Preceding [[Wikipedia:Signatures|unsigned]] comment added by [[Special:Contributions/1.2.3.4|1.2.3.4]] ([[User talk:1.2.3.4|talk]]) 19:55, 30 May 2008 (UTC)</small><!-- Autosigned -->", "1.2.3.4", "2008-05-30 19:55"),
    ("en", "Text. {{Unsigned2|03:04, 5 June 2010 (UTC)|Ada}}", "Ada", "2010-06-05 03:04"),
    ("en", "Text. {{subst:unsigned|1=Ada|2=03:04, 5 June 2010}}", "Ada", "2010-06-05 03:04"),
    ("en", "Text. <span style='color:#{0}'>[[User:Ada|<b style='x'>A</b><i>d</i>a]]</span><sup>[[User talk:Ada|{0}]]</sup> 12:00, 3 May 2011 (UTC)".format("f" * 20), "Ada", "2011-05-03 12:00"),
    ("de", "Text. --[[Benutzerin:Ada|Ada]] 11:28, 17. Jul 2006 (CEST)", "Ada", "2006-07-17 09:28"),
    ("de", "Text. --[[Benutzer:Ada|Ada]] 22.34, 14. Juni 2009 (CEST)", "Ada", "2009-06-14 20:34"),
    ("de", "Text. <small>(''nicht [[Hilfe:Signatur|signierter]] Beitrag von'' [[Benutzer:Ada|Ada]] ([[Benutzer Diskussion:Ada|Diskussion]]&nbsp;|&nbsp;[[Spezial:Beiträge/Ada|Beiträge]]) 18:36, 26. Mär. 2011 (CET)) </small>", "Ada", "2011-03-26 17:36"),
    ("de", "Text. <small>(Der vorstehende Beitrag stammt von [[Spezial:Beiträge/84.57.145.172|84.57.145.172]] – 21:41, 28. Feb. 2006 (MEZ) – und wurde nachträglich [[Hilfe:Signatur|signiert]].)</small>", "84.57.145.172", "2006-02-28 20:41"),
    ("de", "Text. {{unsigniert|Ada|12:00, 3. Mai 2011 (CEST)}}", "Ada", "2011-05-03 10:00"),
    ("de", "Text. --[[Benutzer:Ada/sig|ada]] 12:00, 3. Mai 2011 (CEST)", "Ada", "2011-05-03 10:00"),
    ("fr", "Text. {{non signé|2A02:8109::1|9 octobre 2017 à 14:39 (CEST)|141369221|ip=oui}}", "2A02:8109:0:0:0:0:0:1", "2017-10-09 12:39"),
    ("fr", "Text. [[Utilisatrice:Ada|Ada]] ([[Discussion utilisatrice:Ada|discuter]]) 1er août 2014 à 12:29 (CEST)".replace("1er", "1"), "Ada", "2014-08-01 10:29"),
    ("it", "Text. {{Nf|08:33, 13 nov 2020 Ada macchine}}", "Ada macchine", "2020-11-13 07:33"),
    ("it", "Text.--[[Utente:Ada|<span style='color:white'>A<span style='x'>d</span>a</span>]][[Discussioni utente:Ada|<small>【〒】</small>]] 08:36, 13 nov 2020 (CET)", "Ada", "2020-11-13 07:36"),
    ("es", "Text. [[Usuaria:Ada|Ada]] ([[Usuaria discusión:Ada|discusión]]) 02:38 2 sep 2022 (UTC)", "Ada", "2022-09-02 02:38"),
    ("es", "Text. {{Sin firma|Ada|02:38 2 sept 2022 (UTC)}}", "Ada", "2022-09-02 02:38"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "author", "when"), SIGNATURES)
def test_signatures(language, text, author, when):
    """Author and minute are read from every form of signature, and the text is what stands before it."""
    comment = only(text, language)
    assert (comment.author, minute(comment), comment.text) == (author, when, "Text.")


@pytest.mark.parametrize("language", known_languages())
@pytest.mark.parametrize("month", range(1, 13))
def test_timestamps_read_back(language, month):
    """What a language writes, it reads, in every month and in summer time."""
    known = load_language(language)
    time = int(datetime(2019, month, 17, 23, 45, tzinfo=UTC).timestamp()) * 1000
    (stamp,) = find_timestamps(f"x {format_timestamp(time, known)} y", known)
    assert (stamp.time, stamp.zoned) == (time, True)


def test_impossible_dates_are_counted():
    """A date that never was is no signature, and is counted."""
    page = parse_page("x [[Utilisateur:Ada|Ada]] 0 janvier 0000 à 12:00 (CET)", "fr")
    assert page.losses["impossible dates"] == 1


def test_threads():
    """Level 1 and 2 open a thread, deeper headings belong to it; text above is an untitled thread if it is signed."""
    text = f"{{{{banner}}}}\nLead. {A}\n= Part =\n== One ''x'' ==\na {A}\n=== Deeper ===\nb {B}\n:c {C}\n==Two== <!-- c -->\nd {A}\n== Empty ==\n"
    page = parse_page(text, "en")
    assert [(t.title, [c.text for c in t.comments]) for t in page.threads] == [
        ("", ["{{banner}}\nLead."]),
        ("One ''x''", ["a", "b", "c"]),
        ("Two", ["d"]),
    ]
    assert [c.parent for c in page.threads[1].comments] == [None, None, 1]
    assert page.losses["threads without comments"] == 2
    assert parse_page("{{banner}} No signature at all here.\n== T ==\n", "en").threads == ()


def test_indentation():
    """Colons, stars and hashes mix; skipped levels go to the nearest less indented comment; outdent answers the last."""
    text = f"a {A}\n:b {B}\n:*c {C}\n*:d {A}\n:::::e {B}\n# f {C}\n{{{{od|::}}}} g {A}\n:h {B}\ni {C}\n{'*' * 10}j {A}"
    comments = list(parse_page(text, "en").comments())
    assert [c.text for c in comments] == ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
    assert [c.level for c in comments] == [0, 1, 2, 2, 5, 1, 0, 1, 0, 10]
    assert [c.parent for c in comments] == [None, 0, 1, 1, 3, 0, 5, 6, None, 8]


def test_hidden_text():
    """Signatures in comments and nowiki are no talk; lines of a template in which nobody signs are no lines."""
    text = f"a <nowiki>{A}</nowiki> <!-- {B}\n== x == -->\n{{{{box|\n== y ==\n:text\n}}}} end {A}"
    comment = only(text)
    assert comment.text.startswith("a [[User:Ada|Ada]]")
    assert comment.text.endswith("}} end")
    assert (comment.author, comment.level) == ("Ada", 0)


def test_missing_signatures():
    """A paragraph that a deeper one answers is a comment by nobody; so is signed-by-nobody text at the end."""
    page = parse_page(f"== T ==\nWho did this to us?\n:I did. {A}\n\nThat is really sad.\n", "en")
    assert [(c.author, c.by, c.parent, c.text) for c in page.comments()] == [
        ("", "unattributed", None, "Who did this to us?"),
        ("Ada", "signed", 0, "I did."),
        ("", "unattributed", None, "That is really sad."),
    ]
    assert page.losses["comments without a signature"] == 2


def test_plain_signatures():
    """Without a link, an address or a name linked elsewhere signs; else the comment ends there, by nobody, dated."""
    text = f"a {A}\n:b --Ada 13:00, 3 May 2011 (UTC)\n:c -- Zed Zed 14:00, 3 May 2011 (UTC)\n:d 1.2.3.4 15:00, 3 May 2011 (UTC)\n"
    comments = list(parse_page(text, "en").comments())
    assert [(c.author, c.text, c.by) for c in comments] == [
        ("Ada", "a", "signed"),
        ("Ada", "b", "signed"),
        ("", "c", "unattributed"),
        ("1.2.3.4", "d", "signed"),
    ]
    assert minute(comments[2]) == "2011-05-03 14:00"


def test_after_the_signature():
    """Text behind a signature belongs to the comment; a second user's words on the line are a comment of their own."""
    first = only(f"Text. {A} PS: more. {A}")
    assert first.text == "Text.\nPS: more."
    page = parse_page(f"Text. {A} No, this is not right. {B}\n", "en")
    assert [(c.author, c.text, c.parent) for c in page.comments()] == [
        ("Ada", "Text.", None),
        ("Bob", "No, this is not right.", 0),
    ]
    assert page.losses["comments on the line of another (split off)"] == 1


def test_dates_in_running_text():
    """A date without a zone inside a sentence is no signature, even after a user link."""
    assert only(f"As [[User:Bob|Bob]] said at 12:00, 4 May 2011 it is late. {A}").author == "Ada"


def test_talk_about_unsigned():
    """Speaking of unsigned comments doesn't make a comment an unsigned one, and loses no text."""
    comment = only(f"The preceding unsigned comment was mine. Sorry. {A}")
    assert (comment.by, comment.text) == ("signed", "The preceding unsigned comment was mine. Sorry.")


def test_offsets():
    """Offsets are those of the raw page, whatever its characters."""
    text = f"== Ünïcödé 🙂 ==\nİ 🙂 text {A}\n: reply {B}"
    comments = list(parse_page(text, "en").comments())
    assert text[comments[0].start : comments[0].end] == f"İ 🙂 text {A}"
    assert text[comments[1].start : comments[1].end] == f": reply {B}"


@pytest.mark.parametrize(
    ("raw", "name"),
    [("ada_b ", "Ada b"), ("%41da", "Ada"), ("‎Ada", "Ada"), ("ßx", "ßx"), ("1.2.3.4", "1.2.3.4"), ("a&amp;b", "A&b")],
)
def test_names(raw, name):
    """Each spelling of a name is one name."""
    assert canonical_name(raw) == name


def test_languages():
    """An unknown language gets a hint; a file with a wrong or missing field or eleven months says so."""
    with pytest.raises(ConfigError, match="no language data for 'ens'; did you mean 'es' or 'en'"):
        load_language("ens")
    with pytest.raises(ConfigError, match=r"x.json: .*missing"):
        language_from({"code": "x"}, "x.json")
    record = {**vars(load_language("en")), "months_long": ["January"]}
    fields = {key: value for key, value in record.items() if key in load_language("en").__dataclass_fields__}
    with pytest.raises(ConfigError, match="months_long has 1 names, not 12"):
        language_from(fields, "x.json")

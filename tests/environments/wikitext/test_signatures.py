"""Signatures as people write them, each with a text of our own."""

from datetime import UTC, datetime

import pytest

from folkmoot.environments.talk_page.wikitext import parse_page

A = "[[User:Ada|Ada]] ([[User talk:Ada|talk]]) 12:00, 3 May 2011 (UTC)"
B = "[[User:Bob|Bob]] 12:30, 3 May 2011 (UTC)"
AT = "12:00, 3 May 2011 (UTC)"


def comments(text, language="en"):
    """All comments of a page."""
    return list(parse_page(text, language).comments())


def only(text, language="en"):
    """The one comment of a page."""
    (comment,) = comments(text, language)
    return comment


def minute(comment):
    """The comment's time as people write it."""
    return None if comment.time is None else datetime.fromtimestamp(comment.time / 1000, UTC).strftime("%Y-%m-%d %H:%M")


CUSTOM = {
    "bare link": "[[User:Ada]] 12:00, 3 May 2011 (UTC)",
    "talk link only": "[[User talk:Ada|Ada]] 12:00, 3 May 2011 (UTC)",
    "other case and underscores": "-- [[user_talk:ada|a]] 12:00, 3 May 2011 (UTC)",
    "colon before the namespace": "[[:User:Ada|Ada]] 12:00, 3 May 2011 (UTC)",
    "interwiki": "[[:de:Benutzerin:Ada|Ada]] 12:00, 3 May 2011 (UTC)",
    "another project": "[[:w:de:User:Ada|Ada]] 12:00, 3 May 2011 (UTC)",
    "coloured, over three links": "<span style='color:#{0}'>'''[[User:Ada|<b>A</b><i>d</i>a]]'''</span><sup>[[User talk:Ada|{0}]]</sup> [[Special:Contributions/Ada|<small>c</small>]] 12:00, 3 May 2011 (UTC)".format("f" * 30),
    "a section of the talk page": "[[User:Ada|Ada]] [[User talk:Ada#top|✉]] 12:00, 3 May 2011 (UTC)",
    "a subpage": "[[User:Ada/sig|Ada]] 12:00, 3 May 2011 (UTC)",
    "a subpage beside the page": "[[User:Ada|Ada]] [[User:Ada/Guestbook|sign!]] 12:00, 3 May 2011 (UTC)",
    "a link to another page beside the page": "[[User:Ada|Ada]] [[WP:RM|RM]] 12:00, 3 May 2011 (UTC)",
    "a signature in a template": "{{User:Ada/signature}} 12:00, 3 May 2011 (UTC)",
    "a template that links": "{{u|Ada}} 12:00, 3 May 2011 (UTC)",
    "a picture that links": "[[File:Pen.svg|20px|link=User:Ada]] 12:00, 3 May 2011 (UTC)",
    "a web address": "[https://en.wikipedia.org/wiki/User:Ada Ada] 12:00, 3 May 2011 (UTC)",
    "time without a comma": "[[User:Ada|Ada]] 12:00 3 May 2011 (UTC)",
    "month first": "[[User:Ada|Ada]] 12:00, May 3, 2011 (UTC)",
    "year first": "[[User:Ada|Ada]] 12:00, 2011 May 3 (UTC)",
    "no space before the zone": "[[User:Ada|Ada]] 12:00, 3 May 2011(UTC)",
    "entities and marks between": "[[User:Ada|Ada]]&nbsp;12:00,&nbsp;3 May 2011‎ (UTC)",
    "two lines": "--[[User:Ada|Ada]]\n12:00, 3 May 2011 (UTC)",
    "timestamp first": "12:00, 3 May 2011 (UTC) [[User:Ada|Ada]]",
    "date first": "[[User:Ada|Ada]] 3 May 2011 12:00 (UTC)",
    "in small print": "<small>— [[User:Ada|Ada]] 12:00, 3 May 2011 (UTC)</small>",
    "in brackets": "([[User:Ada|Ada]], 12:00, 3 May 2011 (UTC))",
    "somebody else's leftover": "[[User:Ada|Ada]] 12:00, 3 May 2011 (UTC)<!-- Template:Signed -->",
}  # fmt: skip


@pytest.mark.parametrize("kind", CUSTOM)
def test_custom_signatures(kind):
    """Whatever a signature looks like, its author and minute are read, and the text ends before it."""
    comment = only(f"Some text. {CUSTOM[kind]}")
    assert (comment.author, minute(comment)) == ("Ada", "2011-05-03 12:00")
    assert comment.text in {"Some text.", "Some text. --"}


NAMES = ["J. R. Smith Jr.", "A:B", "Müller-Lüdenscheid", "Иван Петров", "山田太郎", "สมชาย", "مستخدم", "1.2.3.4", "2A02:8109:0:0:0:0:0:1", "!!!", "O'Brien", "A & B", "100%", "X-2 (bot)"]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names(name):
    """Names with dots, colons, spaces, quotes and letters of any script, and addresses."""
    text = f"Text. [[User:{name}|x]] {AT}\n:Text. [[Special:Contributions/{name}|x]] 12:30, 3 May 2011 (UTC)"
    assert [c.author for c in comments(text)] == [name, name]


UNSIGNED = [
    ("en", "{{unsigned|Ada|12:00, 3 May 2011}}", "Ada"),
    ("en", "{{Unsigned2|12:00, 3 May 2011|Ada}}", "Ada"),
    ("en", "{{subst:unsigned|1=Ada|2=12:00, 3 May 2011 (UTC)}}", "Ada"),
    ("en", "{{unsigned|User:Ada|12:00, 3 May 2011 (UTC)}}", "Ada"),
    ("en", "{{unsigned-ip|1.2.3.4|12:00, 3 May 2011 (UTC)}}", "1.2.3.4"),
    ("en", "{{unsigned|Ada|12:00, 3 May 2011 (UTC)|added by [[User:Bob|Bob]] 09:00, 9 May 2011 (UTC)}}", "Ada"),
    ("en", "<small>—Preceding [[Wikipedia:Signatures|unsigned]] comment added by [[User:Ada|Ada]] ([[User talk:Ada|talk]] • [[Special:Contributions/Ada|contribs]]) 12:00, 3 May 2011 (UTC)</small><!-- Template:Unsigned --> <!--Autosigned by a bot-->", "Ada"),
    ("en", "Ada 12:00, 3 May 2011 (UTC) <small><span class='autosigned'>— Preceding [[Wikipedia:Signatures|unsigned]] comment added by [[User:Ada|Ada]] ([[User talk:Ada|talk]]) </span></small>", "Ada"),
    ("de", "{{nicht signiert|Ada|14:00, 3. Mai 2011 (CEST)}}", "Ada"),
    ("de", "<small>(''ohne Benutzername [[Hilfe:Signatur|signierter]] Beitrag von'' [[Spezial:Beiträge/1.2.3.4|1.2.3.4]] ([[Benutzer Diskussion:1.2.3.4|Diskussion]]) 14:00, 3. Mai 2011 (CEST))</small>", "1.2.3.4"),
    ("fr", "{{non signé|Ada|3 mai 2011 à 14:00 (CEST)}}", "Ada"),
    ("it", "{{nf|14:00, 3 mag 2011 Ada}}", "Ada"),
    ("it", "{{non firmato|Ada|14:00, 3 mag 2011}}", "Ada"),
    ("es", "{{sin firma|Ada|12:00 3 may 2011 (UTC)}}", "Ada"),
    ("es", "{{no_firmado|Ada|12:00 3 may 2011}}", "Ada"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "signature", "author"), UNSIGNED)
def test_signed_for_somebody(language, signature, author):
    """Templates that sign for others, and the sentences they leave when substituted: the comment is the other's."""
    comment = only(f"Some text. {signature}", language)
    assert (comment.author, minute(comment)) == (author, "2011-05-03 12:00")
    assert comment.by == "unsigned_template"
    assert comment.text.removesuffix(" Ada") == "Some text."


UNDATED = [
    "Text. --[[User:Ada|Ada]]",
    "Text.\n— [[User:Ada]]",
    "Text. Regards, [[User:Ada|Ada]] ([[User talk:Ada|talk]])",
    "Text. -- [[:User:Ada|Ada]].",
    "Text. --[[User:Ada|Ada]], 3 May 2011",
    "Text :-) [[User:Ada]]",
    "Text. {{unsigned|Ada}}",
    "Text. <small>— Preceding [[WP:SIG|unsigned]] comment added by [[User:Ada|Ada]] ([[User talk:Ada|talk]] • [[Special:Contributions/Ada|contribs]])</small>",
]  # fmt: skip


@pytest.mark.parametrize("text", UNDATED)
def test_names_without_a_date(text):
    """A name that ends a comment without a date: the author is known, the time isn't; what follows is another's."""
    first, second = comments(f"{text}\n\n:Answer. {B}")
    assert (first.author, first.time) == ("Ada", None)
    assert first.by in {"undated", "unsigned_template"}
    assert (second.author, second.parent, second.text) == ("Bob", 0, "Answer.")


@pytest.mark.parametrize(
    "text",
    [
        "I agree with [[User:Ada|Ada]] on this one.",
        "[[User:Ada]] has said so before.",
        "See the talk page of [[User:Ada]]",
        "Thanks, [[User:Ada|Ada]], for the source",
        "@[[User:Ada|Ada]]: please look",
    ],
)
def test_a_mention_is_no_signature(text):
    """A user who is linked in a sentence, or at the end of a long one, hasn't signed."""
    comment = only(f"{text}\nand more. {B}")
    assert comment.author == "Bob"
    assert "[[User:Ada" in comment.text


TEMPLATES = [
    ("{{box|Text. %s}}", "{{box|1=Text. %s}}"),
    ("{{box|title|Text. %s|foot}}", "{{box\n|title=t\n|Text. %s\n}}"),
    ("{{Text. %s}}", "{{box|Text. %s|}}"),
    ("{{archive top|result=Text. %s}}", "{{box|<small>Text. %s</small>|em=1.6}}"),
]


@pytest.mark.parametrize("text", [text for pair in TEMPLATES for text in pair])
def test_signed_inside_a_template(text):
    """A signature in a parameter is its author's, marked as such; the template's syntax is no part of the text."""
    page = f"== T ==\n{text % A}\n\nOther. {B}"
    first, second = comments(page)
    assert (first.author, first.by, minute(first)) == ("Ada", "in_template", "2011-05-03 12:00")
    assert first.text.endswith("Text.")
    assert "{" not in first.text
    assert "}" not in first.text
    assert (second.author, second.text) == ("Bob", "Other.")


def test_two_signed_parameters():
    """Each signed parameter is a comment; one that holds nothing but a signature says the template's name."""
    first, second = comments(f"== T ==\n{{{{Moved|Text. {A}|Some page|{A}}}}}\n")
    assert (first.text, second.text) == ("Text.", "{{Moved}}")
    assert first.author == second.author == "Ada"


def test_a_discussion_in_a_template():
    """A collapsed discussion is read like any other, with its indentation."""
    found = comments(f"== T ==\n{{{{hidden|title\n|Text. {A}\n:Answer. {B}\n}}}}\nEnd. {A}")
    assert [(c.text, c.level, c.parent) for c in found] == [("Text.", 0, None), ("Answer.", 1, 0), ("End.", 0, None)]


def test_dates_in_templates_are_no_signatures():
    """A date in a parameter without a user, or a user without a date, signs nothing."""
    text = f"{{{{article history|date=14:07, 30 May 2005 (UTC)|by=[[User:Bob|Bob]]|x=y}}}} Text. {A}"
    assert [c.author for c in comments(text)] == ["Ada"]


def test_who_is_nearest_signs():
    """A comment that ends by naming another user is still its author's, whose link is nearer to the timestamp."""
    assert only(f"I answer [[User:Bob|Bob]]. {A}").author == "Ada"
    assert only(f"As [[User talk:Bob|Bob]] --{A}").text == "As [[User talk:Bob|Bob]]"


def test_reach():
    """A user who is linked more than a hundred visible characters before the timestamp hasn't signed with it."""
    near, far = "x" * 60, "x" * 140
    assert only(f"Text. [[User:Ada|Ada]] {near} {AT}").author == "Ada"
    assert only(f"Text. [[User:Ada|Ada]] {far} {AT}").author == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0 janvier 0000 à 12:00 (CET)", 1),
        ("31 février 2012 à 12:00 (CET)", 1),
        ("3 mars 2012 à 25:00 (CET)", 1),
        ("3 mars 2012 à 12:61 (CET)", 1),
        ("3 mars 2012 à 12:00 (CET)", 0),
    ],
)
def test_impossible_dates(text, expected):
    """A date that never was is counted, signs nothing, and loses no text."""
    page = parse_page(f"Du texte ici. [[Utilisateur:Ada|Ada]] {text}\n", "fr")
    assert page.losses["impossible dates"] == expected
    assert sum(c.by == "signed" for c in page.comments()) == 1 - expected


@pytest.mark.parametrize("opened", ["{{{{", "{{{{{{", "{{{{ "])
def test_braces_left_open_name_nobodys_comment(opened):
    """A bare signature behind braces that somebody left open says nothing: not the words of the comment before it."""
    first, second = comments(f"== T ==\n{opened}The words of Ada {A}\n{B}\n}}}}")
    assert (first.author, second.author, second.text) == ("Ada", "Bob", "")
    assert "The words of Ada" in first.text
    (holder,) = comments(f"== T ==\n{{{{support|{B}}}}}")
    assert (holder.author, holder.text) == ("Bob", "{{support}}")

"""Every language that has a file: the file is sound, and pages of its wiki are read."""

import json
import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from folkmoot.environments.talk_page.wikitext import known_languages, load_language, parse_page
from folkmoot.environments.talk_page.wikitext.language import FOLDER, language_from
from folkmoot.environments.talk_page.wikitext.timestamps import find_timestamps
from folkmoot.sim.errors import ConfigError

PAGES = {
    "de": (
        "== Quelle ==\nWoher stammt die Zahl? --[[Benutzerin:Ada|Ada]] ([[Benutzerin Diskussion:Ada|Diskussion]]) 09:05, 3. Mär. 2018 (CET)\n"
        ":Aus dem Jahrbuch. --[[Benutzer:Bob|Bob]] 21:40, 3. Juli 2018 (CEST)\n"
        "::Danke! <small>(''nicht [[Hilfe:Signatur|signierter]] Beitrag von'' [[Spezial:Beiträge/1.2.3.4|1.2.3.4]] ([[BD:1.2.3.4|Diskussion]]) 10:00, 4. Juli 2018 (CEST))</small>\n"
        ":::Bitte. {{unsigniert|Cyd|11:30, 5. Juli 2018 (CEST)}}\n"
    ),
    "en": (
        "== Source ==\nWhere is this from? [[User:Ada|Ada]] ([[User talk:Ada|talk]]) 08:05, 3 March 2018 (UTC)\n"
        ":The yearbook. — [[User:Bob|Bob]] 19:40, 3 July 2018 (UTC)\n"
        "::Thanks! <small>—Preceding [[WP:SIG|unsigned]] comment added by [[Special:Contributions/1.2.3.4|1.2.3.4]] ([[User talk:1.2.3.4|talk]]) 08:00, 4 July 2018 (UTC)</small>\n"
        ":::Sure. {{unsigned|Cyd|09:30, 5 July 2018}}\n"
    ),
    "es": (
        "== Fuente ==\n¿De dónde sale esto? [[Usuaria:Ada|Ada]] ([[Usuaria discusión:Ada|discusión]]) 08:05 3 mar 2018 (UTC)\n"
        ":Del anuario. [[Usuario:Bob|Bob]] 19:40 3 jul 2018 (UTC)\n"
        "::¡Gracias! <small>El comentario anterior [[WP:FIRMA|sin firmar]] es obra de [[Especial:Contribuciones/1.2.3.4|1.2.3.4]] ([[Usuario Discusión:1.2.3.4|disc.]]) 08:00 4 jul 2018 (UTC)</small>\n"
        ":::De nada. {{sin firma|Cyd|09:30 5 jul 2018 (UTC)}}\n"
    ),
    "fr": (
        "== Source ==\nD'où vient ce chiffre ? [[Utilisatrice:Ada|Ada]] ([[Discussion utilisatrice:Ada|discuter]]) 3 mars 2018 à 09:05 (CET)\n"
        ":De l'annuaire. [[Utilisateur:Bob|Bob]] 3 juillet 2018 à 21:40 (CEST)\n"
        "::Merci ! <small>''Le message qui précède, non [[Aide:Signature|signé]], a été déposé par'' [[Spécial:Contributions/1.2.3.4|1.2.3.4]] ([[Discussion utilisateur:1.2.3.4|d]]), le 4 juillet 2018 à 10:00 (CEST)</small>\n"
        ":::De rien. {{non signé|Cyd|5 juillet 2018 à 11:30 (CEST)}}\n"
    ),
    "it": (
        "== Fonte ==\nDa dove viene? --[[Utente:Ada|Ada]] ([[Discussioni utente:Ada|msg]]) 09:05, 3 mar 2018 (CET)\n"
        ":Dall'annuario. --[[Utente:Bob|Bob]] 21:40, 3 lug 2018 (CEST)\n"
        "::Grazie! <small>— Questo commento non [[Aiuto:Firma|firmato]] è stato inserito da [[Speciale:Contributi/1.2.3.4|1.2.3.4]] ([[Discussioni utente:1.2.3.4|discussioni]]) 10:00, 4 lug 2018 (CEST)</small>\n"
        ":::Prego. {{nf|Cyd|11:30, 5 lug 2018 (CEST)}}\n"
    ),
    "pl": (
        "== Źródło ==\nSkąd ta liczba? [[Wikipedystka:Ada|Ada]] ([[Dyskusja wikipedystki:Ada|dyskusja]]) 09:05, 3 mar 2018 (CET)\n"
        ":Z rocznika. [[Wikipedysta:Bob|Bob]] ([[Dyskusja wikipedysty:Bob|dyskusja]]) 21:40, 3 lip 2018 (CEST)\n"
        "::Dzięki! [[Specjalna:Wkład/1.2.3.4|1.2.3.4]] ([[Dyskusja wikipedysty:1.2.3.4|dyskusja]]) 10:00, 4 lipca 2018 (CEST)\n"
        ":::Proszę. {{niepodpisany|Cyd|11:30, 5 lip 2018 (CEST)}}\n"
    ),
    "pt": (
        "== Fonte ==\nDe onde vem isto? [[Usuária:Ada|Ada]] ([[Usuária Discussão:Ada|discussão]]) 08h05min de 3 de março de 2018 (UTC)\n"
        ":Do anuário. [[Utilizador:Bob|Bob]] ([[Discussão utilizador:Bob|discussão]]) 19h40min de 3 de julho de 2018 (UTC)\n"
        "::Obrigado! [[Especial:Contribuições/1.2.3.4|1.2.3.4]] ([[Usuário Discussão:1.2.3.4|discussão]]) 08h00min de 4 de julho de 2018 (UTC)\n"
        ":::De nada. {{não assinado|Cyd|09h30min de 5 de julho de 2018 (UTC)}}\n"
    ),
    "nl": (
        "== Bron ==\nWaar komt dit vandaan? [[Gebruikster:Ada|Ada]] ([[Overleg gebruikster:Ada|overleg]]) 3 mrt 2018 09:05 (CET)\n"
        ":Uit het jaarboek. [[Gebruiker:Bob|Bob]] ([[Overleg gebruiker:Bob|overleg]]) 3 jul 2018 21:40 (CEST)\n"
        "::Bedankt! [[Speciaal:Bijdragen/1.2.3.4|1.2.3.4]] 4 jul 2018 10:00 (CEST)\n"
        ":::Graag. {{niet ondertekend|Cyd|5 jul 2018 11:30 (CEST)}}\n"
    ),
    "sv": (
        "== Källa ==\nVarifrån kommer talet? [[Användare:Ada|Ada]] ([[Användardiskussion:Ada|disk]]) 3 mars 2018 kl. 09.05 (CET)\n"
        ":Ur årsboken. [[Användare:Bob|Bob]] ([[Användardiskussion:Bob|disk]]) 3 juli 2018 kl. 21.40 (CEST)\n"
        "::Tack! [[Special:Bidrag/1.2.3.4|1.2.3.4]] 4 juli 2018 kl. 10.00 (CEST)\n"
        ":::Varsågod. {{osignerat|Cyd|5 juli 2018 kl. 11.30 (CEST)}}\n"
    ),
    "ru": (
        "== Источник ==\nОткуда это число? [[Участница:Ada|Ада]] ([[Обсуждение участницы:Ada|обс.]]) 08:05, 3 марта 2018 (UTC)\n"
        ":Из ежегодника. [[У:Bob|Боб]] ([[ОУ:Bob|обс.]]) 19:40, 3 июля 2018 (UTC)\n"
        "::Спасибо! [[Служебная:Вклад/1.2.3.4|1.2.3.4]] 08:00, 4 июля 2018 (UTC)\n"
        ":::Пожалуйста. {{без подписи|Cyd|09:30, 5 июля 2018 (UTC)}}\n"
    ),
    "ja": (
        "== 出典 ==\nこの数字の出典は何ですか。--[[利用者:Ada|Ada]]([[利用者‐会話:Ada|会話]]) 2018年3月3日 (土) 08:05 (UTC)\n"
        ":年鑑によります。--[[利用者:Bob|Bob]]([[利用者‐会話:Bob|会話]]) 2018年7月4日 (水) 04:40 (JST)\n"
        "::ありがとうございます。--[[特別:投稿記録/1.2.3.4|1.2.3.4]] 2018年7月4日 (水) 17:00 (JST)\n"
        ":::どういたしまして。{{未署名|Cyd|2018年7月5日 (木) 18:30 (JST)}}\n"
    ),
    "ar": (
        "== المصدر ==\nمن أين جاء هذا الرقم؟ [[مستخدمة:Ada|Ada]] ([[نقاش المستخدمة:Ada|نقاش]]) 08:05، 3 مارس 2018 (ت ع م)\n"
        ":من الكتاب السنوي. [[مستخدم:Bob|Bob]] ([[نقاش المستخدم:Bob|نقاش]]) ١٩:٤٠، ٣ يوليو ٢٠١٨ (ت ع م)\n"
        "::شكرا لك كثيرا! [[خاص:مساهمات/1.2.3.4|1.2.3.4]] 08:00، 4 يوليو 2018 (ت&nbsp;ع&nbsp;م)\n"
        ":::عفوا يا صديقي. {{غير موقع|Cyd|09:30، 5 يوليو 2018 (ت ع م)}}\n"
    ),
}  # fmt: skip
"""Four comments at the same four instants, written for each wiki in its own way."""

EXPECTED = [
    ("Ada", "2018-03-03 08:05", 0),
    ("Bob", "2018-07-03 19:40", 1),
    ("1.2.3.4", "2018-07-04 08:00", 2),
    ("Cyd", "2018-07-05 09:30", 3),
]


def when(time):
    """An instant as people write it."""
    return datetime.fromtimestamp(time / 1000, UTC).strftime("%Y-%m-%d %H:%M")


@pytest.mark.parametrize("code", known_languages())
def test_a_page_of_every_wiki(code):
    """Gendered namespaces, short and long months, summer time, addresses and unsigned templates, in every language."""
    comments = [c for c in parse_page(PAGES[code], code).comments() if c.time is not None]
    assert [(c.author, when(c.time), c.level) for c in comments] == EXPECTED
    assert all(re.search(r"\w", c.text) and "[[" not in c.text and "{{" not in c.text for c in comments)


@pytest.mark.parametrize("code", known_languages())
def test_the_file_is_sound(code):
    """The code is the file's name, zones exist, templates are lower case, formats hold all that an instant needs."""
    record = json.loads((FOLDER / f"{code}.json").read_text(encoding="utf-8"))
    language = language_from(record, code)
    assert language.code == code
    assert ZoneInfo(language.timezone).key
    assert ZoneInfo(language.local_timezone).key
    for names in (language.unsigned, language.outdent, language.ping, language.archive, language.closed):
        assert names
        assert all(name == name.lower() == name.strip() for name in names)
    assert language.user
    assert language.user_talk
    assert language.special
    assert language.contributions
    assert language.talk_words
    assert language.contributions_words
    assert language.postscripts
    assert len(language.digits) == 10
    assert language.unsigned_phrase is not None
    for phrase in language.unsigned_phrases:
        assert any(stem in phrase.lower() for stem in language.unsigned_stems), f"{phrase!r} holds no stem"
    assert set(language.foreign) <= set(known_languages())
    months = [language.months[name.lower().rstrip(".")] for name in (*language.months_long, *language.months_short)]
    assert months == [*range(1, 13), *range(1, 13)]
    for form in language.timestamps:
        assert {"H", "i", "Y"} <= set(form)
        assert set(form) & set("jd")
        assert re.search(r"[FMn]|xg", form)


@pytest.mark.parametrize("code", known_languages())
def test_templates_of_every_wiki(code):
    """All names of unsigned and outdent templates are understood, in any case, and leave no trace in the text."""
    language = load_language(code)
    stamp = {"ja": "2018年7月5日 (木) 18:30"}.get(code) or PAGES[code].rpartition("|")[2].rpartition("(")[0].strip(
        "} \n"
    )
    for name in language.unsigned:
        page = f"Text of a comment {{{{{name.capitalize()}|Cyd|{stamp}}}}}\n"
        (comment,) = parse_page(page, code).comments()
        assert (comment.author, comment.text, comment.by) == ("Cyd", "Text of a comment", "unsigned_template"), name
    first = PAGES[code].split("\n")[1]
    for name in language.outdent:
        comments = list(parse_page(f"{first}\n:::{first}\n{{{{{name}}}}} {first}\n", code).comments())
        assert [(c.level, c.parent) for c in comments] == [(0, None), (3, 0), (0, 1)], name
        assert comments[2].text == comments[0].text


@pytest.mark.parametrize("code", known_languages())
def test_names_that_work_on_every_wiki(code):
    """English names of namespaces, and interwiki links with the names of another wiki, name the user too."""
    stamp = PAGES[code].split("\n")[1].split("]]")[-1].lstrip(") ")
    for link in ("[[User:Ada|A]]", "[[user_talk:ada]]", "[[Special:Contributions/Ada]]", "[[:fr:Utilisatrice:Ada|A]]"):
        (comment,) = parse_page(f"Text {link} {stamp}", code).comments()
        assert comment.author == "Ada"


def test_a_wrong_file_says_so():
    """A list of weekdays or genitives of the wrong length is refused, and the message names it."""
    record = json.loads((FOLDER / "pl.json").read_text(encoding="utf-8"))
    with pytest.raises(ConfigError, match="months_genitive has 2 names, not 12"):
        language_from({**record, "months_genitive": ["a", "b"]}, "pl.json")


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("de", "13:22, 15. Dez. 2014 (CEST)", "2014-12-15 12:22"),
        ("de", "21:41, 28. Feb. 2006 (MEZ)", "2006-02-28 20:41"),
        ("de", "21:41, 28. Jul. 2006 (MESZ)", "2006-07-28 19:41"),
        ("de", "02:30, 26. Okt. 2014 (CEST)", "2014-10-26 00:30"),
        ("de", "02:30, 26. Okt. 2014 (CET)", "2014-10-26 01:30"),
        ("de", "12:00, 1. Mai 2014 (UTC)", "2014-05-01 12:00"),
        ("ru", "12:00, 1 мая 2008 (MSD)", "2008-05-01 08:00"),
        ("en", "12:00, 1 May 2008 (BST)", "2008-05-01 11:00"),
        ("fr", "1 mai 2008 à 12:00 (CEST)", "2008-05-01 10:00"),
    ],
)
def test_zones(code, text, expected):
    """A wiki's own zone is read by its calendar, whichever of its two names stands there; others as they are named."""
    (stamp,) = find_timestamps(text, load_language(code))
    assert (when(stamp.time), stamp.zoned) == (expected, True)


@pytest.mark.shared
@pytest.mark.parametrize("wiki", ["ar", "en", "es", "fr", "it", "nl", "pl"])
def test_formats_of_the_wikis(shared, wiki):
    """Timestamps in the format, months and zones that each wiki's own configuration names are read, every month."""
    data = json.loads((shared / f"talk/discussiontools/data/{wiki}wiki-data.json").read_text(encoding="utf-8"))
    language, form, words = load_language(wiki), data["dateFormat"][wiki], data["contLangMessages"][wiki]
    zones = {name: zone for name, zone in data["timezones"][wiki].items() if zone in {"UTC", "CET", "CEST"}}
    keys = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ]
    for month, key in enumerate(keys, 1):
        for name, zone in zones.items():
            if zone != "UTC" and (zone == "CEST") != (3 < month < 11):
                continue
            local = {"H": "09", "i": "07", "j": "5", "Y": "2016", "xg": words[f"{key}-gen"], "M": words[key[:3]]}
            local["F"] = words["may_long" if key == "may" else key]
            text = re.sub(r"\\(.)|(xg|[HijYMF])", lambda m, local=local: m[1] or local[m[2]], form)
            (stamp,) = find_timestamps(f"x {text} ({name})", language)
            hours = {"UTC": 9, "CET": 8, "CEST": 7}[zone]
            assert (when(stamp.time), stamp.zoned) == (f"2016-{month:02}-05 {hours:02}:07", True), text


@pytest.mark.shared
def test_formats_of_all_wikis(shared):
    """The format that each wiki writes first is the one that is listed for it."""
    formats = json.loads((shared / "talk/convenient-discussions/date-formats.json").read_text(encoding="utf-8"))
    same = {'"kl."': "\\k\\l."}
    for code in known_languages():
        listed = formats.get(code, load_language(code).timestamps[0])
        for theirs, ours in same.items():
            listed = listed.replace(theirs, ours)
        assert load_language(code).timestamps[0] == listed

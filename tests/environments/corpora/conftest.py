"""A small community in raw wikitext."""

import pytest

SALT = b"a salt for tests only"

PAGE = """{{Talk header}}

== Bridge height ==
Is it 40 m? See [[User:Bob the 2nd/notes]]. --[[User:Ada Lovely|<span style="color:red">Adina</span>]] ([[User talk:Ada Lovely|talk]]) 12:00, 3 May 2011 (UTC)
:No, 38 m, as ada_lovely said on {{ping|Ada Lovely}}'s page. [[User:Bob the 2nd|Bob]] ([[User talk:Bob the 2nd|talk]]) 12:30, 3 May 2011 (UTC)
::Thanks BOB THE 2ND! [[Special:Contributions/10.1.2.3|10.1.2.3]] ([[User talk:10.1.2.3|talk]]) 13:00, 3 May 2011 (UTC)
A new point by nobody in particular.
:Who said that, Adina? [[User:Carol|Carol]] 09:00, 4 May 2011 (UTC)

== Old photographs ==
I forgot to sign this one. {{unsigned|Carol|10:00, 5 May 2011 (UTC)}}
:Good set of pictures. [[User:Ada Lovely|Adina]] ([[User talk:Ada Lovely|talk]]) 11:00, 5 May 2011 (UTC)

== Name of the river ==
It has two names on the maps of the county, I think. [[User:Bob the 2nd|Bob]] ([[User talk:Bob the 2nd|talk]]) 08:00, 1 June 2011 (UTC)
:Three. [[User:Carol|Carol]] ([[User talk:Carol|talk]]) 09:00, 1 June 2011 (UTC)

== Sources ==
Which of them are in print? [[User:Ada Lovely|Adina]] ([[User talk:Ada Lovely|talk]]) 08:00, 1 July 2011 (UTC)
:All. [[User:Bob the 2nd|Bob]] ([[User talk:Bob the 2nd|talk]]) 09:00, 2 July 2011 (UTC)

== Infobox ==
Shall we add one? [[User:Carol|Carol]] ([[User talk:Carol|talk]]) 08:00, 1 August 2011 (UTC)
:Please don't. [[User:Ada Lovely|Adina]] ([[User talk:Ada Lovely|talk]]) 09:00, 2 August 2011 (UTC)
"""


@pytest.fixture
def page(tmp_path):
    """The path of a page with five threads by four users."""
    path = tmp_path / "Talk:Bridge.wikitext"
    path.write_text(PAGE, encoding="utf-8")
    return path


@pytest.fixture
def salt():
    """The salt that tests use."""
    return SALT

"""Markup becomes words: nothing that could run is left, and no word of a person is lost."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.environments.corpora.timelines.plain import plain

USERS = {"https://moot.example/users/bo": "bo@moot.example"}


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One</p><p>Two<br>three</p>", "One\n\nTwo\nthree"),
        ("a &lt;b&gt; &amp; c", "a <b> & c"),
        ("<p>see <script>alert('x')</script>this</p>", "see this"),
        ("<style>p{}</style>words<iframe src='https://x.example'>inner</iframe>", "words"),
        ("<img src=x onerror=alert(1)>tail", "tail"),
        ("<svg><text>drawn</text></svg>said", "said"),
        ("<!-- hidden -->shown", "shown"),
        ("<ul><li>a</li><li>b</li></ul>", "- a\n- b"),
        ("<scr<script>ipt>alert(1)</script>ok", "ipt>alert(1)ok"),
        ("<p>unclosed <b>bold", "unclosed bold"),
        ("", ""),
        ("   \n ", ""),
        ("no markup at all", "no markup at all"),
        ("<p>:blobcat: stays</p>", ":blobcat: stays"),
    ],
)
def test_words(html, text):
    """What is said stays, line by line; scripts, styles, frames, drawings and comments go with all that is in them."""
    assert plain(html).text == text


def test_links_and_users():
    """Links to pages are kept apart, shown addresses whole; a link to a user becomes that user's name."""
    html = (
        '<p><span class="h-card"><a href="https://moot.example/users/bo" class="u-url mention">@<span>bo</span></a></span> '
        'see <a href="https://a.example/long/page"><span class="invisible">https://</span>'
        '<span class="ellipsis">a.example/lo</span><span class="invisible">ng/page</span></a> '
        '<a href="https://moot.example/tags/tea" class="mention hashtag">#<span>tea</span></a> '
        '<a href="javascript:alert(1)">click</a></p>'
    )
    found = plain(html, USERS)
    assert found.text == "@bo@moot.example see https://a.example/long/page #tea click"
    assert list(found.links) == ["https://a.example/long/page"]


@settings(deadline=None)
@given(st.text(alphabet="<>/abscriptSCRIPT &;\"'=!-\0\n", max_size=80))
def test_hostile_markup(html):
    """Whatever stands in it, it is read, without a script's content and without empty lines in a row."""
    found = plain(f"{html}<script>evil()</script>")
    assert "\n\n\n" not in found.text
    assert found.text == found.text.strip()


def test_words_of_a_script_never_show():
    """The content of scripts is gone, also where they are written oddly."""
    for html in ("<SCRIPT>evil()</SCRIPT >x", "<script type=a>evil()</script>x", "<p><script>evil()//</p></script>x"):
        assert "evil" not in plain(html).text

"""The known names of a community, and where a text mentions one in plain words.

A text and a name are compared word by word, whatever their case: "ada_lovely", "ADA  LOVELY" and "Ada Lovely's" all
mention "Ada Lovely". In scripts without spaces every character is a word, so a name is found inside a run of them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from ipaddress import ip_address

from folkmoot.environments.corpora.wordlists import word_lists
from folkmoot.environments.talk_page.wikitext.names import canonical_name, is_address

LEAST_LETTERS = 3
"""A plain mention of a shorter name can't be told from any other word."""

LONGEST = 255
"""Characters of the longest user name; MediaWiki allows as many bytes."""

REMEMBERED = 50_000
"""Words of which it is remembered whether a name can begin with them."""

LEAST_STEM = 5
"""Letters of a name that takes other endings than the genitive -s: with shorter ones too many words would be hit."""

_RUN = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Scripts written without spaces: Thai, Lao, Burmese, Khmer, Kana, Han."""

WORD = re.compile(rf"[{_RUN}]|[^\W_{_RUN}]+|[^\w\s]")
_SPACE = re.compile(r"[\s_]+")
_IN_RUN = re.compile(f"[{_RUN}]")
_ADDRESS = re.compile(r"(?<![\w.:])(?=[0-9A-Fa-f]*[.:])[0-9A-Fa-f:.]{3,45}")


@dataclass(frozen=True, slots=True)
class Mention:
    """A known name in a text: characters start..end without an inflection's ending, whose, and as which it is known."""

    start: int
    end: int
    name: str
    spelling: str


class NameBook:
    """Known names by their spellings.

    Args:
        names: user names; each is found by its own spelling. Of two that differ by case only the later one is found,
            of a set's the one that sorts last.
        aliases: what users call themselves in their signatures -> user name; a user's own name wins over an alias.
        language: code of the language whose inflections are read.
    """

    def __init__(
        self, names: Iterable[str] = (), aliases: Mapping[str, str] | None = None, language: str = "en"
    ) -> None:
        self._endings = word_lists(language).endings
        self._spelled: dict[str, tuple[str, str]] = {}
        self._seen: set[str] = set()
        self._starts: set[str] = set()
        self._longer: dict[str, list[tuple[str, ...]]] = {}
        self._addresses: set[str] = set()
        for alias, name in (aliases or {}).items():
            self.add(alias, canonical_name(name))
        for name in sorted(names) if isinstance(names, AbstractSet) else names:
            self.add(name, canonical_name(name))

    def __len__(self) -> int:
        return len(self._spelled) + len(self._addresses)

    def add(self, spelling: str, name: str) -> None:
        """One more spelling of a canonical name; spellings without a word are passed over."""
        self._forget()
        if is_address(name):
            self._addresses.add(name)
            return
        key = tuple(_gapped(spelling))
        if not name or not any(char.isalnum() for char in spelling):
            return
        self._spelled["\0".join(key)] = name, spelling
        if len(key) > 1:
            longer = self._longer.setdefault(key[0], [])
            if key not in longer:
                longer.append(key)
                longer.sort(key=len, reverse=True)

    def names(self) -> set[str]:
        """Every canonical name that can be found."""
        return {*(name for name, _ in self._spelled.values()), *self._addresses}

    def owner(self, spelling: str) -> str | None:
        """Whose whole spelling this is; None for nobody's."""
        address = _address(spelling.strip())
        if address in self._addresses:
            return address
        found = self._spelled.get("\0".join(_gapped(spelling.strip(" _\t\n"))))
        return None if found is None else found[0]

    def spellings(self) -> Iterator[tuple[str, str]]:
        """(canonical name, spelling) of all but addresses."""
        yield from self._spelled.values()

    def mentions(self, text: str) -> Iterator[Mention]:
        """Plain mentions from left to right; where two names begin at a word, the longer one."""
        if self._addresses:
            found = sorted([*self._in_words(text), *self._in_addresses(text)], key=lambda m: (m.start, -m.end))
            end = 0
            for mention in found:
                if mention.start >= end:
                    end = mention.end
                    yield mention
        else:
            yield from self._in_words(text)

    def at(self, text: str, place: int) -> Mention | None:
        """The longest name that begins exactly here; addresses aside."""
        words = list(WORD.finditer(text, place, place + LONGEST))
        if not words or words[0].start() != place or not self._starting({words[0][0]}):
            return None
        found = self._longest(words, 0, text)
        return None if found is None else found[0]

    def _in_addresses(self, text: str) -> Iterator[Mention]:
        for match in _ADDRESS.finditer(text):
            for found in (match[0], match[0].rstrip(".:")):
                if (address := _address(found)) in self._addresses:
                    yield Mention(match.start(), match.start() + len(found), address or "", found)
                    break

    def _in_words(self, text: str) -> Iterator[Mention]:
        starts = self._starting(set(WORD.findall(text)))
        if not starts:
            return
        words = list(WORD.finditer(text))
        place = 0
        while place < len(words):
            found = self._longest(words, place, text) if words[place][0] in starts else None
            if found is None:
                place += 1
                continue
            mention, used = found
            yield mention
            place += used

    def _starting(self, words: set[str]) -> set[str]:
        """Those of the words that a name can begin with; most can't, and are asked about again and again."""
        if len(self._seen) > REMEMBERED:
            self._forget()
        new = words - self._seen
        if new:
            self._seen |= new
            self._starts |= {word for word in new if self._may_start(word.casefold())}
        return words & self._starts

    def _may_start(self, low: str) -> bool:
        if low in self._longer or low in self._spelled:
            return True
        return any(low[: -len(ending)] in self._spelled for ending in _possible(low, self._endings))

    def _forget(self) -> None:
        self._seen.clear()
        self._starts.clear()

    def _longest(self, words: Sequence[re.Match[str]], place: int, text: str) -> tuple[Mention, int] | None:
        first = words[place][0].casefold()
        for spelling in self._longer.get(first, ()):
            count, end = _fits(spelling, words, place, text, self._endings)
            if count:
                return Mention(words[place].start(), end, *self._spelled["\0".join(spelling)]), count
        return self._single(words[place], first)

    def _single(self, word: re.Match[str], lowered: str) -> tuple[Mention, int] | None:
        if (found := self._spelled.get(lowered)) is not None:
            return Mention(word.start(), word.end(), *found), 1
        for ending in _possible(lowered, self._endings):
            stem = lowered[: -len(ending)]
            if (found := self._spelled.get(stem)) is not None:
                return Mention(word.start(), word.end() - len(ending), *found), 1
        return None


def _gapped(spelling: str) -> list[str]:
    """Words whatever their case and, as single spaces, the white space between them."""
    pieces: list[str] = []
    end = 0
    for match in WORD.finditer(spelling):
        if pieces and _SPACE.fullmatch(spelling[end : match.start()]):
            pieces.append(" ")
        pieces.append(match[0].casefold())
        end = match.end()
    return pieces


def _fits(
    spelling: Sequence[str], words: Sequence[re.Match[str]], place: int, text: str, endings: tuple[str, ...]
) -> tuple[int, int]:
    """Number of words that spell the name from this place, and where its last one ends; (0, 0) where they don't."""
    count, end, spaced = 0, words[place].start(), False
    for number, piece in enumerate(spelling):
        if piece == " ":
            spaced = True
            continue
        if place + count >= len(words):
            return 0, 0
        word = words[place + count]
        gap = text[end : word.start()]
        if count and bool(gap) != spaced:
            return 0, 0
        lowered = word[0].casefold()
        if lowered != piece:
            ending = lowered[len(piece) :] if lowered.startswith(piece) else ""
            last = number == len(spelling) - 1
            if not last or ending not in _possible(lowered, endings):
                return 0, 0
            return count + 1, word.end() - len(ending)
        count, end, spaced = count + 1, word.end(), False
    return count, end


def _possible(word: str, endings: tuple[str, ...]) -> list[str]:
    """Endings that this word may carry."""
    own = [ending for ending in endings if word.endswith(ending) and len(word) - len(ending) >= LEAST_STEM]
    return ["s", *own] if word.endswith("s") and len(word) > 1 else own


def _address(text: str) -> str | None:
    try:
        ip_address(text)
    except ValueError:
        return None
    return canonical_name(text)


def in_run(text: str) -> bool:
    """Whether the text holds a character of a script without spaces."""
    return _IN_RUN.search(text) is not None

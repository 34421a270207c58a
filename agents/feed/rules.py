"""A person on a feed without a graph or a prompt: for benchmarks, for tests, and as a pattern for users' own."""

from collections.abc import Mapping, Sequence

from folkmoot.agents.feed.decisions import Decisions
from folkmoot.agents.feed.plan import WRITTEN, action
from folkmoot.agents.feed.policy import FeedPolicy
from folkmoot.agents.feed.taste import Taste, tags_of
from folkmoot.sim.feed import FeedView
from folkmoot.sim.persona import Persona
from folkmoot.sim.protocols import Action, Activation

POSTS: Mapping[str, Sequence[str]] = {
    "en": ("Spent the evening on {topic}.", "Anybody else into {topic} here?", "More {topic} this week, I hope."),
    "de": ("Der Abend gehörte {topic}.", "Noch jemand hier für {topic}?", "Diese Woche hoffentlich mehr {topic}."),
    "es": ("La tarde se me fue en {topic}.", "¿Alguien más por aquí con {topic}?", "Esta semana, ojalá más {topic}."),
    "fr": ("La soirée est passée à {topic}.", "D'autres amateurs de {topic} ici ?", "Plus de {topic}, j'espère."),
    "it": ("Serata passata con {topic}.", "Qualcun altro qui per {topic}?", "Questa settimana spero più {topic}."),
}
"""Canned posts by language; a language without any uses English."""

ANSWERS: Mapping[str, Sequence[str]] = {
    "en": ("Same here.", "Where was that?", "I see that differently.", "That made my day, thank you."),
    "de": ("Geht mir auch so.", "Wo war das?", "Das sehe ich anders.", "Danke, das hat mir den Tag gerettet."),
    "es": ("A mí me pasa igual.", "¿Dónde fue eso?", "Yo lo veo de otra manera.", "Gracias, me alegraste el día."),
    "fr": ("Pareil pour moi.", "C'était où ?", "Je vois ça autrement.", "Merci, ça fait ma journée."),
    "it": ("Anche per me.", "Dov'era?", "Io la vedo diversamente.", "Grazie, mi hai svoltato la giornata."),
}
"""Canned replies and quotes."""

NO_TOPIC = {"en": "nothing much", "de": "nichts Besonderes", "es": "nada en especial", "fr": "rien", "it": "niente"}
"""What a person without interests posts about."""


class FeedRuleAgent:
    """Draws an act and a canned text about an interest; needs no model and returns its action at once."""

    def __init__(self, persona: Persona, policy: FeedPolicy) -> None:
        self.id = persona.id
        self._policy = policy
        self._taste = Taste(persona.interests)
        self._decisions = Decisions()
        self._language = persona.language if persona.language in POSTS else "en"
        self._tags = tags_of(persona.interests) or (NO_TOPIC[self._language],)

    def act(self, activation: Activation, view: FeedView) -> Action:
        """Decide from this view."""
        plan = self._policy.plan(activation, view, self._taste, self._decisions)
        text = self._text(plan.kind, activation) if plan.kind in WRITTEN else ""
        return action(plan, activation, view.version, text)

    def _text(self, kind: str, activation: Activation) -> str:
        texts = (POSTS if kind == "post" else ANSWERS)[self._language]
        text = texts[int(activation.uniform("text") * len(texts))]
        return text.replace("{topic}", self._tags[int(activation.uniform("topic") * len(self._tags))])

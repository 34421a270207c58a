"""Agents without a graph: for benchmarks, for tests, and as patterns for users' own."""

from folkmoot.agents.actions import Draft, abstain, act
from folkmoot.agents.plan import Plan
from folkmoot.agents.policy import PlanPolicy
from folkmoot.sim.discussion import DiscussionView
from folkmoot.sim.persona import Persona
from folkmoot.sim.protocols import Action, Activation, Message, Sampling
from folkmoot.sim.quoting import line, name

CANNED = {
    "en": (
        "I agree, and I have added a source for it.",
        "Could you name the source? The article says something else.",
        "I don't think that this belongs in the lead.",
        "Thank you, that settles it for me.",
        "Please wait for more opinions before you move the page.",
    ),
    "de": (
        "Einverstanden, einen Beleg habe ich ergänzt.",
        "Welche Quelle ist das? Im Artikel steht es anders.",
        "In die Einleitung gehört das meiner Meinung nach nicht.",
        "Danke, damit ist es für mich erledigt.",
        "Bitte warte noch auf weitere Meinungen, bevor du verschiebst.",
    ),
    "es": (
        "De acuerdo, he añadido una fuente.",
        "¿De qué fuente sale? El artículo dice otra cosa.",
        "No creo que esto deba ir en la introducción.",
        "Gracias, por mi parte queda resuelto.",
        "Espera, por favor, a que opinen otros antes de trasladar la página.",
    ),
    "fr": (
        "D'accord, j'ai ajouté une source.",
        "De quelle source s'agit-il ? L'article dit autre chose.",
        "Je ne crois pas que cela ait sa place dans l'introduction.",
        "Merci, pour moi la question est réglée.",
        "Attends d'autres avis avant de renommer la page, s'il te plaît.",
    ),
    "it": (
        "D'accordo, ho aggiunto una fonte.",
        "Di quale fonte si tratta? La voce dice altro.",
        "Non credo che questo vada nell'introduzione.",
        "Grazie, per me la questione è chiusa.",
        "Aspetta altri pareri prima di spostare la pagina, per favore.",
    ),
}
"""Canned comments by language; a language without any uses English."""


class RuleAgent:
    """Draws a plan and a canned text; needs no model and returns its action at once."""

    def __init__(self, persona: Persona, policy: PlanPolicy) -> None:
        self.id = persona.id
        self._policy = policy
        self._texts = CANNED.get(persona.language, CANNED["en"])

    def act(self, activation: Activation, view: DiscussionView) -> Action:
        """Decide from this view."""
        plan = self._policy.plan(activation, view)
        if plan.kind == "abstain":
            return abstain(plan, activation, view.version)
        text = self._texts[int(activation.uniform("text") * len(self._texts))]
        return act(plan, Draft(text, title=text[:40]), activation, view.version)


class WaitingAgent:
    """Draws a plan and awaits a model's answer to a prompt of two lines; nothing is checked but emptiness."""

    def __init__(self, persona: Persona, policy: PlanPolicy, sampling: Sampling) -> None:
        self.id = persona.id
        self._policy = policy
        self._sampling = sampling
        self._system = Message(
            "system", f"You are {name(persona.id)}. Write one Talk page comment ({persona.language})."
        )

    async def act(self, activation: Activation, view: DiscussionView) -> Action:
        """Decide from this view, and write."""
        plan = self._policy.plan(activation, view)
        if plan.kind == "abstain":
            return abstain(plan, activation, view.version)
        answer = await activation.generate((self._system, Message("user", _about(plan, view))), self._sampling)
        if not answer.text.strip():
            return abstain(Plan("abstain", reason="nothing written"), activation, view.version)
        return act(plan, Draft(answer.text, title=answer.text[:40]), activation, view.version)


def _about(plan: Plan, view: DiscussionView) -> str:
    event = view.event(plan.parent) if plan.kind == "reply" else None
    return f"Open a thread about {line(plan.page)}." if event is None else line(event.text)

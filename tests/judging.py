"""A judge that answers whatever it is asked, by words in common; no model is one."""

from __future__ import annotations

from runner.text import sentences, vocabulary


class ByRule:
    """Says of each thing what the words say that it shares with a text."""

    def rate(self, task, /, **texts):
        said = getattr(self, f"_{task.name}")(texts)
        return task.reply.model_validate(said, context=texts)

    def embed(self, texts, /):
        """Give for each text how often each letter of a short row stands in it."""
        return [[text.count(letter) for letter in "aeot十天退"] for text in texts]

    def _claims(self, texts):
        return {"claims": [s for s in sentences(texts["text"]) if vocabulary(s)]}

    def _support(self, texts):
        return verdicts(
            {"passages": on, "supported": bool(on)}
            for on in (bearers(claim, texts["passages"]) for claim in texts["claims"])
        )


def bearers(claim, passages):
    return [n for n, text in enumerate(passages, 1) if shared(claim, text)]


def shared(one, other):
    return bool(vocabulary(one) & vocabulary(other))


def verdicts(said):
    """Give the reply of a task that rates numbered things."""
    return {
        "verdicts": [
            {"number": number, "reason": "", **verdict}
            for number, verdict in enumerate(said, 1)
        ]
    }

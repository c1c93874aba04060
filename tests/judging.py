"""A judge that answers whatever it is asked, by words in common; no model is one."""

from __future__ import annotations

from runner.text import sentences, vocabulary


class ByRule:
    """Says of each thing what the words say that it shares with a text."""

    def rate(self, task, /, **texts):
        said = getattr(self, f"_{task.name}")(texts)
        return task.reply.model_validate(said, context=texts)

    def embed(self, texts, /):
        """Give a 1, and how often each letter of a short row stands in a text."""
        return [[1, *map(text.count, "aeot十天退")] for text in texts]

    def _claims(self, texts):
        return {"claims": [s for s in sentences(texts["text"]) if vocabulary(s)]}

    def _support(self, texts):
        return verdicts(
            {"passages": on, "supported": bool(on)}
            for on in (bearers(claim, texts["passages"]) for claim in texts["claims"])
        )

    def _questions(self, texts):
        back = [f"{texts['answer']} {number}?" for number in range(3)]
        return {"noncommittal": not vocabulary(texts["answer"]), "questions": back}

    def _usefulness(self, texts):
        return verdicts(
            {"useful": shared(texts["reference"], text)} for text in texts["passages"]
        )

    def _anchors(self, texts):
        return verdicts(
            {"status": "explicit" if shared(texts["answer"], anchor) else "absent"}
            for anchor in texts["anchors"]
        )

    def _intents(self, texts):
        return verdicts(
            {"status": "complete" if shared(texts["answer"], intent) else "missing"}
            for intent in texts["intents"]
        )

    def _citations(self, texts):
        pairs = (citation.partition(": ") for citation in texts["citations"])
        return verdicts(
            {"says": shared(said, texts["passages"][int(name.split()[-1]) - 1])}
            for name, _, said in pairs
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

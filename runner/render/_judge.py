"""The part of the footer on the judge: its model, its calls and their cost."""

from __future__ import annotations

from runner.model import JudgeAccount
from runner.render._sentence import Sentence, quote, say
from runner.units import count


def judged(account: JudgeAccount) -> Sentence:
    """Give the model of the judge, its requests and their cost."""
    tokens = account.input_tokens + account.output_tokens
    about = "about " if account.estimated else ""
    parts = [count(account.calls, "request")]
    if tokens:
        parts.append(f"{about}{count(tokens, 'token')}")
    if account.usd is not None:
        parts.append(f"{about}{account.usd:.2f} USD")
    if account.stored:
        parts.append(f"{account.stored:,} of {account.rated:,} ratings stored before")
    where = say(" at ", quote(account.host)) if account.host else ()
    return say("judged by ", quote(account.model), where, f" ({', '.join(parts)})")

"""What came of a case as a line of ``responses.jsonl``, from which it is replayed."""

from __future__ import annotations

from typing import Any

from runner.model import Exchange, Failure, Passage, Response


def recorded(case_id: str, asked: str, exchange: Exchange) -> dict[str, Any]:
    """Give the record of one attempt at a case, which replays to the same result.

    Beside a failure stands what came all the same, if anything did. ``asked`` is the
    hash of what the case asks: the reply to another question is not replayed.
    """
    result = exchange.result
    line: dict[str, Any] = {"case_id": case_id, "trial": exchange.trial}
    if isinstance(result, Failure):
        line["failure"] = {"cause": result.cause, "message": result.message}
        if result.shown:
            line["response"] = _response(result.shown)
    else:
        line["response"] = _response(result)
        if (first := result.time_to_first_token) is not None:
            line["time_to_first_token_s"] = first
    told = {"latency_s": result.latency, "attempts": exchange.attempts}
    return {**line, **told, "case_hash": asked, "at": exchange.at}


def _response(response: Response) -> dict[str, Any]:
    passages = response.passages
    whole = response.raw_answer
    said = {"turns": [turn._asdict() for turn in response.turns]}
    return {
        "answer": response.answer if whole is None else whole,
        "contexts": None if passages is None else list(map(_passage, passages)),
        "citations": response.citations,
        "refused": response.refused,
        "usage": response.usage,
    } | (said if response.turns else {})


def _passage(passage: Passage) -> dict[str, Any]:
    return {
        "id": passage.id,
        "text": passage.text,
        "score": passage.score,
        "document": passage.document,
        "tenant": passage.tenant,
    }

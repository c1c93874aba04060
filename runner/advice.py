"""What each cause means, its remedy, and the evidence that each layer needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from runner.model import LAYERS, Layer


class Advice(NamedTuple):
    """A cause in words, and the first thing to try."""

    meaning: str
    remedy: str


ADVICE: Mapping[str, Advice] = {
    "service.unreachable": Advice(
        "nobody answered at the URL",
        "Is the server started and listening on 0.0.0.0? Inside a container, localhost "
        "is the container itself. Where auth gave no token, the message says why.",
    ),
    "service.timeout": Advice(
        "no whole reply in time",
        "Look at the server's load, then at endpoint.timeout and endpoint.concurrency.",
    ),
    "service.http_error": Advice(
        "the server answered with an error",
        "Read the server's log. 401 and 403: the key in the headers is wrong; 429: "
        "lower endpoint.rate_limit; 500 is not asked again, as the change may have "
        "caused it.",
    ),
    "service.crashed": Advice(
        "the program or function failed",
        "The message ends with what it said; give it the same question by hand "
        "with rag-eval probe.",
    ),
    "service.malformed": Advice(
        "the reply was not of the mapped shape",
        "Hold endpoint.response against a reply; the message names the keys that came.",
    ),
    "service.empty_answer": Advice(
        "the reply came with an empty answer",
        "Look at the model's limit of tokens, its content filter and errors that the "
        "service swallows. If replies never hold an answer, write answer: null.",
    ),
    "service.not_recorded": Advice(
        "the recording holds no reply for it",
        "Record it: a run without --replay writes the replies of all cases that it "
        "asks. Or ask only what was recorded, with --case, --tag or --type.",
    ),
    "isolation.leak_context": Advice(
        "a passage of somebody else was retrieved",
        "Filter by tenant inside the search, not after it, and check the tenants in "
        "the index.",
    ),
    "isolation.leak_answer": Advice(
        "the answer shows what belongs to somebody else",
        "Look at the tenant filter, then at caches and memories shared by tenants.",
    ),
    "isolation.leak_citation": Advice(
        "a document of somebody else is cited",
        "Look at the tenant filter, and at where citations are looked up.",
    ),
    "retrieval.empty": Advice(
        "nothing was retrieved",
        "Look at filters, score cutoffs and the language of the query; is the index "
        "filled?",
    ),
    "retrieval.missed": Advice(
        "no relevant passage came",
        "Search the index for the expected document by hand; then look at the "
        "embedding, query rewriting and k.",
    ),
    "retrieval.sibling": Advice(
        "the right document, the wrong part of it",
        "Look at chunk size and overlap, and whether headings stay with their text.",
    ),
    "retrieval.partial": Advice(
        "some of what the answer needs did not come",
        "Raise k, or split questions that ask for several things.",
    ),
    "context.buried": Advice(
        "the relevant passage came too far down",
        "Add or tune a reranker, or pass fewer passages on.",
    ),
    "context.noisy": Advice(
        "the relevant passages drown among others",
        "Cut passages off by score, or lower k.",
    ),
    "refusal.missed": Advice(
        "it answered where it should have declined",
        "Tell the model to decline when the passages do not hold the answer, and cut "
        "weak passages off by score.",
    ),
    "refusal.over": Advice(
        "it declined although the answer was there",
        "Soften the instruction to decline, or lower the score below which it does.",
    ),
    "grounding.citation_fabricated": Advice(
        "something is cited that was not retrieved",
        "Number the passages in the prompt and drop citations that match none.",
    ),
    "grounding.citation_mismatch": Advice(
        "a quotation is not in the passage it cites",
        "Ask for verbatim quotations, and check them before the answer is sent.",
    ),
    "grounding.number_conflict": Advice(
        "a number of the answer is in no passage",
        "Tell the model to copy numbers from the passages; look for passages that "
        "contradict each other.",
    ),
    "grounding.unsupported": Advice(
        "the answer says what no passage says",
        "Tell the model to use the passages only; a lower temperature helps.",
    ),
    "answer.forbidden_content": Advice(
        "the answer holds what it must not",
        "Look for the forbidden text in prompt and passages, and whether the case's "
        "must_not_include is right.",
    ),
    "answer.omission": Advice(
        "a key point is missing",
        "If the answer says it in other words, add them to the key point's spellings; "
        "else look at the length limit of answers, and ask for every condition and "
        "exception.",
    ),
    "answer.off_topic": Advice(
        "the answer is not about what was asked",
        "Look at how the question is rewritten before the search, and tell the model "
        "to answer it first.",
    ),
    "answer.incorrect": Advice(
        "the answer does not agree with the reference or a known fact",
        "Compare the answer with its passages: is one of them outdated?",
    ),
    **{
        f"{layer}.below_mark": Advice(
            "a mark under pass is not met, and no test of the layer names a cause",
            "Look at the replies of these cases, then at whether the mark is right.",
        )
        for layer in LAYERS
        if layer != "answer"
    },
}

EVIDENCE: Mapping[Layer, str] = {
    "service": "calls to the endpoint",
    "isolation": "cases with tenant, forbidden_doc_ids or canaries",
    "retrieval": "cases with expected_doc_ids, and replies that show their contexts",
    "context": "cases with expected_doc_ids, and replies that show their contexts",
    "refusal": "replies that can be seen to answer or to decline",
    "grounding": "answers beside the text of their contexts",
    "answer": "cases with must_include, must_not_include or a reference that is marked",
}
"""What must be there before a layer can be judged at all."""

"""What to write instead of a name that no metric has, such as one of another tool."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from runner.errors import did_you_mean, named
from runner.model import RUN_LEVEL, Metric, split_statistic

_SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "hit_rate": ("hit", "hits", "success", "hitratio"),
    "recall": ("r", "recallat"),
    "precision": ("p", "precisionat"),
    "mrr": ("rr", "reciprocalrank", "meanreciprocalrank"),
    "map": ("ap", "averageprecision", "meanaverageprecision"),
    "ndcg": ("dcg", "ndcgcut", "normalizeddiscountedcumulativegain"),
    "key_points": ("contains", "containsall", "icontains", "stringpresence"),
    "forbidden_content": ("notcontains", "noticontains"),
    "answer_similarity": ("similar", "similarity", "semanticsimilarity", "rouge"),
    "refusal": ("isrefusal", "refusalrate", "abstention"),
    "over_refusal": ("overrefusalrate", "falserefusal", "falserefusalrate"),
    "leakage": ("leak", "leaks", "leakrate"),
    "latency_p95": ("p95", "p95latency", "latencyms", "responsetime"),
    "time_to_first_token": ("ttft",),
    "tokens_per_second": ("tps", "outputtps", "throughput", "outputspeed"),
    "tokens": ("totaltokens", "tokencount", "tokenusage"),
    "faithfulness": (
        *("groundedness", "hallucination", "contextfaithfulness", "factuality"),
    ),
    "context_precision": ("contextualprecision", "llmcontextprecision"),
    "context_recall": ("contextualrecall", "llmcontextrecall", "contextentityrecall"),
    "answer_relevancy": ("answerrelevance", "responserelevancy", "relevance"),
    "answer_correctness": ("factualcorrectness", "correctness"),
    "anchor_support": ("anchorsupportrate", "factanchors"),
    "intent_completion": ("multiintentcompletion", "completeness", "comprehensiveness"),
    "citation_authenticity": ("citationfaithfulness",),
    "accuracy": ("passrate", "successrate"),
    "error_rate": ("failurerate", "errors"),
}
"""Metric to its names in other tools, in lower case and without separators."""

_RELATED: Mapping[str, tuple[str, ...]] = {
    "lexical_grounding and number_support": ("noisesensitivity",),
    "recall and context_relevance": ("contextualrelevancy", "contextrelevancy"),
    "key_points and answer_similarity": (
        *("helpfulness", "llmrubric", "geval", "aspectcritic"),
    ),
}
"""Metrics without a judge, to judged metrics of other tools that are close to them."""

_WITHOUT_JUDGE: Mapping[str, str] = {
    "faithfulness": "lexical_grounding and number_support",
    "context_precision": "recall and context_relevance",
    "context_recall": "recall and context_relevance",
    "answer_relevancy": "key_points and answer_similarity",
    "answer_correctness": "key_points and answer_similarity",
    "anchor_support": "key_points and answer_similarity",
    "intent_completion": "key_points and answer_similarity",
    "citation_authenticity": "citation_validity and citation_support",
}
"""Metric that needs a judge, to those close to it that need none."""

_OURS = {other: ours for ours, others in _SYNONYMS.items() for other in others}
_RELATED_TO = {other: ours for ours, others in _RELATED.items() for other in others}
_LIST = "`rag-eval metrics` lists all"
_AT = re.compile(r"(.*?)(?:@|_?at_?)(\d+)")
_ENDING = re.compile(r"(metric|score)$")


def unknown(text: str, registry: Mapping[str, Metric], more: Iterable[str] = ()) -> str:
    """Give the sentence for a name that is no metric, with what to write instead.

    Args:
        text: The name as it was written, with its cutoff.
        registry: The metrics that there are.
        more: What else may stand here, such as ``accuracy`` in a threshold.
    """
    matched = _AT.fullmatch(text)
    name, cutoff = (matched[1], matched[2]) if matched else (text.partition("@")[0], "")
    return f"unknown metric {named(text)} ({_remedy(name, cutoff, registry, [*more])})"


def _remedy(
    name: str, cutoff: str, registry: Mapping[str, Metric], more: list[str]
) -> str:
    plain = _ENDING.sub("", _plain(name))
    known = {_plain(word): word for word in (*registry, *more)}
    ours = known.get(plain) or _OURS.get(plain)
    if ours:
        metric = registry.get(ours)
        cut = metric is not None and "k" in metric.options.model_fields
        write = f"write {ours}@{cutoff}" if cut and cutoff else f"write {ours}"
        near = _WITHOUT_JUDGE.get(ours)
        return f"{write}; it needs a judge, {near} need none" if near else write
    if nearest := _RELATED_TO.get(plain):
        return f"not yet; near are {nearest}; {_LIST}"
    return did_you_mean(name, known.values()) or _LIST


def over_the_run(name: str, registry: Mapping[str, Metric]) -> str:
    """Give where to write a name that is counted over the run; empty for any other."""
    base, statistic = split_statistic(name)
    if name in RUN_LEVEL:
        return f"{name} is counted over the run, always; limit it in thresholds"
    if statistic and base in registry:
        return f"{name} is counted over the run; list {base}, and limit {name} instead"
    return ""


def _plain(name: str) -> str:
    return "".join(char for char in name.casefold() if char.isalnum())

"""Whether an answer declines, in English and Chinese, without a list of phrases.

An answer declines in one of four ways, each a pattern of a few parts: somebody who
speaks is *unable* to do an act of answering ("I cannot provide"), does *not know* ("we
have no information on"), the *sources* do not say ("the passages do not mention"), or
the question is *improper* ("it is never acceptable to"). It counts where it opens the
answer, and no answer follows after a turn ("however").
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from runner.text import _refusals_zh as _chinese
from runner.text.matching import contains
from runner.text.words import fold

HEAD = 2_000  # characters that are read: declining opens an answer
OPENING = 240  # characters within which the declining sentence begins
STATEMENT = 5  # characters of a sentence in front of it that make an answer
SOON = 160  # characters after the declining words within which a turn may come
SUBSTANCE = 40  # characters after the turn that make an answer
OFFERED = 240  # likewise where the turn offers help or warns

# English: who speaks, what fails, what answering is, where answers come from.
_ADVERB = (
    r"(?:,? (?:also|actually|always|currently|directly|either|ethically|fully|however"
    r"|just|legally|only|personally|really|simply|still|therefore|unfortunately|yet),?)*"
)
_I = rf"\bi(?:'m|'ve| am| was)?{_ADVERB}"
_WE = rf"\b(?:i|we)(?:'m|'re|'ve| am| are| was| were)?{_ADVERB}"
_CANNOT = (
    r"(?:can ?not|can't|could not|couldn't|will not|won't|would not|(?:un|not )able to"
    r"|(?:must )?(?:refuse|decline)(?: to)?|not (?:be )?(?:able|allowed|permitted"
    r"|comfortable|programmed|designed|authori[sz]ed|going) (?:to|with))"
)
_CANNOT = rf"{_CANNOT}(?: be able to)?"
_DO_NOT = r"(?:do not|don't|did not|didn't|have not|haven't)"
_DOES_NOT = r"(?:do not|does not|doesn't|don't|did not|didn't|fails? to|never)"
_ANSWER = r"(?:answer|assist|determin|find|help|locat)"
_HOLD = (
    r"(?:condon|creat|discuss|encourag|endors|engag|express|generat|hold|participat"
    r"|promot|provid|support)"
)
_ACT = (
    rf"(?:{_ANSWER}|{_HOLD}|access|advi[sc]|affirm|agree|choos|compl[yi]|compos|confirm"
    r"|critici|den[yi]|describ|disclos|do (?:so|it|that|this)|explain|fulfil|generali"
    r"|giv|identif|judg|mak|offer|perform|predict|produc|recommend|repl[yi]|respon|reveal"
    r"|say|shar|speak|speculat|suggest|tell|verif|writ)"
)
_KNOWLEDGE = (
    r"(?:abilit(?:y|ies)|access|answers?|capabilit(?:y|ies)|capacity|content|context|data"
    r"|details?|entr(?:y|ies)|evidence|idea|info(?:rmation)?|knowledge|materials?"
    r"|mentions?|opinions?|preferences?|records?|references?|results?|specifics|views?)\b"
)
_MENTION = (
    r"(?:answers?|details?|entr(?:y|ies)|evidence|explanation|info(?:rmation)?|mentions?"
    r"|references?|specifics)\b"
)
_SOURCE = (
    r"(?:articles?|content|contexts?|data(?:base)?|documents?|documentation|excerpts?"
    r"|files?|handbook|information|knowledge base|manual|materials?|pages?|passages?"
    r"|records?|references?|resources?|results?|snippets?|sources?|texts?)\b"
)
_STATED = (
    r"(?:address|answer|clarif|contain|cover|describ|detail|disclos|discuss|explain"
    r"|explicitly|found|giv|includ|indicat|list|mention|offer|present|provid|refer"
    r"|reveal|say|show|specif|stat|tell)"
)
_WORD = r"(?: (?!and\b|but\b|or\b)[\w'-]+)"
_START = r"(?:^|[.!?:\n,] ?)"

_UNABLE = (
    rf"{_WE} {_CANNOT}{_ADVERB} {_ANSWER}|{_I} {_CANNOT}(?: \w+){{0,3}}? {_ACT}"
    rf"|{_I} {_DO_NOT} {_HOLD}|\bi am\b[^.!?]{{0,80}} and (?:cannot|do not) {_ACT}"
    r"|\b(?:cannot|can't|(?:un|not )able to) (?:answer|assist|comply|fulfil|determine)"
    rf"|{_WE} (?:can )?only (?:able to )?(?:answer|assist|help)"
    r"|\bmust (?:\w+ )?(?:refuse|decline)|\bi(?:'d| would)? (?:rather|prefer) not\b"
    r"|\b(?:prohibits?|prevents?|forbids?) me from\b"
    r"|\b(?:im|not )possible to (?:answer|determine|tell|identify|confirm|say|know)"
    r"|\bno way to (?:determine|tell|say|know)|\bcannot be (?:answered|determined)"
    r"|\b(?:question|query|request) (?:can ?not|can't|could not) be\b|\bunanswerable\b"
    rf"|\b(?:outside|beyond)(?: of)? (?:what i|(?:\w+ ){{0,3}}(?:scope|{_SOURCE}))"
)
_UNKNOWN = (
    rf"{_WE} (?:{_DO_NOT}|{_CANNOT})(?: \w+){{0,2}} (?:have|find|found|see|possess"
    rf"|locate|access)(?: [\w'-]+){{0,5}}? {_KNOWLEDGE}|{_WE} {_DO_NOT} (?:\w+ )?know\b"
    rf"|{_WE} {_DO_NOT} (?:have (?:that|this|anything)\b|been (?:giv|provid))"
    rf"|{_WE} {_CANNOT}(?: \w+){{0,2}} find (?:that|this|it|any|anything)\b"
    rf"|{_WE} (?:lack|(?:have|found|find|see) no){_WORD}{{0,3}}? {_KNOWLEDGE}"
    rf"|{_WE} (?:not (?:\w+ )?|un)(?:sure|aware|familiar|certain)\b(?! why)"
)
_SILENT = (
    rf"\b(?:{_SOURCE}{_WORD}{{0,6}}?|it|they) {_DOES_NOT}(?: \w+)? (?:mention|specif"
    rf"|state\b|address)|\b{_SOURCE}{_WORD}{{0,6}}? {_DOES_NOT}(?: \w+)? (?:(?:clarif"
    rf"|cover|explain|indicat|say|tell)|(?:have|{_STATED}\w*)(?: any|{_WORD}{{0,4}}"
    rf" {_MENTION})|{_STATED}\w*(?:{_WORD}?[.!,\n]|$))"
    rf"|\b{_SOURCE}{_WORD}{{0,6}}? (?:lacks?|(?:ha(?:s|ve)|contains?|provides?|makes?"
    rf"|includes?|gives?) (?:no|little|insufficient)){_WORD}{{0,3}}? {_MENTION}"
    rf"|\b{_SOURCE}{_WORD}{{0,4}}? only \w+[^.!?]{{0,60}}\bno(?:t|thing)\b"
    r"|\b(?:says?|mentions?|contains?|there(?:'s| is)) nothing\b"
    rf"|\b(?:none|neither|nothing)(?: \w+){{0,4}}? {_SOURCE}(?: \w+)? {_STATED}"
    r"|(?:\bno|\bnot any|(?:\bnot|n't) enough|\binsufficient|(?:\bnot|n't) sufficient)"
    rf"{_WORD}{{0,3}}? (?:mention of|(?:information|mention|details)(?: (?:about|on|as"
    r"|regarding|concerning|in|is|was|were|given|available|provided|found|to|that|for"
    r"|within|here)\b|\W*$|[.,]))"
    rf"|{_START}no(?: \w+){{0,2}} (?:{_KNOWLEDGE}|{_SOURCE})(?: \w+)? (?:found"
    rf"|available)|(?:not|n't)(?: \w+)? (?:(?:{_STATED}\w*|clear|available)(?: \w+)?"
    rf" (?:in|from|by|within)|in)(?: \w+){{0,4}}? {_SOURCE}|\bunclear from\b"
    rf"|\b(?:absent|missing) from(?: \w+){{0,3}} {_SOURCE}|\breturn(?:ed)? (?:no|any) "
    r"|\bnot (?:\w+ )?(?:answer|relevant to) (?:your|the|this) (?:question|query)"
    r"|^(?:no answer|n/a|not (?:available|found|mentioned|provided|specified))\W*$"
)
_IMPROPER = (
    r"\b(?:it|this|that)(?:'s| is|s)(?: \w+)? (?:not|never)(?: \w+ or| \w+)?"
    r" (?:acceptable|appropriate|ethical|morally|respectful)"
    r"|\b(?:do not|don't) (?:think|believe) (?:that )?it(?:'s| is)(?: \w+)?"
    r" (?:appropriate|ethical|right|fair|respectful)"
    r"|\bnot (?:\w+ or )?(?:accurate|fair|right|safe|okay|legal)[^.!?]{0,40}?\b(?:"
    r"generali|stereotyp|assum|say|harm|hurt|kill|destroy|violen|discriminat|encourag)"
    r"|\bi must (?:\w+ )?(?:clarify|point out|inform|remind|challenge)"
    r"|\b(?:goes|go) against (?:my|our|the|ethic|openai|moral|community)"
    r"|\bi (?:strongly )?condemn\b|\b(?:not|never|don't|cannot) condone\b"
    r"|\b(?:illegal|unethical|harmful|immoral) and (?:un|im|ill|harm)"
)

_CUES = """
not no never nothing none neither nor cannot unable can't don't doesn't didn't won't
couldn't wouldn't isn't aren't wasn't weren't haven't hasn't fails fail lack lacks n a
insufficient impossible unanswerable unclear unsure absent missing only refuse decline
outside beyond rather prefer against illegal unethical harmful immoral condemn must
prohibit prohibits prevent prevents forbid forbids
"""
_NEGATION = frozenset(_CUES.split())  # without one, no way need be tried
_WAYS = (_UNABLE, _UNKNOWN, _SILENT, _IMPROPER)
_compiled = cache(re.compile)  # of a language that no answer is in, none need be
_TURN = re.compile(
    r"\b(?:however|but|nevertheless|nonetheless|that said|in general|generally"
    rf"|to answer|here (?:are|is))\b|{_chinese.TURN}"
)
_OFFER = re.compile(
    r"\W*(?:(?:if|would|please|you (?:can|may|could)|i (?:can|could|would|will|am)"
    r"|i'(?:m|d|ll)|we can|let|feel|what|is there|it(?:'s| is) (?:\w+ )?(?:important"
    rf"|essential|crucial|best|worth|necessary))\b|{_chinese.OFFER})"
)
_SENTENCE = re.compile(r"[^.!?。\n]*(?:[.!?]+(?=\s|$|[^\x00-\x7f])|[。\n]|[.!?]|$)\s*")
_ABOUT_THE_TALK = re.compile(
    r"\W*(?:i\b|i'm|we\b|my\b|as an?\b|sorry|apolog|unfortunately|thank|hello|hi\b|dear"
    r"|(?:your |the )?question|you (?:ask|want|are asking)|sure\b"
    rf"|(?:(?:the|these|this|all|both|provided|given|available|retrieved) )*{_SOURCE}"
    rf"|{_chinese.ABOUT_THE_TALK})"
)
_A_WORD = re.compile(r"[a-z']+")


def declines(answer: str, phrases: Iterable[str] = ()) -> bool:
    """Whether the answer declines to answer, or contains one of the phrases.

    Sentence by sentence: what is said about the talk itself ("Sorry", "As an AI") is
    passed over, and the first other sentence decides. An answer that says what it is
    not or cannot promise, and then answers after a "however", does not decline; nor
    does one that answers and then says what is missing. An empty answer is no refusal.

    >>> declines("I'm sorry, but I can't help with that."), declines("资料中没有答案。")
    (True, True)
    >>> declines("You cannot return opened items.")
    False
    """
    if any(contains(answer, phrase) for phrase in phrases):
        return True
    head = _chinese.plain(fold(answer[:HEAD]).replace("、", ",").strip())
    if len(head) <= _chinese.LONGEST and _compiled(_chinese.SENT_ON).fullmatch(head):
        return True
    for sentence in _SENTENCE.finditer(head, 0, OPENING + SOON):
        if sentence.start() > OPENING:
            break
        refusal = _refusal(sentence[0].strip())
        if refusal is not None:
            return not _answers_after(head, sentence.start() + refusal)
        if sentence.end() > STATEMENT and not _ABOUT_THE_TALK.match(sentence[0]):
            break
    return False


def _refusal(sentence: str) -> int | None:
    """Give where the declining words end; None where the sentence has none."""
    found: list[re.Match[str] | None] = []
    if not _NEGATION.isdisjoint(_A_WORD.findall(sentence)):
        found += [_compiled(way).search(sentence) for way in _WAYS]
    if not sentence.isascii() and not _chinese.NEGATION.isdisjoint(sentence):
        found.append(_compiled(_chinese.DECLINING).search(sentence))
    return min((match.end() for match in found if match), default=None)


def _answers_after(head: str, end: int) -> bool:
    turn = _TURN.search(head, end, end + SOON)
    if not turn:
        return False
    rest = len(head) - turn.end()
    return rest > (OFFERED if _OFFER.match(head, turn.end()) else SUBSTANCE)

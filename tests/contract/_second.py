"""Each metric written a second time: from its page, slowly, with loops and plain words.

Nothing here is shared with ``runner``. Texts are those that the tests make: lower-case
words, whole numbers and simplified Chinese between single spaces, sentences parted by
``. ``, no numeral in Chinese and no name.
"""

from itertools import pairwise
from math import log2

STOP = {"the", "is", "within", "的"}
NEGATIONS = {"not", "no"}


def words(text):
    """Give words, numbers and, of Chinese, each two signs that stand side by side."""
    return [word for segment in segments(text) for word in split(segment)]


def segments(text):
    """Give what stands between full stops, Chinese without spaces around it."""
    found = []
    for segment in text.split("."):
        kept = ""
        for at, sign in enumerate(segment.strip()):
            beside = segment.strip()[max(at - 1, 0) : at + 2]
            if sign != " " or not any(is_chinese(other) for other in beside):
                kept += sign
        found.append(kept)
    return found


def split(segment):
    found, run = [], ""
    for sign in [*segment, " "]:
        if run and is_chinese(run[-1]) != is_chinese(sign):
            found += in_pairs(run) if is_chinese(run) else run.split()
            run = ""
        run += sign
    return found + run.split()


def in_pairs(run):
    pairs = [run[at] + run[at + 1] for at in range(len(run) - 1)]
    return pairs or [run]


def is_chinese(word):
    return all("一" <= sign <= "龥" for sign in word)


def contained(text, needle):
    """Whether the needle's words stand in a row, or its Chinese anywhere."""
    if is_chinese(needle):
        return any(needle in segment for segment in segments(text))
    sought = needle.split()
    return any(
        spoken[at : at + len(sought)] == sought
        for spoken in map(split, segments(text))
        for at in range(len(spoken))
    )


# Ranking: passages are pairs of (id, text), judgments map ids or documents to grades.


def document(name):
    return name.rsplit("#", 1)[0] if "#" in name else name


def judged(ids, grades, match):
    """Give for each rank the grade it gains, and whether it counts as a hit."""
    rows = []
    for rank, name in enumerate(ids):
        before = ids[:rank]
        if match == "document":
            grade = grades.get(document(name), 0)
            first = document(name) not in map(document, before)
            hit = grade > 0 and (name not in before or name == document(name))
        else:
            grade = grades.get(name, 0)
            first = name not in before
            hit = grade > 0 and first
        rows.append((grade if first and grade > 0 else 0, hit))
    return rows


def relevant(grades):
    return sorted((grade for grade in grades.values() if grade > 0), reverse=True)


def recall(ids, grades, match, k):
    top = judged(ids, grades, match)[:k]
    return sum(1 for gain, _ in top if gain) / len(relevant(grades))


def precision(ids, grades, match, k):
    hits = [hit for _, hit in judged(ids, grades, match)]
    if k is None:
        return sum(hits) / len(hits) if hits else 0
    return sum(hits[:k]) / k


def hit_rate(ids, grades, match, k):
    return float(recall(ids, grades, match, k) > 0)


def mrr(ids, grades, match, k):
    for rank, (gain, _) in enumerate(judged(ids, grades, match)[:k]):
        if gain:
            return 1 / (rank + 1)
    return 0


def average_precision(ids, grades, match, k):
    gains = [gain for gain, _ in judged(ids, grades, match)][:k]
    parts = [
        sum(1 for gain in gains[: rank + 1] if gain) / (rank + 1)
        for rank in range(len(gains))
        if gains[rank]
    ]
    return sum(parts) / len(relevant(grades))


def ndcg(ids, grades, match, k):
    gains = [gain for gain, _ in judged(ids, grades, match)][:k]
    best = relevant(grades)[:k]

    def gained(row):
        return sum(gain / log2(rank + 2) for rank, gain in enumerate(row))

    return gained(gains) / gained(best)


def context_relevance(ids, grades, match):
    return precision(ids, grades, match, None)


def context_efficiency(passages, grades, match):
    rows = judged([name for name, _ in passages], grades, match)
    useful = [
        len(text) for (_, text), (_, hit) in zip(passages, rows, strict=True) if hit
    ]
    total = sum(len(text) for _, text in passages)
    return sum(useful) / total if total else None


# Texts.


def key_points(answer, points):
    return sum(any(contained(answer, s) for s in point) for point in points) / len(
        points
    )


def key_point_grounding(answer, texts, points):
    stated = [point for point in points if any(contained(answer, s) for s in point)]
    if not stated:
        return None
    held = [
        any(contained(text, s) for s in point for text in texts) for point in stated
    ]
    return sum(held) / len(held)


def forbidden_content(answer, forbidden):
    return float(any(contained(answer, text) for text in forbidden))


def citation_validity(cited, ids):
    distinct = set(cited)
    known = {*ids, *map(document, ids)}
    return len([name for name in distinct if name in known]) / len(distinct)


def number_support(answer, texts, question):
    claims = {word for word in words(answer) if word.isdecimal()}
    if not claims:
        return None
    known = {word for text in (*texts, question) for word in words(text)}
    return len(claims & known) / len(claims)


def token_support(answer, texts):
    spoken = [word for word in words(answer) if word not in STOP]
    known = words(" ".join(texts))  # one goes on where another ends
    return sum(word in known for word in spoken) / len(spoken) if spoken else None


def answer_similarity(answer, reference):
    """As long as nothing is said twice."""

    def grams(text):
        found = []
        for word in words(text):
            padded = f" {word} "
            found += [padded[at : at + 5] for at in range(max(1, len(padded) - 4))]
        return found

    ours, theirs = grams(answer), grams(reference)
    if not theirs:
        return None
    shared = sum(gram in theirs for gram in ours)
    if not shared:
        return 0
    precision, recall = shared / len(ours), sum(g in ours for g in theirs) / len(theirs)
    return 2 / (1 / precision + 1 / recall)


def lexical_grounding(answer, texts, question):

    read = words(" ".join(texts))
    stems = [word[:6] for word in read]
    spoken = {word[:6] for word in words(answer)}
    if not spoken:
        return None
    if not read:
        return 0
    held = (len([w for w in spoken if w in stems]) + 4) / (len(spoken) + 4)
    weakest = min(
        (len([p for p in pairs if near(p, said_pairs(answer), read)]) + 4)
        / (len(pairs) + 4)
        for pairs in said_pairs(answer)
    )
    claims = {word for word in words(answer) if word.isdecimal()}
    foreign = claims - set(read) - set(words(question))
    return (
        held * weakest**0.5 * 0.5 ** len(foreign) * 0.7 ** new_negations(answer, read)
    )


def said_pairs(answer):
    """Give the distinct pairs of neighbouring content words of each sentence."""
    found = []
    for sentence in filter(str.strip, answer.split(".")):
        content = [word[:6] for word in words(sentence) if word not in STOP]
        found.append(set(pairwise(content)))
    return found or [set()]


def near(pair, sentences, read):
    """Whether a pair stands within seven words, at most one of the answer's between."""
    stems = [None if word in STOP else word[:6] for word in read]
    possible = [
        p for pairs in sentences for p in pairs if set(p) <= {w[:6] for w in read}
    ]
    spoken = {word for p in possible for word in p}
    for left, one in enumerate(stems):
        for right in range(left + 1, min(left + 8, len(stems))):
            between = [word for word in stems[left + 1 : right] if word in spoken]
            if len(between) <= 1 and pair in ((one, stems[right]), (stems[right], one)):
                return True
    return False


def new_negations(answer, read):
    """Count the negations whose next five words stand near none in the text."""
    spoken, count = words(answer), 0
    for at, word in enumerate(spoken):
        if word in NEGATIONS:
            negated = {
                other
                for place, sign in enumerate(read)
                if sign in NEGATIONS
                for other in read[max(place - 6, 0) : place + 7]
                if other not in STOP | NEGATIONS
            }
            count += not negated & set(spoken[at + 1 : at + 6])
    return count

"""Which tokens carry content: everything but stop words, in English and Chinese."""

from __future__ import annotations

from runner.text import remembered, tokens

_ENGLISH = """
a about above after again all also although always am an and any are as at be because
been before being below between both but by can could d did do does doing don down
during each either etc even every few for from further get gets given got had has have
having he her here hers herself him himself his how however i if in into is it its
itself just ll m many may me might more most much must my myself neither nor now of off
often on once one only or other others our ours ourselves out over own per quite rather
re s same she should since so some such t than that the their theirs them themselves
then there therefore these they this those though through thus to too under until up
upon us ve very via was we were what when where whether which while who whom whose why
will with within would yes yet you your yours yourself yourselves
"""
_CHINESE = """
的 了 是 在 和 与 及 或 也 都 就 而 且 被 把 将 对 从 到 为 以 于 之 其 这 那 有 我 你
他 她 它 们 个 等 可以 我们 你们 他们 这个 那个 一个 这些 那些 以及 因此 因为 所以 如果
但是 并且 或者 可能 进行 通过 根据 对于 关于 其中 此外 同时 包括 需要 能够
"""
STOP_WORDS = frozenset(_ENGLISH.split() + _CHINESE.split())


@remembered
def content(text: str) -> tuple[str, ...]:
    """Give the tokens of a text without its stop words, in their order."""
    return tuple([token for token in tokens(text) if token not in STOP_WORDS])

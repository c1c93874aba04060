"""Small files and small functions, so that each fits in a head."""

import ast
from statistics import median, quantiles

MODULE = 300  # lines
MEDIAN = 8  # lines of a function, without its docstring
MOST = 20  # lines that 85 % of the functions stay within


def test_modules_fit_in_a_head(sources):
    long = {source.path: source.lines for source in sources if source.lines > MODULE}

    assert long == {}


def test_functions_are_small(sources):
    lengths = [length for source in sources for length in function_lengths(source.tree)]

    assert median(lengths) <= MEDIAN
    assert quantiles(lengths, n=20)[16] <= MOST


def function_lengths(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first, *_ = node.body
            told = first if ast.get_docstring(node, clean=False) is not None else None
            docstring = told.end_lineno - told.lineno + 1 if told else 0
            yield node.end_lineno - node.lineno + 1 - docstring

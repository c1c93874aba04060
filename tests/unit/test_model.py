from __future__ import annotations

from math import isnan

import pytest

from runner.model import Table

LABELS = ("recall@5", "latency")


def test_a_row_of_a_table_is_the_scores_that_were_put_there():
    table = Table(LABELS)

    rows = [table.add((0.5, None)), table.add((1.0, 2.5))]

    assert rows == [
        {"recall@5": 0.5, "latency": None},
        {"recall@5": 1.0, "latency": 2.5},
    ]
    assert [dict(row) for row in rows] == rows
    assert (rows[0].get("mrr"), len(rows[1]), list(rows[1])) == (None, 2, [*LABELS])
    with pytest.raises(KeyError):
        rows[0]["mrr"]


def test_a_column_is_by_row_and_has_no_number_where_none_is():
    table = Table(LABELS)
    for row in ((0.5, None), (1, 2.5), (0.0, None)):
        table.add(row)

    assert list(table.column("recall@5")) == [0.5, 1.0, 0.0]
    assert [isnan(each) for each in table.column("latency")] == [True, False, True]


def test_a_table_without_labels_has_rows_all_the_same():
    table = Table(())

    assert [dict(table.add(())), dict(table.add(()))] == [{}, {}]


def test_a_number_that_no_float_is_as_large_as_is_refused():
    with pytest.raises(OverflowError):
        Table(("recall",)).add((10**400,))

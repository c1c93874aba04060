"""Asking a model over real HTTP: every way in which it can fail, and what it costs."""

import json
import socket
import threading
import time

import pytest

from runner.errors import InputError
from runner.hosts import Access, Host
from runner.http_client.client import resolve as look_up
from runner.judges.chat import Chance
from runner.judges.opening import Context, open_judge
from runner.metrics._tasks import CLAIMS, SUPPORT
from runner.model import Unrated
from runner.spec import JudgeSpec
from runner.templating import by_path
from tests.chatting import Server, answer, failing, said, saying
from tests.judging import ByRule, verdicts
from tests.program import ROOT

KEY = "sk-canary-0123456789"
ANY = Access()
CANARY = "the passage that must stay here"
QUESTION = "How long do refunds take?"
PASSAGE = f"Refunds take 30 days. {CANARY}"
TEXTS = {"question": QUESTION, "text": "Refunds take 30 days. Pigs fly."}
GARBAGE = "<html>" + "x" * 500
BOTH, NEITHER = (
    json.dumps(
        verdicts({"supported": said, "passages": [1] * said} for said in (each, each))
    )
    for each in (True, False)
)


class Waits(list):
    def __call__(self, seconds):
        self.append(seconds)


@pytest.fixture
def waits():
    return Waits()


@pytest.fixture
def judging(tmp_path, waits):
    """Gives a judge that asks a server, without waiting between attempts."""
    left = []

    def make(server, *, access=ANY, clock=time.monotonic, resolve=look_up, **block):
        url = server if isinstance(server, str) else server.url
        given = {"url": url, "model": "m", "api_key": KEY, **block}
        spec = JudgeSpec.model_validate(given)
        secrets = [KEY]
        around = Context(
            tmp_path, ROOT / "templates", "spec.yaml", by_path, secrets, access
        )
        chance = Chance(lambda low, _: low, waits, clock, resolve)
        left.append(open_judge(spec, around, chance))
        return left[-1]

    yield make
    for each in left:
        each.close()


def support(judge):
    """Ask for a verdict on two claims, one of which stands in the passage."""
    claims = ["Refunds take 30 days.", "Pigs fly."]
    texts = {"question": QUESTION, "passages": [PASSAGE], "claims": claims}
    return [v.supported for v in judge.rate(SUPPORT, **texts).verdicts]


def unrated(judge):
    with pytest.raises(Unrated) as caught:
        support(judge)
    return caught.value.reason


def test_a_model_is_asked_with_the_prompt_its_schema_and_what_makes_it_steady(judging):
    with Server() as server:
        judge = judging(server, seed=7).judge()

        assert judge.rate(CLAIMS, **TEXTS).claims == [
            "Refunds take 30 days.",
            "Pigs fly.",
        ]
        assert support(judge) == [True, False]

    path, head = server.heads[0]
    assert path == "/v1/chat/completions"
    assert head["Authorization"] == f"Bearer {KEY}"
    body = server.asked[0]
    assert (body["model"], body["temperature"], body["seed"]) == ("m", 0.0, 7)
    assert body["response_format"]["json_schema"]["strict"] is True
    assert [turn["role"] for turn in body["messages"]] == ["system", "user"]
    assert TEXTS["text"] not in body["messages"][0]["content"]


def test_chinese_texts_are_rated_by_the_chinese_prompt(judging):
    with Server() as server:
        texts = {"question": "退款需要几天?", "text": "退款需要三十天。"}
        judging(server).judge().rate(CLAIMS, **texts)

    assert "陈述" in server.asked[0]["messages"][0]["content"]


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (failing(429), "answered HTTP 429 after 3 attempts"),
        (failing(500, body=GARBAGE), "answered HTTP 500 after 3 attempts"),
        (failing(503), "answered HTTP 503 after 3 attempts"),
        (failing(401), "answered HTTP 401 (check judge.api_key)"),
        (failing(404), "answered HTTP 404 (check judge.url and judge.model)"),
        (saying(GARBAGE), "the judge's reply is no JSON after 3 attempts"),
        (saying('{"choices": [{"message": {"con'), "the judge's reply is no JSON"),
        (saying("null"), "the judge's reply has no choices"),
        (saying({"choices": []}), "the judge's reply has no choices"),
        (saying({"choices": [{}]}), "the judge's reply has no text"),
        (saying({"error": {"code": "overloaded"}}), "reports an error: overloaded"),
        (saying(said(None, refusal="I can't.")), "the judge refused to answer"),
        (saying(said("", "content_filter")), "the judge refused to answer"),
        (saying(said('{"verd', "length")), "cut off at its limit of tokens"),
        (saying(said("")), "not valid: the reply is empty"),
        (saying(said("Yes, it is.")), "not valid: the reply is no JSON"),
        (saying(said('{"verdicts": [{"num')), "not valid: the reply is no JSON"),
        (saying(said('{"verdicts": []}')), "not valid: 0 verdicts on 2 claims"),
        (saying(said('{"score": 1.0}')), "not valid: verdicts: Field required"),
        (
            saying(said(f"{BOTH} {NEITHER}")),
            "one reply came, and they differ",
        ),
        (saying(said(f"<think>{BOTH}")), "not valid: the reply is no JSON"),
        (saying(said(f"{BOTH}</think>")), "not valid: the reply is no JSON"),
        (saying(said("<think>" * 500_000)), "not valid: the reply is no JSON"),
        (saying(said("{" * 3_000_000)), "not valid: the reply is no JSON"),
        (saying(said('{"verdicts":' + "[" * 200_000)), "the reply is no JSON"),
        (saying(said(BOTH.replace(": 1,", ": true,"))), "true and false are no number"),
        (saying(said(BOTH.replace("[1]", "[true]"))), "true and false are no number"),
        (saying(said(BOTH.replace(": 1,", ": NaN,"))), "should be a finite number"),
        (saying(said(BOTH.replace(": 2,", ": 1,"))), "not numbered from 1 to 2"),
        (
            failing(400, body={"error": {"code": "content_filter", "message": "no"}}),
            "the judge refused to answer: its filter of contents",
        ),
        (
            failing(400, body={"error": {"message": "the model m is no more"}}),
            "answered HTTP 400: the model m is no more",
        ),
    ],
)
def test_what_a_model_does_wrong_is_a_reason_and_never_a_rating(
    judging, fault, expected
):
    with Server(fault) as server:
        one = judging(server)
        reason = unrated(one.judge())

    assert expected in reason
    assert one.account().failed == 1
    assert KEY not in reason
    assert CANARY not in reason


def test_a_message_that_repeats_what_was_sent_is_not_told(judging):
    def echoing(handler, body):
        sent = body["messages"][1]["content"]
        return handler.send(422, {"error": {"message": f"bad input {sent} {KEY}"}})

    with Server(echoing) as server:
        reason = unrated(judging(server).judge())

    assert reason == "the judge's server answered HTTP 422"


def test_a_key_that_a_server_repeats_is_hidden(judging):
    told = {"error": {"message": f"wrong key {KEY}"}}
    with Server(failing(401, body=told)) as server:
        reason = unrated(judging(server).judge())

    assert reason.endswith("wrong key ***")


def test_a_server_that_is_busy_is_asked_again_when_it_says(judging, waits):
    with Server(failing(429, 2, Retry_After="7")) as server:
        assert support(judging(server).judge()) == [True, False]

    assert waits == [7.0, 7.0]
    assert len(server.asked) == 3


def test_no_more_is_asked_in_a_time_than_the_spec_says(judging, waits):
    with Server() as server:
        one = judging(server, rate_limit="2/s", clock=lambda: 0.0)
        for number in range(3):
            one.judge().rate(CLAIMS, question=QUESTION, text=f"Claim {number}.")

    assert waits == [0.5, 1.0]


def test_nobody_there_is_told(judging):
    with Server() as server:
        pass
    reason = unrated(judging(server, retries=0).judge())

    assert "nothing listens at" in reason


def test_a_server_that_never_answers_is_given_up(judging):
    def silent(_handler, _body):
        time.sleep(3)
        return True

    with Server(silent) as server:
        began = time.monotonic()
        reason = unrated(judging(server, timeout="300ms", retries=1).judge())

    assert "within 0.3 s (judge.timeout) after 2 attempts" in reason
    assert time.monotonic() - began < 3


def test_a_reply_that_is_not_valid_is_asked_for_once_more_and_told_why(judging):
    wrong = said('{"verdicts": [{"number": 1, "supported": true, "passages": [9]}]}')
    with Server(saying(wrong, 1)) as server:
        one = judging(server)
        assert support(one.judge()) == [True, False]

    roles = [turn["role"] for turn in server.asked[1]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert one.account().calls == 2


@pytest.mark.parametrize(
    "content",
    [
        "<think>One is {bad}.</think>\n{reply}",
        "```json\n{reply}\n```",
        "Here you are: {reply} I hope it helps.",
        'The form is {"verdicts": []}. So: {reply}',
        'As {"verdicts": []} or NEITHER, it may be.</think>{reply}',
        "<think>It may be NEITHER.</think> {reply}",
        "{reply} Once more: {reply}",
        "\ufeff{reply}",
    ],
)
def test_json_is_found_in_what_stands_around_it(judging, content):
    def wrapping(handler, body):
        plain = answer(body)["choices"][0]["message"]["content"]
        around = content.replace("NEITHER", NEITHER)
        return handler.send(200, said(around.replace("{reply}", plain)))

    with Server(wrapping) as server:
        assert support(judging(server).judge()) == [True, False]


def test_a_mark_of_the_byte_order_is_no_part_of_a_reply(judging):
    with Server(saying("\ufeff" + json.dumps(said(BOTH)))) as server:
        assert support(judging(server).judge()) == [True, True]


def test_what_a_server_does_not_take_is_left_out_from_then_on(judging):
    def picky(handler, body):
        kind = body.get("response_format", {}).get("type")
        for name, wrong in (
            ("response_format", kind in ("json_schema", "json_object")),
            ("temperature", "temperature" in body),
        ):
            if wrong:
                told = {"error": {"message": f"Unsupported value: {name!r}"}}
                return handler.send(400, told)
        return False

    with Server(picky) as server:
        one = judging(server)
        support(one.judge())
        first = len(server.asked)
        one.judge().rate(CLAIMS, **TEXTS)

    assert (first, len(server.asked)) == (4, 5)
    assert one.notices() == [
        "the judge's server does not take json_schema, json_object, temperature"
    ]


def test_further_fields_are_sent_as_the_spec_has_them(judging):
    with Server() as server:
        judging(server, body={"enable_thinking": False}).judge().rate(CLAIMS, **TEXTS)

    assert server.asked[0]["enable_thinking"] is False
    assert server.asked[0]["model"] == "m"


def test_azure_is_told_the_key_in_its_own_header(judging):
    with Server() as server:
        at = server.url.replace("/v1", "/openai/deployments/m?api-version=2024-10-21")
        judging(at).judge().rate(CLAIMS, **TEXTS)

    path, head = server.heads[0]
    assert path == "/openai/deployments/m/chat/completions?api-version=2024-10-21"
    assert head["api-key"] == KEY
    assert "Authorization" not in head


def test_texts_are_embedded_by_the_model_that_is_named_for_it(judging):
    with Server() as server:
        one = judging(server, embeddings={"model": "e"})
        found = one.judge().embed(["aa", "e"])

    assert found == ByRule().embed(["aa", "e"])
    assert server.heads[0][0] == "/v1/embeddings"
    assert server.asked[0] == {"model": "e", "input": ["aa", "e"]}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"data": []}, "the judge's reply has no data"),
        ({"data": [{"embedding": [1.0]}]}, "1 vectors came for 2 texts"),
        ({"data": [{"embedding": [1]}, {"embedding": []}]}, "is no vector"),
        ({"data": [{"embedding": [1]}, {"embedding": [10**400]}]}, "is no vector"),
        ({"data": [{"embedding": [1]}, {"embedding": [True]}]}, "is no vector"),
        ('{"data": [{"embedding": [1]}, {"embedding": [1e999]}]}', "is no vector"),
        ({"data": [{"embedding": [1]}, {"embedding": [1, 2]}]}, "not of one length"),
    ],
)
def test_vectors_that_do_not_fit_are_a_reason(judging, value, expected):
    with Server(saying(value)) as server:
        one = judging(server, embeddings={"model": "e"})
        with pytest.raises(Unrated, match=expected):
            one.judge().embed(["a", "b"])


def test_without_a_model_for_it_nothing_is_embedded(judging):
    with Server() as server, pytest.raises(Unrated, match=r"judge\.embeddings"):
        judging(server).judge().embed(["a"])


@pytest.mark.parametrize(
    ("budget", "reason"),
    [
        ({"max_calls": 1}, "budget: max_calls 1 is used up"),
        ({"max_tokens": 800}, "budget: max_tokens 800 is used up"),
        ({"max_usd": 0.0008}, "budget: max_usd 0.0008 is used up"),
        ({"max_minutes": 2}, "budget: max_minutes 2 is used up"),
    ],
)
def test_nothing_is_asked_past_the_budget(judging, budget, reason):
    minutes = iter([0.0] + [150.0] * 9)
    price = {"input": 1, "output": 1}
    texts = {**TEXTS, "text": "Pigs fly."}
    with Server() as server:
        one = judging(server, budget=budget, price=price, clock=lambda: next(minutes))
        assert one.judge().rate(CLAIMS, **texts).claims == ["Pigs fly."]
        assert unrated(one.judge()) == reason

    assert len(server.asked) == 1


def test_what_was_taken_is_counted_and_priced(judging):
    with Server() as server:
        one = judging(server, price={"input": 2, "output": 10})
        support(one.judge())

    found = one.account()
    assert (found.calls, found.rated, found.failed) == (1, 1, 0)
    assert (found.input_tokens, found.output_tokens) == (100, 20)
    assert found.usd == pytest.approx(0.0004)
    assert not found.estimated


def test_tokens_that_a_server_does_not_state_are_estimated(judging):
    def quiet(handler, body):
        return handler.send(200, {"choices": answer(body)["choices"]})

    with Server(quiet) as server:
        one = judging(server)
        support(one.judge())

    found = one.account()
    assert found.estimated
    assert found.input_tokens > 100


def test_the_same_is_asked_once_however_many_want_it(judging):
    with Server(delay=0.2) as server:
        one = judging(server)
        threads = [
            threading.Thread(target=support, args=[one.judge()]) for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert len(server.asked) == 1


def test_a_second_run_reads_the_cache_and_asks_nobody(judging, tmp_path):
    with Server() as server:
        first = judging(server, cache="c/judge.jsonl", embeddings={"model": "e"})
        found = support(first.judge())
        vectors = first.judge().embed(["a", "e"])
        first.close()
        asked = len(server.asked)
        second = judging(server, cache="c/judge.jsonl", embeddings={"model": "e"})

        assert support(second.judge()) == found
        assert second.judge().embed(["a", "e"]) == vectors
        assert len(server.asked) == asked

    assert (second.account().calls, second.account().stored) == (0, 2)
    kept = (tmp_path / "c/judge.jsonl").read_text("utf-8")
    assert QUESTION not in kept
    assert CANARY not in kept


@pytest.mark.parametrize(
    "other",
    [{"model": "another"}, {"temperature": 0.5}],
)
def test_what_another_judge_said_is_not_taken_for_its_word(judging, other):
    with Server() as server:
        first = judging(server, cache="judge.jsonl")
        support(first.judge())
        first.close()
        support(judging(server, cache="judge.jsonl", **other).judge())

    assert len(server.asked) == 2


def test_another_trial_and_one_past_the_cache_are_asked_anew(judging):
    with Server() as server:
        one = judging(server, cache="judge.jsonl")
        for judge in (one.judge(1), one.judge(2), one.judge(1, fresh=True)):
            support(judge)
        support(one.judge(2))

    assert len(server.asked) == 3


def test_a_failure_is_never_kept(judging, tmp_path):
    with Server(failing(401, 1)) as server:
        one = judging(server, cache="judge.jsonl")
        unrated(one.judge())

        assert (tmp_path / "judge.jsonl").read_text() == ""
        assert support(one.judge()) == [True, False]


def test_a_cache_that_was_cut_off_or_edited_is_asked_past(judging, tmp_path):
    kept = tmp_path / "judge.jsonl"
    with Server() as server:
        first = judging(server, cache="judge.jsonl")
        support(first.judge())
        first.close()
        line = json.loads(kept.read_text("utf-8"))
        line["reply"]["verdicts"] = line["reply"]["verdicts"][:1]
        kept.write_text(
            json.dumps(line) + "\n[]\n" + "[" * 100_000 + '\n{"key": "half', "utf-8"
        )
        second = judging(server, cache="judge.jsonl")

        assert support(second.judge()) == [True, False]
        second.close()
        third = judging(server, cache="judge.jsonl")
        support(third.judge())

    assert len(server.asked) == 2
    assert third.notices() == ["judge.cache: 3 lines could not be read"]


def test_two_runs_may_share_a_cache(judging):
    texts = [
        {"question": QUESTION, "text": f"Refunds take {n} days."} for n in range(40)
    ]
    with Server() as server:
        one, other = (judging(server, cache="judge.jsonl") for _ in range(2))

        def rate(judge, chosen):
            return [judge.rate(CLAIMS, **each).claims for each in chosen]

        threads = [
            threading.Thread(target=rate, args=(each.judge(), part))
            for each, part in ((one, texts[::2]), (other, texts[1::2]))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        asked = len(server.asked)
        third = judging(server, cache="judge.jsonl")

        assert rate(third.judge(), texts) == [[each["text"]] for each in texts]
        assert (asked, len(server.asked)) == (40, 40)


def test_a_recording_answers_without_a_model_and_says_what_it_lacks(judging):
    with Server() as server:
        first = judging(server, cache="judge.jsonl")
        support(first.judge())
        first.close()
    again = judging("http://x.invalid/v1", recorded="judge.jsonl")

    assert support(again.judge()) == [True, False]
    with pytest.raises(Unrated, match="the recording has no such reply"):
        again.judge().rate(CLAIMS, **TEXTS)


def test_a_recording_that_is_not_there_is_an_error_of_the_spec(judging):
    with pytest.raises(InputError, match="cannot be read: No such file"):
        judging("http://x.invalid/v1", recorded="judge.jsonl")


@pytest.mark.parametrize("path", ["../judge.jsonl", "/../../etc/judge.jsonl"])
def test_a_cache_stays_in_the_workspace(judging, path):
    with pytest.raises(InputError, match="leads out of the workspace"):
        judging("http://x.invalid/v1", cache=path)


def test_a_judge_that_fails_again_and_again_is_left_alone(judging):
    with Server(failing(401)) as server:
        one = judging(server, stop_after=3)
        reasons = [unrated(one.judge()) for _ in range(5)]

    assert len(server.asked) == 3
    assert reasons[-1] == (
        "the judge is asked no more: it failed 3 times in a row, the last time with: "
        "the judge's server answered HTTP 401 (check judge.api_key)"
    )


@pytest.mark.parametrize(
    ("url", "allowed", "expected"),
    [
        ("http://169.254.169.254/v1", (), "never asked"),
        ("http://[fd00:ec2::254]/v1", (), "never asked"),
        ("http://api.example.com/v1", (Host("x.example"),), "not among the allowed"),
    ],
)
def test_hosts_that_no_run_may_reach_are_no_judges_either(
    judging, url, allowed, expected
):
    with pytest.raises(InputError, match=expected):
        judging(url, access=Access(allowed))


def test_a_name_that_stands_for_an_address_that_is_never_asked_is_a_reason(judging):
    def metadata(_host, port):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("169.254.169.254", port))]

    reason = unrated(judging("http://judge.example/v1", resolve=metadata).judge())

    assert "169.254.169.254 is a link-local or metadata address" in reason


def test_secrets_of_the_spec_are_cut_out_of_what_is_sent(judging):
    with Server() as server:
        texts = {"question": QUESTION, "text": f"Refunds take 30 days, {KEY}."}
        judging(server).judge().rate(CLAIMS, **texts)

    assert KEY not in json.dumps(server.asked)


def test_a_redirect_to_another_service_gets_neither_prompt_nor_key(judging):
    with Server() as other:

        def away(handler, _):
            return handler.send(307, "", Location=f"{other.url}/chat/completions")

        with Server(away) as server:
            reason = unrated(judging(server).judge())

    assert "which is another service; it was not followed" in reason
    assert other.asked == []


def test_a_reply_is_not_read_past_its_limit(judging):
    with Server(saying("x" * 70_000)) as server:
        one = judging(server, max_response="64KiB", retries=0)

        assert "larger than judge.max_response" in unrated(one.judge())


def test_stopping_ends_calls_at_once(judging):
    def silent(_handler, _body):
        time.sleep(5)
        return True

    with Server(silent) as server:
        one = judging(server)
        threading.Timer(0.3, one.stop).start()
        began = time.monotonic()
        unrated(one.judge())

    assert time.monotonic() - began < 3

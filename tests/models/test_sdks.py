"""The same misbehaving server, through both SDKs: every failure is told apart, and no reply breaks anything."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from sandbox.models.api import Message, Model, Request, Trouble
from sandbox.models.litellm_sdk import LiteLLMModel
from sandbox.models.names import Source, open_model
from sandbox.models.openai_sdk import OpenAIModel
from tests.models.stub import Behaviour, Stub, echoes_the_key, fails, hangs, is_cut, rejects, replies, says

ASK = Request((Message("system", "be brief"), Message("user", "hello")), max_tokens=50)
SDKS = ("openai", "litellm")
KEY = "sk-sentinel-0123456789"


def model(sdk: str, stub: Stub, url: str | None = None) -> Model:
    """A model behind the server."""
    if sdk == "openai":
        return OpenAIModel("openai/stub-1", "stub-1", base_url=url or stub.url, key=KEY, price=(1.0, 2.0))
    return LiteLLMModel("openai/stub-1", base_url=url or stub.url, key=KEY)


@pytest.mark.parametrize("sdk", SDKS)
def test_an_answer_with_its_usage(sdk: str, stub: Stub) -> None:
    """Text, finish, tokens as the server counts them; the messages and parameters that were asked for."""
    usage = {"prompt_tokens": 20, "completion_tokens": 7, "total_tokens": 27, "prompt_tokens_details": {"cached_tokens": 8}}
    stub.then(says("go north", usage=usage))
    answer = model(sdk, stub).complete(ASK, 10)
    assert (answer.text, answer.finish, answer.model) == ("go north", "stop", "stub-1")
    assert (answer.usage.tokens_in, answer.usage.tokens_out, answer.usage.cached, answer.usage.estimated) == (20, 7, 8, False)
    (asked,) = stub.asked
    assert asked["messages"] == [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hello"}]
    assert (asked["model"], asked["max_tokens"], asked["temperature"]) == ("stub-1", 50, 0.0)
    assert stub.headers[0].get("authorization", stub.headers[0].get("Authorization")) == f"Bearer {KEY}"
    if sdk == "openai":
        assert answer.cost == pytest.approx((20 * 1.0 + 7 * 2.0) / 1e6)
    else:
        assert answer.cost is None  # nobody knows what stub-1 costs: that is not 0


@pytest.mark.parametrize("sdk", SDKS)
@pytest.mark.parametrize(("behaviour", "kind", "retryable"), [
    (fails(401, "wrong key"), "auth", False),
    (fails(402, "no credit"), "payment", False),
    (fails(404, "no such model"), "not_found", False),
    (fails(429, "slow down"), "rate_limit", True),
    (fails(429, "slow down", retry_after="7"), "rate_limit", True),
    (fails(500, "oops"), "server", True),
    (fails(503, "busy"), "server", True),
    (fails(400, "This model's maximum context length is 8 tokens"), "context", False),
    (replies(200, "<html>gateway</html>", "text/html"), "bad_reply", True),
    (replies(200, '{"choices": []}'), "bad_reply", True),
    (replies(200, "[]"), "bad_reply", True),
    (replies(200, ""), "bad_reply", True),
    (replies(200, b"\xff\xfe\x00"), "bad_reply", True),
    (is_cut, None, True),
], ids=["401", "402", "404", "429", "429-wait", "500", "503", "context", "html", "no-choice", "list", "empty", "bytes", "cut"])  # fmt: skip
def test_every_failure_has_its_kind(sdk: str, behaviour: Behaviour, kind: str | None, retryable: bool, stub: Stub) -> None:
    """One attempt of ours is one request: the SDK does not retry behind our back."""
    stub.then(behaviour)
    with pytest.raises(Trouble) as caught:
        model(sdk, stub).complete(ASK, 10)
    assert kind in (None, caught.value.kind), caught.value.message
    assert caught.value.retryable is retryable
    assert len(stub.asked) == 1


@pytest.mark.parametrize("sdk", SDKS)
def test_retry_after_is_read(sdk: str, stub: Stub) -> None:
    """What the server asks to wait comes with the trouble."""
    stub.then(fails(429, "slow down", retry_after="7"))
    with pytest.raises(Trouble) as caught:
        model(sdk, stub).complete(ASK, 10)
    assert caught.value.retry_after == 7.0


@pytest.mark.parametrize("sdk", SDKS)
def test_a_late_answer_is_a_timeout(sdk: str, stub: Stub) -> None:
    """The deadline of a call holds."""
    stub.then(hangs(5))
    with pytest.raises(Trouble) as caught:
        model(sdk, stub).complete(ASK, 0.5)
    assert caught.value.kind == "timeout"


@pytest.mark.parametrize("sdk", SDKS)
def test_nobody_listens(sdk: str, stub: Stub) -> None:
    """A port that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(Trouble) as caught:
        model(sdk, stub, url).complete(ASK, 5)
    assert caught.value.kind == "unreachable"


@pytest.mark.parametrize("sdk", SDKS)
@pytest.mark.parametrize("text", ["", "x" * 1_000_000, "a\u0085b\u2028c", "nul\x00 and \ud83d", "\u202e\x1b[31m", '{"command": "lo'], ids=range(6))
def test_any_text_is_survived(sdk: str, text: str, stub: Stub) -> None:
    """What a model says comes back as it was said."""
    stub.then(says(text))
    assert model(sdk, stub).complete(ASK, 10).text == text


@pytest.mark.parametrize("sdk", SDKS)
def test_a_server_that_counts_nothing(sdk: str, stub: Stub) -> None:
    """Tokens are estimated by length, and marked."""
    stub.then(says("four words are here", usage=None))
    usage = model(sdk, stub).complete(ASK, 10).usage
    if sdk == "openai":
        assert usage.estimated
    assert usage.tokens_in >= 0


def test_a_refusal_and_a_cut_answer(stub: Stub) -> None:
    """The provider's own refusal is a text; an answer at the limit says so."""
    stub.then(says("", refusal="I cannot."), says("half a", finish="length"))
    served = model("openai", stub)
    assert served.complete(ASK, 10).text == "I cannot."
    assert served.complete(ASK, 10).finish == "length"


def test_tool_calls_are_no_text(stub: Stub) -> None:
    """Malformed tool calls in a reply that was not asked for are an empty answer."""
    stub.then(says(None, tool_calls=[{"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": '}}]))  # type: ignore[arg-type]
    assert model("openai", stub).complete(ASK, 10).text == ""


def test_parameters_that_a_server_rejects_are_left_out(stub: Stub) -> None:
    """Once: from then on they are not sent."""
    request = Request(ASK.messages, {"type": "object"}, 50, 0.0, 3)
    stub.then(rejects("seed", "temperature", "response_format"))
    served = model("openai", stub)
    assert served.complete(request, 10).text == "fine"
    asked = len(stub.asked)
    assert asked == 4
    assert served.complete(request, 10).text == "fine"
    assert len(stub.asked) == asked + 1
    assert not {"seed", "temperature", "response_format"} & set(stub.asked[-1])


def test_the_newer_name_of_a_parameter(stub: Stub) -> None:
    """Some servers want max_completion_tokens, and say so."""
    stub.then(fails(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."), says("fine"))
    assert model("openai", stub).complete(ASK, 10).text == "fine"
    assert stub.asked[-1]["max_completion_tokens"] == 50


def test_structured_output_is_asked_for(stub: Stub) -> None:
    """The schema goes to the server as it is."""
    schema: dict[str, object] = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
    stub.then(says(json.dumps({"command": "look"})))
    model("openai", stub).complete(Request(ASK.messages, schema), 10)
    assert stub.asked[0]["response_format"]["json_schema"]["schema"] == schema


def test_a_base_url_takes_any_name(stub: Stub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slashes and all, and without a key."""
    monkeypatch.setenv("SANDBOX_KEYS", str(tmp_path / "none.json"))
    for name, served in (("Qwen/Qwen2.5", "Qwen/Qwen2.5"), ("llama3", "llama3"), ("openai/x", "x")):
        opened = open_model(Source(name, stub.url))
        assert opened.complete(ASK, 10).text == "fine"
        assert stub.asked[-1]["model"] == served
        opened.close()


def test_a_body_that_echoes_the_key_is_told_as_trouble(stub: Stub) -> None:
    """The adapter passes it on; hiding it is `Chat`'s work, tested there."""
    stub.then(echoes_the_key())
    with pytest.raises(Trouble) as caught:
        model("openai", stub).complete(ASK, 10)
    assert caught.value.kind == "auth"

"""Any server that speaks the OpenAI protocol, through the openai package, which is imported when a call needs it.

Servers differ in which parameters they take. What a server rejects is left out from then on; the
prompts ask for JSON in words as well, for servers without structured output.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from sandbox.models.api import Answer, Kind, Message, Request, Trouble, Usage, estimated
from sandbox.models.prices import Price

if TYPE_CHECKING:
    from openai import OpenAI

_OPTIONAL: Final = ("response_format", "seed", "temperature", "max_tokens", "max_completion_tokens")
_BY_STATUS: Final[Mapping[int, Kind]] = {
    401: "auth", 403: "auth", 402: "payment", 404: "not_found", 408: "timeout", 413: "context", 429: "rate_limit",
}  # fmt: skip
_LONG: Final = ("context length", "context_length", "context window", "too many tokens", "maximum context", "exceed")
_LEAST: Final = 0.05
_WINDOWS: Final = ("max_model_len", "context_length", "context_window", "max_context_length")
"""What servers call the number of tokens that a model reads."""
_WINDOW_TIMEOUT: Final = 10.0


class OpenAIModel:
    """A model behind an OpenAI-compatible server. `price` are dollars for a million tokens in and out, if known."""

    def __init__(
        self, name: str, served: str, *, base_url: str | None, key: str | None,
        price: tuple[float, float] | Price | None = None, client: Callable[[], OpenAI] | None = None,
    ) -> None:
        self.name, self._served, self._base_url, self._key = name, served, base_url, key
        self._price, self._make = None if price is None else Price(*price), client or self._sdk
        self._client: OpenAI | None = None
        self._without: set[str] = set()
        self._instead: dict[str, str] = {}

    def _sdk(self) -> OpenAI:
        from openai import OpenAI  # noqa: PLC0415 - 0.7 s that only a call should cost

        return OpenAI(api_key=self._key or "none", base_url=self._base_url, max_retries=0)

    def complete(self, request: Request, timeout: float) -> Answer:
        """The answer; a parameter that the server rejects is left out, and the request made again at once."""
        for _ in range(len(_OPTIONAL) + 1):
            arguments = self._arguments(request)
            try:
                return self._once(request, arguments, max(timeout, _LEAST))
            except Trouble as trouble:
                if not (trouble.kind == "parameter" and self._adapt(trouble.message, arguments)):
                    raise
        raise Trouble("parameter", "the server accepts none of the parameters")

    def _arguments(self, request: Request) -> dict[str, Any]:
        found: dict[str, Any] = {
            "messages": [{"role": m.role, "content": m.content} for m in request.messages],
            "max_tokens": request.max_tokens, "temperature": request.temperature,
        }
        if request.seed is not None:
            found["seed"] = request.seed
        if request.schema is not None:
            schema = {"name": "answer", "schema": dict(request.schema), "strict": True}
            found["response_format"] = {"type": "json_schema", "json_schema": schema}
        for old, new in self._instead.items():
            if old in found:
                found[new] = found.pop(old)
        return {key: value for key, value in found.items() if key not in self._without}

    def _adapt(self, message: str, arguments: Mapping[str, Any]) -> bool:
        """Learn from a rejection; False when there is nothing to leave out."""
        if "max_completion_tokens" in message and "max_tokens" in arguments:
            self._instead["max_tokens"] = "max_completion_tokens"
            return True
        named = [key for key in _OPTIONAL if key in arguments and key in message]
        rest = named or [key for key in ("response_format", "seed") if key in arguments]
        self._without.update(rest[:1])
        return bool(rest)

    def _once(self, request: Request, arguments: Mapping[str, Any], timeout: float) -> Answer:
        if self._client is None:
            self._client = self._make()
        import openai  # noqa: PLC0415 - already there

        try:
            raw = self._client.chat.completions.create(model=self._served, timeout=timeout, **arguments)
            return read(raw.model_dump() if hasattr(raw, "model_dump") else raw, request, self._price)
        except openai.APITimeoutError:
            raise Trouble("timeout", f"no answer within {timeout:g} s") from None
        except openai.APIConnectionError as error:
            raise Trouble("unreachable", f"cannot reach the server: {error.__cause__ or error}") from None
        except openai.APIStatusError as error:
            raise of_status(error.status_code, _body(error), error.response.headers) from None
        except (openai.OpenAIError, json.JSONDecodeError, ValueError, TypeError, AttributeError) as error:
            raise Trouble("bad_reply", f"the server's reply cannot be read: {type(error).__name__}: {error}") from None

    def window(self) -> int | None:
        """What the server says of the model in its list, if it does."""
        if self._client is None:
            return None
        try:
            found = self._client.with_options(timeout=_WINDOW_TIMEOUT).models.retrieve(self._served).model_dump()
        except Exception:  # noqa: BLE001 - many servers have no such list, and nothing hangs on it
            return None
        return next((found[key] for key in _WINDOWS if isinstance(found.get(key), int)), None)

    def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            self._client.close()


def read(raw: Any, request: Request, price: Price | None) -> Answer:
    """The answer in a chat completion as plain data. Raises Trouble for data that is none."""
    try:
        choice = raw["choices"][0]
        message = choice["message"]
        text = message.get("content") or ""
    except (KeyError, IndexError, TypeError, AttributeError):
        raise Trouble("bad_reply", f"the server's reply is no chat completion: {str(raw)[:200]}") from None
    if not isinstance(text, str):
        raise Trouble("bad_reply", "the server's answer is no text")
    if not text and message.get("refusal"):
        text = str(message["refusal"])
    usage = _usage(raw.get("usage"), request, text)
    cost = None if price is None else price.of(usage.tokens_in, usage.tokens_out, usage.cached)
    return Answer(text, str(choice.get("finish_reason") or "stop"), usage, cost, str(raw.get("model") or ""))


def _usage(raw: Any, request: Request, text: str) -> Usage:
    try:
        details = raw.get("prompt_tokens_details") or {}
        return Usage(int(raw["prompt_tokens"]), int(raw["completion_tokens"]), int(details.get("cached_tokens") or 0))
    except (AttributeError, KeyError, TypeError, ValueError):
        return estimated(request, text)


def of_status(status: int, body: str, headers: Mapping[str, str]) -> Trouble:
    """The trouble that an HTTP status means."""
    kind = _BY_STATUS.get(status, "server" if status >= 500 else "parameter")
    if status == 400 and any(mark in body.lower() for mark in _LONG):
        kind = "context"
    wait = _seconds(headers.get("retry-after"))
    return Trouble(kind, f"HTTP {status}: {body[:500]}", status=status, retry_after=wait)


def _seconds(text: str | None) -> float | None:
    try:
        found = float(text) if text else None
    except ValueError:  # a date: the usual delay does
        return None
    return found if found is not None and 0 <= found < 1e6 else None


def _body(error: Any) -> str:
    try:
        return str(error.response.text)
    except Exception:  # noqa: BLE001 - a body that cannot be decoded is no reason to fail otherwise
        return str(error)


__all__ = ["Message", "OpenAIModel", "of_status", "read"]

"""A server on this machine that speaks the OpenAI protocol, and misbehaves as it is told.

Each request takes the next of the behaviours that were queued, the last one again and again. What was asked is kept.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Behaviour = Callable[[BaseHTTPRequestHandler, Mapping[str, Any]], None]


@dataclass
class Stub:
    """A running server: its address, what it was asked, and what it will do."""

    url: str
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    queue: list[Behaviour] = field(default_factory=list)

    def then(self, *behaviours: Behaviour) -> Stub:
        """Queue behaviours in place of what was queued before."""
        self.queue[:] = behaviours
        return self


def completion(text: str, finish: str = "stop", usage: object = ..., **message: object) -> dict[str, Any]:
    """The body of a chat completion."""
    counted = {"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 13} if usage is ... else usage
    body: dict[str, Any] = {
        "id": "c1", "object": "chat.completion", "created": 1, "model": "stub-1",
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}],
    }
    return body | ({} if counted is None else {"usage": counted})


def says(text: str, finish: str = "stop", usage: object = ..., **message: object) -> Behaviour:
    """Answer with a text."""
    return replies(200, json.dumps(completion(text, finish, usage, **message)))


def replies(status: int, body: str | bytes, kind: str = "application/json", **headers: str) -> Behaviour:
    """Answer with any body."""

    def behave(handler: BaseHTTPRequestHandler, _: Mapping[str, Any]) -> None:
        data = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
        handler.send_response(status)
        handler.send_header("content-type", kind)
        handler.send_header("content-length", str(len(data)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)

    return behave


def fails(status: int, message: str = "no", **headers: str) -> Behaviour:
    """Answer with an error of the protocol."""
    return replies(status, json.dumps({"error": {"message": message, "type": "x", "code": None}}), **headers)


def echoes_the_key(status: int = 401) -> Behaviour:
    """Refuse, and repeat the key in the body, as some servers do."""

    def behave(handler: BaseHTTPRequestHandler, asked: Mapping[str, Any]) -> None:
        fails(status, f"bad key: {handler.headers.get('authorization')}")(handler, asked)

    return behave


def hangs(seconds: float) -> Behaviour:
    """Answer too late."""

    def behave(handler: BaseHTTPRequestHandler, asked: Mapping[str, Any]) -> None:
        threading.Event().wait(seconds)
        says("late")(handler, asked)

    return behave


def is_cut(handler: BaseHTTPRequestHandler, _: Mapping[str, Any]) -> None:
    """Promise a long body, send half of it and hang up."""
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", "5000")
    handler.end_headers()
    handler.wfile.write(b'{"id": "c1", "choices": [{"mess')
    handler.wfile.flush()
    handler.connection.shutdown(socket.SHUT_RDWR)


def rejects(*names: str) -> Behaviour:
    """Refuse requests that hold any of some parameters, and answer all others."""

    def behave(handler: BaseHTTPRequestHandler, asked: Mapping[str, Any]) -> None:
        found = next((name for name in names if name in asked), None)
        (fails(400, f"Unsupported parameter: '{found}'") if found else says("fine"))(handler, asked)

    return behave


@contextmanager
def serving() -> Iterator[Stub]:
    """Run a server on 127.0.0.1 at a free port."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            asked = json.loads(body)
            stub.asked.append(asked)
            stub.headers.append(dict(self.headers.items()))
            behave = stub.queue.pop(0) if len(stub.queue) > 1 else stub.queue[0] if stub.queue else says("fine")
            try:
                behave(self, asked)
            except OSError:
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    stub = Stub(f"http://127.0.0.1:{server.server_address[1]}/v1")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

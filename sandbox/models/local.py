"""`local/PATH.gguf`: a model file on this machine, served in this process by llama.cpp (extra `local`).

The server listens on 127.0.0.1 only, at a port that was free, and ends with the model.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sandbox.errors import UsageError
from sandbox.models.api import Answer, Request, Trouble
from sandbox.models.openai_sdk import OpenAIModel

_INSTALL = 'install it: pip install "ruleshift[local]"'


class LocalModel:
    """A GGUF file. It is loaded by its first call; `context` is the number of tokens it can look back on."""

    def __init__(self, path: str, context: int = 8192) -> None:
        self.name = f"local/{path}"
        self._path, self._context = Path(path), context
        self._server: Any = None
        self._model: OpenAIModel | None = None
        if not self._path.is_file():
            raise UsageError(f"there is no model file {path!r}", "give the path of a .gguf file: local/PATH.gguf")
        if find_spec("xllamacpp") is None:
            raise UsageError("model files need xllamacpp, which is not installed", _INSTALL)

    def complete(self, request: Request, timeout: float) -> Answer:
        """The answer; at a given seed and temperature 0 the same every time."""
        if self._model is None:
            self._model = self._serve()
        answer = self._model.complete(request, timeout)
        return Answer(answer.text, answer.finish, answer.usage, 0.0, self.name)

    def _serve(self) -> OpenAIModel:
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        os.environ.setdefault("GOMP_SPINCOUNT", "0")
        import xllamacpp  # noqa: PLC0415 - only its models need it

        params = xllamacpp.CommonParams()
        params.model.path = str(self._path)
        params.n_ctx, params.n_parallel = self._context, 1
        params.hostnames, params.port = ["127.0.0.1"], 0
        params.warmup, params.verbosity = False, -1
        try:
            self._server = xllamacpp.Server(params)
        except RuntimeError as error:
            raise Trouble("not_found", f"{str(self._path)!r} cannot be loaded: {error}; is it a GGUF file?") from None
        return OpenAIModel(self.name, "local", base_url=f"{self._server.listening_address}/v1", key=None)

    def address(self) -> str:
        """Where its server listens; it is started if need be."""
        if self._model is None:
            self._model = self._serve()
        return str(self._server.listening_address)

    def window(self) -> int:
        """As many as it was opened with."""
        return self._context

    def close(self) -> None:
        """Stop the server and free the model."""
        if self._model is not None:
            self._model.close()
        self._server = self._model = None

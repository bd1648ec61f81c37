"""What can be typed after --model, where keys are found, and the models without a model."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.errors import UsageError
from sandbox.models import keys
from sandbox.models.api import Message, Request, Trouble
from sandbox.models.names import Source, open_model, secret

HELLO = Request((Message("user", "first\nlast"),))


@pytest.fixture(autouse=True)
def _own_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANDBOX_KEYS", str(tmp_path / "keys.json"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.mark.parametrize(("name", "said"), [
    ("", "names no model"), ("gpt", "names no model"), ("mock/ecco", "did you mean 'echo'"), ("mock/flaky?rat=1", "rate"),
    ("mock/flaky?rate=many", "no number"), ("mock/flaky?kind=odd", "kind of failure"), ("mock/script", "needs a file"),
    ("mock/script:/no/such/file", "cannot read"), ("local/no.gguf", "no model file"), ("openai/x", "needs a key"),
    ("anthropic/x", "ANTHROPIC_API_KEY"),
])  # fmt: skip
def test_what_names_no_model_is_refused(name: str, said: str) -> None:
    """Before anything is called, with what to type instead."""
    with pytest.raises(UsageError) as caught:
        open_model(Source(name))
    assert said in f"{caught.value.message} {caught.value.hint}"


def test_a_key_comes_from_the_nearest_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """--key, then the environment, then the file, which is its owner's alone."""
    path = keys.write({"openai": "sk-from-file"})
    assert path.stat().st_mode & 0o777 == 0o600
    found = secret(Source("openai/x"))
    assert found is not None
    assert (found.value, found.source) == ("sk-from-file", str(path))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-environment")
    assert secret(Source("openai/x")) == keys.Secret("sk-from-environment", "OPENAI_API_KEY")
    assert secret(Source("openai/x", key="sk-given")) == keys.Secret("sk-given", "--key")
    assert "sk-" not in repr(found)
    keys.write({"openai": "sk-again"})
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(UsageError, match="no key file"):
        keys.read()


@pytest.mark.parametrize("value", ["", "  ", "two words", "new\nline", "\u202ekey"])
def test_what_is_no_key_is_refused(value: str) -> None:
    """Nothing that would end up in a header by mistake."""
    with pytest.raises(UsageError):
        secret(Source("openai/x", key=value))


def test_the_mocks_do_what_they_say(tmp_path: Path) -> None:
    """Echo, script, flaky and slow."""
    assert open_model(Source("mock/echo")).complete(HELLO, 1).text == "last"
    script = tmp_path / "script.txt"
    script.write_text("one\n---\ntwo\nlines\n---\n\\f", encoding="utf-8")
    scripted = open_model(Source(f"mock/script:{script}"))
    assert [scripted.complete(HELLO, 1).text for _ in range(4)] == ["one", "two\nlines", "", ""]
    assert scripted.complete(Request(HELLO.messages, max_tokens=1), 1).finish == "stop"
    flaky, again = (open_model(Source("mock/flaky?rate=0.5&seed=3&kind=rate_limit")) for _ in range(2))

    def failures(model: object) -> list[bool]:
        found = []
        for _ in range(40):
            try:
                model.complete(HELLO, 1)  # type: ignore[attr-defined]
                found.append(False)
            except Trouble as trouble:
                assert trouble.kind == "rate_limit"
                found.append(True)
        return found

    first = failures(flaky)
    assert first == failures(again)
    assert 10 < sum(first) < 30
    with pytest.raises(Trouble) as caught:
        open_model(Source("mock/slow?seconds=5")).complete(HELLO, 0.05)
    assert caught.value.kind == "timeout"


@pytest.mark.parametrize("module", ["sandbox.models.names", "sandbox.models.chat", "sandbox.run.arrange", "sandbox.cli.play"])
def test_no_sdk_is_imported_before_a_call(module: str) -> None:
    """Starting costs nothing for those who use no model."""
    code = f"import sys, {module}; sys.exit(' '.join(n for n in sys.modules if n in ('openai', 'litellm', 'httpx2', 'xllamacpp', 'pydantic_monty')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.strip()) == (1, "")

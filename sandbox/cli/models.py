"""`sandbox models`: which language models can play, and whether one answers."""

from __future__ import annotations

import time
from importlib.util import find_spec

import click

from sandbox.cli.context import Noun, Settings, command_options
from sandbox.cli.output import emit, say, table
from sandbox.errors import UsageError

KINDS = (
    ("openai/NAME", "OpenAI, or with --base-url any server of its protocol (vLLM, Ollama, llama.cpp …)", None),
    ("PROVIDER/NAME", "anthropic, gemini, mistral, openrouter … through litellm (extra `providers`)", "litellm"),
    ("local/PATH.gguf", "a model file on this machine, through llama.cpp (extra `local`)", "xllamacpp"),
    ("mock/echo", "repeats the last line it is told", None),
    ("mock/script:FILE", "answers with the paragraphs of a file, which lines of --- separate", None),
    ("mock/flaky?rate=0.3", "as echo, and so many of its calls fail", None),
    ("mock/slow?seconds=2", "as echo, after so many seconds", None),
)


@click.group(cls=Noun)
def models() -> None:
    """List the language models that can play; try one."""


@models.command("list")
@command_options
def list_(settings: Settings) -> None:
    """List the kinds of models, what serves each, and whether it is installed here."""
    rows = [(name, about, "yes" if needs is None or find_spec(needs) else "no") for name, about, needs in KINDS]
    if settings.json:
        for name, about, ready in rows:
            emit({"name": name, "about": about, "installed": ready == "yes"})
        return
    table(("model", "what it is", "installed"), rows)
    say()
    say("Try one: sandbox models check openai/NAME")
    say("Play:    sandbox play --world 7 --agent react --model openai/NAME")


@models.command()
@click.argument("model", metavar="M")
@click.option("--base-url", metavar="URL", help="Server of the model, if it speaks the OpenAI protocol.")
@click.option("--key", metavar="K", help="API key [default: PROVIDER_API_KEY, or what sandbox keys holds].")
@command_options
def check(settings: Settings, model: str, base_url: str | None, key: str | None) -> None:
    """Make one tiny call: does it answer, how fast, at what price, in the form asked for?"""
    from sandbox.errors import ProviderError
    from sandbox.models.api import Message, Request, Trouble
    from sandbox.models.keys import Redactor
    from sandbox.models.names import Source, open_model, secret

    source = Source(model, base_url, key)
    found = secret(source)
    opened, redact = open_model(source), Redactor([found.value] if found else [])
    schema = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
    ask = 'Reply with this JSON object and nothing else: {"command": "look"}'
    began = time.perf_counter()
    try:
        answer = opened.complete(Request((Message("user", ask),), schema, 200), 60.0)
    except Trouble as trouble:
        raise ProviderError(f"{trouble.kind}: {redact(trouble.message)}", "see above") from None
    finally:
        opened.close()
    from sandbox.agent.extract import extract

    read = extract(answer.text, answer.finish)
    result = {
        "model": model, "served": answer.model, "seconds": round(time.perf_counter() - began, 3),
        "tokens_in": answer.usage.tokens_in, "tokens_out": answer.usage.tokens_out, "estimated": answer.usage.estimated,
        "cost": answer.cost, "structured": read.data is not None, "key": found.source if found else None,
    }
    if settings.json:
        emit(result)
        return
    say(f"{model} answers, in {result['seconds']} s: {redact(answer.text)[:200]!r}")
    counted = " (estimated by length: the server counts none)" if answer.usage.estimated else ""
    say(f"  tokens      {answer.usage.tokens_in} in, {answer.usage.tokens_out} out{counted}")
    say(f"  price       {'not known' if answer.cost is None else f'${answer.cost:.6f} for this call'}")
    say(f"  structured  {'yes' if result['structured'] else 'no: commands are read from its text'}")
    say(f"  key         {found.source if found else 'none needed'}")
    if not read.command:
        raise UsageError("no command could be read from its answer", "it may play badly")

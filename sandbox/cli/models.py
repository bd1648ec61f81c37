"""`sandbox models`: which language models can play, and whether one answers."""

from __future__ import annotations

from importlib.util import find_spec

import click

from sandbox.cli.context import Noun, Settings, command_options
from sandbox.cli.output import emit, say, table
from sandbox.errors import CheckFailed

KINDS = (
    ("openai/NAME", "OpenAI, or with --base-url any server of its protocol (vLLM, Ollama, llama.cpp …)", None),
    ("PROVIDER/NAME", "anthropic, gemini, mistral, openrouter … through litellm (extra `providers`)", "litellm"),
    ("local/PATH.gguf", "a model file on this machine, through llama.cpp (extra `local`)", "xllamacpp"),
    ("replay/EPISODE", "what a model answered in a recorded episode, to the same prompts", None),
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
    """Make one tiny call: does it answer, how fast, at what price, in the form asked for?

    Exit 4 if no command can be read from the answer.
    """
    from sandbox.models.names import Source
    from sandbox.run.probe import probe

    found = probe(Source(model, base_url, key))
    usage, seconds = found.usage, round(found.seconds, 3)
    if settings.json:
        emit({
            "model": model, "served": found.served, "seconds": seconds, "tokens_in": usage.tokens_in,
            "tokens_out": usage.tokens_out, "estimated": usage.estimated, "cost": found.cost,
            "structured": found.structured, "key": found.key, "window": found.window,
        })  # fmt: skip
    else:
        say(f"{model} answers, in {seconds} s: {found.text[:200]!r}")
        counted = " (estimated by length: the server counts none)" if usage.estimated else ""
        say(f"  tokens      {usage.tokens_in} in, {usage.tokens_out} out{counted}")
        say(f"  price       {'not known' if found.cost is None else f'${found.cost:.6f} for this call'}")
        say(f"  structured  {'yes' if found.structured else 'no: commands are read from its text'}")
        say(f"  window      {f'{found.window} tokens' if found.window else 'not known'}")
        say(f"  key         {found.key or 'none needed'}")
    if not found.playable:
        raise CheckFailed("no command could be read from its answer", "it may play badly")

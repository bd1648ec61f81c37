"""Talking to language models: one protocol, whoever serves them."""

"""Holds any implementation of `bgbot.v1` against the answers that the contract demands.

The cases are plain JSON, and nothing here is specific to this daemon: only the contract's messages
are used. `docs/conformance.md` describes the cases for readers in any language.
"""

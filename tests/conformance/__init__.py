"""The conformance suite, and where its cases come from."""

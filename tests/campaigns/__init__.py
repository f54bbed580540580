"""Campaigns against a running daemon, for a person to watch: what no test has the time for."""

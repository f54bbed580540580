"""Tests of the clients and the examples, against a daemon on a socket."""

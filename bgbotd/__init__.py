"""A backgammon bot daemon: exact rules, bots of measured strength and equities over gRPC."""

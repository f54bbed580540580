"""The kernel against the plain-Python oracle, on positions from games and thrown ones."""

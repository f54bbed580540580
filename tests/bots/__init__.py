"""The levels."""

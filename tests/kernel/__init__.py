"""The kernel by itself: golden values, counts and refusals."""

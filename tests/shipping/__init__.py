"""What is shipped, run as it is shipped: as root, with Debian's own tools. `make test-shipping`."""

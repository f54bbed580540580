"""gRPC only: parse, call, render. No backgammon here, and no gRPC anywhere else."""

"""The daemon over a real socket."""

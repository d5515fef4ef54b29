"""The parts of `python -m benchmarks.http_server`: its clients, and its rude ones."""

"""The parts of `benchmarks.extraction`: what is right about what enters the memory, each part by itself."""

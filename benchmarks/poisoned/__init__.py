"""The parts of `benchmarks.poisoning`: poisoned memories of ten kinds, the world they are planted in, and the judge."""

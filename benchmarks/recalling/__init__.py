"""The parts of the recall benchmark."""

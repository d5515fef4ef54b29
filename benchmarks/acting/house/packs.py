"""Packs of the store room, and what they weigh."""

PACK_KILOGRAMS = {"sack": 25, "drum": 180, "crate": 12, "pallet": 640}


def total_kilograms(packs: list[str]) -> int:
    """The weight in kilograms of packs such as `3 drum`: a sack has 25, a drum 180, a crate 12, a pallet 640."""
    total = 0
    for pack in packs:
        count, name = pack.split(" ")
        total += int(count) * PACK_KILOGRAMS[name]
    return total

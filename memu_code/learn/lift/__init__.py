"""Whether the memory pays: runs that had it against runs that were held out at random. Pure, knows no store."""

from memu_code.learn.lift.comparing import ENOUGH, Compared, Lift, Measure, lift_of
from memu_code.learn.lift.intervals import Interval, runs_needed

__all__ = ["ENOUGH", "Compared", "Interval", "Lift", "Measure", "lift_of", "runs_needed"]

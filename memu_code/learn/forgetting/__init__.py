"""What goes when something is forgotten: worked out before anything is taken away."""

from memu_code.learn.forgetting.gathering import plan_for_nodes
from memu_code.learn.forgetting.naming import plan_forgetting
from memu_code.learn.forgetting.plan import Plan, Target, check_idle

__all__ = ["Plan", "Target", "check_idle", "plan_for_nodes", "plan_forgetting"]

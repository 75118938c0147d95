"""How far hypothesis goes: the same examples every time in `make test`, many new ones in `make soak`."""

from hypothesis import HealthCheck, settings

# A whole game takes a while, and the contract's tests are inherited by several classes.
_SLOW_AND_INHERITED = [HealthCheck.too_slow, HealthCheck.differing_executors]

settings.register_profile(
    "usual", max_examples=30, derandomize=True, deadline=None, suppress_health_check=_SLOW_AND_INHERITED
)
settings.register_profile("soak", max_examples=1500, deadline=None, suppress_health_check=_SLOW_AND_INHERITED)
settings.load_profile("usual")

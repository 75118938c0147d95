"""Login letters for the tests: what the worker would write."""

from service.auth.login import LoginLetter, create_login_code, read_login_letter
from service.context import AppContext
from service.db.models import SignInCode


def request_letter(ctx: AppContext, address: str = "ann@example.org", browser: str | None = None) -> LoginLetter:
    """Request a login letter and return its code and link."""
    create_login_code(ctx, address, browser=browser)
    return newest_letter(ctx, address)


def newest_letter(ctx: AppContext, address: str = "ann@example.org") -> LoginLetter:
    """The newest login letter to an address."""
    chosen = SignInCode.select(SignInCode.id).where(SignInCode.email == address)
    letter = read_login_letter(ctx, chosen.order_by(SignInCode.id.desc()).scalar(ctx.database))
    assert letter is not None
    return letter

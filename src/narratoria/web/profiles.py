"""Makes, changes and removes the profiles of a household, and lets people say which one they are."""

from __future__ import annotations

import asyncio
import shutil
from typing import Annotated, Literal

import msgspec
from starlette.responses import Response

from narratoria.errors import NoSuchRecord
from narratoria.web.accounts import HOME_ACCOUNT, LONGEST_PIN, NOBODY, Account, Role
from narratoria.web.app_state import AppState
from narratoria.web.identity import Entrance
from narratoria.web.operation import ApiError, FieldError, Operations
from narratoria.web.rate_limits import whole_seconds

profiles = Operations("Profiles", "Who plays here: made by the owner, entered with a PIN.")

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Pin = Annotated[str, msgspec.Meta(max_length=LONGEST_PIN)]
HOME_PROFILE = "home"  # in addresses, where the empty id of the home's own account cannot stand


class PlayerProfile(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    id: str
    name: str
    role: Role
    has_pin: bool


class ProfileList(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Who plays here. Without profiles, one player does, who may do everything."""

    kind: Literal["none", "household", "proxy"]  # proxy: whoever stands before the server says who people are
    profiles: tuple[PlayerProfile, ...]
    current: PlayerProfile | None  # who this browser is; None while it has not been said


class NewProfile(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The first one is the owner's, whatever its role says."""

    name: Name
    role: Role = "player"
    pin: Pin = ""


class PlayerProfileChange(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What is left out stays as it is; an empty PIN asks for none."""

    name: Name | None = None
    role: Role | None = None
    pin: Pin | None = None


class Entering(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    profile: str
    pin: Pin = ""


@profiles.get("/profiles")
async def list_profiles(app_state: AppState) -> ProfileList:
    """Who plays here, and who this browser is.

    Where a proxy says who people are, the others are named to the owner alone.
    """
    accounts, account = app_state.accounts.all(), app_state.account
    is_proxied = _is_proxied(app_state)
    if is_proxied and not account.may("owner"):
        accounts = tuple(one for one in accounts if one.id == account.id)
    return ProfileList(
        kind="proxy" if is_proxied else "household" if accounts else "none",
        profiles=tuple(_profile(one) for one in accounts),
        current=current_profile(app_state),
    )


@profiles.post("/profiles", status=201, role="owner")
async def add_profile(app_state: AppState, body: NewProfile) -> Response:
    """Make a profile. The first is the owner's own, and needs a PIN: from then on everybody is asked."""
    _refuse_proxied(app_state)
    added = await asyncio.to_thread(app_state.accounts.add, body.name, body.role, body.pin)
    response = Response(msgspec.json.encode(_profile(added)), 201, media_type="application/json")
    if added.id == HOME_ACCOUNT:  # whoever made it is the owner
        _entrance(app_state).give_cookie(response, added)
    return response


@profiles.patch("/profiles/{profile}")
async def change_profile(app_state: AppState, profile: str, body: PlayerProfileChange) -> Response:
    """Change a profile: the owner everybody's, the others their own name and PIN."""
    _refuse_proxied(app_state)
    account_id = _account_id(profile)
    is_own = account_id == app_state.account.id
    if not app_state.account.may("owner") and (not is_own or body.role is not None):
        raise ApiError(403, "not_allowed", "Only the owner may do this here.")
    changed = await asyncio.to_thread(
        app_state.accounts.update, account_id, name=body.name, role=body.role, pin=body.pin
    )
    response = Response(msgspec.json.encode(_profile(changed)), media_type="application/json")
    if is_own:  # its cookie was for the PIN before
        _entrance(app_state).give_cookie(response, changed)
    return response


@profiles.delete("/profiles/{profile}", role="owner")
async def remove_profile(app_state: AppState, profile: str) -> None:
    """Remove a profile; its stories become the owner's. The owner's own goes last."""
    _refuse_proxied(app_state)
    account_id = _account_id(profile)
    account = app_state.accounts.get(account_id)
    if account is None:
        raise NoSuchRecord("there is no such profile")
    await asyncio.to_thread(app_state.accounts.remove, account_id)
    if account_id != HOME_ACCOUNT:
        await app_state.library.give_all(account_id, HOME_ACCOUNT)
        await asyncio.to_thread(shutil.rmtree, app_state.accounts.folder_of(account), ignore_errors=True)


@profiles.post("/profiles/enter")
async def enter_profile(app_state: AppState, body: Entering) -> Response:
    """Say who this browser is; 403 `wrong_pin`, and 429 after several wrong ones."""
    _refuse_proxied(app_state)
    account_id, entrance = _account_id(body.profile), _entrance(app_state)
    account = app_state.accounts.get(account_id)
    if account is None:
        raise NoSuchRecord("there is no such profile")
    if (wait := entrance.guesses.seconds_until_next(account_id)) > 0:
        seconds = whole_seconds(wait)
        raise ApiError(
            429, "too_fast", f"Too many tries. Try again in {seconds} seconds.", retry_after=seconds
        )
    entrance.guesses.count(account_id)
    if not await asyncio.to_thread(account.matches, body.pin):
        raise ApiError(403, "wrong_pin", "That is not the PIN.", fields=[FieldError("pin", "is another one")])
    entrance.guesses.forget(account_id)
    response = Response(msgspec.json.encode(_profile(account)), media_type="application/json")
    entrance.give_cookie(response, account)
    return response


@profiles.post("/profiles/leave")
async def leave_profile(app_state: AppState) -> Response:
    """Have this browser ask again who plays."""
    response = Response(status_code=204)
    _entrance(app_state).take_cookie(response)
    return response


def current_profile(app_state: AppState) -> PlayerProfile | None:
    """Return who plays, where people are told apart; None for who has not said so."""
    is_told_apart = app_state.has_accounts and app_state.account is not NOBODY
    return _profile(app_state.account) if is_told_apart else None


def _profile(account: Account) -> PlayerProfile:
    return PlayerProfile(
        id=account.id or HOME_PROFILE, name=account.name, role=account.role, has_pin=account.has_pin
    )


def _account_id(profile: str) -> str:
    return HOME_ACCOUNT if profile == HOME_PROFILE else profile


def _entrance(app_state: AppState) -> Entrance:
    assert app_state.entrance is not None, "the application is not running"
    return app_state.entrance


def _is_proxied(app_state: AppState) -> bool:
    return app_state.entrance is not None and app_state.entrance.identification.proxy is not None


def _refuse_proxied(app_state: AppState) -> None:
    if _is_proxied(app_state):
        message = "Who people are is said by the sign-in before this server."
        raise ApiError(409, "proxied", message, "Add and remove people there.")

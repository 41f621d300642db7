"""The callers as whom every operation is requested, and what each of them must not get."""

import dataclasses
import typing

from .world import SCOPES, Account

NAMES = ["host", "editor", "viewer", "stranger", "participant", "token", "admin"]
# Only the owner of a series may do these. Two more operations are also for the co-host concerned.
OWNER_ONLY = {"trashSeries", "restoreSeries", "listHosts", "addHost", "transferSeries"}
CO_HOST_CONCERNED = {"removeHost", "removeHostByAddress"}
# These need a session whose password was checked recently.
DANGEROUS = {"createToken", "transferSeries", "changeAccount", "erasePerson", "createInvitation"}
# Any token may do these, because they concern only itself.
OF_THE_TOKEN = {"endCurrentSession", "createLiveTicket"}
READING = {"meetings:read", "results:read", "export:read"}
# What a stranger may get for somebody else's meeting or series. The media type is checked before the handler.
STRANGER_STATUSES = {400, 401, 404, 406, 408, 415, 422}


@dataclasses.dataclass
class Role:
    """A caller: the account that `/v1/me` shows, and the values of Authorization to choose from."""
    name: str
    world: object
    account: Account | None
    authorizations: list
    # Returns why a response to this role is wrong, or None.
    objection: typing.Callable = lambda role, operation, case, response: None
    # Texts that no response to an operation for accounts may contain.
    secrets: tuple = ()
    # The Authorization of a session that has to be confirmed before dangerous actions.
    unconfirmed: str | None = None
    # Whether things are made for operations that use them up.
    consumes: bool = True
    # The scopes of the tokens in `authorizations`.
    scopes: dict = dataclasses.field(default_factory=dict)

    def is_in_world(self, case):
        """Whether the path names the owner's series or one of its meetings."""
        world = self.world
        known = {world.series, world.draft.id, world.trashed.id, *(round.id for round in world.rounds)}
        return case.path.startswith(("/v1/series/", "/v1/meetings/")) and case.path_parameters.get("id") in known


def changes(case):
    return case.method not in ("GET", "HEAD", "OPTIONS")


def succeeded(response):
    return response.status_code < 400


def stranger(role, operation, case, response):
    if role.is_in_world(case) and response.status_code not in STRANGER_STATUSES:
        return "The status reveals another account's meeting or series"


def viewer(role, operation, case, response):
    if role.is_in_world(case) and changes(case) and succeeded(response) and operation not in CO_HOST_CONCERNED:
        return "A viewer changed something"
    return editor(role, operation, case, response)


def editor(role, operation, case, response):
    if role.is_in_world(case) and operation in OWNER_ONLY and succeeded(response):
        return "An operation for the owner succeeded"


def token(role, operation, case, response):
    scope = role.scopes.get(response.request.headers.get("Authorization"))
    if scope in READING and changes(case) and succeeded(response) and operation not in OF_THE_TOKEN:
        return "A token that may only read changed something"


def unconfirmed(role, operation, case, response):
    if response.request.headers.get("Authorization") != role.unconfirmed or operation not in DANGEROUS:
        return None
    if succeeded(response) and (operation != "createInvitation" or case.body.get("role")):
        return "A session that was not confirmed recently did something dangerous"


def make(name, world):
    """The role of this name, with what it needs in the world."""
    role = MAKERS[name](name, world)
    if role.account and name != "token":
        role.unconfirmed = world.unconfirmed_session(role.account)
    return role


def with_account(choose, objection=None, **settings):
    def role(name, world):
        account = choose(world)
        made = Role(name, world, account, [account.authorization], **settings)
        made.objection = objection or made.objection
        return made
    return role


def viewer_role(name, world):
    role = with_account(lambda world: world.viewer, viewer)(name, world)
    role.secrets = (world.hidden,)
    return role


def stranger_role(name, world):
    role = with_account(lambda world: world.stranger, stranger, consumes=False)(name, world)
    role.secrets = (world.private, world.hidden)
    return role


def token_role(name, world):
    """Tokens with a single scope each: the owner's, and an admin's for the scope that hosts lack."""
    admin = Account("", "", world.admin)
    made = {scope: world.api_token(admin if scope == "admin" else world.owner, [scope])["token"] for scope in SCOPES}
    scopes = {f"Bearer {value}": scope for scope, value in made.items()}
    return Role(name, world, world.owner, list(scopes), token, scopes=scopes)


MAKERS = {
    "host": with_account(lambda world: world.owner),
    "editor": with_account(lambda world: world.editor, editor),
    "viewer": viewer_role,
    "stranger": stranger_role,
    "participant": lambda name, world: Role(name, world, None, [], secrets=(world.hidden,), consumes=False),
    "token": token_role,
    "admin": with_account(lambda world: world.account("admin")),
}

"""Corrects generated bodies and queries where rules join several members or need something that exists.

A schema can say that `endsAt` is a time, but not that it is later than `startsAt`. Without these corrections nearly all
bodies would be refused, and few requests would reach the code behind the validation. One body of eight is sent as it
was generated.
"""

from .world import ANSWERS, IMAGE, PASSWORD, QUESTIONS, time_from_now

ZONES = ["UTC", "Europe/Berlin", "Asia/Seoul", "America/St_Johns"]
CSV = b"name,email\r\nMina Table,mina.table@example.org\r\n"


def correct_body(operation, body, media_type, world, random):
    """The body to send instead of a valid one."""
    if media_type and media_type.startswith("image/"):
        return IMAGE
    if media_type == "text/csv":
        return CSV
    if not isinstance(body, dict):
        return body
    body = dict(body)
    for name in list(body):
        if name in MEMBERS:
            body[name] = MEMBERS[name](body[name], world, random)
    if operation in OPERATIONS:
        OPERATIONS[operation](body, world, random)
    return body


def address(value, world, random):
    return value if value is None else random.choice([world.new_address(), world.other.email])


def questions(value, world, random):
    """Questions of which each has the members of its kind only."""
    if not value:
        return value
    return [question(item, f"q{number}", random) for number, item in enumerate(value)]


def question(item, key, random):
    kind = item.get("kind", "text")
    kept = {name: item[name] for name in ("title", "description", "required") if name in item}
    if kind == "rating":
        kept |= {name: item[name] for name in ("min", "minLabel", "maxLabel") if name in item}
        kept["max"] = random.choice([2, 5, 10])
    elif kind == "grid":
        statements = item.get("statements") or [{"title": "It was clear"}]
        kept |= {"labels": ["no", "yes"], "min": 1, "max": 2, "statements": [
            {"key": f"{key}s{number}", "title": statement["title"]} for number, statement in enumerate(statements)]}
    elif kind == "text":
        kept |= {name: item[name] for name in ("maxLength",) if name in item}
    else:
        options = item.get("options") or [{"label": "Yes"}]
        kept |= {"multiple": True, "other": item.get("other", False), "minSelections": 0, "options": [
            {"id": f"o{number}", "label": option["label"]} for number, option in enumerate(options)]}
    return {"key": key, "kind": kind, **kept}


MEMBERS = {
    "email": address,
    "heir": lambda value, world, random: random.choice([None, world.other.email]),
    "emails": lambda value, world, random: [world.new_address() for _ in value[:20]],
    "members": lambda value, world, random: [{**item, "email": world.new_address()} for item in value[:20]],
    "timeZone": lambda value, world, random: value if value is None else random.choice(ZONES),
    "locale": lambda value, world, random: value if value is None else random.choice(["de", "pt-BR", "ko"]),
    "expiresAt": lambda value, world, random: value if value is None else time_from_now(days=random.randint(1, 300)),
    "closes": lambda value, world, random: None if random.random() < 0.5 else time_from_now(days=random.randint(2, 90)),
    "opens": lambda value, world, random: random.choice([None, time_from_now(days=-1)]),
    "questions": questions,
    "version": lambda value, world, random: random.choice([None, 1]),
    "answers": lambda value, world, random: random.choice([ANSWERS, {"pace": 2}, {"topics": ["talk"]}, {}]),
    "password": lambda value, world, random: "a different long password",
    "oldPassword": lambda value, world, random: PASSWORD,
    "url": lambda value, world, random: world.hook_address + f"/{random.randint(1, 10**9)}",
    "invitation": lambda value, world, random: None,
}


def with_times(body, world, random):
    """Both times or none. Rounds are repeated at most twice, so that lists stay short."""
    for name in ("startsAt", "endsAt", "repeat"):
        body.pop(name, None)
    if random.random() < 0.7:
        start = random.randint(-20_000, 20_000)
        body |= {"startsAt": time_from_now(hours=start), "endsAt": time_from_now(hours=start + random.randint(1, 48)),
                 "timeZone": random.choice(ZONES)}
        if random.random() < 0.2:
            body["repeat"] = {"every": random.choice(["P7D", "P1M"]), "count": random.randint(1, 3)}


def edited_times(body, world, random):
    with_times(body, world, random)
    body.pop("repeat", None)
    if body.get("timeZone", "") is None:
        del body["timeZone"]


def existing_address(body, world, random):
    body["email"] = random.choice([world.other.email, world.invited.email])


def form(body, world, random):
    if not body.get("anonymous"):
        body.pop("minimumGroup", None)
    elif body.get("minimumGroup"):
        body["minimumGroup"] = max(3, body["minimumGroup"])
    if random.random() < 0.5:
        body["questions"] = QUESTIONS


def sign_in(body, world, random):
    body |= {"email": world.other.email, "password": random.choice([PASSWORD, "a wrong password"])}


def invitation(body, world, random):
    for name in ("seriesId", "role"):
        body.pop(name, None)
    if random.random() < 0.3:
        body |= {"seriesId": world.series, "role": random.choice(["editor", "viewer"])}


def profile(body, world, random):
    if body.get("password") is None or body.get("oldPassword") is None:
        body.pop("password", None)
        body.pop("oldPassword", None)


OPERATIONS = {
    "createSession": sign_in,
    "confirmSession": lambda body, world, random: body.update(password=PASSWORD),
    "verifyAccount": lambda body, world, random: body.update(token=world.sign_up(world.new_address())),
    "signUp": lambda body, world, random: body.update(email=world.new_address()),
    "createMeeting": with_times, "createRound": with_times, "editMeeting": edited_times,
    "addHost": existing_address, "removeHostByAddress": existing_address, "transferSeries": existing_address,
    "putForm": form,
    "createInvitation": invitation,
    "editMe": profile,
    "erasePerson": lambda body, world, random: body.update(email=world.account().email),
    "createToken": lambda body, world, random: body.update(scopes=["meetings:read"]),
    "renameMembers": lambda body, world, random: body.update(
        members=[{"name": "Mina Renamed", "email": world.new_member_address()}]),
    "changeMember": lambda body, world, random: body.update(email=world.new_address()),
}


def correct_query(operation, query, world, random):
    """The query to send instead of a valid one."""
    query = dict(query)
    if "timeZone" in query:
        query["timeZone"] = random.choice(ZONES)
    if "from" in query or "to" in query:
        query |= {name: value for name, value in PERIODS[operation == "removeWalkIns"].items() if name in query}
    if operation == "getAvailability":
        query |= {"startsAt": time_from_now(hours=1), "endsAt": time_from_now(hours=2)}
        if "seriesId" in query:
            query["seriesId"] = world.series
    if operation == "getCrossTab":
        query |= dict(zip(("rows", "columns"), random.sample(["pace", "topics"], 2)))
    if operation == "getGridAlpha":
        query["grid"] = "course"
    if operation in ("getTrend", "listRankings"):
        query["key"] = "pace" if operation == "listRankings" else random.choice(["pace", "topics", "better"])
    if operation == "getPersonOfSeries":
        query["email"] = world.hidden
    if "where" in query:
        query["where"] = random.choice([["pace:4"], ["topics:demo", "pace:4"], ["topics:other"]])
    if operation == "getResultPicture":
        for name in ("shape", "bars", "order"):
            query.pop(name, None)
    return query


PERIODS = [
    {"from": time_from_now(days=-200)[:10], "to": time_from_now(days=100)[:10]},
    {"from": time_from_now(days=-2), "to": time_from_now(days=-1)},
]

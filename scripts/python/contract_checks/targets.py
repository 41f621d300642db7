"""Path parameters that exist: random ids and codes would only ever be answered with 404."""

# Operations that use up what they are sent to, with a function that makes something only for that.
CONSUMED = {}


def consumes(*operations):
    def register(make):
        CONSUMED.update(dict.fromkeys(operations, make))
        return make
    return register


def lasting(path, world, account, random):
    """Parameters of a path, of things that every case of a run can use."""
    round = random.choice(world.rounds)
    if path.startswith("/v1/forms/"):
        return form_parameters(path, round, random)
    found = {"id": round.id if path.startswith("/v1/meetings/") else world.series}
    special = {
        "/v1/sessions/{id}": lambda: {"id": world.owner.id},
        "/v1/admin/accounts/{id}": lambda: {"id": world.other.id},
        "/v1/check-ins/{code}": lambda: {"code": round.check_in},
        "/v1/join/{code}": lambda: {"code": world.joining["code"]},
        "/v1/people/{code}": lambda: {"code": world.person_code},
        "/s/{code}": lambda: {"code": world.poster},
    }
    if path in special:
        return special[path]()
    if path.startswith("/v1/webhooks/{id}"):
        return webhook_parameters(path, world, account)
    if path.startswith("/v1/templates/{id}"):
        return {"id": world.new_template(account)}
    if path.startswith("/v1/shares/{token}"):
        found["token"] = world.share["token"]
    if "/{attendeeId}" in path:
        found |= {"id": world.named.id, "attendeeId": random.choice(world.named.people)}
    if "/{answerId}" in path or "/{submissionId}" in path:
        found |= {"id": world.main.id, "answerId": world.main.submissions[0][0],
                  "submissionId": world.main.submissions[0][0]}
    found |= {
        "memberId": random.choice(world.members), "accountId": world.other.id, "codeId": world.joining["id"],
        "shareId": world.share["id"], "key": "better", "picture": random.choice(["pace.svg", "topics.svg"])}
    return found


def form_parameters(path, round, random):
    submission, _ = random.choice(round.submissions)
    return {"code": round.code, "id": submission, "key": "better"}


def webhook_parameters(path, world, account):
    """The account's webhook, whose test event was sent to this process."""
    listed = account.client.call("GET", "/v1/webhooks")["items"]
    found = {"id": listed[0]["id"] if listed else world.new_webhook(account)}
    if "/{deliveryId}" in path:
        sent = account.client.call("GET", f"/v1/webhooks/{found['id']}/deliveries")["items"]
        if not sent:
            sent = [account.client.call("POST", f"/v1/webhooks/{found['id']}/test")]
        found["deliveryId"] = sent[0]["id"]
    return found


@consumes("trashSeries", "transferSeries")
def series(world, account):
    return {"id": world.new_series()}


@consumes("restoreSeries")
def trashed_series(world, account):
    found = world.new_series()
    world.owner.client.call("DELETE", f"/v1/series/{found}")
    return {"id": found}


@consumes("trashMeeting", "editMeeting", "putForm")
def draft(world, account):
    return {"id": world.new_round().id}


@consumes("restoreMeeting")
def trashed_meeting(world, account):
    found = world.new_round().id
    world.owner.client.call("DELETE", f"/v1/meetings/{found}")
    return {"id": found}


@consumes("publishForm", "closeForm", "finishForm", "reopenForm")
def published(world, account):
    found = world.new_round()
    world.publish(found)
    return {"id": found.id}


@consumes("removeHost")
def co_host(world, account):
    body = {"email": world.other.email, "role": "viewer"}
    world.owner.client.send("POST", f"/v1/series/{world.series}/hosts", body)
    return {"id": world.series, "accountId": world.other.id}


@consumes("removeMember", "changeMember")
def member(world, account):
    return {"id": world.series, "memberId": world.new_member()}


@consumes("removeAttendee", "changeAttendee")
def attendee(world, account):
    return {"id": world.named.id, "attendeeId": world.new_attendee(world.named)}


@consumes("revokeJoinCode")
def join_code(world, account):
    return {"id": world.series, "codeId": world.new_join_code()}


@consumes("revokeShare")
def share(world, account):
    return {"id": world.main.id, "shareId": world.new_share()["id"]}


@consumes("deleteSubmission")
def submission(world, account):
    return {"id": world.main.id, "submissionId": world.submit(world.main)}


@consumes("withdrawSubmission", "correctSubmission")
def own_submission(world, account):
    return {"code": world.main.code, "id": world.submit(world.main)}


@consumes("revokeToken")
def token(world, account):
    return {"id": world.api_token(account, ["meetings:read"])["id"]}


@consumes("revokeInvitation")
def invitation(world, account):
    return {"id": world.new_invitation()["id"]}


@consumes("endSession")
def session(world, account):
    world.session(account)
    listed = account.client.call("GET", "/v1/sessions?limit=200")["items"]
    return {"id": next(item["id"] for item in listed if not item["current"])}


@consumes("deleteWebhook")
def webhook(world, account):
    return {"id": world.new_webhook(account)}


@consumes("changeAccount")
def some_account(world, account):
    return {"id": world.account().id}


@consumes("resetPassword")
def reset_token(world, account):
    return {"token": world.reset_token()}

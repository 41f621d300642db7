"""The peer: what a careful developer would write with FastAPI and psycopg for the same submission.

It validates as the service does, derives the id and the receipt by HMAC, stores the row and its counts in one
transaction, and answers after the commit. The form is kept in memory. A submission is one prepared statement, so that
it waits for PostgreSQL once, and the counts that all submissions share are locked as briefly as possible.
"""
import base64, contextlib, datetime, hashlib, hmac, json, os, uuid

import psycopg_pool
from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import Response
from psycopg.types.json import Jsonb
from pydantic import BaseModel, ConfigDict, ValidationError

KEY = hashlib.sha256(b"a benchmark").digest()
QUESTIONS = {question["key"]: question for question in json.loads(os.environ["PEER_QUESTIONS"])}
FORM = uuid.UUID(int=1)
# Each worker has half of them.
CONNECTIONS = 32
# A statement is its own transaction.
STORE = """
    WITH stored AS (
        INSERT INTO peer_submission (form_id, id, version, answers, submitted_on, submitted_at)
        VALUES (%s, %s, 1, %s, %s, %s)
    )
    INSERT INTO peer_tally AS t SELECT %s, q, b, 1 FROM unnest(%s::text[], %s::text[]) AS u (q, b)
    ON CONFLICT (form_id, question, bucket) DO UPDATE SET count = t.count + 1
"""

pool = psycopg_pool.AsyncConnectionPool(os.environ["PEER_DATABASE"], min_size=CONNECTIONS // 2,
                                        max_size=CONNECTIONS // 2, open=False,
                                        kwargs={"autocommit": True})


@contextlib.asynccontextmanager
async def lifespan(_):
    await pool.open(wait=True)
    yield
    await pool.close()


app = FastAPI(lifespan=lifespan)


class Submission(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    version: int | None = None
    answers: dict[str, int | str | list[str] | None]


def buckets(question, answer):
    """The buckets that an answer counts in. Raises ValueError if the answer breaks a rule of its question."""
    kind = question["kind"]
    if answer is None or answer == [] or isinstance(answer, str) and kind == "text" and not answer.strip():
        return ["#skipped"]
    if kind == "rating":
        if not isinstance(answer, int) or not question.get("min", 1) <= answer <= question.get("max", 5):
            raise ValueError("out-of-range")
        return ["#answered", str(answer)]
    if kind == "text":
        if not isinstance(answer, str) or len(answer) > question.get("maxLength", 1000) or "\0" in answer:
            raise ValueError("too-long")
        return ["#answered"]
    chosen = answer if question.get("multiple") else [answer]
    known = {option["id"] for option in question["options"]}
    if not isinstance(chosen, list) or len(set(chosen)) < len(chosen) or not known.issuperset(chosen):
        raise ValueError("unknown-option")
    return ["#answered", *chosen]


def mac(*parts):
    return hmac.digest(KEY, b"\0".join(parts), "sha256")


@app.post("/v1/forms/{code}/submissions", status_code=201)
async def submit(code: str, request: Request):
    try:
        body = Submission.model_validate_json(await request.body())
    except ValidationError as error:
        raise HTTPException(400, error.errors(include_url=False, include_input=False)) from None
    faults, counted = [], [("", "#submissions")]
    for key in body.answers.keys() - QUESTIONS.keys():
        faults.append({"pointer": f"/answers/{key}", "code": "unknown-question"})
    for key, question in QUESTIONS.items():
        try:
            counted += [(key, bucket) for bucket in buckets(question, body.answers.get(key))]
        except ValueError as error:
            faults.append({"pointer": f"/answers/{key}", "code": str(error)})
    if faults:
        raise HTTPException(422, faults)
    key = os.urandom(32)
    id = uuid.UUID(bytes=mac(b"id", FORM.bytes, key)[:16], version=4)
    receipt = base64.urlsafe_b64encode(id.bytes + mac(b"receipt", id.bytes)).decode()
    now = datetime.datetime.now(datetime.timezone.utc)
    # In one order, so that two transactions never wait for each other.
    counted.sort()
    async with pool.connection() as connection:
        await connection.execute(
            STORE, (FORM, id, Jsonb(body.answers), now.date(), now, FORM,
                    [question for question, _ in counted], [bucket for _, bucket in counted]))
    content = {"id": str(id), "receipt": receipt, "submittedAt": now.strftime("%Y-%m-%dT%H:%M:%SZ")}
    return Response(json.dumps(content), 201, media_type="application/json")

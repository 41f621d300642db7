"""Parses Dockerfile and docker-compose.yml, and fails if they would not build or start, or expose a secret."""

import pathlib
import re
import sys

import yaml

INSTRUCTIONS = set(
    "ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR".split()
)
faults: list[str] = []


def check(condition: object, message: str) -> None:
    if not condition:
        faults.append(message)


def instructions(text: str) -> list[tuple[str, str]]:
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n", " ", "\n".join(lines))
    return [(word.upper(), rest.strip()) for word, _, rest in (line.strip().partition(" ") for line in joined.split("\n")) if word]


def check_dockerfile(path: pathlib.Path) -> None:
    parsed = instructions(path.read_text())
    for word, _ in parsed:
        check(word in INSTRUCTIONS, f"Dockerfile: unknown instruction {word}")
    stages = [rest for word, rest in parsed if word == "FROM"]
    check(len(stages) == 2, f"Dockerfile: two stages expected, {len(stages)} found")
    names = {rest.split()[2] for rest in stages if len(rest.split()) == 3 and rest.split()[1].upper() == "AS"}
    for word, rest in parsed:
        source = re.search(r"--from=(\S+)", rest) if word == "COPY" else None
        check(not source or source[1] in names, f"Dockerfile: COPY from an unknown stage: {rest}")
        if word == "COPY" and not source:
            for name in [part for part in rest.split()[:-1] if not part.startswith("--")]:
                check(list(path.parent.glob(name)), f"Dockerfile: COPY of {name}, which does not exist")
        if word in ("CMD", "ENTRYPOINT"):
            check(isinstance(yaml.safe_load(rest), list), f"Dockerfile: {word} must be a JSON list, or signals are lost")
    starts = [index for index, (word, _) in enumerate(parsed) if word == "FROM"]
    final = parsed[starts[-1] :] if starts else []
    users = [rest for word, rest in final if word == "USER"]
    check(users and users[-1].split(":")[0] not in ("root", "0"), "Dockerfile: the last stage runs as root")
    for wanted in ("HEALTHCHECK", "EXPOSE", "ENTRYPOINT"):
        check(any(word == wanted for word, _ in final), f"Dockerfile: the last stage has no {wanted}")


def check_compose(path: pathlib.Path) -> None:
    compose = yaml.safe_load(path.read_text())
    services, secrets = compose.get("services", {}), compose.get("secrets", {})
    volumes = compose.get("volumes", {})
    check(set(services) == {"postgres", "afterword"}, f"docker-compose.yml: services are {sorted(services)}")
    for name, service in services.items():
        check(service.get("healthcheck", {}).get("test"), f"docker-compose.yml: {name} has no health check")
        check("image" in service or "build" in service, f"docker-compose.yml: {name} has no image and no build")
        for volume in service.get("volumes", []):
            check(volume.split(":")[0] in volumes, f"docker-compose.yml: {name} uses {volume}, which is not a named volume")
        for secret in service.get("secrets", []):
            secret = secret["source"] if isinstance(secret, dict) else secret
            check(secret in secrets, f"docker-compose.yml: {name} uses the secret {secret}, which is not declared")
        for key, value in service.get("environment", {}).items():
            secretive = re.search("PASSWORD|SECRET|TOKEN", key)
            check(
                not secretive or (key.endswith("_FILE") and str(value).startswith("/run/secrets/")),
                f"docker-compose.yml: {key} of {name} is not a secret file",
            )
            check(not re.search(r"://[^/@]*:[^/@]*@", str(value)), f"docker-compose.yml: {key} of {name} contains a password")
        for wanted, condition in service.get("depends_on", {}).items():
            check(wanted in services, f"docker-compose.yml: {name} depends on {wanted}, which is not a service")
            check(condition.get("condition") == "service_healthy", f"docker-compose.yml: {name} does not wait for {wanted}")
    grace = re.fullmatch(r"(\d+)s", str(services.get("afterword", {}).get("stop_grace_period")))
    check(grace and int(grace[1]) > 30, "docker-compose.yml: afterword is killed before its requests are finished")
    check(volumes, "docker-compose.yml: there is no named volume")
    check(any(service.get("volumes") for service in services.values()), "docker-compose.yml: no service keeps its data")
    for name, secret in secrets.items():
        check(secret.get("file"), f"docker-compose.yml: the secret {name} does not come from a file")


check_dockerfile(pathlib.Path("Dockerfile"))
check_compose(pathlib.Path("docker-compose.yml"))
for fault in faults:
    print(fault, file=sys.stderr)
sys.exit(1 if faults else 0)

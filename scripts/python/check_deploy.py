"""Parses Dockerfile, docker-compose.yml and the manifests of Kubernetes, and fails if they would not build or start, or
expose a secret."""

import pathlib
import re
import sys

import kubernetes_validate
import yaml

INSTRUCTIONS = set(
    "ADD ARG CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL ONBUILD RUN SHELL STOPSIGNAL USER VOLUME WORKDIR".split()
)
# The version of the schemas.
KUBERNETES = "1.31"
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


def check_kubernetes(path: pathlib.Path, dockerfile: pathlib.Path) -> None:
    """Compares the manifests with the schemas of Kubernetes, with each other, and with the image."""
    documents = list(yaml.safe_load_all(path.read_text()))
    for document in documents:
        try:
            kubernetes_validate.validate(document, KUBERNETES, strict=True)
        except kubernetes_validate.ValidationError as error:
            check(False, f"{path}: {document.get('kind')}: {error.message}")
    kinds = {document["kind"]: document for document in documents}
    environment = dict(re.findall(r"(AFTERWORD_\w+)=(\S+)", dockerfile.read_text()))
    pod = kinds["Deployment"]["spec"]["template"]
    [container] = pod["spec"]["containers"]
    settings = {**environment, **kinds["ConfigMap"]["data"]}
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    check(ports.get("health") == int(settings["AFTERWORD_HEALTH_PORT"]), f"{path}: the health port is not the image's")
    check(f"EXPOSE {ports.get('http')}" in dockerfile.read_text(), f"{path}: the port is not the image's")
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        target = container.get(probe, {}).get("httpGet", {})
        check(target.get("path") in ("/livez", "/readyz"), f"{path}: {probe} asks for {target.get('path')}")
        check(target.get("port") == "health", f"{path}: {probe} does not use the health port")
    user = re.search(r"useradd --uid (\d+)", dockerfile.read_text())
    check(user and pod["spec"]["securityContext"]["runAsUser"] == int(user[1]), f"{path}: the user is not the image's")
    labels = pod["metadata"]["labels"]
    for kind, selector in [
        ("Deployment", kinds["Deployment"]["spec"]["selector"]["matchLabels"]),
        ("Service", kinds["Service"]["spec"]["selector"]),
        ("PodDisruptionBudget", kinds["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"]),
    ]:
        check(selector == labels, f"{path}: {kind} selects other pods")
    volumes = {volume["name"] for volume in pod["spec"]["volumes"]}
    for each in [*pod["spec"].get("initContainers", []), container]:
        check(each["image"] == container["image"], f"{path}: {each['name']} has another image")
        confined = each.get("securityContext", {})
        check(confined.get("readOnlyRootFilesystem") is True, f"{path}: {each['name']} can write to its image")
        check(confined.get("capabilities") == {"drop": ["ALL"]}, f"{path}: {each['name']} keeps capabilities")
        for mount in each["volumeMounts"]:
            check(mount["name"] in volumes, f"{path}: {each['name']} mounts {mount['name']}, which is not a volume")
    written = {mount["mountPath"] for mount in container["volumeMounts"] if not mount.get("readOnly")}
    check(settings["AFTERWORD_DATA"] in written, f"{path}: the data folder is not writable")
    for key, value in kinds["ConfigMap"]["data"].items():
        check("://" not in value or "@" not in value, f"{path}: {key} contains a password")
    check(pod["spec"]["terminationGracePeriodSeconds"] >= 40, f"{path}: pods are killed before requests are finished")


check_dockerfile(pathlib.Path("Dockerfile"))
check_kubernetes(pathlib.Path("deploy/kubernetes/afterword.yaml"), pathlib.Path("Dockerfile"))
check_compose(pathlib.Path("docker-compose.yml"))
for fault in faults:
    print(fault, file=sys.stderr)
sys.exit(1 if faults else 0)

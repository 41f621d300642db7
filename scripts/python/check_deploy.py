"""Parses the Dockerfile, the three files of docker compose, the manifests of Kubernetes, HAProxy's configuration and
shell scripts, and fails if they would not build or start, or expose a secret."""

import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

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


def check_mount(file: str, name: str, volume: str, volumes: dict) -> None:
    """A volume with a name, or a file of this repository that the container can only read."""
    source, *_, mode = volume.split(":")
    if source.startswith("./"):
        check(pathlib.Path(source).is_file(), f"{file}: {name} mounts {source}, which is no file of this repository")
        check(mode == "ro", f"{file}: {name} can write to {source}")
    else:
        check(source in volumes, f"{file}: {name} uses {volume}, which is not a named volume")


def check_compose(path: pathlib.Path, expected: set[str]) -> None:
    file = path.name
    compose = yaml.safe_load(path.read_text())
    services, secrets = compose.get("services", {}), compose.get("secrets", {})
    volumes = compose.get("volumes", {})
    check(set(services) == expected, f"{file}: services are {sorted(services)}")
    ports, used = [], set()
    for name, service in services.items():
        check(service.get("healthcheck", {}).get("test"), f"{file}: {name} has no health check")
        check("image" in service or "build" in service, f"{file}: {name} has no image and no build")
        for volume in service.get("volumes", []):
            check_mount(file, name, volume, volumes)
            used.add(volume.split(":")[0])
        for port in service.get("ports", []):
            check(port.startswith("127.0.0.1:"), f"{file}: other machines reach {name} at {port}")
            check(port not in ports, f"{file}: two services use {port}")
            ports.append(port)
        for secret in service.get("secrets", []):
            secret = secret["source"] if isinstance(secret, dict) else secret
            check(secret in secrets, f"{file}: {name} uses the secret {secret}, which is not declared")
        for key, value in service.get("environment", {}).items():
            secretive = re.search("PASSWORD|SECRET|TOKEN", key)
            check(
                not secretive or (key.endswith("_FILE") and str(value).startswith("/run/secrets/")),
                f"{file}: {key} of {name} is not a secret file",
            )
            check(not re.search(r"://[^/@]*:[^/@]*@", str(value)), f"{file}: {key} of {name} contains a password")
        for wanted, condition in service.get("depends_on", {}).items():
            check(wanted in services, f"{file}: {name} depends on {wanted}, which is not a service")
            check(condition.get("condition") == "service_healthy", f"{file}: {name} does not wait for {wanted}")
        if "build" in service:
            grace = re.fullmatch(r"(\d+)s", str(service.get("stop_grace_period")))
            check(grace and int(grace[1]) > 30, f"{file}: {name} is killed before its requests are finished")
    check(any("build" in service for service in services.values()), f"{file}: no service is built by the Dockerfile")
    check(ports, f"{file}: no service can be reached")
    check(volumes, f"{file}: there is no named volume")
    check(set(volumes) <= used, f"{file}: no service uses {sorted(set(volumes) - used)}")
    for name, secret in secrets.items():
        check(secret.get("file"), f"{file}: the secret {name} does not come from a file")


def check_high_availability(path: pathlib.Path, configuration: pathlib.Path) -> None:
    """Compares the servers and the instances with each other, and with HAProxy's configuration."""
    services = yaml.safe_load(path.read_text())["services"]
    settings = {name: service.get("environment", {}) for name, service in services.items()}
    databases = {name: values for name, values in settings.items() if "SELF" in values}
    for name, values in databases.items():
        check(values["SELF"] == name, f"{path}: {name} is called {values['SELF']}")
        check(values["PEER"] in set(databases) - {name}, f"{path}: the peer of {name} is {values['PEER']}")
        kept = {volume.split(":")[1] for volume in services[name]["volumes"] if not volume.startswith("./")}
        check(str(pathlib.PurePath(values["PGDATA"]).parent) in kept, f"{path}: {name} does not keep its data")
    makers = [name for name, values in databases.items() if values.get("INITIALIZES") == "yes"]
    check(len(makers) == 1, f"{path}: {makers} make a database")
    instances = {name: values for name, values in settings.items() if "AFTERWORD_DATABASE_URL" in values}
    folders = {tuple(services[name]["volumes"]) for name in instances}
    check(len(folders) == 1, f"{path}: the instances do not share a secret file")
    for name, values in instances.items():
        for key, wanted in (("AFTERWORD_DATABASE_URL", "read-write"), ("AFTERWORD_REPLICA_URL", "standby")):
            url = urllib.parse.urlsplit(values.get(key, ""))
            hosts = set(url.netloc.rpartition("@")[2].split(","))
            check(hosts == set(databases), f"{path}: {key} of {name} names {sorted(hosts)}")
            attributes = urllib.parse.parse_qs(url.query).get("target_session_attrs")
            check(attributes == [wanted], f"{path}: {key} of {name} accepts {attributes}")
        check(values.get("AFTERWORD_TRUSTED_PROXIES") == "1", f"{path}: {name} does not trust HAProxy")
    balanced = set(re.findall(r"^ *server (\S+) \1:8080\b", configuration.read_text(), re.M))
    check(balanced == set(instances), f"{configuration}: the servers are {sorted(balanced)}")


def check_haproxy(path: pathlib.Path) -> None:
    program = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin")
    if not program:
        print(f"{path}: not checked by HAProxy, which is not installed (scripts/setup test).")
        return
    done = subprocess.run([program, "-c", "-f", path], capture_output=True, text=True)
    # The names of the instances are known only to the network of the containers.
    warnings = [
        line for line in done.stderr.splitlines()
        if "[ALERT]" in line or ("[WARNING]" in line and "could not resolve address" not in line)]
    check(done.returncode == 0 and not warnings, f"{path}: {done.stderr}")


def check_script(path: pathlib.Path) -> None:
    done = subprocess.run(["sh", "-n", path], capture_output=True, text=True)
    check(done.returncode == 0, f"{path}: {done.stderr}")


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
check_compose(pathlib.Path("docker-compose.yml"), {"postgres", "afterword"})
check_compose(pathlib.Path("docker-compose.ha.yml"), {"db1", "db2", "app1", "app2", "haproxy"})
check_compose(pathlib.Path("docker-compose.citus.yml"), {"coordinator", "worker1", "worker2", "afterword"})
check_high_availability(pathlib.Path("docker-compose.ha.yml"), pathlib.Path("deploy/haproxy/haproxy.cfg"))
check_haproxy(pathlib.Path("deploy/haproxy/haproxy.cfg"))
for script in pathlib.Path("deploy").glob("**/*.sh"):
    check_script(script)
for fault in faults:
    print(fault, file=sys.stderr)
sys.exit(1 if faults else 0)

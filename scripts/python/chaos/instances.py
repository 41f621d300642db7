"""Several instances of the service on one database, behind HAProxy."""

import asyncio
import os
import shutil
import socket
import subprocess

from chaos.service import ENVIRONMENT, NotReady, Service

COUNT = 3
READY_TIMEOUT = 120
# HAProxy looks at each instance five times a second. A request whose instance is lost is answered with 502 or 503.
CONFIGURATION = """
global
    maxconn 2000
defaults
    mode http
    retries 3
    option redispatch
    timeout connect 1s
    timeout client 60s
    timeout server 60s
frontend clients
    bind 127.0.0.1:{port}
    default_backend instances
backend instances
    balance roundrobin
    option httpchk GET /readyz
    default-server check inter 200ms fall 1 rise 1
{servers}
"""


def program():
    """HAProxy's path, or None."""
    return shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin")


class Instances:
    """Instances that use the private database of `first`, which is not behind the proxy."""

    def __init__(self, binary, folder, first):
        self.folder, self.first = folder, first
        self.services, self.process, self.port = [], None, 0
        for number in range(1, COUNT + 1):
            part = f"{folder}/instance-{number}"
            os.makedirs(part, mode=0o700)
            self.services.append(Service(binary, part))

    async def start(self):
        options = ["--database-url", self.first.database.url(), "--secret-file", f"{self.first.data}/secret",
                   "--trusted-proxies", "1"]
        for service in self.services:
            service.options = options
        await asyncio.gather(*(service.start(READY_TIMEOUT) for service in self.services))
        await self.start_proxy()

    async def start_proxy(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        servers = "\n".join(
            f"    server instance-{number} 127.0.0.1:{service.port}"
            for number, service in enumerate(self.services, 1))
        path = f"{self.folder}/haproxy.cfg"
        with open(path, "w") as file:
            file.write(CONFIGURATION.format(port=self.port, servers=servers))
        with open(f"{self.folder}/haproxy.log", "wb") as log:
            self.process = subprocess.Popen(
                [program(), "-db", "-f", path], stdout=log, stderr=subprocess.STDOUT, env=ENVIRONMENT,
                cwd=self.folder)
        for _ in range(1000):
            if self.process.poll() is not None:
                break
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                await asyncio.sleep(0.01)
        raise NotReady(f"HAProxy did not start; its messages are in {self.folder}/haproxy.log")

    async def ready(self, timeout):
        """Waits until each instance is ready. Returns the time at which the last one was."""
        return max(await asyncio.gather(*(service.ready(timeout) for service in self.services)))

    def ends(self):
        """The statuses with which instances ended that nobody had killed, other than 0 after SIGTERM."""
        found = [end.status for service in self.services for end in service.ends if not end.was_killed and end.status]
        for service in self.services:
            service.ends.clear()
        return found

    async def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait()
            self.process = None
        for service in self.services:
            await service.stop()

"""A program that tries to enter a cluster of Dask, as another user if it is started as root.

Reads on standard input, as JSON: the address of a scheduler without its protocol, the addresses at
which something listens, and perhaps a certificate and a key. It prints by which ways it got in.
"""

import asyncio
import json
import os
import pwd
import ssl
import sys
import urllib.error
import urllib.request
from contextlib import suppress

import tornado.platform.asyncio  # noqa: F401  another user may be unable to read the packages
from distributed import Client, Security, rpc
from distributed.protocol.pickle import dumps

SECONDS = 3  # a plain client tries to connect again and again; who is refused by TLS ends at once


def security(given):
    """Trust who answers, and show a certificate: the given one, or one of our own making."""
    own = Security.temporary()
    if given["cert"] is not None:
        return Security(
            require_encryption=True,
            tls_ca_file=given["cert"],
            tls_client_cert=given["cert"],
            tls_client_key=given["key"],
        )
    host, _, port = given["scheduler"].rpartition(":")
    with suppress(OSError):  # it may speak no TLS
        own.tls_ca_file = ssl.get_server_certificate((host, int(port)), timeout=SECONDS)
    return own


async def by_client(scheduler, ways, name):
    async with Client(scheduler, asynchronous=True, timeout=SECONDS, security=ways) as client:
        if name == "submit":
            return await client.submit(os.getpid)
        return await client.run_on_scheduler(os.getpid)


async def by_message(address, ways, name):
    arguments = ways.get_connection_args("client")
    async with rpc(address, connection_args=arguments, timeout=SECONDS) as peer:
        answer = await getattr(peer, name)(function=dumps(os.getpid))
        return answer["result"]


async def by_http(url):
    unverified = ssl._create_unverified_context()  # noqa: S323  it takes what it gets

    def asked():
        with suppress(urllib.error.HTTPError):  # a server, all the same
            urllib.request.urlopen(url, timeout=SECONDS, context=unverified)  # noqa: S310

    await asyncio.to_thread(asked)


async def entered(name, attempt):
    """Whether an attempt gets in; whoever is refused gets many sorts of errors, or no answer."""
    try:
        async with asyncio.timeout(2 * SECONDS):
            await attempt
    except Exception as error:
        print(name, type(error).__name__, error, file=sys.stderr)  # noqa: T201
        return False
    return True


async def attacked(given, plain, certified):
    attempts = []
    for protocol, ways in (("tcp", plain), ("tls", certified)):
        for name in ("submit", "run_on_scheduler"):
            where = f"{protocol}://{given['scheduler']}"
            attempts.append((f"{protocol} {name}", by_client(where, ways, name)))
        for place in given["listening"]:
            name = "run_function" if place == given["scheduler"] else "run"
            where = f"{protocol}://{place}"
            attempts.append((f"{protocol} {name}", by_message(where, ways, name)))
    for place in given["listening"]:
        attempts += [(word, by_http(f"{word}://{place}/")) for word in ("http", "https")]
    found = await asyncio.gather(*(entered(*attempt) for attempt in attempts))
    return sorted(name for (name, _), is_in in zip(attempts, found, strict=True) if is_in)


def main():
    given = json.load(sys.stdin)
    plain, certified = Security(), security(given)
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.setgroups([])
        os.setgid(nobody.pw_gid)
        os.setuid(nobody.pw_uid)
    json.dump(asyncio.run(attacked(given, plain, certified)), sys.stdout)


if __name__ == "__main__":
    main()

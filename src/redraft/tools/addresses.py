"""Which addresses of the network a page may be fetched from: public ones, checked after resolution, and what the user allows by name."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from redraft.errors import UsageError

__all__ = ["AllowList", "Resolver", "is_public", "resolve"]

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""Host and port to numeric addresses.

Raises:
    OSError: there are none.
"""

METADATA = frozenset({ipaddress.ip_address("168.63.129.16")})
"""Services of a cloud for its own machines at addresses that look public; the others are link-local or private."""
TRANSLATED = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("64:ff9b:1::/48"))
"""IPv6 networks whose last 32 bits are an IPv4 address."""


async def resolve(host: str, port: int) -> Sequence[str]:
    """The addresses that the machine's resolver gives."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def is_public(address: Address) -> bool:
    """Whether it is one machine of the open network: not private, loopback, link-local, multicast, reserved, or a way to such a one."""
    if address in METADATA or address.is_multicast or address.is_reserved or address.is_unspecified or not address.is_global:
        return False
    return all(is_public(inner) for inner in _inner(address)) if isinstance(address, ipaddress.IPv6Address) else True


def _inner(address: ipaddress.IPv6Address) -> list[Address]:
    """IPv4 addresses that a packet to this one may end at."""
    found: list[Address | None] = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if any(address in network for network in TRANSLATED):
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [inner for inner in found if inner is not None]


@dataclass(frozen=True, slots=True)
class AllowList:
    """Hosts, addresses and networks that may be fetched from although they are not public."""

    hosts: frozenset[str]
    networks: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]

    @classmethod
    def of(cls, entries: Sequence[str]) -> AllowList:
        """From `wiki.corp.example`, `10.1.2.3`, `10.0.0.0/8`.

        Raises:
            UsageError: an entry is none of these.
        """
        hosts: set[str] = set()
        networks: list[ipaddress.IPv4Network | ipaddress.IPv6Network] = []
        for entry in entries:
            try:
                networks.append(ipaddress.ip_network(entry))
            except ValueError:
                if not entry or any(char in entry for char in "/:*@ "):
                    raise UsageError(f"{entry!r} is no host, address or network; give names such as wiki.example, 10.1.2.3 or 10.0.0.0/8") from None
                hosts.add(entry.rstrip(".").lower())
        return cls(frozenset(hosts), tuple(networks))

    def admits(self, host: str, address: Address) -> bool:
        """Whether this address may be connected to for this host."""
        if is_public(address) or host in self.hosts:
            return True
        mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
        return any(one in network for network in self.networks for one in (address, mapped) if one is not None and one.version == network.version)

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

SPECIAL_V4 = tuple(
    map(
        ipaddress.IPv4Network,
        "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 "
        "198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32".split(),
    )
)
"""IANA's networks for special purposes, and one address at which a cloud serves its own machines. Listed here, as what the standard library
calls global has changed from version to version."""
GLOBAL_V6 = ipaddress.IPv6Network("2000::/3")
SPECIAL_V6 = tuple(map(ipaddress.IPv6Network, "2001::/23 2001:db8::/32 2002::/16 3fff::/20".split()))
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
"""Where hosts without IPv4 find the IPv4 address that the last 32 bits give."""


async def resolve(host: str, port: int) -> Sequence[str]:
    """The addresses that the machine's resolver gives."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def is_public(address: Address) -> bool:
    """Whether it is one machine of the open network: not private, loopback, link-local, multicast, reserved, or a way to such a one."""
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in network for network in SPECIAL_V4)
    if address.ipv4_mapped is not None:
        return is_public(address.ipv4_mapped)
    if address in NAT64:
        return is_public(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return address in GLOBAL_V6 and not any(address in network for network in SPECIAL_V6)


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

"""Chips and links of real clusters as named data, each with the source of its figures.

Peaks, as vendors state them: what real programs reach is less. Bytes and rates are decimal. A latency is what the cost
model of NCCL, ``src/graph/tuning.cc``, reckons for a step of a ring with its protocol Simple; datasheets state none. It
is one for all generations of a kind of link, and what NCCL adds once a call is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .errors import GroupError


@dataclass(frozen=True, slots=True)
class Link:
    """What joins two devices: bytes a second in each direction, and seconds until the first byte arrives."""

    name: str
    bandwidth: float
    latency: float
    source: str


@dataclass(frozen=True, slots=True)
class Chip:
    """A device: 16-bit floating-point operations a second (dense), memory in bytes a second and in bytes.

    ``link`` is what joins the chips of one node.
    """

    name: str
    flops: float
    bandwidth: float
    memory: int
    link: Link
    source: str


_NVLINK_STEP = "NCCL hwLatencies, NVLINK, ring, Simple: 3.4 us"
_NET_STEP = "NCCL hwLatencies, NET, ring, Simple: 14 us"

NVLINK_1 = Link(
    "NVLink 1", 80e9, 3.4e-6, f"NVIDIA Tesla P100 datasheet: 160 GB/s, both directions together; {_NVLINK_STEP}"
)
NVLINK_2 = Link("NVLink 2", 150e9, 3.4e-6, f"NVIDIA V100 datasheet: 300 GB/s, both directions together; {_NVLINK_STEP}")
NVLINK_3 = Link("NVLink 3", 300e9, 3.4e-6, f"NVIDIA A100 datasheet: 600 GB/s, both directions together; {_NVLINK_STEP}")
NVLINK_4 = Link("NVLink 4", 450e9, 3.4e-6, f"NVIDIA H100 datasheet: 900 GB/s, both directions together; {_NVLINK_STEP}")
NVLINK_5 = Link(
    "NVLink 5", 900e9, 3.4e-6, f"NVIDIA DGX B200 datasheet: 1.8 TB/s, both directions together; {_NVLINK_STEP}"
)
INFINIBAND_HDR = Link(
    "InfiniBand HDR", 25e9, 14e-6, f"NVIDIA ConnectX-6 InfiniBand datasheet: 200 Gb/s a port; {_NET_STEP}"
)
INFINIBAND_NDR = Link(
    "InfiniBand NDR", 50e9, 14e-6, f"NVIDIA ConnectX-7 InfiniBand datasheet: 400 Gb/s a port; {_NET_STEP}"
)
INFINIBAND_XDR = Link(
    "InfiniBand XDR", 100e9, 14e-6, f"NVIDIA ConnectX-8 SuperNIC datasheet: 800 Gb/s a port; {_NET_STEP}"
)
ETHERNET_100 = Link("Ethernet 100 Gb/s", 12.5e9, 14e-6, f"IEEE 802.3ba: 100 Gb/s; {_NET_STEP}")
ETHERNET_400 = Link("Ethernet 400 Gb/s", 50e9, 14e-6, f"IEEE 802.3bs: 400 Gb/s; {_NET_STEP}")

A100 = Chip(
    "A100", 312e12, 2.039e12, 80 * 10**9, NVLINK_3,
    "NVIDIA A100 datasheet, SXM 80 GB: BFLOAT16 and FP16 Tensor Core 312 TFLOPS dense, 2,039 GB/s, 80 GB HBM2e",
)  # fmt: skip
H100 = Chip(
    "H100", 989.5e12, 3.35e12, 80 * 10**9, NVLINK_4,
    "NVIDIA H100 datasheet, SXM: BFLOAT16 and FP16 Tensor Core 1,979 TFLOPS with sparsity, half of that dense; "
    "3.35 TB/s, 80 GB",
)  # fmt: skip
H200 = Chip(
    "H200", 989.5e12, 4.8e12, 141 * 10**9, NVLINK_4,
    "NVIDIA H200 datasheet, SXM: BFLOAT16 and FP16 Tensor Core 1,979 TFLOPS with sparsity, half of that dense; "
    "4.8 TB/s, 141 GB",
)  # fmt: skip
B200 = Chip(
    "B200", 2.25e15, 8e12, 180 * 10**9, NVLINK_5,
    "NVIDIA HGX B200 datasheet, 8 chips: FP16 and BF16 Tensor Core 36 PFLOPS with sparsity, half of that dense; "
    "DGX B200 datasheet, 8 chips: 64 TB/s, 1,440 GB",
)  # fmt: skip

CHIPS: tuple[Chip, ...] = (A100, H100, H200, B200)
LINKS: tuple[Link, ...] = (
    NVLINK_1, NVLINK_2, NVLINK_3, NVLINK_4, NVLINK_5,
    INFINIBAND_HDR, INFINIBAND_NDR, INFINIBAND_XDR, ETHERNET_100, ETHERNET_400,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Hardware:
    """What a cluster is made of: nodes of ``ranks_per_node`` chips, joined by ``inner`` within a node and ``outer``
    between nodes.

    ``inner`` is the chip's own link unless another is given. Each chip has an outer link of its own.

    >>> hardware = Hardware(H100, outer=INFINIBAND_NDR, ranks_per_node=8)
    >>> hardware.ring(range(8)), hardware.ring(range(16))
    ((3.4e-06, 450000000000.0), (1.4e-05, 50000000000.0))
    """

    chip: Chip
    inner: Link | None = None
    outer: Link = INFINIBAND_NDR
    ranks_per_node: int = 8

    def __post_init__(self) -> None:
        if self.ranks_per_node < 1:
            raise GroupError(f"a node has one rank at least, not {self.ranks_per_node}")

    def ring(self, ranks: Sequence[int]) -> tuple[float, float]:
        """Latency and bandwidth of a ring through ``ranks`` in their order: those of its slowest link."""
        nodes = [rank // self.ranks_per_node for rank in ranks]
        crosses = {here != there for here, there in zip(nodes, [*nodes[1:], nodes[0]], strict=True)}
        links = [self.outer if each else self.inner or self.chip.link for each in crosses]
        return max(link.latency for link in links), min(link.bandwidth for link in links)

    def compute_seconds(self, flops: int, nbytes: int) -> float:
        """The time of an operation: at the chip's peak, or at the memory's if that is longer.

        >>> Hardware(A100).compute_seconds(624 * 10**12, 2039 * 10**9)
        2.0
        """
        return max(flops / self.chip.flops, nbytes / self.chip.bandwidth)

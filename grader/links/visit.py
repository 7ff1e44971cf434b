"""Asking addresses: HEAD first, GET where that is refused, a few at once and fewer per host."""

from __future__ import annotations

import asyncio
import itertools
import socket
import ssl
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from urllib.parse import urldefrag

import httpx

from .answer import Answer, Policy, Status

_GONE = (404, 410)
_LATER = (429, 503)
_PERMANENT = (301, 308)
# OpenSSL's codes for a certificate that is wrong for everybody: expired, self-signed, for another name or address.
_BAD_CERTIFICATE = (10, 18, 62, 64)
_NO_HOST = "no host of this name"


@dataclass(frozen=True, slots=True)
class _Try:
    """One try at an address: whether another may say more, and how long the server wants to be left alone."""

    answer: Answer
    again: bool = False
    wait: float | None = None


def visit_all(
    urls: Iterable[str], policy: Policy, *, verify: ssl.SSLContext | bool = True, tell: Callable[[Answer], object] = id
) -> list[Answer]:
    """Ask every address, and give the answers in the order of ``urls``. ``tell`` hears each as it comes.

    If no host at all could be found or reached, nothing is known of any: then there is no network.
    """
    answers = asyncio.run(_visit_all(list(urls), policy, verify, tell))
    if any(answer.status != "unknown" and answer.reason != _NO_HOST for answer in answers):
        return answers
    return [
        Answer(answer.url, "unknown", f"{_NO_HOST}, nor any other: is there a network?")
        if answer.reason == _NO_HOST
        else answer
        for answer in answers
    ]


async def _visit_all(
    urls: list[str], policy: Policy, verify: ssl.SSLContext | bool, tell: Callable[[Answer], object]
) -> list[Answer]:
    hosts: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(policy.at_once_per_host))
    at_once = asyncio.Semaphore(policy.at_once)
    headers = {"User-Agent": policy.user_agent, "Accept": "*/*"}
    async with httpx.AsyncClient(
        verify=verify, follow_redirects=True, timeout=policy.timeout, headers=headers
    ) as client:

        async def one(url: str) -> Answer:
            try:
                host = httpx.URL(url).host
            except httpx.InvalidURL as error:
                return Answer(url, "broken", f"no address: {error}")
            async with hosts[host], at_once:
                answer = await _visit(client, url, policy)
            tell(answer)
            return answer

        return await asyncio.gather(*map(one, urls))


async def _visit(client: httpx.AsyncClient, url: str, policy: Policy) -> Answer:
    """Ask one address until it says something that counts, or the retries are used up."""
    pause = policy.first_pause
    for left in reversed(range(policy.retries + 1)):
        tried = await _try(client, url)
        wait = pause if tried.wait is None else tried.wait
        if not tried.again or not left or wait > policy.longest_wait:
            return tried.answer
        await asyncio.sleep(wait)
        pause *= 2
    raise AssertionError("the last try returns")


async def _try(client: httpx.AsyncClient, url: str) -> _Try:
    try:
        response = await client.head(url)
        if response.status_code >= 400 and response.status_code not in _LATER:
            async with client.stream("GET", url) as response:
                pass
    except httpx.TooManyRedirects:
        return _Try(Answer(url, "broken", "redirects that never end"))
    except (httpx.UnsupportedProtocol, httpx.LocalProtocolError):
        return _Try(Answer(url, "broken", "no address"))
    except httpx.TimeoutException:
        return _Try(Answer(url, "unknown", "no answer in time"), again=True)
    except httpx.HTTPError as error:
        return _failed(url, error)
    again = response.status_code in _LATER or response.status_code >= 500
    return _Try(_answered(url, response), again, _wait(response))


def _answered(url: str, response: httpx.Response) -> Answer:
    code = response.status_code
    reason = f"{code} {_phrase(code)}".rstrip()
    if code in _GONE:
        return Answer(url, "broken", reason)
    if code >= 400:
        return Answer(url, "unknown", reason)
    lasting = _lasting(response)
    if lasting is not None and urldefrag(lasting).url != url:
        return Answer(url, "moved", f"{reason}, after a redirect for good", lasting)
    return Answer(url, "ok", reason)


def _lasting(response: httpx.Response) -> str | None:
    """Where redirects for good lead, up to the first that is only for now."""
    location = None
    for before, after in itertools.pairwise([*response.history, response]):
        if before.status_code not in _PERMANENT:
            break
        location = str(after.url)
    return location


def _phrase(code: int) -> str:
    try:
        return HTTPStatus(code).phrase
    except ValueError:
        return ""


def _failed(url: str, error: httpx.HTTPError) -> _Try:
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            status: Status = "broken" if cause.verify_code in _BAD_CERTIFICATE else "unknown"
            return _Try(Answer(url, status, f"bad certificate: {cause.verify_message}"))
        if isinstance(cause, socket.gaierror) and cause.errno == socket.EAI_NONAME:
            return _Try(Answer(url, "broken", _NO_HOST))
    return _Try(Answer(url, "unknown", f"no answer: {error or type(error).__name__}"), again=True)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _wait(response: httpx.Response) -> float | None:
    """The seconds of a Retry-After header, given as seconds or as a date."""
    text = response.headers.get("Retry-After")
    if text is None:
        return None
    if text.strip().isdecimal():
        return float(text)
    try:
        until = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max((until - datetime.now(UTC)).total_seconds(), 0.0) if until.tzinfo else None

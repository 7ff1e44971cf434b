"""Asking addresses, tried on real servers of this machine that answer in every bad way."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
import trustme

from grader.links import Answer, Policy, visit_all

from .server import Server, running

POLICY = Policy(timeout=10, retries=2, first_pause=0.01, longest_wait=2)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        yield from running(server)


def ask(server: Server, path: str, policy: Policy = POLICY) -> Answer:
    [answer] = visit_all([server.url + path], policy)
    return answer


@pytest.mark.parametrize(
    ("path", "status", "reason"),
    [
        ("/code/200", "ok", "200 OK"),
        ("/code/204", "ok", "204 No Content"),
        ("/head_refused", "ok", "200 OK"),
        ("/to/302/code/200", "ok", "200 OK"),
        ("/to/302/code/404", "broken", "404 Not Found"),
        ("/code/404", "broken", "404 Not Found"),
        ("/code/410", "broken", "410 Gone"),
        ("/loop", "broken", "redirects that never end"),
        ("/code/401", "unknown", "401 Unauthorized"),
        ("/code/403", "unknown", "403 Forbidden"),
        ("/code/500", "unknown", "500 Internal Server Error"),
        ("/code/999", "unknown", "999"),
        ("/never/1000", "unknown", "429 Too Many Requests"),
    ],
)
def test_answers(server: Server, path: str, status: str, reason: str) -> None:
    answer = ask(server, path)
    assert (answer.status, answer.reason) == (status, reason)


@pytest.mark.parametrize("path", ["/cut", "/garbage"])
def test_no_answer_is_unknown_after_all_tries(server: Server, path: str) -> None:
    answer = ask(server, path)
    assert answer.status == "unknown"
    assert answer.reason.startswith("no answer: ")
    assert server.asked["HEAD", path] == POLICY.retries + 1


@pytest.mark.parametrize("after", ["0", "1", "Wed,_21_Oct_2015_07:28:00_GMT"])
def test_retry_after_is_heeded(server: Server, after: str) -> None:
    assert ask(server, f"/later/{after}").status == "ok"
    assert server.asked["HEAD", f"/later/{after}"] == 2


def test_a_refusal_is_not_asked_again(server: Server) -> None:
    ask(server, "/code/403")
    assert server.asked == {("HEAD", "/code/403"): 1, ("GET", "/code/403"): 1}


def test_a_server_that_wants_too_long_is_left_alone(server: Server) -> None:
    ask(server, "/never/1000")
    assert server.asked == {("HEAD", "/never/1000"): 1}


def test_what_moved_for_good_says_where(server: Server) -> None:
    answer = ask(server, "/to/301/to/302/code/200")
    assert answer.status == "moved"
    assert answer.location == f"{server.url}/to/302/code/200"


def test_at_most_so_many_per_host(server: Server) -> None:
    urls = [f"{server.url}/at_once/{number}" for number in range(12)]
    answers = visit_all(urls, POLICY)
    assert [answer.url for answer in answers] == urls
    assert {answer.status for answer in answers} == {"ok"}
    assert server.most == POLICY.at_once_per_host


def test_each_answer_is_told(server: Server) -> None:
    told: list[Answer] = []
    assert visit_all([f"{server.url}/code/200"], POLICY, tell=told.append) == told


def test_too_slow_is_unknown(server: Server) -> None:
    answer = ask(server, "/slow", Policy(timeout=0.1, retries=0))
    assert (answer.status, answer.reason) == ("unknown", "no answer in time")


PAST = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "known", "until", "status"),
    [
        ("127.0.0.1", True, None, "ok"),
        ("127.0.0.1", False, None, "unknown"),
        ("127.0.0.1", True, PAST, "broken"),
        ("127.0.0.2", True, None, "broken"),
        ("elsewhere.example", True, None, "broken"),
    ],
)
def test_certificates(name: str, known: bool, until: datetime | None, status: str) -> None:
    """Of ``known`` authorities or not, for the host 127.0.0.1 or another."""
    authority, other = trustme.CA(), trustme.CA()
    client = ssl.create_default_context()
    (authority if known else other).configure_trust(client)
    with Server() as server:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert(name, not_before=PAST - timedelta(1), not_after=until).configure_cert(context)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        server.scheme = "https"
        for _ in running(server):
            [answer] = visit_all([f"{server.url}/code/200"], POLICY, verify=client)
    assert answer.status == status
    assert answer.reason.startswith("200 OK" if status == "ok" else "bad certificate: ")


def test_no_such_host_is_broken_where_others_answer(server: Server) -> None:
    good, bad, worse = f"{server.url}/code/200", "http://no-such-host.invalid/", f"{server.url}/nowhere"
    assert [answer.status for answer in visit_all([good, bad, worse], POLICY)] == ["ok", "broken", "broken"]


def test_without_a_network_nothing_is_known() -> None:
    [answer] = visit_all(["http://no-such-host.invalid/"], POLICY)
    assert answer.status == "unknown"
    assert "is there a network?" in answer.reason


@pytest.mark.parametrize("url", ["http://[", "http://a b/", "https://"])
def test_no_address_is_broken_and_harms_no_other(server: Server, url: str) -> None:
    good, bad = visit_all([f"{server.url}/code/200", url], POLICY)
    assert (good.status, bad.status) == ("ok", "broken")

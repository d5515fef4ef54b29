"""The rude clients of `benchmarks.http_server`: malformed, oversized, slow, unauthorised, and hanging up."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from benchmarks.http.line import hang_up, read_answer

SLOW = 60.0  # seconds that an answer may take: the server's own limits are 10, 15 and 30
AT_ONCE = 64
ALL = 900.0  # seconds that all of them may take: what was not sent by then is counted


@dataclass(frozen=True, slots=True)
class Rude:
    """One kind of request: its bytes, the statuses that are a proper answer, and how it is sent.

    With `hangs_up` nobody waits for an answer; with `dribbles` the last bytes never come.
    """

    name: str
    make: Callable[[random.Random], bytes]
    proper: frozenset[int]
    hangs_up: bool = False
    dribbles: bool = False


def kinds(port: int, secret: str, gone: str) -> list[Rude]:
    """All kinds; `secret` is a valid token that may not see everything, `gone` one that was revoked."""

    def post(body: bytes, headers: str = "", *, token: str = secret, host: str = "127.0.0.1") -> bytes:
        given = f"Authorization: Bearer {token}\r\n" if token else ""
        lines = f"POST /mcp HTTP/1.1\r\nHost: {host}:{port}\r\n{given}Content-Type: application/json\r\n"
        head = f"{lines}Accept: application/json\r\n{headers}Content-Length: {len(body)}\r\n\r\n"
        return head.encode("latin-1") + body

    def calling(tool: object, arguments: object) -> bytes:
        params = {"name": tool, "arguments": arguments}
        return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()

    def cut(chance: random.Random) -> str:
        return secret[: chance.randrange(len(secret))]

    def garbage(chance: random.Random) -> bytes:
        return chance.randbytes(chance.randrange(1, 400)) + b"\r\n\r\n"

    def wrong(chance: random.Random) -> bytes:
        tool = chance.choice(["recall", "show", "nothing", 7, None, "' OR 1=1 --", "../../etc/passwd"])
        return calling(tool, chance.choice([{}, {"task": 7}, {"id": "' OR '1'='1"}, [], {"task": "x", "k": -1}]))

    def broken(chance: random.Random) -> bytes:
        whole = calling("recall", {"task": "sort rows"})
        return whole[: chance.randrange(len(whole))]

    ping = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
    refused, shut = frozenset({401, 429}), frozenset({400})
    told = frozenset({200, 400, 503, 504})  # the last two: too many calls of the token, or too long a queue
    return [
        Rude("no token", lambda _: post(ping, token=""), refused),
        Rude("unknown token", lambda chance: post(ping, token="mcode_" + chance.randbytes(24).hex()), refused),
        Rude("truncated token", lambda chance: post(ping, token=cut(chance)), refused),
        Rude("revoked token", lambda _: post(ping, token=gone), refused),
        Rude("broken json", lambda chance: post(broken(chance)), shut),
        Rude("nested 10,000 deep", lambda _: post(b"[" * 10_000 + b"]" * 10_000), shut),
        Rude("garbage body", lambda chance: post(chance.randbytes(300)), shut),
        Rude("wrong calls", lambda chance: post(wrong(chance)), told),
        Rude("hidden ids", lambda _: post(calling("show", {"id": "run_00000000000000000002"})), told),
        Rude("hidden task", lambda _: post(calling("recall", {"task": "count the zanzibar marker"})), told),
        Rude("oversized", lambda _: post(b"x" * 1_500_000), frozenset({413})),
        Rude(
            "oversized, only told",
            lambda _: post(b"", "Expect: 100-continue\r\n").replace(b": 0\r\n\r\n", b": 9999999999\r\n\r\n"),
            frozenset({413}),
        ),
        Rude("oversized head", lambda _: post(ping, f"X: {'x' * 40_000}\r\n"), frozenset({400, 431})),
        Rude("garbage bytes", garbage, shut),
        Rude("two lengths", lambda _: post(ping, "Content-Length: 7\r\n"), shut),
        Rude("another host", lambda _: post(ping, host="evil.example"), frozenset({421})),
        Rude("another origin", lambda _: post(ping, "Origin: http://evil.example\r\n"), frozenset({403})),
        Rude("another path", lambda _: post(ping).replace(b"/mcp", b"/../../etc/passwd"), frozenset({404})),
        Rude("another method", lambda _: post(b"").replace(b"POST", b"PATCH"), frozenset({405})),
        Rude("web socket", lambda _: post(ping, "Connection: Upgrade\r\nUpgrade: websocket\r\n"), told),
        Rude("hang up in the body", lambda _: post(ping)[:-5], frozenset(), hangs_up=True),
        Rude(
            "hang up before the answer", lambda _: post(calling("recall", {"task": "sort"})), frozenset(), hangs_up=True
        ),
        Rude("slow head", lambda _: b"POST /mcp HTTP/1.1\r\nHost: 127", frozenset({408}), dribbles=True),
        Rude("slow body", lambda _: post(ping)[:-5], frozenset({408}), dribbles=True),
    ]


async def attack(port: int, kinds: list[Rude], count: int, seed: int, telling: tuple[str, ...]) -> dict[str, object]:
    """So many requests, kinds in turn; what came back by kind and status, and what was improper or revealed anything.

    Of the slow kinds there are 100 each, since each takes as long as the server waits.
    """
    chance, room = random.Random(seed), asyncio.Semaphore(AT_ONCE)
    slow, quick = [kind for kind in kinds if kind.dribbles], [kind for kind in kinds if not kind.dribbles]
    plan = [kind for kind in slow for _ in range(100)]
    plan += [quick[number % len(quick)] for number in range(count - len(plan))]
    found: dict[str, dict[str, int]] = {}
    improper: list[str] = []

    async def one(kind: Rude) -> None:
        if kind.dribbles:
            outcome = await _sent(port, kind, chance, improper, telling)
        else:
            async with room:
                outcome = await _sent(port, kind, chance, improper, telling)
        by_status = found.setdefault(kind.name, {})
        by_status[outcome] = by_status.get(outcome, 0) + 1

    tasks = [asyncio.ensure_future(one(kind)) for kind in plan]
    done, late = await asyncio.wait(tasks, timeout=ALL)
    for task in late:
        task.cancel()
    await asyncio.gather(*late, return_exceptions=True)
    for task in done:
        task.result()  # a fault of this benchmark is no answer
    return {
        "sent": len(done),
        "not_sent": len(late),
        "answers": found,
        "improper": improper[:20],
        "improper_count": len(improper),
    }


async def _sent(port: int, kind: Rude, chance: random.Random, improper: list[str], telling: tuple[str, ...]) -> str:
    try:
        reader, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port), SLOW)
    except OSError as error:
        improper.append(f"{kind.name}: no connection, {type(error).__name__}")
        return "no connection"
    try:
        with suppress(OSError):
            writer.write(kind.make(chance))
            await asyncio.wait_for(writer.drain(), SLOW)
        if kind.hangs_up:
            return "hung up"
        status, _, body = await asyncio.wait_for(read_answer(reader), SLOW)
    except (TimeoutError, EOFError, OSError) as error:
        improper.append(f"{kind.name}: no answer, {type(error).__name__}")
        return "no answer"
    finally:
        await hang_up(writer)
    text = body.decode("utf-8", "replace")
    if status not in kind.proper:
        improper.append(f"{kind.name}: {status} {text[:120]}")
    if any(word in text for word in telling):
        improper.append(f"{kind.name}: reveals {text[:200]}")
    return str(status)

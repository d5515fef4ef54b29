"""Real MCP clients of others, each of which lists and calls every tool and reads every resource of `memu-code serve`.

    python -m benchmarks.mcp_clients

Needs node and npm: the clients come from the npm registry, into a temporary folder. Each gets a server process and a
store of its own. A call counts where the client says that it went well and what came back is what was asked for.
Goal: all tools and resources with at least one client that is not made with the SDK that serves.

- *inspector*: the MCP Inspector's command line, on the TypeScript SDK; a process and a handshake for each request.
- *ai-sdk*: the MCP client of Vercel's AI SDK, written without an official SDK; one process for all.
- *typescript-sdk*: the official TypeScript SDK's client by itself, which checks structured content by the schemas.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.result import save

SECONDS = 300
TASK = "Count the vowels of a word"
CODE = "word = 'memory'\nanswer = sum(letter in 'aeiou' for letter in word)\n"
ERROR = "NameError: name 'wrod' is not defined"
STEPS = [
    {"code": CODE.replace("in word", "in wrod"), "executed": True, "error": ERROR},
    {"code": CODE, "executed": True, "output": "2"},
]
# Each in its order: what it needs of the answers before is put in for {run} and {node}.
CALLS: dict[str, dict[str, Any]] = {
    "remember": {"task": TASK, "outcome": "answered", "answer": "2", "job": "vowels", "steps": STEPS},
    "recall": {"task": TASK, "k": 3},
    "recall_fix": {"error": ERROR},
    "feedback": {"node_id": "{node}", "verdict": "up"},
    "runs": {"job": "vowels"},
    "note_follow_up": {"text": "count those of two words", "job": "vowels"},
    "brief": {"job": "vowels"},
    "show": {"id": "{run}"},
}
RESOURCES = ("memu://node/{node}", "memu://run/{run}")
TEMPLATES = {"memu://node/{id}", "memu://run/{id}"}

Answer = dict[str, Any]  # {"structured": ..., "text": ...} of a call

_SCRIPT = """
{open}
const told = JSON.parse(process.argv[2])
const found = {{ tools: await listTools(), templates: await listTemplates(), answers: {{}}, resources: {{}} }}
const known = {{ run: '', node: '' }}
const filled = value => JSON.parse(JSON.stringify(value).replace('{{run}}', known.run).replace('{{node}}', known.node))
for (const [name, given] of Object.entries(told.calls)) {{
  const result = await call(name, filled(given))
  const text = result.content?.[0]?.text
  found.answers[name] = {{ structured: result.structuredContent, text, failed: result.isError }}
  if (name === 'remember') {{
    known.run = result.structuredContent.run
    known.node = result.structuredContent.learnt[0].id
  }}
}}
for (const uri of told.resources) found.resources[uri] = (await read(filled(uri))).contents[0].text
console.log(JSON.stringify(found))
await close()
"""
_AI_SDK = """
import { createMCPClient } from '@ai-sdk/mcp'
import { Experimental_StdioMCPTransport as Transport } from '@ai-sdk/mcp/mcp-stdio'
const [command, ...args] = JSON.parse(process.argv[3])
const client = await createMCPClient({ transport: new Transport({ command, args }) })
const tools = await client.tools()
const listTools = async () => Object.keys(tools)
const listTemplates = async () => (await client.listResourceTemplates()).resourceTemplates.map(one => one.uriTemplate)
const call = (name, given) => tools[name].execute(given, { messages: [], toolCallId: name })
const read = uri => client.readResource({ uri })
const close = () => client.close()
"""
_TYPESCRIPT = """
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
const [command, ...args] = JSON.parse(process.argv[3])
const client = new Client({ name: 'benchmark', version: '1.0.0' })
await client.connect(new StdioClientTransport({ command, args, env: process.env }))
const listTools = async () => (await client.listTools()).tools.map(tool => tool.name)
const listTemplates = async () => (await client.listResourceTemplates()).resourceTemplates.map(one => one.uriTemplate)
const call = (name, given) => client.callTool({ name, arguments: given })
const read = uri => client.readResource({ uri })
const close = () => client.close()
"""


def server(store: Path) -> list[str]:
    return [sys.executable, "-m", "memu_code", "serve", "--store", str(store), "--space", "~benchmark"]


def by_script(opening: str) -> Callable[[Path, Path], Answer]:
    """All requests in one process of node."""

    def ask(folder: Path, store: Path) -> Answer:
        script = folder / "ask.mjs"
        script.write_text(_SCRIPT.format(open=opening))
        told = json.dumps({"calls": CALLS, "resources": RESOURCES})
        return _json(["node", script.name, told, json.dumps(server(store))], folder)

    return ask


def by_inspector(folder: Path, store: Path) -> Answer:
    """A process of the Inspector for each request."""
    command, *arguments = server(store)
    config = {"mcpServers": {"memu-code": {"command": command, "args": arguments}}}
    (folder / "mcp.json").write_text(json.dumps(config))

    def request(*options: str) -> Answer:
        program = folder / "node_modules" / ".bin" / "mcp-inspector"
        return _json([str(program), "--cli", "--config", "mcp.json", "--server", "memu-code", *options], folder)

    known = {"run": "", "node": ""}
    answers: dict[str, Answer] = {}
    for name, given in CALLS.items():
        options = [f"{key}={_told(_filled(value, known))}" for key, value in given.items()]
        pairs = [part for option in options for part in ("--tool-arg", option)]
        result = request("--method", "tools/call", "--tool-name", name, *pairs)
        structured: Any = result.get("structuredContent")
        failed = result.get("isError")
        answers[name] = {"structured": structured, "text": result["content"][0]["text"], "failed": failed}
        if name == "remember":
            known = {"run": structured["run"], "node": structured["learnt"][0]["id"]}
    tools = [tool["name"] for tool in request("--method", "tools/list")["tools"]]
    listed = request("--method", "resources/templates/list")["resourceTemplates"]
    read = {
        uri: request("--method", "resources/read", "--uri", _filled(uri, known))["contents"][0]["text"]
        for uri in RESOURCES
    }
    return {"tools": tools, "templates": [one["uriTemplate"] for one in listed], "answers": answers, "resources": read}


CLIENTS: dict[str, tuple[str, Callable[[Path, Path], Answer]]] = {
    "inspector": ("@modelcontextprotocol/inspector", by_inspector),
    "ai-sdk": ("@ai-sdk/mcp", by_script(_AI_SDK)),
    "typescript-sdk": ("@modelcontextprotocol/sdk", by_script(_TYPESCRIPT)),
}


def judged(found: Answer) -> dict[str, Any]:
    """What a client got to work, by what came back."""
    answers = found["answers"]
    checks: dict[str, Callable[[Answer], bool]] = {
        "remember": lambda told: bool(told["learnt"]) and told["kept_in"] == "store",
        "recall": lambda told: "vowel" in told["found"][0]["task"] and "aeiou" in told["found"][0]["code"],
        "recall_fix": lambda told: "+ " in told["found"][0]["code"],
        "feedback": lambda told: told["verdict"] == "up",
        "runs": lambda told: len(told["runs"]) == 1,
        "note_follow_up": lambda told: told["state"] == "open",
        "brief": lambda told: told["known"] and len(told["open"]) == 1,
        "show": lambda told: len(told["steps"]) == 2,
    }
    good = [
        name
        for name, check in checks.items()
        if not answers[name].get("failed") and answers[name]["text"] and check(answers[name]["structured"])
    ]
    return {
        "tools_listed": len(found["tools"]),
        "tools_called": sorted(good),
        "templates_listed": sorted(found["templates"]),
        "resources_read": [uri for uri, text in found["resources"].items() if "vowel" in text],
        "all": len(good) == len(CALLS) == len(found["tools"])
        and set(found["templates"]) == TEMPLATES
        and all("vowel" in text for text in found["resources"].values()),
    }


def measure(name: str) -> dict[str, Any]:
    """One client, installed, set on a server, and judged."""
    package, ask = CLIENTS[name]
    with tempfile.TemporaryDirectory(prefix="mcp-client-") as place:
        folder = Path(place)
        (folder / "package.json").write_text('{"private": true, "type": "module"}')
        install = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", package]
        done = subprocess.run(install, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
        if done.returncode:
            return {"package": package, "all": False, "reason": f"npm: {done.stderr[-300:]}"}
        about = json.loads((folder / "node_modules" / package / "package.json").read_text())
        told = {"package": package, "version": about["version"]}
        try:
            return told | judged(ask(folder, folder / "store"))
        except (subprocess.SubprocessError, ValueError, KeyError, TypeError, IndexError) as error:
            return told | {"all": False, "reason": f"{type(error).__name__}: {str(error)[-600:]}"}


def _json(command: list[str], folder: Path) -> Answer:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
    if done.returncode:
        raise ValueError(f"exit {done.returncode}: {done.stderr[-500:]} {done.stdout[-300:]}")
    found: Answer = json.loads(done.stdout)
    return found


def _filled(value: Any, known: dict[str, str]) -> Any:
    return value.format(**known) if isinstance(value, str) and value.count("{") == 1 else value


def _told(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def main() -> None:
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    clients = {name: measure(name) for name in CLIENTS}
    figures = {
        "clients": clients,
        "good": [name for name, told in clients.items() if told["all"]],
        "goal": "one client or more",
        "goal_met": any(told["all"] for told in clients.values()),
        "node": node,
        "transport": "stdio",
    }
    save("mcp_clients", figures)


if __name__ == "__main__":
    main()

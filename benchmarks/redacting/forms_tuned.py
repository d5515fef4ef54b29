"""The forms in which the rules were tuned on secrets: `{name}` and `{secret}` are filled in; braces are doubled.

`NAMED` forms say what the value is; in `BARE` ones only its own form can give it away.
"""

from __future__ import annotations

NAMED: dict[str, tuple[str, ...]] = {
    "code": (
        '{name} = "{secret}"',
        "{name} = '{secret}'",
        "client = Client({name}='{secret}', retries=3)",
        'self.{name} = "{secret}"',
        '{name}: str = "{secret}"',
        'os.environ["{name}"] = "{secret}"',
        'headers = {{"{name}": "{secret}", "Accept": "text/plain"}}',
        'if {name} == "{secret}":',
    ),
    "dict": ("{{'{name}': '{secret}', 'user': 'ann'}}", "config.update({{'{name}': '{secret}'}})"),
    "env file": ("{name}={secret}", 'export {name}="{secret}"', "export {name}={secret}"),
    "yaml": ("  {name}: {secret}", '  {name}: "{secret}"', "- name: {name}\n  value: {secret}"),
    "json": ('  "{name}": "{secret}",', '{{"user": "ann", "{name}": "{secret}"}}'),
    "log line": (
        "2026-11-30 12:00:01 INFO connecting with {name}={secret} retries=3",
        "2026-11-30 12:00:01 DEBUG {{'{name}': '{secret}'}}",
        "WARN {name}: {secret} was refused",
    ),
    "traceback": (
        "KeyError: 'user' in {{'{name}': '{secret}'}}",
        "InterpreterError: Could not index {{'{name}': '{secret}'}} with 'user'",
    ),
    "repr": ("Settings(host='db', {name}='{secret}', port=5432)", "<Config {name}='{secret}'>"),
    "command": ("docker run -e {name}={secret} plant:latest", "tool --{name} {secret} run"),
    "toml": ('{name} = "{secret}" # for now',),
}
BARE: dict[str, tuple[str, ...]] = {
    "code": (
        'x = "{secret}"',
        "connect('{secret}', 3)",
        'values = ["{secret}", "b"]',
        'url = f"https://host.example.com/run?n=3&k={secret}"',
        "print('{secret}')",
        'text = """first\n{secret}\nlast"""',
        "y = 1  # {secret}",
    ),
    "log line": ("2026-11-30 12:00:01 INFO got {secret} from the server", "answer: {secret}"),
    "notebook output": ("Out[3]: '{secret}'", "['{secret}', 'rows']"),
    "curl": ('curl -H "X-Thing: {secret}" https://host.example.com/', "curl -d 'k={secret}' https://host.example.com/"),
    "json": ('{{"first": "{secret}", "n": 3}}', '"{{\\"first\\": \\"{secret}\\"}}"'),
    "csv": ("ann,{secret},2026-11-30",),
}
# Forms of their own kind: a template, and what is drawn for `{secret}`: a password, or base64 of a pair.
OWN: tuple[tuple[str, str, str], ...] = (
    ("authorization", "password", 'curl -u ann:{secret} "https://host.example.com/"'),
    ("authorization", "basic", "Authorization: Basic {secret}"),
    ("authorization", "token", 'headers = {{"Authorization": "Bearer {secret}"}}'),
    ("authorization", "token", "> Authorization: Bearer {secret}"),
    ("cookie", "token", "Set-Cookie: sessionid={secret}; Path=/; HttpOnly"),
    ("url", "url password", "https://ann:{secret}@host.example.com/x"),
    ("url", "url password", 'engine = create_engine("postgresql://ann:{secret}@db.example.com:5432/plant")'),
    ("url", "url password", "REDIS_URL=redis://:{secret}@cache:6379/0"),
    ("url", "url password", 'uri = "mongodb+srv://ann:{secret}@cluster0.example.net/?w=majority"'),
    ("url", "url password", "amqp://guest:{secret}@rabbit:5672//"),
    ("url", "guise", "https://ann:{secret}@host.example.com/x"),
    ("url", "token", "GET /rows?since=3&access_token={secret}&n=1 HTTP/1.1"),
    ("connection string", "password", 'odbc = "Driver={{ODBC Driver 18}};Server=db;Uid=ann;Pwd={secret};"'),
    ("connection string", "password", "Server=db;Database=plant;User Id=ann;Password={secret};Encrypt=yes"),
    ("connection string", "url password", "jdbc:postgresql://db:5432/plant?user=ann&password={secret}"),
    ("connection string", "azure", "DefaultEndpointsProtocol=https;AccountName=plant;AccountKey={secret};"),
    ("webhook", "slack webhook", 'requests.post("https://hooks.slack.com/services/{secret}", json=note)'),
    ("webhook", "slack webhook", "SLACK_URL=https://hooks.slack.com/services/{secret}"),
    ("private key", "pem", "{secret}"),
    ("private key", "pem in a literal", "key = '{secret}'"),
)

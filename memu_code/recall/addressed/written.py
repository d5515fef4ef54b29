"""What is written to a model in signs: marks of roles, calls of tools, commands, and characters that are not seen."""

from __future__ import annotations

import re

from memu_code.recall.addressed.kinds import Speech

# Over the text itself, its look-alikes replaced.
WRITTEN: tuple[tuple[Speech, re.Pattern[str]], ...] = (
    (
        Speech.ROLE,
        re.compile(
            r"<\|[A-Za-z_][\w ]{0,30}\|?>"
            r"|</?(?:start|end)_of_turn>|<end_(?:code|action)>|</?s>"
            r"|</?(?:system|assistant|human|instructions|tool_calls?|tool_response|function_calls?|function_results?"
            r"|antml:\w+|invoke|think|thinking|sys)\b[^<>\n]{0,60}>"
            r"|\[/?(?:INST|SYS|SYSTEM|SYSTEM_PROMPT|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|ASSISTANT)\]"
            r"|<</?SYS>>",
            re.IGNORECASE,
        ),
    ),
    (
        Speech.ROLE,
        re.compile(
            r"\b(?:SYSTEM|ASSISTANT|DEVELOPER)(?: (?:PROMPT|MESSAGE|NOTE|NOTICE|OVERRIDE|INSTRUCTIONS?))?: ?\w"
            r"|(?:^|\n)[^\S\n]*#* ?(?:Human|Assistant): "
        ),
    ),
    (
        Speech.ROLE,
        re.compile(
            r"(?:^|[\n.;])[\s#>*/-]*(?:system|assistant|developer)(?: (?:prompt|message|note|notice"
            r"|instructions?))?\s*:"
            r"\s*(?:you|ignore|disregard|forget|please|from now|new|must|do not|don't|never|always|answer"
            r"|call|run|execute"
            r"|reply|respond|final_answer|stop|print|output|send|the (?:user|task|assistant|model))\b",
            re.IGNORECASE,
        ),
    ),
    (
        Speech.TOOL,
        re.compile(
            r"\bfinal_answer\s*\(\s*\\?['\"\d\[{f(]"
            r"|\{\s*\\?['\"](?:name|tool|function|tool_name)\\?['\"]\s*:\s*\\?['\"][^'\"\n]{1,60}['\"]\s*,"
            r"\s*\\?['\"](?:arguments|parameters|args|tool_input|action_input)\\?['\"]\s*:"
            r"|(?:^|\n)[\s#]*Action(?: Input)?:[^\n]*\n[\s#]*(?:Action Input|Observation):"
            r"|\bThought:[^\n]{1,300}\n?[\s#]*(?:Code:|Action:|<code>)"
        ),
    ),
    (
        Speech.FETCH,
        re.compile(
            r"\b(?:curl|wget)\b[^\n|;&]{0,200}(?:\||;|&&)\s*(?:sudo\s+)?(?:ba|z|da)?sh\b"
            r"|\b(?:fetch|visit|open|load|download|browse|go|navigate|read|retrieve|get|import)\b[^\n]{0,80}"
            r"https?://\S+[^\n]{0,60}?\b(?:and|then)\b[^\n]{0,40}?\b(?:follow|obey|execute|run|eval|exec|do"
            r" what|comply)\b"
            r"|\b(?:run|execute|eval|exec|follow|obey)\b (?:what|whatever|the (?:code|script|instructions?|payload))\b"
            r"[^\n]{0,60}https?://",
            re.IGNORECASE,
        ),
    ),
)
# What changes the order of what is seen, is not seen at all, or carries a text of its own in what is not seen.
HIDDEN = re.compile(
    "[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]"
    "|(?<=[A-Za-z])[\u200b-\u200f\u2060-\u2064\ufeff\u034f\u180e]+(?=[A-Za-z])"
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{3}|[\u200b-\u200d\u2060-\u2064\ufeff]{4}"
)

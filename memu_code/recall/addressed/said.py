"""What is said to a model in words: rules over the words alone, in small letters with one space between them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memu_code.recall.addressed.kinds import Speech


def _any(words: str) -> str:
    return f"(?:{'|'.join(words.split())})"


_GAP = r"(?: \w+){0,3}? "
_PUT_BY = "ignore disregard forget override overrule bypass discard"
_EARLIER = "previous previously prior above earlier preceding foregoing original initial system"
_TOLD = "instructions? prompts? directives? guidelines? guardrails? training"
_READERS = (
    "ai llm llms language assistant assistants chatbot chatbots chat chatgpt gpt claude gemini copilot code"
    " coding agent"
    " agents"
)
_READER = (
    r"(?:ai|llms?|language models?|assistants?|chatbots?|chat ?gpt|gpt|claude|gemini|copilot"
    r"|(?:code |coding |ai )?agents?)"
)
_DO = (
    "ignore call run execute reply respond answer output print send say return use obey comply write fetch open visit"
    " reveal delete disregard include import install follow stop treat give end finish"
)
_SECRETS = (
    "api apikey apikeys secret secrets token tokens password passwords credential credentials private ssh"
    " env environment"
    " environ prompt cookies"
)
_KEYS = (
    r"(?:api ?keys?|secret keys?|secrets|(?:access|auth|api|bearer|session) tokens?|passwords?|credentials?"
    r"|private keys?|ssh keys?|env(?:ironment)? variables?|os environ|environ|system prompt|cookies)"
)


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern, and what it cannot do without: at least one word of each set, which is looked for first."""

    kind: Speech
    needed: tuple[frozenset[str], ...]
    pattern: re.Pattern[str]


def _rule(kind: Speech, pattern: str, *needed: str) -> Rule:
    return Rule(kind, tuple(frozenset(words.split()) for words in needed), re.compile(rf"\b{pattern}\b"))


_OVERRIDES = (
    _rule(
        Speech.OVERRIDE,
        rf"(?:{_any(_PUT_BY)}|(?:do not|dont|never|stop) (?:follow(?:ing)?|obey(?:ing)?|trust)){_GAP}"
        rf"{_any(_EARLIER + ' all any your other these those past existing old')}{_GAP}{_any(_TOLD)}",
        f"{_PUT_BY} follow following obey obeying trust",
        "instructions instruction prompts prompt directives directive guidelines guideline guardrails"
        " guardrail training",
    ),
    _rule(
        Speech.OVERRIDE,
        rf"{_any(_PUT_BY)}(?: all| any| the| of| my| your){{0,3}} {_any(_EARLIER)}(?: \w+)? (?:rules?"
        rf"|commands?|messages?"
        r"|constraints?|restrictions?|polic(?:y|ies)|context|directions?|conversation|text|tasks?|requests?)",
        _PUT_BY,
        _EARLIER,
    ),
    _rule(
        Speech.OVERRIDE,
        r"(?:ignore|disregard|forget) (?:the above|(?:everything|anything|all|what|whatever)(?: of)?(?: that| which)? "
        r"(?:you|was said|were told|came before|the (?:user|system)|above (?:this|and)))",
        "ignore disregard forget",
        "everything anything all what whatever above",
    ),
    _rule(
        Speech.OVERRIDE,
        rf"(?:takes?|has|have) (?:precedence|priority) over(?: \w+){{0,3}} (?:{_any(_TOLD)}|task|user|system)",
        "precedence priority",
    ),
    _rule(
        Speech.OVERRIDE,
        rf"(?:new|updated|revised|real|actual) (?:system )?(?:instructions?|directives?|prompt)(?: \w+)? (?:is"
        rf"|are|for you"
        rf"|for the {_READER}|follow|begin|now|you|call|ignore)",
        "new updated revised real actual",
        "instructions instruction directives directive prompt",
    ),
    _rule(
        Speech.OVERRIDE,
        r"(?:developer|god|dan|jailbreak|unrestricted) mode (?:is )?(?:on|enabled|activated|now)",
        "mode",
    ),
    _rule(
        Speech.OVERRIDE,
        r"instead of (?:solving|answering|doing|completing|following) (?:the|this|your|that|any)(?: \w+)? "
        r"(?:task|question|problem|request|instructions?)",
        "instead",
        "task question problem request instructions",
    ),
)
_ORDERS = (
    _rule(
        Speech.ORDER,
        r"you (?:must|should|shall|have to|need to|will|are to)(?: \w+)? (?:now|instead|henceforth|obey|comply"
        r"|immediately)",
        "you",
        "now instead henceforth obey comply immediately",
    ),
    _rule(
        Speech.ORDER,
        rf"you (?:must|shall|are required to|are obliged to) (?:always |only |never |first |also )?{_any(_DO)}",
        "you",
        "must shall required obliged",
    ),
    _rule(
        Speech.ORDER,
        r"you are (?:(?:now )?(?:an? |the |in )?(?:unrestricted|jailbroken|dan|evil|free|root|developer mode)"
        r"|now (?:an?|the|in|free|allowed|required|operating|acting))",
        "you",
        "are",
    ),
    _rule(
        Speech.ORDER,
        rf"from (?:now|here|this (?:point|moment)) (?:on|onwards?|forwards?) (?:\w+ )?"
        rf"{_any('you your always never only all every ' + _DO)}",
        "from",
        "now here point moment",
    ),
    _rule(
        Speech.ORDER,
        r"your (?:new|real|actual|only|true|sole|next|first) (?:task|job|goal|objective|mission|instructions?|role"
        r"|purpose|order|action|step)(?: now)? (?:is|are|must)",
        "your",
        "new real actual only true sole next first",
    ),
    _rule(
        Speech.ORDER,
        r"(?:dear|attention|notes? (?:to|for)|messages? (?:to|for)|instructions? (?:to|for)|important for|notice to"
        rf"|reminder (?:to|for)|addressed to|hey|hello|hi) (?:the |any |all |every |my |this |whichever )?{_READER}",
        "dear attention note notes message messages instruction instructions important notice reminder"
        " addressed hey hello"
        " hi",
        _READERS,
    ),
    _rule(
        Speech.ORDER,
        rf"(?:the|any|this|an?|every|whichever|whatever|if you are an?) {_READER} (?:is |are |that is |who is |that "
        r"|who )?(?:reads?|reading|sees?|seeing|process(?:es|ing)?|copies|copying|using) (?:this|it|these)",
        _READERS,
        "this it these",
    ),
    _rule(
        Speech.ORDER,
        rf"{_READER} (?:must|shall|has to|have to|is required to|are required to|needs to|need to|should (?:now|always"
        rf"|immediately|first|instead|never)) (?:now |always |never |immediately |first |also |instead |only"
        rf" )?{_any(_DO)}",
        _READERS,
        "must shall has have is are needs need should",
    ),
    _rule(
        Speech.ORDER,
        r"(?:do not|dont|never) (?:tell|inform|alert|warn|notify|mention (?:this|it|that) to|show (?:this|it) to"
        r"|reveal (?:this|it) to)(?: \w+){0,2}? (?:the )?(?:user|users|human|humans|operator|anyone|anybody)",
        "user users human humans operator anyone anybody",
        "tell inform alert warn notify mention show reveal",
    ),
    _rule(
        Speech.ORDER,
        r"before (?:you )?(?:answer|answering|continue|continuing|doing (?:anything|so)|anything else|proceeding"
        rf"|responding|solving|you do)(?: \w+){{0,3}}? {_any('first you&must always ' + _DO).replace('&', ' ')}",
        "before",
        "answer answering continue continuing doing anything proceeding responding solving do",
    ),
    _rule(
        Speech.ORDER,
        r"(?:pretend|roleplay|act|behave) (?:to be|as|like|that you are)(?: if)? (?:an? )?(?:\w+ )?(?:unrestricted|evil"
        r"|root|jailbroken|administrator|admin|developer|different (?:ai|assistant|model)|you (?:are|were|have))",
        "pretend roleplay act behave",
    ),
    _rule(Speech.ORDER, r"when(?:ever)? you (?:read|see|copy|use|reach) this", "you", "when whenever", "this"),
)
_WISHES = (
    _rule(
        Speech.TOOL,
        r"(?:always|just|simply|immediately|only|must|now) (?:call|answer|reply|respond|finish|end)(?: \w+){0,3}? "
        r"(?:final answer|with the (?:word|words|string|text|answer|value|number))",
        "always just simply immediately only must now",
        "call answer reply respond finish end",
    ),
    _rule(
        Speech.TOOL,
        r"(?:correct|right|real|true|only|final) answer (?:is|to \w+ \w+ is) (?:always|now|known)",
        "answer",
        "correct right real true only final",
        "always now known",
    ),
    _rule(
        Speech.SECRET,
        r"(?:send|post|upload|e ?mail|mail|leak|exfiltrate|transmit|forward|submit|copy|report)(?: \w+){0,5}? "
        rf"{_KEYS}(?: \w+){{0,4}}? (?:to|at|via|into|with|http|https|www)",
        "send post upload email mail leak exfiltrate transmit forward submit copy report",
        _SECRETS,
    ),
    _rule(
        Speech.SECRET,
        r"(?:reveal|disclose|repeat|print|output|show|tell|leak|expose|dump|include|give|return|write)(?: \w+){0,3}? "
        r"(?:system prompt|(?:hidden|initial|original) (?:prompt|instructions)|your (?:instructions|prompt|rules"
        r"|guidelines|secrets?|api ?keys?|credentials?|passwords?|environment))",
        "reveal disclose repeat print output show tell leak expose dump include give return write",
        "system hidden initial original your",
    ),
    _rule(
        Speech.SECRET,
        r"(?:reveal|disclose|leak|expose|exfiltrate)(?: \w+){0,3}? (?:api ?keys?|secret keys?|secrets|passwords?"
        r"|credentials?|private keys?|ssh keys?|env(?:ironment)? variables?)",
        "reveal disclose leak expose exfiltrate",
        _SECRETS,
    ),
    _rule(
        Speech.FETCH,
        r"(?:fetch|visit|open|load|download|follow|get|read|obey|execute|retrieve) (?:and \w+ )?(?:the |this "
        r"|these |its "
        r"|all |any |further |more |new |your |next )*(?:instructions?|directives|payload|orders) (?:from|at"
        r"|on|in|under"
        r"|behind) (?:the (?:url|link|page|site)|http|https|www)",
        "instructions instruction directives payload orders",
        "url link page site http https www",
    ),
)
SAID = (*_OVERRIDES, *_ORDERS, *_WISHES)

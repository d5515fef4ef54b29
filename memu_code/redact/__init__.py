"""Takes secrets out of text; what is left says what kind of secret stood there, and code still parses.

`redact_text` searches a text by rules of several kinds, each in a file of its own: keys whose own form gives them away
(`services`), passwords in addresses, headers and commands (`places`), private keys (`armour`), values behind a telling
name (`names`), and literals that nobody but a machine can have made up (`chance`). `clean` walks a value of the model
and marks it as `Clean`, which is all that the store takes. `also_redact` switches on what is personal rather than
secret: e-mail addresses and payment cards.

Time grows with the length of the text and no faster, whatever the text is: a rule begins with fixed letters, reads a
bounded number of characters, or reads each run of characters once.
"""

from memu_code.redact.armour import REACH as PEM_REACH
from memu_code.redact.personal import also_redact
from memu_code.redact.text import redact_text
from memu_code.redact.values import Cleaner, clean, outgoing

__all__ = ["PEM_REACH", "Cleaner", "also_redact", "clean", "outgoing", "redact_text"]

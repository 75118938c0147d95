"""A small IMAP server with one mailbox: it speaks what a client needs to read mail, to mark it as read and to wait for
more (IDLE).
"""

import re
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

USER, PASSWORD = "replies@example.org", 'p/ss:"w@rd'  # pragma: allowlist secret


class Mailbox:
    """What is in the mailbox, and what clients have done."""

    def __init__(self) -> None:
        self.messages: dict[int, bytes] = {}
        self.seen: set[int] = set()
        self.commands: list[str] = []
        self.folders = {"INBOX", "Replies/Marrakech"}
        self.has_idle = False
        self.idling: list[_Session] = []

    def put(self, raw: bytes, *, announce: bool = True) -> int:
        uid = max(self.messages, default=100) + 1
        self.messages[uid] = raw
        if announce:
            for session in self.idling:
                session.say(f"* {len(self.messages)} EXISTS")
        return uid


class _Session(socketserver.StreamRequestHandler):
    """One client: each command has its own method, and an unknown one is refused."""

    server: "_Server"
    selected = False
    disable_nagle_algorithm = True

    def handle(self) -> None:
        with suppress(ConnectionError):
            self._converse()

    def _converse(self) -> None:
        self.say("* OK a small IMAP4rev1 server is ready")
        for line in self.rfile:
            tag, _, rest = line.decode(errors="replace").rstrip("\r\n").partition(" ")
            verb, _, words = rest.partition(" ")
            if verb.upper() != "LOGIN":
                self.server.mailbox.commands.append(rest)
            answer = getattr(self, f"do_{verb.lower()}", self._unknown)(words)
            self.say(f"{tag} {answer}")
            if verb.upper() == "LOGOUT":
                return

    def say(self, line: str) -> None:
        with suppress(ConnectionError):
            self.wfile.write(line.encode() + b"\r\n")

    def _unknown(self, words: str) -> str:
        return "BAD no such command"

    def do_capability(self, words: str) -> str:
        self.say("* CAPABILITY IMAP4rev1" + " IDLE" * self.server.mailbox.has_idle)
        return "OK done"

    def do_idle(self, words: str) -> str:
        idling = self.server.mailbox.idling
        self.say("+ idling")
        idling.append(self)
        with suppress(ConnectionError):
            self.rfile.readline()  # DONE
        idling.remove(self)
        return "OK done"

    def hang_up(self) -> None:
        self.connection.shutdown(socket.SHUT_RDWR)

    def do_login(self, words: str) -> str:
        user, password = re.findall(r'"((?:[^"\\]|\\.)*)"', words)
        right = (user, re.sub(r"\\(.)", r"\1", password)) == (USER, PASSWORD)
        return "OK welcome" if right else f"NO {password} is wrong"

    def do_select(self, words: str) -> str:
        if words.strip('"') not in self.server.mailbox.folders:
            return "NO there is no such folder"
        self.selected = True
        self.say(f"* {len(self.server.mailbox.messages)} EXISTS")
        return "OK [READ-WRITE]"

    def do_uid(self, words: str) -> str:
        verb, _, rest = words.partition(" ")
        if not self.selected:
            return "BAD select a folder first"
        mailbox = self.server.mailbox
        match verb.upper():
            case "SEARCH" if rest.strip("()") == "UNSEEN":
                unseen = [str(uid) for uid in mailbox.messages if uid not in mailbox.seen]
                self.say(f"* SEARCH {' '.join(unseen)}".rstrip())
            case "FETCH":
                uid, _, items = rest.partition(" ")
                self._fetch(int(uid), items)
            case "STORE" if rest.endswith(r"+FLAGS (\Seen)"):
                mailbox.seen.add(int(rest.partition(" ")[0]))
            case _:
                return "BAD cannot do that"
        return "OK done"

    def _fetch(self, uid: int, items: str) -> None:
        raw, number = self.server.mailbox.messages[uid], list(self.server.mailbox.messages).index(uid) + 1
        if items == "(RFC822.SIZE)":
            self.say(f"* {number} FETCH (UID {uid} RFC822.SIZE {len(raw)})")
        elif items == "(BODY.PEEK[])":
            self.wfile.write(f"* {number} FETCH (UID {uid} BODY[] {{{len(raw)}}}\r\n".encode() + raw + b")\r\n")

    def do_logout(self, words: str) -> str:
        self.say("* BYE good day")
        return "OK done"


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, mailbox: Mailbox) -> None:
        super().__init__(("127.0.0.1", 0), _Session)
        self.mailbox = mailbox


@contextmanager
def serving(mailbox: Mailbox) -> Iterator[int]:
    """The port at which the mailbox can be read."""
    with _Server(mailbox) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()

"""Lines that end what a person wrote in a reply: dividers, signatures of devices, and notices of scanners."""

import re
from typing import Final

_DIVIDER: Final = re.compile(r"\u2014|(?:[-_=*~#\u2013\u2014] ?){2,}")
_FORWARDED: Final = re.compile(
    r"(?:Begin forwarded message|Anfang der weitergeleiteten (?:Nachricht|E-Mail)"
    r"|Début du message (?:réexpédié|transféré))\s*:",
    re.IGNORECASE,
)
_RULES: Final = ("---", "___", "===", "*****", "=-=", "##-")
_DATE: Final = re.compile(r"\b\d{4}\b")
_ABOVE_THIS_LINE: Final = re.compile(
    r"above (?:this|the) line|(?:oberhalb|über) dieser (?:Linie|Zeile)|au-dessus de cette ligne|encima de esta línea"
    r"|sopra questa (?:linea|riga)|acima desta linha|boven deze (?:lijn|regel)|powyżej tej linii",
    re.IGNORECASE,
)
_LONGEST_DEVICE: Final = 150
_SENT_FROM: Final = re.compile(
    r"\W{0,3}(?:Sent\s+(?:securely\s+)?(?:from|via|with|by|using)\b|Get\s+\w{1,20}\s+for\s+(?:Android|iOS|Mac|Windows)\b"
    r"|Gesendet\s+(?:von|mit|über)\b|Envoyé\s+(?:de(?:puis)?|à\s+partir|avec|via)\b"
    r"|Outlook\s+(?:für|pour)\b|Holen\s+Sie\s+sich\s+Outlook"
    r"|(?:Téléchargez|Télécharger|Obtenez|Obtenir|Obtener|Obter|Descargar|Ottieni|Scarica|Hent|Hämta|Hanki)\s+Outlook\b"
    r"|(?:Enviado|Inviato)\s+(?:d|con|via)|(?:Verstuurd|Verzonden)\s+(?:van|met|via)|(?:Skickat|Sendt)\s+(?:fr|med|via)"
    r"|(?:Wysłan[eoy]|Odesláno|Odoslané)\s+z|(?:Отправлено|Надіслано)\s|(?:Στάλθηκε|Εστάλη)\s+από\b"
    r"|Lähetetty\s|Trimis\s+d|Gửi\s+từ|发自|發自|從我的|Yahoo Mail: )",
    re.IGNORECASE,
)
# In some languages the verb comes last.
_DEVICE: Final = re.compile(r"iPhone|iPad|Galaxy|Android|Outlook|Yahoo|^\W{0,3}Von (?:meinem|meiner)\b", re.IGNORECASE)
_SENT: Final = re.compile(r"gesendet|gönderildi|送信|傳送|发送|보냄|küldve", re.IGNORECASE)
_VIRUS: Final = re.compile(r"virus|viren|vírus|virüs|wirus|вирус|вірус|ウイルス|病毒|바이러스", re.IGNORECASE)
_SCANNER: Final = re.compile(
    r"www\.|antivir|avast|\bAVG\b|avira|\bESET\b|kaspersky|mcafee|norton|bitdefender|sophos|mailscanner"
    r"|checked|scanned|geprüft|überprüft|vérifié|comprobado|controllat|gecontroleerd",
    re.IGNORECASE,
)
_CONFIDENTIAL: Final = re.compile(
    r"confidential|vertraulich|confidentiel|confidencial|riservat|vertrouwelijk", re.IGNORECASE
)
_LONG: Final = 60
"""Characters of a line that is a notice rather than a remark."""
_TELEPHONE: Final = re.compile(r"(?:[^\W\d_]{1,12}\s?[.:]{1,2}\s*)?(?:[+(]|0\d|\d{3}[-. ])[\d\s()/.-]{5,24}")
_FEWEST_DIGITS: Final = 7


def ends_reply(line: str) -> bool:
    """Whether a signature, a notice or the quoted letter begins with this line, which has no space around it."""
    if _DIVIDER.fullmatch(line) or _FORWARDED.fullmatch(line) or _ABOVE_THIS_LINE.search(line):
        return True
    return _is_titled_rule(line) or _names_device(line) or _is_notice(line)


def is_telephone_number(line: str) -> bool:
    """Whether the line is a telephone number, as in a signature that nothing sets off."""
    return _TELEPHONE.fullmatch(line) is not None and sum(map(str.isdecimal, line)) >= _FEWEST_DIGITS


def _is_titled_rule(line: str) -> bool:
    """Whether the line is a rule with words in it, such as `----- Original Message -----`."""
    if not line.startswith(_RULES):
        return False
    return line.endswith(tuple(rule[::-1] for rule in _RULES)) or _DATE.search(line) is not None


def _is_notice(line: str) -> bool:
    """Whether a virus scanner or a lawyer wrote the line."""
    if _VIRUS.search(line) and _SCANNER.search(line):
        return True
    return len(line) > _LONG and _CONFIDENTIAL.search(line) is not None


def _names_device(line: str) -> bool:
    """Whether the line only says with what the reply was sent."""
    if len(line) > _LONGEST_DEVICE:
        return False
    return _SENT_FROM.match(line) is not None or (_DEVICE.search(line) is not None and _SENT.search(line) is not None)

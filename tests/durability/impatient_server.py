"""`marrakech-server run` that closes idle connections after a second: `python -m tests.durability.impatient_server`."""

import sys

from service.admin.entry import main
from service.server import WAITRESS_SETTINGS

IDLE_SECONDS = 1

if __name__ == "__main__":
    WAITRESS_SETTINGS.update(channel_timeout=IDLE_SECONDS, cleanup_interval=1)
    sys.argv[0] = "marrakech-server"
    main()

"""``python -m rbridge`` is the command line of `rbridge.cli`."""

import sys

from rbridge.cli import main

sys.exit(main())

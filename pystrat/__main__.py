"""``python -m pystrat`` is the command line of `pystrat.cli`."""

import sys

from pystrat.cli import main

sys.exit(main())

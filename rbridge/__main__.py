"""``python -m rbridge`` is the command line of `rbridge.cli`."""

from rbridge.cli import main

raise SystemExit(main())

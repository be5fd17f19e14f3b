"""Ray Train, as ray-project/ray has it at the commits 009ba15, 014c1dc and, in `ray/train/v2`, 0750c05."""

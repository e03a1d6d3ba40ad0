"""The networks that presets may name; only `torch_networks` needs torch."""

"""The networks that presets can use; only `torch_networks` needs torch."""

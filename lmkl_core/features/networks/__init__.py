"""The networks that presets may name: their layers, how they are built, loaded and cut short.

Only `torch_networks` needs torch; it is imported where such a network is built.
"""

"""Small widgets and layouts that several pages use."""

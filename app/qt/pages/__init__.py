"""Pages beside the picture, and the picture itself; a page is given its controller."""

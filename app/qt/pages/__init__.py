"""The live picture and the pages beside it; each page gets the controller it works with."""

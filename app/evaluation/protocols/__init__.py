"""The databases' protocols: which recordings teach, choose the threshold and test."""

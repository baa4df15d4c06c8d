"""The version of paywright, in one place."""

VERSION = "0.1.0"

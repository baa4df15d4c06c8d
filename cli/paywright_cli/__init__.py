"""The command line `paywright`: all commands, on top of the libraries."""

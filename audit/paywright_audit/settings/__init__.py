"""The settings of an audit: keys, configuration, baseline and policy."""

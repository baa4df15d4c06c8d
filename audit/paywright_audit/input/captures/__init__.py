"""Read captures: records of a line each, and HAR."""

"""Read captures: records, one a line, and HAR."""

"""State machines, without I/O, that settle unknown writes by queries; and the JSON in which they are stored."""

"""Turn clocks: which time counts, deadlines and reminders, and requests for more time or a pause."""

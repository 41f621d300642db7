"""What all groups of figures use: clusters, services, load generators, and the table at the end."""

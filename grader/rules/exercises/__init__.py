"""Rules about exercises: their manifests, their stubs, and what their suites expect."""

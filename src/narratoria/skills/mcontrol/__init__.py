"""m-control tools: found by manifest, configured by layered files, launched in the dialect mctl_v1."""

"""Cases made with other programs, held against the product."""

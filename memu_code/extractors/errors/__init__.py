"""Error texts: the class, the name concerned and the message without data, whichever executor wrote them."""

"""How long does a beat wait once all it asks for is so?"""

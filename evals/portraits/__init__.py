"""Are portraits quick, and do people keep their faces?"""

"""Are the choices that are offered the right ones: do they know the past, the character and the people?"""

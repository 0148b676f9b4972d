"""Does a story keep its choices while the machine is busy with other work?"""

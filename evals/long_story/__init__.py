"""Does a story that goes on for a thousand turns stay as quick, as small and as faithful as it began?"""

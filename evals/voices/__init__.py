"""Can somebody be recognized by what they say, among all the people of their story?"""

"""The study of findings: are they there when the cause is, and is what they promise regained without it?"""

"""Episodes: who plays what, every step recorded before it is announced, and played again from the log.

arrange   from wishes to a match        assists    what a person says to the runner
episode   the loop                      interrupt  Ctrl-C between steps, never within one
course    the way through a world       replay     every recorded observation compared
game      what is played                score      outcomes and what they are worth
"""

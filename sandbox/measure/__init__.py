"""Measures of worlds: what they ask of a player, what their edits do, and how fast they are built and stepped.

profile    everything about one world       live       live slots and the effects of one-slot edits
load       the load vector                  finding    how long it takes to find what a plan needs
twin       the common-sense twin            shown      whether words are shown before they are needed
skeleton   what kinds of deeds a plan has   transcript a plan as it reads when it is played
compare    what differs between two worlds  audit      both interpreters side by side
check      many worlds audited              survey     many worlds measured
bench      rates per CPU-second             jobs       the same work in several processes
"""

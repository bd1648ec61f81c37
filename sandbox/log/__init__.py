"""The record of what was played: one SQLite file, written as it happens, read by everything else.

rows     what is recorded           writer   `Journal`: a step is committed before it is announced
schema   tables and migrations      reader   `Log`: lists, episodes, steps, worlds
file     opening, and its errors    page     one episode as a self-contained HTML page
text     what UTF-8 cannot hold
"""

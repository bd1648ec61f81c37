"""What authors of content are told about a file of theirs: what is wrong, where, and what to write instead.

`check_file` looks at one family, recipe, theme, or template of a grammar, an observation or a voice. What can be read
off the text is read off it; whether slots decide anything is measured on worlds built for the purpose.
"""

from sandbox.measure.authors.check import Report, check_file, home, is_content
from sandbox.measure.authors.remark import Remark

__all__ = ["Remark", "Report", "check_file", "home", "is_content"]

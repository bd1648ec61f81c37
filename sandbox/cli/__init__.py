"""The command line: a thin face that parses, calls one function of the library and renders what it returns."""

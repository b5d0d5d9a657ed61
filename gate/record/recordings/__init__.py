"""Answers of models, recorded once and replayed for nothing.

`exchange` holds the values, `canonical` what makes two requests the same, `store` the files, `session` the modes;
`interceptors` and `proxy` bring the calls of clients here.
"""

"""Names and places that may take each other's place; words that are also something else are left out."""

from __future__ import annotations

_WOMEN = """
Alice Amira Anna Barbara Carmen Catherine Chloe Diana Elena Elizabeth Emily Emma Fatima Hannah Helen Ingrid Isabella
Jane Jennifer Jessica Julia Karen Laura Leila Linda Lisa Lucia Maria Martha Mary Mei Michelle Monica Natalie Nicole
Nora Olivia Patricia Priya Rachel Rebecca Samantha Sarah Sofia Susan Teresa Vanessa Yuki Zeynep
"""
_MEN = """
Adam Ahmed Alexander Andrew Anthony Arjun Benjamin Brian Carlos Charles Christopher Daniel David Dmitri Edward Eric
Ethan George Giovanni Hans Henry Hiroshi Ibrahim Jacob James Jamal John Joseph Joshua Kevin Kwame Liam Lucas Luis
Matthew Michael Mohammed Nathan Nicholas Omar Patrick Paul Pedro Peter Richard Robert Samuel Stefan Steven Thomas
Timothy Wei William
"""
_CITIES = """
Amsterdam Athens Bangkok Barcelona Beijing Berlin Boston Brussels Budapest Cairo Chicago Copenhagen Dallas Delhi
Denver Dublin Edinburgh Geneva Hamburg Helsinki Houston Istanbul Jakarta Johannesburg Karachi Lagos Lima Lisbon London
Madrid Manchester Melbourne Miami Milan Montreal Moscow Mumbai Munich Nairobi Oslo Paris Philadelphia Prague Rome
Santiago Seattle Seoul Shanghai Stockholm Sydney Tokyo Toronto Vancouver Vienna Warsaw Zurich
"""
_COUNTRIES = """
Argentina Australia Austria Belgium Brazil Canada Colombia Denmark Egypt Finland France Germany Ghana Greece Hungary
Iceland India Indonesia Ireland Italy Japan Kenya Malaysia Mexico Morocco Nepal Nigeria Norway Pakistan Peru Poland
Portugal Romania Senegal Spain Sweden Switzerland Thailand Tunisia Uganda Ukraine Vietnam
"""

NAMES = (tuple(_WOMEN.split()), tuple(_MEN.split()))
"""First names of women and of men, so that pronouns still fit."""

PLACES = (tuple(_CITIES.split()), tuple(_COUNTRIES.split()))

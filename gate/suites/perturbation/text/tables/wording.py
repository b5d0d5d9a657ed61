"""Contractions, British and American spellings, and words that carry little meaning (English)."""

from __future__ import annotations

NEGATIONS = {
    "do not": "don't", "does not": "doesn't", "did not": "didn't", "is not": "isn't", "are not": "aren't",
    "was not": "wasn't", "were not": "weren't", "have not": "haven't", "has not": "hasn't", "had not": "hadn't",
    "will not": "won't", "would not": "wouldn't", "could not": "couldn't", "should not": "shouldn't",
    "must not": "mustn't", "need not": "needn't", "cannot": "can't", "can not": "can't",
}  # fmt: skip
"""Long and short; they mean the same wherever no pronoun follows."""

AUXILIARIES = {
    "i am": "i'm", "you are": "you're", "we are": "we're", "they are": "they're", "i have": "i've",
    "you have": "you've", "we have": "we've", "they have": "they've", "i will": "i'll", "you will": "you'll",
    "he will": "he'll", "she will": "she'll", "it will": "it'll", "we will": "we'll", "they will": "they'll",
    "it is": "it's", "that is": "that's", "there is": "there's", "what is": "what's", "he is": "he's",
    "she is": "she's", "let us": "let's",
}  # fmt: skip
"""Long and short; the long form is shortened only where a word follows."""

SPELLINGS = """
colour color - -s -ed -ing -ful
favour favor - -s -ed -ing -ite -ites -able
flavour flavor - -s -ed -ing
honour honor - -s -ed -ing -able
humour humor -
labour labor - -s -ed -ing -er -ers
neighbour neighbor - -s -ing -hood -hoods
behaviour behavior - -s -al
harbour harbor - -s -ed -ing
rumour rumor - -s -ed
vapour vapor - -s
armour armor - -ed
endeavour endeavor - -s -ed -ing
saviour savior - -s
tumour tumor - -s
organis organiz -e -es -ed -ing -ation -ations -er -ers -ational
realis realiz -e -es -ed -ing -ation
recognis recogniz -e -es -ed -ing -able
apologis apologiz -e -es -ed -ing
analys analyz -e -ed -ing
criticis criticiz -e -es -ed -ing
emphasis emphasiz -e -ed -ing
optimis optimiz -e -es -ed -ing -ation -ations
normalis normaliz -e -es -ed -ing -ation
summaris summariz -e -es -ed -ing
categoris categoriz -e -es -ed -ing -ation
prioritis prioritiz -e -es -ed -ing -ation
specialis specializ -e -es -ed -ing -ation
customis customiz -e -es -ed -ing -ation
minimis minimiz -e -es -ed -ing
maximis maximiz -e -es -ed -ing
utilis utiliz -e -es -ed -ing -ation
finalis finaliz -e -es -ed -ing
authoris authoriz -e -es -ed -ing -ation
memoris memoriz -e -es -ed -ing
centre center - -s
theatre theater - -s
fibre fiber - -s
litre liter - -s
sombre somber -
travell travel -ed -ing -er -ers
cancell cancel -ed -ing
labell label -ed -ing
modell model -ed -ing
signall signal -ed -ing
fuell fuel -ed -ing
jewellery jewelry -
marvellous marvelous -
fulfil fulfill - -s -ment
enrol enroll - -s -ment
skilful skillful - -ly
defence defense - -s -less
offence offense - -s
pretence pretense - -s
catalogue catalog - -s
dialogue dialog - -s
grey gray - -s -er
moustache mustache - -s
pyjamas pajamas -
sceptic skeptic - -s -al -ism
aluminium aluminum -
aeroplane airplane - -s
mum mom - -s
ageing aging -
encyclopaedia encyclopedia - -s
paediatric pediatric - -s
anaemi anemi -a -c
oestrogen estrogen -
manoeuvre maneuver - -s
cosy cozy -
speciality specialty -
"""
"""A British stem, the American one, and the endings that make words of both; `-` is none."""

BRITISH_ONLY = {"cheque": "check", "cheques": "checks", "tyre": "tire", "tyres": "tires", "kerb": "curb",
                "programme": "program", "programmes": "programs", "metre": "meter", "metres": "meters",
                "storey": "story", "storeys": "stories", "plough": "plow", "ploughs": "plows"}  # fmt: skip
"""British words whose American spelling has other meanings as well, so that there is no way back."""

_STOP_WORDS = """
a an the of to in on at by for with from as is are was were be been being am it its this that these those there here
and so such just very really quite rather also then than will would shall should do does did has have had i you he she
we they me him her us them my your his our their
"""

STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Words that a hurried writer drops. Negations, questions, `or`, `but`, `all` and the like are not among them."""

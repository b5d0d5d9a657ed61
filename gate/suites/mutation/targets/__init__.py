"""Targets: where a prompt lives, how it is read, and how a mutant takes its place for the length of one trial.

| target | what is mutated |
|---|---|
| `package.module:NAME`, `module:Class.ATTR` | a text, wherever modules hold the very same object |
| `module:PROMPTS["agent"][0].text` | any path of attributes, keys and places; dots do for keys, too |
| `module:CONFIG.system` | a field of a dataclass, an enum, a pydantic model, of a class or of an object |
| `module:MESSAGES` | the one system message of a list of messages |
| `module:TOOLS` | a list of tools, mutated as JSON |
| `module:build_prompt`, `module:build_prompt("de")` | what the function returns, whatever it is called with |
| `file:prompts/system.md` | a text file |
| `file:prompts.yaml#agent.system` | one value of a YAML file |
| `env:SYSTEM_PROMPT` | an environment variable |
"""

from gate.suites.mutation.targets.replacement import Replacement
from gate.suites.mutation.targets.target import Target, target, targets

__all__ = ["Replacement", "Target", "target", "targets"]

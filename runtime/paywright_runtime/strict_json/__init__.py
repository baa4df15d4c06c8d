"""Strict JSON: every text has one meaning, numbers keep their digits, and the cost is bounded."""

from paywright_runtime.json_value import JSON as JSON
from paywright_runtime.strict_json.decoder import parse as parse
from paywright_runtime.strict_json.decoder import parse_reporting as parse_reporting
from paywright_runtime.strict_json.encoder import write as write
from paywright_runtime.strict_json.errors import WHY as WHY
from paywright_runtime.strict_json.errors import JsonProblem as JsonProblem

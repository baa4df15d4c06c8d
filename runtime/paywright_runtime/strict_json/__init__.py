"""JSON as money needs it: read and written so that every text has one meaning, with exact digits and bounded cost."""

from paywright_runtime.strict_json.decoder import parse as parse
from paywright_runtime.strict_json.decoder import parse_reporting as parse_reporting
from paywright_runtime.strict_json.encoder import write as write
from paywright_runtime.strict_json.errors import JSON as JSON
from paywright_runtime.strict_json.errors import WHY as WHY
from paywright_runtime.strict_json.errors import JsonProblem as JsonProblem

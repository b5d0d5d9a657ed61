from gate.assertions import assert_no_regression as assert_no_regression
from gate.assertions import assert_pass_rate as assert_pass_rate
from gate.assertions import compute_wilson_interval as compute_wilson_interval
from gate.assertions import evaluate_pass_rate as evaluate_pass_rate
from gate.assertions import evaluate_regression as evaluate_regression
from gate.trials.infrastructure import InfrastructureError as InfrastructureError

__version__: str

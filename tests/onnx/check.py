# SPDX-License-Identifier: GPL-3.0-or-later
"""check.py MODEL: holds a model against ONNX's checker, with inferred shapes, and looks at what it
says of itself."""
import json
import sys

import onnx

model = onnx.load(sys.argv[1])
onnx.checker.check_model(model, full_check=True)
about = json.loads({p.key: p.value for p in model.metadata_props}["khanzero.json"])
shape = [d.dim_param or d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim]
assert shape == about["input"]["shape"], shape
assert [o.version for o in model.opset_import] == [13]

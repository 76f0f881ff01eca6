#!/usr/bin/env python3
"""A naive placer for `tarry hunt placement --placer`: every node goes to the first device that satisfies what it asked for.

It knows no kernels, no colocation and no references, so the hunt finds what it breaks, for example:
  tarry hunt placement ref_edges_together --placer 'python3 properties/placement/naive_placer.py'
"""
import json
import re
import sys


def fields(name):
    """{"job": "a", "task": "0", "type": "CPU", ...}; what a name does not say is absent."""
    name = re.sub(r"/(cpu|gpu):", lambda m: f"/device:{m.group(1).upper()}:", name, flags=re.I)
    found = dict(re.findall(r"/(job|replica|task):([^/]+)", name))
    device = re.search(r"/device:([^/:]+)(?::([^/]+))?", name)
    if device:
        found["type"], found["id"] = device.group(1), device.group(2) or "*"
    return {key: value for key, value in found.items() if value != "*"}


def satisfies(device, request):
    have = fields(device)
    return all(have[key] == value for key, value in fields(request).items())


def place(case):
    devices = [d if isinstance(d, str) else d[0] for d in case["devices"]]
    places = []
    for name, op, *rest in case["nodes"]:
        request = rest[3] if len(rest) > 3 and rest[3] else rest[1] if len(rest) > 1 else ""
        fitting = [i for i, d in enumerate(devices) if satisfies(d, request)]
        if not fitting:
            return {"id": case["id"], "code": 3, "msg": f"no device for {name} satisfies {request}"}
        places.append(fitting[0])
    return {"id": case["id"], "place": places}


for line in sys.stdin:
    print(json.dumps(place(json.loads(line))), flush=True)

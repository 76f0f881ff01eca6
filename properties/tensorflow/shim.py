"""Drives the oracle_place binaries: cases (dicts, see README.md) in, outcomes (dicts) out.

The wheels before 1.12 hide protobuf's runtime, so for them graphs travel as base64 GraphDefs; the small codec below does that.
"""
import base64
import json
import os
import struct
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
WORK = os.environ.get("TF_SHIM_WORK", os.path.join(HERE, "..", "..", "build", "tensorflow"))
VERSIONS = ["0.12.0", "1.12.0", "1.15.0", "2.15.1"]
BYTES_ONLY = {"0.12.0"}
PRODUCER = {"0.12.0": 17}
TYPES = {"DT_INVALID": 0, "DT_FLOAT": 1, "DT_DOUBLE": 2, "DT_INT32": 3, "DT_UINT8": 4, "DT_INT16": 5, "DT_INT8": 6,
         "DT_STRING": 7, "DT_COMPLEX64": 8, "DT_INT64": 9, "DT_BOOL": 10, "DT_QINT8": 11, "DT_QUINT8": 12, "DT_QINT32": 13,
         "DT_BFLOAT16": 14, "DT_QINT16": 15, "DT_QUINT16": 16, "DT_UINT16": 17, "DT_COMPLEX128": 18, "DT_HALF": 19,
         "DT_RESOURCE": 20, "DT_VARIANT": 21, "DT_UINT32": 22, "DT_UINT64": 23, "DT_FLOAT8_E5M2": 24, "DT_FLOAT8_E4M3FN": 25,
         "DT_INT4": 29, "DT_UINT4": 30}
TYPES.update({k + "_REF": v + 100 for k, v in list(TYPES.items()) if v})
NAMES = {v: k for k, v in TYPES.items()}


# ---- wire format, writing ----
def varint(v):
    v &= (1 << 64) - 1
    out = b""
    while v >= 128:
        out += bytes([v & 127 | 128])
        v >>= 7
    return out + bytes([v])


def num(field, v):
    return varint(field << 3) + varint(v)


def blob(field, v):
    v = v.encode() if isinstance(v, str) else v
    return varint(field << 3 | 2) + varint(len(v)) + v


def shape_bytes(dims):
    if dims is None:
        return num(3, 1)
    return b"".join(blob(2, num(1, d)) for d in dims)


def tensor_bytes(t):
    dtype, dims, values = t
    out = num(1, TYPES[dtype]) + blob(2, shape_bytes(dims))
    for v in values:
        if dtype == "DT_FLOAT":
            out += blob(5, struct.pack("<f", v))
        elif dtype == "DT_DOUBLE":
            out += blob(6, struct.pack("<d", v))
        elif dtype == "DT_STRING":
            out += blob(8, v)
        else:
            out += num({"DT_INT64": 10, "DT_BOOL": 11}.get(dtype, 7), int(v))
    return out


def attr_bytes(v):
    if isinstance(v, str):
        return num(6, TYPES[v])
    if isinstance(v, bool):
        return num(5, int(v))
    if isinstance(v, int):
        return num(3, v)
    if isinstance(v, list):
        out = b""
        for x in v:
            if isinstance(x, int):
                out += num(3, x)
            elif isinstance(x, dict):
                out += blob(2, x["s"])
            elif x.startswith("DT_"):
                out += num(6, TYPES[x])
            else:
                out += blob(2, x)
        return blob(1, out)
    (key, x), = v.items()
    if key == "s":
        return blob(2, x)
    if key == "f":
        return varint(4 << 3 | 5) + struct.pack("<f", x)
    if key == "shape":
        return blob(7, shape_bytes(x))
    if key == "shapes":
        return blob(1, b"".join(blob(7, shape_bytes(d)) for d in x))
    if key == "tensor":
        return blob(8, tensor_bytes(x))
    if key == "func":
        return blob(10, blob(1, x))
    raise ValueError(v)


def node_bytes(n):
    n = list(n) + [[], "", {}][len(n) - 2:] if len(n) < 5 else n
    out = blob(1, n[0]) + blob(2, n[1])
    for i in n[2]:
        out += blob(3, i)
    if n[3]:
        out += blob(4, n[3])
    for k in sorted(n[4]):
        out += blob(5, blob(1, k) + blob(2, attr_bytes(n[4][k])))
    return out


def graph_bytes(nodes, producer):
    return b"".join(blob(1, node_bytes(n)) for n in nodes) + blob(4, num(1, producer))


# ---- wire format, reading ----
def fields(b):
    i = 0

    def take():
        nonlocal i
        v = s = 0
        while True:
            c = b[i]
            i += 1
            v |= (c & 127) << s
            s += 7
            if c < 128:
                return v
    while i < len(b):
        tag = take()
        kind = tag & 7
        if kind == 0:
            yield tag >> 3, take()
        elif kind == 1:
            i += 8
            yield tag >> 3, b[i - 8:i]
        elif kind == 5:
            i += 4
            yield tag >> 3, b[i - 4:i]
        else:
            n = take()
            i += n
            yield tag >> 3, b[i - n:i]


def signed(v):
    return v - (1 << 64) if v >= 1 << 63 else v


def ints(v):
    if isinstance(v, int):
        return [signed(v)]
    out, i = [], 0
    while i < len(v):
        x = s = 0
        while True:
            c = v[i]
            i += 1
            x |= (c & 127) << s
            s += 7
            if c < 128:
                break
        out.append(signed(x))
    return out


def shape_of(b):
    dims = []
    for f, v in fields(b):
        if f == 3 and v:
            return None
        if f == 2:
            dims.append(next((signed(x) for g, x in fields(v) if g == 1), 0))
    return dims


def plain(x):
    return int(x) if float(x).is_integer() else x


def tensor_of(b):
    dtype, dims, vals = "DT_INVALID", [], []
    for f, v in fields(b):
        if f == 1:
            dtype = NAMES[v]
        elif f == 2:
            dims = shape_of(v)
        elif f == 4 and dtype == "DT_FLOAT":
            vals += [plain(x) for x in struct.unpack(f"<{len(v) // 4}f", v)]
        elif f == 4 and dtype == "DT_INT32":
            vals += struct.unpack(f"<{len(v) // 4}i", v)
        elif f == 4:
            vals.append("?")
        elif f == 5:
            vals += [plain(x) for x in struct.unpack(f"<{len(v) // 4}f", v)]
        elif f == 6:
            vals += [plain(x) for x in struct.unpack(f"<{len(v) // 8}d", v)]
        elif f == 8:
            vals.append(v.decode())
        elif f == 11:
            vals += [bool(x) for x in ints(v)]
        elif f in (7, 10):
            vals += ints(v)
    return [dtype, dims, list(vals)]


def attr_of(b):
    out = None
    for f, v in fields(b):
        if f == 2:
            out = {"s": v.decode()}
        elif f == 3:
            out = signed(v)
        elif f == 4:
            out = {"f": plain(struct.unpack("<f", v)[0])}
        elif f == 5:
            out = bool(v)
        elif f == 6:
            out = NAMES[v]
        elif f == 7:
            out = {"shape": shape_of(v)}
        elif f == 8:
            out = {"tensor": tensor_of(v)}
        elif f == 10:
            out = {"func": next((x.decode() for g, x in fields(v) if g == 1), "")}
        elif f == 1:
            types, nums, strs, shapes = [], [], [], []
            for g, x in fields(v):
                if g == 6:
                    types += [NAMES[t] for t in ints(x)]
                elif g == 3:
                    nums += ints(x)
                elif g == 2:
                    strs.append(x.decode())
                elif g == 7:
                    shapes.append(shape_of(x))
            if shapes:
                out = {"shapes": shapes}
            elif strs and any(s.startswith("DT_") for s in strs):
                out = [{"s": s} for s in strs]
            else:
                out = types or nums or strs
    return out


def node_of(b):
    n = ["", "", [], "", {}]
    for f, v in fields(b):
        if f in (1, 2):
            n[f - 1] = v.decode()
        elif f == 3:
            n[2].append(v.decode())
        elif f == 4:
            n[3] = v.decode()
        elif f == 5:
            kv = dict(fields(v))
            n[4][kv[1].decode()] = attr_of(kv.get(2, b""))
    n[4] = dict(sorted(n[4].items()))
    return n


def graph_of(text):
    return [node_of(v) for f, v in fields(base64.b64decode(text)) if f == 1]


# ---- running ----
def run(version, cases, fake=False, chunk=0, env=None):
    """Yields one outcome a case, in order. A case that kills the process yields {"id", "crash": exit code}."""
    binary = os.path.join(WORK, "bin", "oracle_place_" + version)
    args = [binary, "--ops", os.path.join(HERE, "testops.json")] + (["--fake"] if fake else [])
    environ = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1", **(env or {}))
    cases = list(cases)
    done = 0
    while done < len(cases):
        text = "".join(json.dumps(encode(c, version), separators=(",", ":")) + "\n" for c in cases[done:])
        p = subprocess.run(args, input=text, capture_output=True, text=True, env=environ)
        lines = p.stdout.splitlines()
        for line in lines:
            yield decode(json.loads(line), version)
        done += len(lines)
        if done < len(cases):
            yield {"id": cases[done]["id"], "crash": p.returncode, "stderr": p.stderr[-500:]}
            done += 1


def run_plain(version, cases):
    """Outcomes of cases that hold no graph."""
    binary = os.path.join(WORK, "bin", "oracle_place_" + version)
    environ = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="-1")
    text = "".join(json.dumps(c) + "\n" for c in cases)
    p = subprocess.run([binary], input=text, capture_output=True, text=True, env=environ, check=True)
    return [json.loads(line) for line in p.stdout.splitlines()]


def encode(case, version):
    if version not in BYTES_ONLY or "nodes" not in case:
        return case
    c = dict(case)
    c["gd"] = base64.b64encode(graph_bytes(case["nodes"], PRODUCER[version])).decode()
    c["nodes"] = [[n[0], n[1], [], "", {}, n[5] if len(n) > 5 else ""] for n in case["nodes"]]
    return c


def split_attrs(text):
    """Splits "a=1, b=[x, y]" at the commas outside brackets and quotes."""
    parts, depth, quoted, start = [], 0, False, 0
    for i, c in enumerate(text):
        if c == '"' and text[i - 1] != "\\":
            quoted = not quoted
        elif not quoted:
            depth += (c in "[<({") - (c in "]>)}")
            if text.startswith(", ", i) and depth == 0:
                parts.append(text[start:i])
                start = i + 2
    return parts + [text[start:]]


def sort_attrs(msg):
    """1.15 and 2.x print a node's attrs in the order of a randomised map; here they are sorted."""
    for lead, stop in (("with these attrs: [", "]\n"), ("Node attrs: ", "\n")):
        at = msg.find(lead)
        if at >= 0:
            a = at + len(lead)
            b = msg.find(stop, a)
            if b >= 0:
                msg = msg[:a] + ", ".join(sorted(split_attrs(msg[a:b]))) + msg[b:]
    return msg


def decode(out, version):
    if "msg" in out:
        out["msg"] = sort_attrs(out["msg"])
    if version in BYTES_ONLY:
        if "parts" in out:
            out["parts"] = {k: graph_of(v) for k, v in out["parts"].items()}
        if "device_parts" in out:
            out["device_parts"] = {w: {k: graph_of(v) for k, v in p.items()} for w, p in out["device_parts"].items()}
    return out

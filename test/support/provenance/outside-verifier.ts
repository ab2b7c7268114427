import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** The verdict of the Python library of the C2PA project on a file. */
export interface OutsideVerdict {
  /** `none`: the file has no credentials. `unreadable`: the library cannot read the file or its credentials. */
  readonly state: 'trusted' | 'valid' | 'invalid' | 'none' | 'link' | 'unreadable';
  /** JSON of the manifest store, as the library returns it. */
  readonly store?: string;
}

/**
 * Path of a Python with the package c2pa-python: `pip install c2pa-python==0.38.1`. Undefined if the machine has none, which is
 * an error in CI.
 */
export const C2PA_PYTHON = process.env['C2PA_PYTHON'];

if (C2PA_PYTHON === undefined && process.env['CI'] === 'true') {
  throw new Error('C2PA_PYTHON must be the path of a Python with c2pa-python');
}

const PROGRAM = `
import io, json, sys
import c2pa

def verdict(path, media_type, anchors):
    settings = {"version": 1, "verify": {"remote_manifest_fetch": False, "ocsp_fetch": False, "verify_trust": True}}
    if anchors:
        settings["trust"] = {"trust_anchors": open(anchors).read()}
    context = c2pa.Context.from_json(json.dumps(settings))
    try:
        with open(path, "rb") as file, c2pa.Reader(media_type, file, context=context) as reader:
            store = reader.json()
            return {"state": json.loads(store)["validation_state"].lower(), "store": store}
    except c2pa.C2paError as error:
        text = repr(error)
        if "ManifestNotFound" in text: return {"state": "none"}
        if "RemoteManifest" in text: return {"state": "link"}
        return {"state": "unreadable", "error": text}

for line in sys.stdin:
    print(json.dumps(verdict(*json.loads(line))), flush=True)
`;

/** Starts the verifier. Its verdicts arrive in the order of the files. */
export function startOutsideVerifier() {
  const child = spawn(C2PA_PYTHON ?? 'python3', ['-c', PROGRAM], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    /** Resolves with the verdict on a file. `anchors` is the path of the trust anchors. Calls must not overlap. */
    async verify(path: string, format: string, anchors?: string): Promise<OutsideVerdict> {
      child.stdin.write(`${JSON.stringify([path, `image/${format}`, anchors ?? null])}\n`);
      const { value } = await lines.next();
      return JSON.parse(value);
    },

    async close(): Promise<void> {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}

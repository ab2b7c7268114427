import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { initSync, WasmBuilder, WasmReader } from '@contentauth/c2pa-wasm';
import { createCoseSigner } from './cose-signature.ts';
import type {
  CredentialTask,
  TaskImage,
  TaskResults,
  ThreadData,
  ThreadMessage,
} from './credential-tasks.ts';
import { type CredentialReport, toReport, toUnreadReport } from './manifest-report.ts';

// The program of the credential thread: validates and signs images, one after the other.

/** The part of a `Blob` that the library uses. The library reads a blob synchronously, which the `Blob` of Node cannot. */
class ImageBlob {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get size(): number {
    return this.bytes.length;
  }

  slice(start: number, end: number): ImageBlob {
    return new ImageBlob(this.bytes.subarray(start, end));
  }
}

/** Replaces the `FileReaderSync` of browsers, which Node does not have (decision 37). */
class ImageBlobReader {
  readAsArrayBuffer({ bytes }: ImageBlob): ArrayBuffer {
    return new Uint8Array(bytes).buffer;
  }
}

Object.assign(globalThis, { FileReaderSync: ImageBlobReader });

const library = createRequire(import.meta.url).resolve('@contentauth/c2pa-wasm/c2pa.wasm');
const { memory } = initSync({ module: readFileSync(library) });

// The cast is safe because only the main thread starts this program.
const { trustAnchors } = workerData as ThreadData;

/** Settings of the library for reading and signing. No remote manifest, certificate status or time stamp is ever fetched. */
const CONTEXT = {
  version: 1,
  verify: { remote_manifest_fetch: false, ocsp_fetch: false, verify_trust: true },
  builder: { thumbnail: { enabled: false } },
};
const READING = JSON.stringify({
  ...CONTEXT,
  ...(trustAnchors === undefined ? {} : { trust: { trust_anchors: trustAnchors } }),
});
const SIGNING = JSON.stringify({
  ...CONTEXT,
  // The caller verifies the result.
  verify: { ...CONTEXT.verify, verify_trust: false, verify_after_sign: false },
});

async function validate({ bytes, format }: TaskImage): Promise<CredentialReport> {
  const reader = await WasmReader.fromBytes(toMediaType(format), bytes, READING);
  try {
    return toReport(reader.json());
  } finally {
    reader.free();
  }
}

type SignTask = Extract<CredentialTask, { kind: 'sign' }>;

async function sign({ image, definition, ingredients, key }: SignTask): Promise<Uint8Array> {
  const builder = WasmBuilder.fromJson(definition, SIGNING);
  try {
    for (const { json, image: original } of ingredients) {
      if (original === undefined) builder.addIngredient(json);
      else {
        const { bytes, format } = original;
        await builder.addIngredientFromBlob(json, toMediaType(format), toBlob(bytes));
      }
    }
    const { sign, length } = createCoseSigner(key);
    const signer = {
      alg: key.algorithm,
      reserveSize: length,
      sign: async (claim: Uint8Array) => new Uint8Array(sign(claim)),
    };
    return await builder.sign(signer, [], toMediaType(image.format), toBlob(image.bytes));
  } finally {
    builder.free();
  }
}

/** The cast is safe because the library uses only the members of `ImageBlob`. */
function toBlob(bytes: Uint8Array): Blob {
  return new ImageBlob(bytes) as unknown as Blob;
}

function toMediaType(format: TaskImage['format']): string {
  return `image/${format}`;
}

/** The name of the error that a trap of WebAssembly throws. */
const TRAP = 'RuntimeError';

async function run(task: CredentialTask): Promise<ThreadMessage> {
  try {
    const result = task.kind === 'validate' ? await validate(task.image) : await sign(task);
    return ended(result);
  } catch (error) {
    if (error instanceof Error && error.name === TRAP) return { kind: 'trapped' };
    // The library has rejected the image.
    return ended(task.kind === 'validate' ? toUnreadReport(error) : undefined);
  }
}

function ended(result: TaskResults[keyof TaskResults]): ThreadMessage {
  return { kind: 'ended', result, memoryBytes: memory.buffer.byteLength };
}

parentPort?.on('message', async (task: CredentialTask) => {
  parentPort?.postMessage(await run(task));
});
parentPort?.postMessage({ kind: 'loaded' } satisfies ThreadMessage);

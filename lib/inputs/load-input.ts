import { BridgeError } from '../errors/bridge-error.ts';
import type { RemoteFetch } from '../net/remote-fetch.ts';
import { badInput } from './bad-input.ts';
import {
  type ArtifactSource,
  type InputSource,
  knownByteLength,
  type RemoteSource,
  type StoredSource,
} from './input-source.ts';
import type { StoredInputFiles } from './stored-inputs-port.ts';

interface Deps {
  readonly artifacts: {
    /**
     * Resolves with the verified bytes of an artifact of this scope. Throws `not_found` if the scope has no artifact with this
     * id, and `artifact` if the file is missing or damaged.
     */
    open(scope: string, id: string, signal: AbortSignal): Promise<{ readonly bytes: Buffer }>;
  };
  readonly stored: Pick<StoredInputFiles, 'read'>;
  /** Fetches remote images. Absent if remote images are disabled. */
  readonly fetchRemote?: RemoteFetch | undefined;
}

/** The scope of the client, and the signal of its request. */
export interface InputContext {
  readonly scope: string;
  readonly signal: AbortSignal;
}

export type InputLoader = ReturnType<typeof createInputLoader>;

/** Creates the loader of image bytes from any source. The bytes are not verified. */
export function createInputLoader({ artifacts, stored, fetchRemote }: Deps) {
  async function loadArtifact(
    { field, artifactId }: ArtifactSource,
    { scope, signal }: InputContext,
  ): Promise<Buffer> {
    try {
      return (await artifacts.open(scope, artifactId, signal)).bytes;
    } catch (thrown) {
      const isUnknown = thrown instanceof BridgeError && thrown.code === 'not_found';
      throw isUnknown ? badInput(field, field, 'unknown_artifact') : thrown;
    }
  }

  async function loadRemote(
    { field, url }: RemoteSource,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<Buffer> {
    // Request validation rejects remote images earlier, together with all other issues of the request.
    if (!fetchRemote) {
      throw new BridgeError('invalid_request', 'remote inputs are disabled', {
        param: field,
        details: { field, reason: 'remote_inputs_disabled' },
      });
    }
    const fetched = await fetchRemote(url, maxBytes, signal);
    if (fetched.ok) return fetched.bytes;
    throw badInput(field, field, fetched.fault, { status: fetched.status });
  }

  async function loadStored({ sha256, byteLength }: StoredSource): Promise<Buffer> {
    const bytes = await stored.read(sha256, byteLength);
    if (bytes) return bytes;
    throw new BridgeError('artifact', 'stored image of the job is missing or was changed', {
      details: { reason: 'missing_or_changed' },
    });
  }

  async function read(
    source: InputSource,
    maxBytes: number,
    context: InputContext,
  ): Promise<Buffer> {
    switch (source.kind) {
      case 'inline':
        return source.bytes;
      case 'artifact':
        return loadArtifact(source, context);
      case 'remote':
        return loadRemote(source, maxBytes, context.signal);
      case 'stored':
        return loadStored(source);
    }
  }

  return {
    /**
     * Resolves with all bytes of one image. Throws `input` if the image is longer than `maxBytes` or cannot be loaded, and
     * `artifact` if a file of the bridge is missing or was changed. Rejects with the reason of the signal on abort.
     */
    async load(source: InputSource, maxBytes: number, context: InputContext): Promise<Buffer> {
      const { field } = source;
      if (knownByteLength(source) > maxBytes) throw badInput(field, field, 'too_many_bytes');
      const bytes = await read(source, maxBytes, context);
      if (bytes.length > maxBytes) throw badInput(field, field, 'too_many_bytes');
      return bytes;
    },
  };
}

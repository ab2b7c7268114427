import { resolve } from 'node:path';
import { BridgeError } from '../../errors/bridge-error.ts';

import { readRegularFile } from '../../platform/regular-file.ts';
import type { ProviderReadiness } from '../provider-port.ts';
import { isWritableByOthers } from './private-file.ts';

const PROBLEMS = {
  not_set: 'the environment variable in `api_key_env` is not set',
  absent: 'the file in `api_key_file` does not exist',
  unreadable: 'the file in `api_key_file` cannot be read',
  irregular: '`api_key_file` is not a regular file',
  too_large: 'the file in `api_key_file` is larger than 64 KiB',
  writable_by_others: 'the file in `api_key_file` is writable by its group or by others',
  empty: 'the API key is empty',
  unusable: 'the API key contains invalid characters, such as spaces',
} as const;

interface Deps {
  readonly settings: {
    readonly api_key_env: string | undefined;
    readonly api_key_file: string | undefined;
  };
  readonly env: Readonly<Record<string, string | undefined>>;
}

type Found = { readonly key: string | undefined } | { readonly problem: keyof typeof PROBLEMS };

const MAX_BYTES = 65_536;

/** The source of the keys of one provider. */
export interface ApiKeySource {
  /**
   * Resolves with the current key, or with undefined if the settings do not name a key. Rejects with the reason of the
   * signal if the signal aborts. Throws `provider_authentication` if the key is unusable.
   */
  key(signal?: AbortSignal): Promise<string | undefined>;
  /**
   * Resolves with true if a usable key other than `since` is available. `since` is the key that the upstream rejected.
   */
  changed(since: string, signal?: AbortSignal): Promise<boolean>;
  /**
   * Resolves with the reason why the key is unusable, as a sentence without a path. Resolves with undefined if the key
   * is usable or the settings do not name a key.
   */
  problem(): Promise<string | undefined>;
  /** Resolves with the readiness of the provider according to its key. Never calls the upstream. */
  readiness(): Promise<ProviderReadiness>;
}

/** Resolves with the headers of a request that reads JSON. Rejects as `ApiKeySource.key` does. */
export async function readHeaders(
  source: Pick<ApiKeySource, 'key'>,
  keyHeaders: (key: string) => Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const key = await source.key();
  return { accept: 'application/json', ...(key === undefined ? {} : keyHeaders(key)) };
}

/**
 * Creates the source of one provider's API key. The settings name the environment variable or the file that contains
 * the key. Errors contain neither the key nor the path.
 */
export function createApiKeySource({ settings, env }: Deps): ApiKeySource {
  const { api_key_env: variable, api_key_file: path } = settings;

  async function find(): Promise<Found> {
    if (path !== undefined) return readKeyFile(path);
    if (variable === undefined) return { key: undefined };
    const value = env[variable];
    return value === undefined ? { problem: 'not_set' } : toKey(value);
  }

  async function key(): Promise<string | undefined> {
    const found = await find();
    if ('key' in found) return found.key;
    throw new BridgeError('provider_authentication', PROBLEMS[found.problem]);
  }

  return {
    key,

    async changed(since) {
      const found = await find();
      return 'key' in found && found.key !== undefined && found.key !== since;
    },

    async problem() {
      const found = await find();
      return 'problem' in found ? PROBLEMS[found.problem] : undefined;
    },

    async readiness() {
      const isReady = 'key' in (await find());
      return isReady ? { ready: true } : { ready: false, errorCode: 'authentication' };
    },
  };
}

/** Reads a key file. Symbolic links are followed because mounted secrets are links. */
async function readKeyFile(path: string): Promise<Found> {
  const file = await readRegularFile(resolve(path), { maxBytes: MAX_BYTES });
  if ('problem' in file) return { problem: file.problem };
  if (isWritableByOthers(file.status)) return { problem: 'writable_by_others' };
  return toKey(file.bytes.toString('latin1'));
}

/**
 * Parses a key. Surrounding white space is removed. Only visible ASCII is accepted, because the key is sent in a
 * header.
 */
function toKey(text: string): Found {
  const key = text.trim();
  if (key === '') return { problem: 'empty' };
  return /^[\x21-\x7e]+$/.test(key) ? { key } : { problem: 'unusable' };
}

/**
 * Runs `call` with the key, or with undefined if no key is set. If the upstream rejects the key and a different key is
 * now available, runs `call` once more. A repetition is safe because the rejected call had no effect.
 */
export async function callWithKey<T>(
  source: Pick<ApiKeySource, 'key' | 'changed'>,
  call: (key: string | undefined) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const key = await source.key(signal);
  try {
    return await call(key);
  } catch (thrown) {
    const isRefused = thrown instanceof BridgeError && thrown.code === 'provider_authentication';
    if (!isRefused || key === undefined || !(await source.changed(key, signal))) throw thrown;
    return call(await source.key(signal));
  }
}

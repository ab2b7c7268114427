import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { BridgeError } from '../../errors/bridge-error.ts';
import { isPerhapsPaid } from '../../errors/call-effect.ts';
import type { Clock } from '../../platform/clock.ts';
import { isStampSettled, toFileStamp } from '../../platform/file-stamp.ts';
import type { ProviderReadiness } from '../provider-port.ts';
import { isWritableByOthers, readBytes } from './private-file.ts';

const PROBLEMS = {
  not_set: 'the environment variable in `api_key_env` is not set',
  missing: 'the file in `api_key_file` does not exist',
  unreadable: 'the file in `api_key_file` cannot be read',
  irregular: '`api_key_file` is not a regular file',
  too_large: 'the file in `api_key_file` is larger than 64 KiB',
  writable_by_others: 'the file in `api_key_file` is writable by its group or by others',
  empty: 'the API key is empty',
  unusable: 'the API key contains invalid characters, such as spaces',
} as const;

/** Reason why a key is unusable. */
type KeyProblem = keyof typeof PROBLEMS;

interface Deps {
  readonly settings: {
    readonly api_key_env: string | undefined;
    readonly api_key_file: string | undefined;
  };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Pick<Clock, 'nowMs'>;
}

type Found = { readonly key: string | undefined } | { readonly problem: KeyProblem };

interface Reading {
  readonly stamp: string;
  readonly found: Found;
}

const MAX_BYTES = 65_536;
// With `O_NONBLOCK`, opening a named pipe does not wait for a writer. Symbolic links are followed because mounted
// secrets are links.
const READ = constants.O_RDONLY | constants.O_NONBLOCK;

export type ApiKeySource = ReturnType<typeof createApiKeySource>;

/**
 * Creates the source of one provider's API key. The settings name the environment variable or the file that contains
 * the key. Errors contain neither the key nor the path.
 */
export function createApiKeySource({ settings, env, clock }: Deps) {
  const { api_key_env: variable, api_key_file: path } = settings;
  const file = path === undefined ? undefined : createKeyFile(path, clock);

  async function find(): Promise<Found> {
    if (file) return file.read();
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
    /**
     * Resolves with the current key, or with undefined if the settings do not name a key. Throws
     * `provider_authentication` if the key is unusable.
     */
    key,

    /**
     * Resolves with true if a usable key other than `since` is available. `since` is the key that the upstream
     * rejected.
     */
    async changed(since: string): Promise<boolean> {
      const found = await find();
      return 'key' in found && found.key !== undefined && found.key !== since;
    },

    /**
     * Resolves with the reason why the key is unusable, as a sentence without a path. Resolves with undefined if the
     * key is usable or the settings do not name a key.
     */
    async problem(): Promise<string | undefined> {
      const found = await find();
      return 'problem' in found ? PROBLEMS[found.problem] : undefined;
    },

    /** Resolves with the readiness of the provider according to its key. Never calls the upstream. */
    async readiness(): Promise<ProviderReadiness> {
      return 'key' in (await find())
        ? { ready: true }
        : { ready: false, errorCode: 'authentication' };
    },
  };
}

/** Creates a reader of a key file. The file is read again only if it has changed. */
function createKeyFile(path: string, clock: Pick<Clock, 'nowMs'>) {
  let known: Reading | undefined;
  return {
    async read(): Promise<Found> {
      try {
        const file = await open(resolve(path), READ);
        try {
          const stat = await file.stat({ bigint: true });
          const stamp = toFileStamp(stat);
          if (known?.stamp === stamp) return known.found;
          if (!stat.isFile()) return { problem: 'irregular' };
          if (stat.size > MAX_BYTES) return { problem: 'too_large' };
          if (isWritableByOthers(stat)) return { problem: 'writable_by_others' };
          const found = toKey((await readBytes(file, Number(stat.size))).toString('latin1'));
          known = isStampSettled(stat, clock) ? { stamp, found } : undefined;
          return found;
        } finally {
          await file.close();
        }
      } catch (error) {
        return { problem: toProblem(error) };
      }
    },
  };
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

/** Converts an error of the file system. The error itself is not reported because it contains the path. */
function toProblem(error: unknown): KeyProblem {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing';
  return code === 'ENXIO' ? 'irregular' : 'unreadable';
}

/**
 * Runs `call` with the key, or with undefined if no key is set. If the upstream rejects the key and a different key is
 * now available, runs `call` once more. A repetition is safe because the rejected call had no effect.
 */
export async function callWithKey<T>(
  source: Pick<ApiKeySource, 'key' | 'changed'>,
  call: (key: string | undefined) => Promise<T>,
): Promise<T> {
  const key = await source.key();
  try {
    return await call(key);
  } catch (thrown) {
    const isRefused =
      thrown instanceof BridgeError &&
      thrown.code === 'provider_authentication' &&
      !isPerhapsPaid(thrown.effect);
    if (!isRefused || key === undefined || !(await source.changed(key))) throw thrown;
    return call(await source.key());
  }
}

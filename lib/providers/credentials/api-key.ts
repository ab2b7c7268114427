import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { isStampSettled, toFileStamp } from '../../platform/file-stamp.ts';
import type { ProviderReadiness } from '../provider-port.ts';
import { isWritableByOthers, readBytes } from './private-file.ts';

const PROBLEMS = {
  not_set: 'the variable that api_key_env names is not set',
  missing: 'there is no file of the name in api_key_file',
  unreadable: 'the file in api_key_file cannot be read',
  irregular: 'what api_key_file names is no regular file',
  too_large: 'the file in api_key_file is larger than 64 KiB',
  writable_by_others: 'the file in api_key_file may be written by others than its owner',
  empty: 'the API key is empty',
  unusable: 'the API key has characters that no key has, such as spaces',
} as const;

/** Why a key is of no use. */
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
// Opening a pipe must not wait for its other end. Links are followed: mounted secrets are links.
const READ = constants.O_RDONLY | constants.O_NONBLOCK;

export type ApiKeySource = ReturnType<typeof createApiKeySource>;

/** The API key of one provider, from the variable or from the file that its settings name. Its errors contain neither key nor path. */
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
    /** The key as it is now; undefined where the settings name none. Throws `provider_authentication` for an unusable one. */
    key,

    /** After a refused call: whether there is another usable key by now. */
    async changed(since: string): Promise<boolean> {
      const found = await find();
      return 'key' in found && found.key !== undefined && found.key !== since;
    },

    /** Why there is no usable key, as a sentence without its path; undefined when there is one, or when none is named. */
    async problem(): Promise<string | undefined> {
      const found = await find();
      return 'problem' in found ? PROBLEMS[found.problem] : undefined;
    },

    /** Whether a call can be sent. Never calls anybody. */
    async readiness(): Promise<ProviderReadiness> {
      return 'key' in (await find())
        ? { ready: true }
        : { ready: false, errorCode: 'authentication' };
    },
  };
}

/** Reads a file that holds a key, again when it has changed. */
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

/** Surrounding blanks and line ends are not part of a key; a header takes visible ASCII alone. */
function toKey(text: string): Found {
  const key = text.trim();
  if (key === '') return { problem: 'empty' };
  return /^[\x21-\x7e]+$/.test(key) ? { key } : { problem: 'unusable' };
}

/** The file system's own error names the path, and is not passed on. */
function toProblem(error: unknown): KeyProblem {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing';
  return code === 'ENXIO' ? 'irregular' : 'unreadable';
}

/**
 * Calls with the key, which is undefined where none is set. When the upstream refuses it and the key file holds another
 * one by now, the call is made once more; nothing was done for the refused one.
 */
export async function callWithKey<T>(
  source: Pick<ApiKeySource, 'key' | 'changed'>,
  call: (key: string | undefined) => Promise<T>,
): Promise<T> {
  const key = await source.key();
  try {
    return await call(key);
  } catch (thrown) {
    const isRefused = thrown instanceof BridgeError && thrown.code === 'provider_authentication';
    if (!isRefused || key === undefined || !(await source.changed(key))) throw thrown;
    return call(await source.key());
  }
}

import { lstat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { BridgeError } from '../../errors/bridge-error.ts';
import { type Clock, sleep } from '../../platform/clock.ts';
import { errorCode } from '../../platform/error-code.ts';
import { isStampSettled, toFileStamp } from '../../platform/file-stamp.ts';
import { homeFolder } from '../../platform/home-folder.ts';
import { readRegularFile } from '../../platform/regular-file.ts';
import { type Login, parseLogin } from './login.ts';
import { isWritableByOthers } from './private-file.ts';

// The login file belongs to the agent. The file's name, folder and permissions are part of its format, so there is no
// storage port for the file.

/** A login, with the stamp of the file from which it was read. */
export interface StoredLogin extends Login {
  readonly stamp: string;
}

export type LoginFile = ReturnType<typeof createLoginFile>;

interface Deps {
  /** The folder of `auth.json`. */
  readonly home: string;
  readonly clock: Clock;
}

const PROBLEMS = {
  missing: 'the login file does not exist',
  unreadable: 'the login file cannot be read',
  irregular: 'the login file is not a regular file',
  too_large: 'the login file is larger than 1 MiB',
  writable_by_others: 'the login file is writable by its group or by others',
  garbled: 'the login file is not a complete JSON document',
  no_login: 'the login file contains no login that this provider supports',
} as const;

/** Reason why a login file is unusable. */
type LoginProblem = keyof typeof PROBLEMS;

interface Reading {
  /** Identifies one state of the file. Empty if the file could not be used. */
  readonly stamp: string;
  /** True if every later change of the file will also change the stamp. */
  readonly isSettled: boolean;
  readonly found: Login | LoginProblem;
}

const MAX_BYTES = 1_048_576;

// The delays add up to 0.6 s, which is longer than another program needs to rewrite the file in place.
const REREAD_AFTER_MS = [10, 20, 40, 80, 150, 300] as const;

/** Creates a reader of the login file. The file is read again only if it has changed. */
export function createLoginFile({ home, clock }: Deps) {
  const path = join(home, 'auth.json');
  let known: Reading | undefined;

  async function readNow(): Promise<Reading> {
    try {
      const named = await lstat(path, { bigint: true });
      if (toFileStamp(named) === known?.stamp) return known;
      return named.isFile() ? await readLogin(path, clock) : unusable('irregular');
    } catch (error) {
      // The error of the file system is not reported because it contains the path.
      return unusable(
        errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR' ? 'missing' : 'unreadable',
      );
    }
  }

  /**
   * Resolves with the current state of the file. Reads an incomplete file again, because another program may be writing
   * the file.
   */
  async function look(signal: AbortSignal): Promise<Reading> {
    for (const waitMs of REREAD_AFTER_MS) {
      const reading = await readNow();
      if (reading.found !== 'garbled' || reading === known) return remembered(reading);
      await sleep(clock, waitMs, signal);
    }
    return remembered(await readNow());
  }

  function remembered(reading: Reading): Reading {
    if (reading.isSettled) known = reading;
    return reading;
  }

  async function find(signal: AbortSignal): Promise<StoredLogin | LoginProblem> {
    const { found, stamp } = await look(signal);
    return typeof found === 'string' ? found : { ...found, stamp };
  }

  return {
    /**
     * Resolves with the login, or with the reason why the file is unusable. Rejects with the signal's reason if the
     * signal aborts.
     */
    find,

    /**
     * Resolves with the login. Throws `provider_authentication` if the file is unusable. Rejects with the signal's
     * reason if the signal aborts.
     */
    async read(signal: AbortSignal): Promise<StoredLogin> {
      const found = await find(signal);
      if (typeof found !== 'string') return found;
      throw new BridgeError('provider_authentication', PROBLEMS[found]);
    },

    /** Uses `login` in place of the content of the file, only in memory, as long as the file has this stamp. */
    override(stamp: string, login: Login): void {
      known = { stamp, isSettled: true, found: login };
    },
  };
}

async function readLogin(path: string, clock: Clock): Promise<Reading> {
  const file = await readRegularFile(path, { maxBytes: MAX_BYTES, rejectsLink: true });
  if ('problem' in file) return unusable(file.problem === 'absent' ? 'missing' : file.problem);
  const { bytes, status } = file;
  if (isWritableByOthers(status)) return unusable('writable_by_others');
  const stamp = toFileStamp(status);
  const after = await lstat(path, { bigint: true });
  if (toFileStamp(after) !== stamp) return unusable('garbled');
  return { stamp, isSettled: isStampSettled(after, clock), found: parseFile(bytes) };
}

function parseFile(bytes: Buffer): Login | LoginProblem {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // The error is dropped because it quotes the text around its position.
    return 'garbled';
  }
  return parseLogin(value) ?? 'no_login';
}

function unusable(found: LoginProblem): Reading {
  return { stamp: '', isSettled: false, found };
}

/**
 * Returns the folder of the agent's login: `setting`, which is the provider's setting `home`, or by default the agent's
 * own folder.
 */
export function agentHome(
  setting: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string {
  // An empty variable counts as unset.
  return resolve(setting ?? (env['CODEX_HOME'] || join(homeFolder(env), '.codex')));
}

/**
 * Resolves with the reason why the login in the folder `home` is unusable, as a sentence without a path. Resolves with
 * undefined if the login is usable.
 */
export async function findLoginProblem(
  home: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = await createLoginFile({ home, clock }).find(signal);
  return typeof found === 'string' ? PROBLEMS[found] : undefined;
}

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

// The file belongs to the agent. Its name, folder and permissions are part of its format, so there is no storage port
// for it.

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
  /** Identifies one state of one file. Empty if nothing was read. */
  readonly stamp: string;
  /** True if any later change of the file is certain to change the stamp. */
  readonly isSettled: boolean;
  readonly found: Login | LoginProblem;
}

const MAX_BYTES = 1_048_576;

// The delays add up to 0.6 s. Rewriting the file in place takes less time.
const REREAD_AFTER_MS = [10, 20, 40, 80, 150, 300] as const;

/** Creates a reader of the login file that another program maintains. Reads the file again only if it has changed. */
export function createLoginFile({ home, clock }: Deps) {
  const path = join(home, 'auth.json');
  let known: Reading | undefined;

  async function readNow(): Promise<Reading> {
    try {
      const named = await lstat(path, { bigint: true });
      if (toFileStamp(named) === known?.stamp) return known;
      return named.isFile() ? await readLogin(path, clock) : unusable('irregular');
    } catch (error) {
      // The file system's error is not passed on because it contains the path.
      return unusable(
        errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR' ? 'missing' : 'unreadable',
      );
    }
  }

  /**
   * Resolves with the current state of the file. Reads an incomplete file again, because another program may be writing
   * it.
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
     * Resolves with the login, or with the reason why it is unusable. Rejects with the signal's reason if the signal
     * aborts.
     */
    find,

    /**
     * Resolves with the login. Throws `provider_authentication` if it is unusable. Rejects with the signal's reason if
     * the signal aborts.
     */
    async read(signal: AbortSignal): Promise<StoredLogin> {
      const found = await find(signal);
      if (typeof found !== 'string') return found;
      throw new BridgeError('provider_authentication', PROBLEMS[found]);
    },

    /** Uses `login` in place of the file's content as long as the file has this stamp. */
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

/** Returns the folder of the agent's login: the provider's setting `home`, by default the agent's own folder. */
export function agentHome(
  setting: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string {
  // An empty variable counts as unset.
  return resolve(setting ?? (env['CODEX_HOME'] || join(homeFolder(env), '.codex')));
}

/**
 * Resolves with the reason why the login in that folder is unusable, as a sentence without a path, or with undefined if
 * it is usable.
 */
export async function findLoginProblem(
  home: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = await createLoginFile({ home, clock }).find(signal);
  return typeof found === 'string' ? PROBLEMS[found] : undefined;
}

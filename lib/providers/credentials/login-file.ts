import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { BridgeError } from '../../errors/bridge-error.ts';
import { type Clock, sleep } from '../../platform/clock.ts';
import { isStampSettled, toFileStamp } from '../../platform/file-stamp.ts';
import { homeFolder } from '../../platform/home-folder.ts';
import { type Login, parseLogin } from './login.ts';
import { isWritableByOthers, readBytes } from './private-file.ts';

// The agent's own file, whose name, folder and permissions are part of its format: no storage port stands before it.

/** The login in the file when the file had this stamp. */
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
  missing: 'there is no login file',
  unreadable: 'the login file cannot be read',
  irregular: 'the login file is a link, a folder or something else that is no regular file',
  too_large: 'the login file is larger than 1 MiB',
  writable_by_others: 'the login file may be written by others than its owner',
  garbled: 'the login file is no whole JSON document',
  no_login: 'the login file holds no login of the kind that this provider needs',
} as const;

/** Why a login file is of no use. */
type LoginProblem = keyof typeof PROBLEMS;

function describeLoginProblem(problem: LoginProblem): string {
  return PROBLEMS[problem];
}

interface Reading {
  /** One state of one file; empty where nothing was read. */
  readonly stamp: string;
  /** Whether every later change is certain to change the stamp. */
  readonly isSettled: boolean;
  readonly found: Login | LoginProblem;
}

const MAX_BYTES = 1_048_576;
// Opening a pipe must not wait for its other end.
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

// A rewrite of the file in place takes less than 0.6 s in all.
const REREAD_AFTER_MS = [10, 20, 40, 80, 150, 300] as const;

/** Reads the login that another program keeps. A file that has not changed since is not read again. */
export function createLoginFile({ home, clock }: Deps) {
  const path = join(home, 'auth.json');
  let known: Reading | undefined;

  async function readNow(): Promise<Reading> {
    try {
      const named = await lstat(path, { bigint: true });
      if (toFileStamp(named) === known?.stamp) return known;
      return named.isFile() ? await readLogin(path, clock) : unusable('irregular');
    } catch (error) {
      return unusable(toProblem(error));
    }
  }

  /** What is there now. A file that another program is just writing is looked at again before it is called garbled. */
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
    /** The login, or why there is none. Rejects with the signal's reason. */
    find,

    /** The login. Rejects with the signal's reason; throws `provider_authentication`. */
    async read(signal: AbortSignal): Promise<StoredLogin> {
      const found = await find(signal);
      if (typeof found !== 'string') return found;
      throw new BridgeError('provider_authentication', describeLoginProblem(found));
    },

    /** From now on `login` counts for what lies in the file, as long as that has this stamp. */
    override(stamp: string, login: Login): void {
      known = { stamp, isSettled: true, found: login };
    },
  };
}

async function readLogin(path: string, clock: Clock): Promise<Reading> {
  const file = await open(path, READ);
  try {
    const before = await file.stat({ bigint: true });
    if (!before.isFile()) return unusable('irregular');
    const stamp = toFileStamp(before);
    if (before.size > MAX_BYTES) return unusable('too_large');
    if (isWritableByOthers(before)) return unusable('writable_by_others');
    const bytes = await readBytes(file, Number(before.size));
    const after = await file.stat({ bigint: true });
    if (toFileStamp(after) !== stamp) return unusable('garbled');
    return { stamp, isSettled: isStampSettled(after, clock), found: parseFile(bytes) };
  } finally {
    await file.close();
  }
}

function parseFile(bytes: Buffer): Login | LoginProblem {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // The error is dropped on purpose: it quotes the text around its position.
    return 'garbled';
  }
  return parseLogin(value) ?? 'no_login';
}

function unusable(found: LoginProblem): Reading {
  return { stamp: '', isSettled: false, found };
}

/** The file system's own error names the path, and is not passed on. */
function toProblem(error: unknown): LoginProblem {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing';
  return code === 'ELOOP' || code === 'ENXIO' ? 'irregular' : 'unreadable';
}

/** The folder of the agent's login: what a provider's setting `home` names, else the agent's own. */
export function agentHome(
  setting: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string {
  // A variable that is set to nothing is as good as unset.
  return resolve(setting ?? (env['CODEX_HOME'] || join(homeFolder(env), '.codex')));
}

/** Why the login in that folder is of no use, as a sentence without its path; undefined when it can be read. */
export async function findLoginProblem(
  home: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = await createLoginFile({ home, clock }).find(signal);
  return typeof found === 'string' ? describeLoginProblem(found) : undefined;
}

import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  statSync,
} from 'node:fs';
import type { Caller } from '../contract/request/caller.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { TraceLog } from '../log/trace-log.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import { isStampSettled, toFileStamp } from '../platform/file-stamp.ts';
import type { Token } from './token.ts';
import { createTokenWatch } from './token-watch.ts';
import { MAX_BYTES, parseTokens, tooLong, unusable } from './tokens-text.ts';

interface Deps {
  readonly path: string;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Pick<TraceLog, 'failure'>;
}

// Opening a pipe must not wait for its other end.
const READ = constants.O_RDONLY | constants.O_NONBLOCK;
const OF_OTHERS = 0o077n;
const ABSENT = 'absent';

/** The tokens of the file, and the state that it was read in. */
interface Reading {
  readonly tokens: readonly Token[];
  readonly found: BigIntStats;
}

/**
 * The callers of `server.tokens_file`. Each request sees the file as it then is: looking whether it has changed takes
 * microseconds. A change that cannot be used, such as a half-written file, changes nothing and is logged once. Throws
 * `configuration` when the file cannot be used at the start.
 */
export function openTokenFile({ path, clock, log }: Deps) {
  const first = readTokens(path);
  let { bySha256, byId, removed } = indexed(first.tokens);
  let known = stampOf(first.found);
  let refused = '';

  /** Empty while a later change could have the same stamp. */
  function stampOf(found: BigIntStats): string {
    return isStampSettled(found, clock) ? toFileStamp(found) : '';
  }

  function look(): void {
    const current = stampAt(path);
    if (current === known || current === refused) return;
    try {
      const { tokens, found } = readTokens(path);
      ({ bySha256, byId, removed } = indexed(tokens));
      known = stampOf(found);
      refused = '';
    } catch (cause) {
      refused = current;
      const failure = new BridgeError('internal', 'the changed tokens file cannot be used', {
        cause,
      });
      log.failure(failure, { task: 'tokens-file' });
    }
  }

  /** The caller whose token has this SHA-256; undefined when there is none that is valid now. */
  function find(sha256: string): Caller | undefined {
    look();
    const token = bySha256.get(sha256);
    if (token === undefined || token.disabled || token.removedSecs !== undefined) return undefined;
    return token.expiresSecs !== undefined && nowSecs(clock) >= token.expiresSecs
      ? undefined
      : token;
  }

  return {
    find,

    nameOf(id: string): string | undefined {
      look();
      return byId.get(id)?.name;
    },

    removed(): readonly string[] {
      look();
      return removed;
    },

    ...createTokenWatch(find, (id) => {
      look();
      return byId.get(id)?.removedSecs !== undefined;
    }),
  };
}

/** The tokens as they are now. Throws `configuration`. */
export function readTokens(path: string): Reading {
  const file = open(path);
  try {
    const found = fstatSync(file, { bigint: true });
    if (!found.isFile()) throw unusable('it is no file');
    if ((found.mode & OF_OTHERS) !== 0n) {
      throw unusable('others than its owner may read or change it: chmod 600');
    }
    if (found.size > MAX_BYTES) throw tooLong();
    const bytes = Buffer.alloc(Number(found.size));
    const length = readSync(file, bytes, 0, bytes.length, 0);
    return { tokens: parseTokens(bytes.toString('utf8', 0, length)), found };
  } finally {
    closeSync(file);
  }
}

function open(path: string): number {
  try {
    return openSync(path, READ);
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw unusable(
      isAbsent
        ? 'there is no such file; image-bridge tokens add NAME makes it'
        : 'it cannot be read',
    );
  }
}

function stampAt(path: string): string {
  try {
    return toFileStamp(statSync(path, { bigint: true }));
  } catch {
    return ABSENT;
  }
}

function indexed(tokens: readonly Token[]) {
  return {
    bySha256: new Map(tokens.map((token) => [token.sha256, token])),
    byId: new Map(tokens.map((token) => [token.id, token])),
    removed: tokens.filter(({ removedSecs }) => removedSecs !== undefined).map(({ id }) => id),
  };
}

import type { Caller } from '../contract/request/caller.ts';
import { BridgeError } from '../errors/bridge-error.ts';
import type { TraceLog } from '../log/trace-log.ts';
import { type Clock, nowSecs } from '../platform/clock.ts';
import { errorCode } from '../platform/error-code.ts';
import { isOwnerOnly } from '../platform/owner-file.ts';
import { type FileProblem, readRegularFileNow } from '../platform/regular-file.ts';
import { createReloadedFiles } from '../platform/reloaded-files.ts';
import type { Task } from '../platform/task.ts';
import type { Token } from './token.ts';
import { MAX_BYTES, parseTokens, tooLong, unusable } from './tokens-text.ts';

interface Deps {
  readonly path: string;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Pick<TraceLog, 'failure'>;
}

/**
 * Opens the file that `server.tokens_file` names. Every lookup checks whether the file has changed, so that a change takes
 * effect at once. An unusable change, such as a half-written file, is ignored and logged once. Throws `configuration` if the file is
 * unusable when it is opened.
 */
export function openTokenFile({ path, clock, log }: Deps) {
  const { current } = createReloadedFiles({
    paths: [path],
    read: () => indexed(readTokens(path)),
    clock,
    onUnusable(cause) {
      const message = 'the changed tokens file is unusable';
      log.failure(new BridgeError('internal', message, { cause }), { task: 'tokens-file' });
    },
  });

  /** Returns the caller whose token has this SHA-256, or undefined if no valid token has this hash. */
  function find(sha256: string): Caller | undefined {
    const token = current().bySha256.get(sha256);
    if (token === undefined || token.disabled || token.removedSecs !== undefined) return undefined;
    return token.expiresSecs !== undefined && nowSecs(clock) >= token.expiresSecs
      ? undefined
      : token;
  }

  return {
    find,

    nameOf: (id: string): string | undefined => current().byId.get(id)?.name,

    accountOf: (id: string): Token | undefined => current().byId.get(id),

    removed: (): readonly string[] => current().removed,

    ...createTokenWatch(find, (id) => current().byId.get(id)?.removedSecs !== undefined),
  };
}

/** Reads the tokens of the tokens file. Throws `configuration` if the file is unusable. */
export function readTokens(path: string): readonly Token[] {
  const found = readRegularFileNow(path, { maxBytes: MAX_BYTES });
  if ('problem' in found) throw toError(found);
  const { bytes, status } = found;
  if (!isOwnerOnly(status)) {
    throw unusable('must be accessible only by its owner: chmod 600');
  }
  return parseTokens(bytes.toString('utf8'));
}

function toError({ problem, cause }: FileProblem): BridgeError {
  if (problem === 'irregular') return unusable('must be a regular file');
  if (problem === 'too_large') return tooLong();
  return unusable(
    errorCode(cause) === 'ENOENT'
      ? 'no such file; `image-bridge tokens add NAME` creates it'
      : 'must be readable',
  );
}

function indexed(tokens: readonly Token[]) {
  return {
    bySha256: new Map(tokens.map((token) => [token.sha256, token])),
    byId: new Map(tokens.map((token) => [token.id, token])),
    removed: tokens.filter(({ removedSecs }) => removedSecs !== undefined).map(({ id }) => id),
  };
}

interface Watch {
  /** Returns true if this caller still has the permission for the watched work. */
  readonly stillMay: (caller: Caller) => boolean;
  readonly onEnd: () => void;
}

// The maximum time for which work continues after its token has become invalid.
const EVERY_MS = 2000;

/** Checks periodically whether watched tokens have expired or were changed or removed in the tokens file. */
function createTokenWatch(
  find: (sha256: string) => Caller | undefined,
  isRemoved: (id: string) => boolean,
) {
  const removals = new Set<{ readonly id: string; readonly onRemoval: () => void }>();
  const bySha256 = new Map<string, Set<Watch>>();

  function check(): void {
    // The sets are copied because a listener ends its own watch and may end other watches.
    for (const [sha256, watches] of bySha256) {
      const caller = find(sha256);
      for (const { stillMay, onEnd } of [...watches]) {
        if (caller === undefined || !stillMay(caller)) onEnd();
      }
    }
    for (const removal of [...removals]) {
      if (isRemoved(removal.id) && removals.delete(removal)) removal.onRemoval();
    }
  }

  return {
    /**
     * Calls `onEnd` at each check while the token with this SHA-256 is invalid or its caller lacks the permission. Returns a
     * function that ends the watch.
     */
    watch(sha256: string, stillMay: Watch['stillMay'], onEnd: () => void): () => void {
      const watch = { stillMay, onEnd };
      bySha256.set(sha256, (bySha256.get(sha256) ?? new Set()).add(watch));
      return () => {
        const watches = bySha256.get(sha256);
        watches?.delete(watch);
        if (watches?.size === 0) bySha256.delete(sha256);
      };
    },

    /** See `NamedTokens.watchRemoval`. */
    watchRemoval(id: string, onRemoval: () => void): () => void {
      if (isRemoved(id)) {
        onRemoval();
        return () => {};
      }
      const removal = { id, onRemoval };
      removals.add(removal);
      return () => void removals.delete(removal);
    },

    task: { name: 'tokens-file', everyMs: EVERY_MS, run: async () => check() } satisfies Task,
  };
}

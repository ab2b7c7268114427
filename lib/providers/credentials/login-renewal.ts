import { lstat, open, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { BridgeError } from '../../errors/bridge-error.ts';
import { type Clock, sleep } from '../../platform/clock.ts';
import { renameDurably } from '../../platform/durable-file.ts';
import type { Ids } from '../../platform/ids.ts';
import { CREATE_FLAGS, OWNER_FILE } from '../../platform/owner-file.ts';
import { type FreshTokens, type Login, parseLogin, withTokens } from './login.ts';
import type { LoginFile, StoredLogin } from './login-file.ts';
import type { HeldLock, RefreshLock } from './refresh-lock.ts';
import type { TokenRefresh } from './token-refresh.ts';

interface Deps {
  /** The folder of the login file. */
  readonly home: string;
  readonly file: LoginFile;
  readonly lock: RefreshLock;
  readonly endpoint: TokenRefresh;
  readonly clock: Clock;
  readonly ids: Ids;
}

const POLL_MS = 100;
// Long enough for another process to reach its timeout for the token endpoint, or for the lock of a crashed process to
// become stale.
const MAX_WAIT_MS = 60_000;

/** Creates the renewal of the login in a file. If several bridges use the file, only one of them renews the login. */
export function createLoginRenewal(deps: Deps) {
  const { file, lock, endpoint, clock } = deps;
  let refusal: { readonly stamp: string; readonly error: BridgeError } | undefined;

  /** If the token endpoint has rejected the login and the file has not changed since, throws the same error again. */
  function throwIfRefused({ stamp }: StoredLogin): void {
    if (refusal?.stamp === stamp) throw refusal.error;
  }

  async function refresh(stored: StoredLogin, refreshToken: string): Promise<FreshTokens | Login> {
    try {
      return await endpoint.refresh(refreshToken);
    } catch (error) {
      if (!(error instanceof BridgeError) || error.code !== 'provider_authentication') throw error;
      // Another program, which does not use the lock, may have used the single-use token first.
      const now = await file.find(UNENDING);
      if (typeof now !== 'string' && now.refreshToken !== refreshToken) return now;
      refusal = { stamp: stored.stamp, error };
      throw error;
    }
  }

  /**
   * Renews the login while this process holds the lock. Resolves with the valid login, or with undefined if the process
   * lost the lock before it used the refresh token.
   */
  async function renewHolding(
    held: HeldLock,
    isGood: (login: Login) => boolean,
  ): Promise<Login | undefined> {
    const stored = await file.read(UNENDING);
    if (isGood(stored)) return stored;
    throwIfRefused(stored);
    const { refreshToken } = stored;
    if (refreshToken === undefined) throw unrenewable('the login cannot be renewed');
    const replacement = await orUnrenewable(openReplacement(roomFor(stored), deps));
    try {
      // This process may have been suspended here while another process took over the lock.
      if (!(await held.isHeld())) return undefined;
      const fresh = await refresh(stored, refreshToken);
      return 'credentials' in fresh ? fresh : await save(stored, fresh, replacement, deps);
    } finally {
      await replacement.discard();
    }
  }

  return {
    throwIfRefused,

    /**
     * Waits for the lock and renews the login. Resolves without a renewal if the file contains a login that `isGood`
     * accepts. Rejects with the reason of `signal` if the signal aborts while the lock is awaited. An abort does not
     * stop a renewal that has begun, so that new tokens are always saved. Throws `provider_authentication` if the login
     * cannot be renewed, and `upstream` if the token endpoint fails or another process does not release the lock in
     * time.
     */
    async renew(isGood: (login: Login) => boolean, signal: AbortSignal): Promise<Login> {
      const endsAtMs = clock.monotonicMs() + MAX_WAIT_MS;
      while (clock.monotonicMs() < endsAtMs) {
        signal.throwIfAborted();
        const stored = await file.read(signal);
        if (isGood(stored)) return stored;
        throwIfRefused(stored);
        const held = await orUnrenewable(lock.tryTake());
        const login = held && (await renewHolding(held, isGood).finally(held.release));
        if (login) return login;
        await sleep(clock, POLL_MS, signal);
      }
      throw new BridgeError('upstream', 'another process is renewing the login', {
        retryable: true,
      });
    },
  };
}

// Never aborts. Work that runs while the lock is held has its own time limits.
const { signal: UNENDING } = new AbortController();

/** Writes the new tokens into the current content of the file. */
async function save(
  stored: StoredLogin,
  fresh: FreshTokens,
  replacement: LoginReplacement,
  { file, clock }: Deps,
): Promise<Login> {
  const found = await file.find(UNENDING);
  // If another program has written the file only in part, the new tokens replace its content.
  const now = found === 'garbled' ? stored : found;
  // A login or logout by the user in the meantime is kept.
  if (typeof now === 'string') return toLogin(withTokens(stored, fresh, clock.nowMs()));
  if (now.refreshToken !== stored.refreshToken) return now;
  const document = withTokens(now, fresh, clock.nowMs());
  const login = toLogin(document);
  try {
    await replacement.commit(`${JSON.stringify(document, null, 2)}\n`);
  } catch {
    // The old refresh token can no longer be used, so this process continues with the new tokens.
    file.override(now.stamp, login);
  }
  return login;
}

function toLogin(document: Login['document']): Login {
  const login = parseLogin(document);
  if (!login) throw new BridgeError('internal', 'a renewed login is malformed');
  return login;
}

// Additional bytes for new tokens that are longer than the old tokens.
const ROOM_BYTES = 65_536;

function roomFor({ document }: Login): number {
  return Buffer.byteLength(JSON.stringify(document, null, 2)) + ROOM_BYTES;
}

/** Replaces the errors of the file system with `provider_authentication`, because they contain the path. */
async function orUnrenewable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch {
    throw unrenewable('the login must be renewed, but writing to its folder failed');
  }
}

function unrenewable(message: string): BridgeError {
  return new BridgeError('provider_authentication', message);
}

/** A file that is ready to replace the login file. */
type LoginReplacement = Awaited<ReturnType<typeof openReplacement>>;

const LEFTOVER = /^\.image-bridge-auth\.[0-9a-f]{32}\.tmp$/;
// Much longer than a refresh can take, so an older file was left behind by a crash.
const LEFTOVER_AFTER_MS = 120_000;

/**
 * Creates a replacement file and fills it with `bytes` bytes. The file is created before the single-use refresh token
 * is used, because the login would be lost if the new tokens could not be written. Deletes files left behind by
 * crashes. Rejects with the file system's errors.
 */
async function openReplacement(
  bytes: number,
  { home, clock, ids }: Pick<Deps, 'home' | 'clock' | 'ids'>,
) {
  await removeLeftovers(home, clock);
  const path = join(home, `.image-bridge-auth.${ids.newOpaqueId()}.tmp`);
  const file = await open(path, CREATE_FLAGS, OWNER_FILE);
  let isCommitted = false;
  let isDiscarded = false;

  /** Deletes the file if it was not committed. */
  async function discard(): Promise<void> {
    if (isDiscarded) return;
    isDiscarded = true;
    await file.close();
    if (!isCommitted) await unlink(path).catch(() => undefined);
  }

  try {
    await file.write(Buffer.alloc(bytes), 0, bytes, 0);
  } catch (error) {
    await discard();
    throw error;
  }
  return {
    /** Replaces the content of the login file atomically. The new content is durable when the promise resolves. */
    async commit(text: string): Promise<void> {
      const whole = Buffer.from(text);
      for (let at = 0; at < whole.length; ) {
        const { bytesWritten } = await file.write(whole, at, whole.length - at, at);
        at += bytesWritten;
      }
      await file.truncate(whole.length);
      // Without `datasync`, a crash could leave an empty file, because the new name could become durable before the
      // bytes.
      await file.datasync();
      await renameDurably(path, join(home, 'auth.json'));
      isCommitted = true;
    },
    discard,
  };
}

async function removeLeftovers(home: string, clock: Clock): Promise<void> {
  const names = (await readdir(home)).filter((name) => LEFTOVER.test(name));
  for (const name of names) {
    const path = join(home, name);
    try {
      const { mtimeMs } = await lstat(path);
      if (clock.nowMs() - mtimeMs > LEFTOVER_AFTER_MS) await unlink(path);
    } catch {
      // A file that cannot be deleted is harmless.
    }
  }
}

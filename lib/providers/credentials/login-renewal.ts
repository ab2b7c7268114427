import { constants } from 'node:fs';
import { lstat, open, readdir, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { BridgeError } from '../../errors/bridge-error.ts';
import { type Clock, sleep } from '../../platform/clock.ts';
import type { Ids } from '../../platform/ids.ts';
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
// Another process may need all of its time for the endpoint, or be dead and its lock not yet stale.
const LONGEST_WAIT_MS = 60_000;

/** Renews the login in its file, once for all bridges that use it. */
export function createLoginRenewal(deps: Deps) {
  const { file, lock, endpoint, clock } = deps;
  let refusal: { readonly stamp: string; readonly error: BridgeError } | undefined;

  /** Throws the refusal of the endpoint for exactly this state of the file. */
  function throwIfRefused({ stamp }: StoredLogin): void {
    if (refusal?.stamp === stamp) throw refusal.error;
  }

  async function refresh(stored: StoredLogin, refreshToken: string): Promise<FreshTokens | Login> {
    try {
      return await endpoint.refresh(refreshToken);
    } catch (error) {
      if (!(error instanceof BridgeError) || error.code !== 'provider_authentication') throw error;
      // Another program, which knows nothing of our lock, may have spent the token just before.
      const now = await file.find(UNENDING);
      if (typeof now !== 'string' && now.refreshToken !== refreshToken) return now;
      refusal = { stamp: stored.stamp, error };
      throw error;
    }
  }

  /** The login that then holds; undefined when the lock was lost before anything was spent. */
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
      // A process that was suspended must not continue from here.
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
     * Waits for the lock and refreshes the tokens, unless the file by then holds a login that `isGood`. Rejects with the
     * reason of `signal`, which ends the wait for the lock alone: a token that was sent is always written back. Throws
     * `provider_authentication` and `upstream`.
     */
    async renew(isGood: (login: Login) => boolean, signal: AbortSignal): Promise<Login> {
      const endsAtMs = clock.monotonicMs() + LONGEST_WAIT_MS;
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

// What is under way once the lock is held ends by its own bounds.
const { signal: UNENDING } = new AbortController();

/** Writes the new tokens into what the file holds by now. */
async function save(
  stored: StoredLogin,
  fresh: FreshTokens,
  replacement: LoginReplacement,
  { file, clock }: Deps,
): Promise<Login> {
  const found = await file.find(UNENDING);
  // A half-written file of another program is worth less than these tokens.
  const now = found === 'garbled' ? stored : found;
  // A user has logged in again, or out: that wins.
  if (typeof now === 'string') return toLogin(withTokens(stored, fresh, clock.nowMs()));
  if (now.refreshToken !== stored.refreshToken) return now;
  const document = withTokens(now, fresh, clock.nowMs());
  const login = toLogin(document);
  try {
    await replacement.commit(`${JSON.stringify(document, null, 2)}\n`);
  } catch {
    // The old tokens are spent: this process at least continues with the new ones.
    file.override(now.stamp, login);
  }
  return login;
}

function toLogin(document: Login['document']): Login {
  const login = parseLogin(document);
  if (!login) throw new BridgeError('internal', 'a renewed login is malformed');
  return login;
}

// What new tokens may need beyond the old ones.
const ROOM_BYTES = 65_536;

function roomFor({ document }: Login): number {
  return Buffer.byteLength(JSON.stringify(document, null, 2)) + ROOM_BYTES;
}

/** The file system's own errors name the path, and are not passed on. */
async function orUnrenewable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch {
    throw unrenewable('the login has to be renewed, but its folder cannot be written');
  }
}

function unrenewable(message: string): BridgeError {
  return new BridgeError('provider_authentication', message);
}

/** A file that is ready to replace the login file. */
interface LoginReplacement {
  /** Replaces the login with `text`, wholly or not at all; durable when it resolves. */
  commit(text: string): Promise<void>;
  /** Removes what was not committed. */
  discard(): Promise<void>;
}

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const OWNER_ONLY = 0o600;
const LEFTOVER = /^\.image-bridge-auth\.[0-9a-f]{32}\.tmp$/;
// A refresh is over long before.
const LEFTOVER_AFTER_MS = 120_000;

/**
 * Makes the file and fills it with `bytes` bytes, before the single-use token is spent: a folder that is full or takes
 * no files must not cost the login. Removes what crashes have left. Rejects with the file system's own errors.
 */
async function openReplacement(
  bytes: number,
  { home, clock, ids }: Pick<Deps, 'home' | 'clock' | 'ids'>,
): Promise<LoginReplacement> {
  await removeLeftovers(home, clock);
  const path = join(home, `.image-bridge-auth.${ids.newOpaqueId()}.tmp`);
  const file = await open(path, CREATE, OWNER_ONLY);
  let isCommitted = false;
  let isDiscarded = false;

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
    async commit(text) {
      const whole = Buffer.from(text);
      for (let at = 0; at < whole.length; ) {
        const { bytesWritten } = await file.write(whole, at, whole.length - at, at);
        at += bytesWritten;
      }
      await file.truncate(whole.length);
      // Its name may become durable before its bytes do, which would leave an empty login.
      await file.sync();
      await rename(path, join(home, 'auth.json'));
      isCommitted = true;
      await syncFolder(home);
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
      // It does no harm.
    }
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

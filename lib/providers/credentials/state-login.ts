import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { BridgeError } from '../../errors/bridge-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Ids } from '../../platform/ids.ts';
import type { LoginKeeper } from './credential-source.ts';
import { type Login, parseLogin, withTokens } from './login.ts';
import type { LoginFile, StoredLogin } from './login-file.ts';
import { type LoginSeal, wrongSealKey } from './login-seal.ts';
import type { LoginStore, RenewalClaim, SealedLogin } from './login-store-port.ts';
import type { TokenRefresh } from './token-refresh.ts';

interface Deps {
  readonly store: LoginStore;
  readonly seal: LoginSeal;
  /** The login file, whose login is imported. */
  readonly file: LoginFile;
  readonly endpoint: TokenRefresh;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'newOpaqueId'>;
}

/** A login of the store. */
interface Kept extends StoredLogin, Omit<SealedLogin, 'sealed'> {
  readonly sealed: Buffer;
  /** The hash of the refresh token in the login file that was imported. */
  readonly imported: string;
}

// Long enough for another replica to reach its timeout for the token endpoint, or for its right to end.
const MAX_WAIT_MS = 90_000;

const Content = v.object({ document: v.unknown(), imported: v.string() });

/**
 * Creates the keeper of the login that replicas share in the database. The login of the file is imported once, because its refresh
 * token is single-use. The file is imported again only if the stored login has become unusable and the file has another login.
 */
export function createStateLogin(deps: Deps): LoginKeeper {
  const { store, clock, endpoint, ids } = deps;
  const logins = createKeptLogins(deps);

  /** Renews the login with the right of `claim`. The result is stored, also if this takes several tries. */
  async function renewHolding(
    stored: Kept,
    refreshToken: string,
    claim: RenewalClaim,
  ): Promise<Login> {
    const fresh = await endpoint.refresh(refreshToken).catch(async (error) => {
      await store.giveUp(claim, hasCode(error, 'provider_authentication'));
      throw error;
    });
    const login = logins.toNext(stored, withTokens(stored, fresh, clock.nowMs()));
    await store.finish(claim, login.sealed);
    return login;
  }

  return {
    read: logins.read,
    throwIfRefused,
    async renew(isGood, signal) {
      const endsAtMs = clock.monotonicMs() + MAX_WAIT_MS;
      while (clock.monotonicMs() < endsAtMs) {
        signal.throwIfAborted();
        const stored = await logins.read(signal);
        if (isGood(stored)) return stored;
        throwIfRefused(stored);
        const { version, renewal } = stored;
        const refreshToken = refreshTokenOf(stored);
        if (logins.isUnwritten(stored)) throw unavailable('the renewed login is not stored yet');
        const claim = { version, holder: ids.newOpaqueId() };
        if (renewal === 'idle' && (await store.begin(claim))) {
          return renewHolding(stored, refreshToken, claim);
        }
        await store.untilSettled(version, signal);
      }
      throw unavailable('another replica is renewing the login');
    },
  };
}

function throwIfRefused(stored: StoredLogin & Partial<Kept>): void {
  if (stored.renewal === 'refused') {
    throw unrenewable('the token endpoint rejected the refresh token');
  }
}

/** Returns the refresh token. Throws `provider_authentication` if there is none, or if it may have been used. */
function refreshTokenOf({ renewal, refreshToken }: Kept): string {
  if (renewal === 'lost') {
    throw unrenewable(
      'a renewal of the login began, and its result was not stored; log the agent in again',
    );
  }
  if (refreshToken === undefined) throw unrenewable('the login cannot be renewed');
  return refreshToken;
}

/** Creates the access to the stored login. */
function createKeptLogins({ store, seal, file }: Pick<Deps, 'store' | 'seal' | 'file'>) {
  const contents = createContents(seal);
  let known: Kept | undefined;
  // A login whose write is being repeated.
  let unwritten: Kept | undefined;

  async function find(): Promise<Kept | undefined> {
    const row = await store.find();
    if (row === undefined) return undefined;
    if (unwritten && row.version < unwritten.version) return unwritten;
    unwritten = undefined;
    const isSame = known?.sealed.equals(row.sealed);
    known = known && isSame ? { ...known, ...row, sealed: known.sealed } : contents.open(row);
    return known;
  }

  /** Resolves with the latest login that this process knows if the store cannot be read. */
  async function findKnown(): Promise<Kept | undefined> {
    try {
      return await find();
    } catch (error) {
      if (known && hasCode(error, 'overloaded')) return unwritten ?? known;
      throw error;
    }
  }

  async function importFile(
    stored: Kept | undefined,
    signal: AbortSignal,
  ): Promise<Kept | undefined> {
    const found = stored ? await file.find(signal) : await file.read(signal);
    if (typeof found === 'string') return undefined;
    const imported = hashOf(found.refreshToken);
    if (imported === stored?.imported) return undefined;
    await store.replace(stored?.version ?? 0, contents.seal(found.document, imported));
    return find();
  }

  return {
    async read(signal: AbortSignal): Promise<Kept> {
      const stored = await findKnown();
      const isUnusable = stored?.renewal === 'lost' || stored?.renewal === 'refused';
      const login = stored && !isUnusable ? stored : ((await importFile(stored, signal)) ?? stored);
      if (login) return login.renewal === 'lost' ? { ...login, refreshToken: undefined } : login;
      throw unrenewable('the login was removed from the database');
    },

    /** Returns the renewed login, which this process uses before it is stored. */
    toNext({ version, imported }: Kept, document: Login['document']): Kept {
      const sealed = contents.seal(document, imported);
      unwritten = contents.open({ version: version + 1, sealed, renewal: 'idle' });
      known = unwritten;
      return unwritten;
    },

    isUnwritten: (stored: Kept): boolean => stored === unwritten,
  };
}

/** Creates the functions that convert logins to the bytes of the store, and back. */
function createContents({ seal, open }: LoginSeal) {
  return {
    seal: (document: Login['document'], imported: string): Buffer =>
      seal(JSON.stringify({ document, imported })),

    /** Throws `configuration` if the login was stored under another key. */
    open({ version, sealed, renewal }: SealedLogin): Kept {
      const text = open(sealed);
      if (text === undefined) throw wrongSealKey();
      const { document, imported } = v.parse(Content, JSON.parse(text));
      const login = parseLogin(document);
      if (!login) throw new BridgeError('internal', 'the login in the database is malformed');
      const facts = { version, renewal, sealed: Buffer.from(sealed), imported };
      return { ...login, ...facts, stamp: String(version) };
    },
  };
}

function hashOf(refreshToken: string | undefined): string {
  return createHash('sha256')
    .update(refreshToken ?? '')
    .digest('hex');
}

function unavailable(message: string): BridgeError {
  return new BridgeError('upstream', message, { retryable: true });
}

function hasCode(error: unknown, code: BridgeError['code']): boolean {
  return error instanceof BridgeError && error.code === code;
}

function unrenewable(message: string): BridgeError {
  return new BridgeError('provider_authentication', message);
}

import { readdirSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import type { FreshTokens, Login } from '../../../../lib/providers/credentials/login.ts';
import { createLoginFile } from '../../../../lib/providers/credentials/login-file.ts';
import { createLoginRenewal } from '../../../../lib/providers/credentials/login-renewal.ts';
import type { RefreshLock } from '../../../../lib/providers/credentials/refresh-lock.ts';
import { loginOf, temporaryHome, tokensOf } from './logins.ts';

const OLD = tokensOf(1, -1);
const OTHER = tokensOf(2);
const FRESH = tokensOf(3);

const home = temporaryHome();
const { signal } = new AbortController();
let spent: string[];

beforeEach(() => {
  home.write(loginOf(OLD));
  spent = [];
});

/** A real renewal with a scripted lock and a token endpoint that grants every request. */
function renewalOver(lock: RefreshLock) {
  const endpoint = {
    async refresh(refreshToken: string): Promise<FreshTokens> {
      spent.push(refreshToken);
      const { access_token, refresh_token, id_token } = FRESH;
      return { accessToken: access_token, refreshToken: refresh_token, idToken: id_token };
    },
  };
  const deps = { home: home.path(), clock: systemClock, ids: createIds(systemClock.nowMs) };
  return createLoginRenewal({ ...deps, file: createLoginFile(deps), lock, endpoint });
}

function isGood({ credentials }: Login): boolean {
  return credentials.accessToken !== OLD.access_token;
}

describe('createLoginRenewal', () => {
  it('reads the login again after acquiring the lock', async () => {
    let isReleased = false;
    const renewal = renewalOver({
      async tryTake() {
        home.write(loginOf(OTHER));
        const release = async () => {
          isReleased = true;
        };
        return { isHeld: async () => true, release };
      },
    });

    const login = await renewal.renew(isGood, signal);

    expect(login.credentials.accessToken).toBe(OTHER.access_token);
    expect(spent).toEqual([]);
    expect(isReleased).toBe(true);
  });

  it('stops before using a token if the lock was taken over, and tries again', async () => {
    const released: number[] = [];
    let taken = 0;
    const renewal = renewalOver({
      async tryTake() {
        taken += 1;
        const turn = taken;
        const release = async () => void released.push(turn);
        return { isHeld: async () => turn > 1, release };
      },
    });

    const login = await renewal.renew(isGood, signal);

    expect(login.credentials.accessToken).toBe(FRESH.access_token);
    expect(spent).toEqual([OLD.refresh_token]);
    expect(released).toEqual([1, 2]);
    expect(readdirSync(home.path())).toEqual(['auth.json']);
  });

  it('releases the lock if the renewal fails', async () => {
    let isReleased = false;
    const { refresh_token: _none, ...tokens } = OLD;
    home.write(loginOf(tokens));
    const renewal = renewalOver({
      async tryTake() {
        const release = async () => {
          isReleased = true;
        };
        return { isHeld: async () => true, release };
      },
    });

    await expect(renewal.renew(isGood, signal)).rejects.toMatchObject({
      code: 'provider_authentication',
    });
    expect(isReleased).toBe(true);
  });
});

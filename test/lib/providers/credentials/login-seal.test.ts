import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../lib/platform/clock.ts';
import { createIds } from '../../../../lib/platform/ids.ts';
import { createLoginSeal, readSealKey } from '../../../../lib/providers/credentials/login-seal.ts';

const KEY = Buffer.alloc(32, 7);
const ids = createIds(systemClock.nowMs);
const { seal, open } = createLoginSeal(KEY, ids);

describe('createLoginSeal', () => {
  it('opens what it has sealed, and seals equal texts differently', () => {
    const [one, two] = [seal('a login'), seal('a login')];

    expect([open(one), open(two)]).toEqual(['a login', 'a login']);
    expect(one.equals(two)).toBe(false);
    expect(one.includes('a login')).toBe(false);
  });

  it('does not open bytes of another key, changed bytes, or too few bytes', () => {
    const sealed = seal('a login');
    const changed = Array.from(sealed, (byte, at) =>
      Buffer.from(sealed.map((old, place) => (place === at ? byte ^ 1 : old))),
    );

    expect(createLoginSeal(Buffer.alloc(32, 8), ids).open(sealed)).toBeUndefined();
    expect(changed.map(open).filter((text) => text !== undefined)).toEqual([]);
    expect(open(sealed.subarray(0, 20))).toBeUndefined();
  });
});

describe('readSealKey', () => {
  const read = (value: string | undefined) => () =>
    readSealKey({ seal_key_env: 'SEAL_KEY' }, { SEAL_KEY: value });

  it('reads 32 bytes in base64', () => {
    expect(read(KEY.toString('base64'))().equals(KEY)).toBe(true);
  });

  it.each([undefined, '', 'hunter2', Buffer.alloc(31).toString('base64'), KEY.toString('hex')])(
    'refuses %j with a message that names the setting and not the value',
    (value) => {
      expect(read(value)).toThrow(/^state\.seal_key_env: the variable (is unset|does not contain)/);
      expect(read(value)).not.toThrow(/hunter2/);
    },
  );
});

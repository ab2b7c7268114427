import { describe, expect, it } from 'vitest';
import { parseToml, parseTomlValue, toToml } from '../../../../lib/config/sources/toml.ts';

describe('parseToml', () => {
  it('distinguishes integers from floats', () => {
    const reading = parseToml('a = 1\nb = 1.0\nc = 9007199254740993');

    expect(reading).toMatchObject({ ok: true, table: { a: 1n, b: 1, c: 9007199254740993n } });
  });

  it('does not change a prototype for the key __proto__', () => {
    const reading = parseToml('[__proto__]\npolluted = true\n[a.__proto__]\npolluted = true');

    expect(reading.ok && Object.keys(reading.table)).toEqual(['__proto__', 'a']);
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  it('names the line of an error without quoting the line', () => {
    const reading = parseToml('a = 1\r\nsecret = "hunter2\r\nb = 2');

    expect(reading).toMatchObject({ ok: false, line: 2 });
    expect(JSON.stringify(reading)).not.toContain('hunter2');
  });

  it('rejects values that are nested too deeply', () => {
    const reading = parseToml(`a = ${'['.repeat(100_000)}`);

    expect(reading).toMatchObject({ ok: false, line: 1 });
  });
});

describe('parseTomlValue', () => {
  it.each([
    ['8', 8n],
    ['true', true],
    ['[1, 2]', [1n, 2n]],
    ['[\n1,\n2\n]', [1n, 2n]],
    ['"8"', '8'],
  ])('reads %j', (text, expected) => {
    expect(parseTomlValue(text)).toEqual(expected);
  });

  it.each(['', 'unlimited', '1 2', '1\nother = 2', '1\n[table]', '[1, 2'])(
    'takes %j for no value',
    (text) => {
      expect(parseTomlValue(text)).toBeUndefined();
    },
  );
});

describe('toToml', () => {
  it('omits undefined members', () => {
    const text = toToml({ a: { b: undefined, c: [443], 'd-e': 'x' } });

    expect(parseToml(text)).toMatchObject({ ok: true, table: { a: { c: [443n], 'd-e': 'x' } } });
    expect(text).not.toContain('b =');
  });
});

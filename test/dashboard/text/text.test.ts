import { describe, expect, it } from 'vitest';
import {
  formatBytes,
  formatClock,
  formatDay,
  formatUtcDay,
  text,
  toDurationParts,
} from '../../../dashboard/src/text/text.ts';

describe('text', () => {
  it('chooses the plural form by the count and formats numbers for the language', () => {
    expect(text('make.tooLong', { count: 1 })).toBe('1 byte too long');
    expect(text('make.tooLong', { count: 12_345 })).toBe('12,345 bytes too long');
  });

  it('inserts a value unchanged, including markup and placeholders', () => {
    expect(text('make.remove', { name: '<b>{name}</b>' })).toBe('Remove <b>{name}</b>');
  });

  it('isolates a name that changes the text direction', () => {
    expect(text('make.file.cannotBeRead', { name: 'a\u202egpj.exe' })).toBe(
      '\u2068a\u202egpj.exe\u2069 cannot be read',
    );
  });
});

describe('formatBytes', () => {
  it.each([
    [0, '0 bytes'],
    [999, '999 bytes'],
    [1500, '1.5 kB'],
    [33_554_432, '34 MB'],
    [104_857_600, '105 MB'],
  ])('formats %d bytes as %s', (bytes, written) => {
    expect(formatBytes(bytes)).toBe(written);
  });
});

describe('formatClock', () => {
  it.each([
    [-5, '0:00'],
    [14_999, '0:14'],
    [725_000, '12:05'],
    [3_729_000, '1:02:09'],
  ])('writes %d ms as %s', (milliseconds, written) => {
    expect(formatClock(milliseconds)).toBe(written);
  });
});

describe('formatDay', () => {
  const now = new Date(2026, 2, 12, 1, 0);
  const at = (...date: [number, number, number, number]) => new Date(...date).getTime() / 1000;

  it.each([
    [at(2026, 2, 12, 0), 'Today'],
    [at(2026, 2, 11, 23), 'Yesterday'],
    [at(2026, 2, 9, 12), 'Monday'],
    [at(2026, 0, 3, 12), 'January 3'],
    [at(2025, 0, 3, 12), 'January 3, 2025'],
  ])('names the day of %d %s', (seconds, name) => {
    expect(formatDay(seconds, now)).toBe(name);
  });
});

describe('formatUtcDay', () => {
  it('formats the day of the bridge in every time zone of the page', () => {
    expect(formatUtcDay('2026-03-03')).toBe('March 3');
  });
});

describe('toDurationParts', () => {
  it.each([
    [0, '0 second'],
    [999, '0 second'],
    [12_000, '12 second'],
    [61_000, '1 minute 1 second'],
    [3_600_000, '1 hour'],
    [273_600_000, '3 day 4 hour'],
    [604_800_000, '7 day'],
    [86_400_000 + 5000, '1 day'],
  ])('splits %d ms into %s', (milliseconds, parts) => {
    const written = toDurationParts(milliseconds).map(({ count, unit }) => `${count} ${unit}`);

    expect(written.join(' ')).toBe(parts);
  });
});

import { describe, expect, it } from 'vitest';
import { acceptedCoding } from '../../../lib/http/accept-encoding.ts';

describe('acceptedCoding', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP', 'gzip'],
    ['br;q=0.1, gzip;q=1', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['br; q=0.000 ,gzip ; q=0.5', 'gzip'],
    ['*', 'br'],
    ['*, br;q=0', 'gzip'],
    ['*;q=0, gzip', 'gzip'],
    ['*;q=0', undefined],
    ['identity', undefined],
    ['brotli, x-gzip', undefined],
    [',;=,;q=0,', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('finds for %j the coding %s', (header, coding) => {
    expect(acceptedCoding(header, ['gzip', 'br'])).toBe(coding);
  });

  it('finds only what is offered', () => {
    expect(acceptedCoding('br, gzip', ['gzip'])).toBe('gzip');
    expect(acceptedCoding('br, gzip', [])).toBeUndefined();
  });
});

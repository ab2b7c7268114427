import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { requestedPath } from '../../../local-runtime/listener/request-target.ts';

function pathOf(url: string, host?: string): string | undefined {
  // Only these two members are read.
  return requestedPath({ url, headers: { host } } as IncomingMessage);
}

describe('requestedPath', () => {
  it.each([
    ['/v1/jobs', '/v1/jobs'],
    ['/v1/jobs?limit=2&search=%ff', '/v1/jobs'],
    ['/v1/jobs/?', '/v1/jobs/'],
    ['/v1/openapi.json', '/v1/openapi.json'],
    ['/v1/./images/../jobs', '/v1/jobs'],
    ['/../../etc', '/etc'],
    ['//other.example/v1', '//other.example/v1'],
    ['/v1/%6Aobs', '/v1/jobs'],
    ['/v1/models/a%2Fb', '/v1/models/a%2Fb'],
    ['/v1/presets/%C3%A9t%C3%A9', '/v1/presets/été'],
    ['/v1/presets/100%25', '/v1/presets/100%25'],
    ['/v1/presets/%zz', '/v1/presets/%zz'],
    ['http://other.example/v1/jobs?limit=2', '/v1/jobs'],
    ['http://other.example', '/'],
  ])('takes %s as %s', (url, path) => {
    expect(pathOf(url, 'localhost')).toBe(path);
  });

  it.each(['', '*', 'v1/jobs', 'ftp://localhost/', 'http://', '/v1\\jobs', 'javascript:1'])(
    'refuses the target "%s"',
    (url) => {
      expect(pathOf(url, 'localhost')).toBeUndefined();
    },
  );

  it.each([
    undefined,
    '',
    'localhost',
    'LOCALHOST:8787',
    '127.0.0.1:80',
    'a_b.example:59999',
    'a.example:65535',
    '[::1]:8787',
  ])('takes the Host %s', (host) => {
    expect(pathOf('/', host)).toBe('/');
  });

  it.each([
    'a b',
    'user@localhost',
    'localhost/path',
    'localhost?query',
    'localhost#hash',
    'localhost:65536',
    'localhost:a',
    '[::1',
    'a\\b',
  ])('refuses the Host "%s"', (host) => {
    expect(pathOf('/', host)).toBeUndefined();
  });
});

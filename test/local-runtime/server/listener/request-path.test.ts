import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { requestPath } from '../../../../local-runtime/server/listener/request-path.ts';

/** Returns the path of a request. The function reads only the target and `Host`. */
function pathOf(url: string, host?: string): string | undefined {
  const incoming = { url, headers: host === undefined ? {} : { host } };
  return requestPath(incoming as IncomingMessage);
}

describe('requestPath', () => {
  it.each([
    ['/', '/'],
    ['/v1/jobs', '/v1/jobs'],
    ['/v1/jobs?limit=5', '/v1/jobs'],
    ['/v1/jobs?path=\\', '/v1/jobs'],
    ['/v1/jobs#part', '/v1/jobs'],
    ['/dashboard/', '/dashboard/'],
    ['//v1', '//v1'],
    ['/v1/./jobs', '/v1/jobs'],
    ['/v1/presets/../jobs', '/v1/jobs'],
    ['/v1/%2E%2E/jobs', '/jobs'],
    ['/v1/presets/b%C3%A4r', '/v1/presets/bär'],
    ['/v1/presets/a%2Fb', '/v1/presets/a%2Fb'],
    ['/v1/presets/50%25', '/v1/presets/50%25'],
    ['/v1/presets/%zz', '/v1/presets/%zz'],
    ['http://localhost/v1/jobs?limit=5', '/v1/jobs'],
    ['https://other.example/v1/jobs', '/v1/jobs'],
  ])('returns the decoded path of the target %s', (target, path) => {
    expect(pathOf(target, 'localhost:8787')).toBe(path);
  });

  it.each(['*', 'v1/jobs', 'ftp://localhost/v1', 'http://', 'http://a b/', '/v1\\jobs'])(
    'returns undefined for the target %s',
    (target) => {
      expect(pathOf(target, 'localhost:8787')).toBeUndefined();
    },
  );

  it.each([undefined, '', 'LOCALHOST', '127.0.0.1:54321', '[::1]', '[::1]:8787', 'a_b.example'])(
    'accepts the Host %s',
    (host) => {
      expect(pathOf('/v1/jobs', host)).toBe('/v1/jobs');
      expect(pathOf('/v1/./jobs', host)).toBe('/v1/jobs');
    },
  );

  it.each(['a b', 'a/b', 'a?b', 'a#b', 'a\\b', 'user@a', 'a:', 'a:b', 'a:99999', '[::1'])(
    'returns undefined for the Host %s',
    (host) => {
      expect(pathOf('/v1/jobs', host)).toBeUndefined();
    },
  );
});

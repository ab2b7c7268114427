import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { routingUrl } from '../../../local-runtime/listener/routing-url.ts';

describe('routingUrl', () => {
  it.each([
    [
      'a plain target',
      '/v1/jobs?limit=5',
      'localhost:8787',
      'http://localhost:8787/v1/jobs?limit=5',
    ],
    ['a target without Host', '/health/live', undefined, 'http://localhost/health/live'],
    [
      'an absolute target',
      'http://other.example/v1/jobs',
      'localhost',
      'http://other.example/v1/jobs',
    ],
    ['an IPv6 address', '/v1/jobs', '[::1]:8787', 'http://[::1]:8787/v1/jobs'],
    ['a Host in capitals', '/v1/jobs', 'LocalHost:8787', 'http://localhost:8787/v1/jobs'],
    ['dot segments', '/v1/x/../jobs/.', 'localhost', 'http://localhost/v1/jobs/'],
    ['a target that is not ASCII', '/v1/jobs/é', 'localhost', 'http://localhost/v1/jobs/%C3%A9'],
    ['percent signs', '/v1/artifacts/a%2Fb', 'localhost', 'http://localhost/v1/artifacts/a%2Fb'],
    ['a backslash in the query', '/v1/jobs?a=\\', 'localhost', 'http://localhost/v1/jobs?a=\\'],
  ])('has a URL for %s', (_what, target, host, url) => {
    expect(routingUrl(requestOf(target, host))).toBe(url);
  });

  it.each([
    ['a backslash in the path', '/v1\\jobs', 'localhost'],
    ['a backslash in the path of an absolute target', 'http://localhost\\v1', 'localhost'],
    ['an asterisk', '*', 'localhost'],
    ['a target without a slash', 'v1/jobs', 'localhost'],
    ['another scheme', 'file:///etc/hosts', 'localhost'],
    ['an absolute target without a name', 'http://', 'localhost'],
    ['a Host with a user', '/v1/jobs', 'user@localhost'],
    ['a Host with a path', '/v1/jobs', 'localhost/v1'],
    ['a Host with a query', '/v1/jobs', 'localhost?a'],
    ['a Host with a space', '/v1/jobs', 'local host'],
    ['a port that is no number', '/v1/jobs', 'localhost:http'],
    ['a port beyond the last one', '/v1/jobs', '[::1]:70000'],
  ])('has none for %s', (_what, target, host) => {
    expect(routingUrl(requestOf(target, host))).toBeUndefined();
  });
});

function requestOf(target: string, host: string | undefined): IncomingMessage {
  const incoming = new IncomingMessage(new Socket());
  incoming.url = target;
  if (host !== undefined) incoming.headers.host = host;
  return incoming;
}

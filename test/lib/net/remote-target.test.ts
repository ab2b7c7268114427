import { describe, expect, it } from 'vitest';
import { type RemotePolicy, toRemoteTarget } from '../../../lib/net/remote-fetch.ts';

const policy: RemotePolicy = {
  allowed_hosts: ['images.test', 'Other.TEST', '127.0.0.1', '[::1]', 'xn--bcher-kva.test'],
  allowed_ports: [443, 8443],
  allow_private_networks: false,
  max_redirects: 3,
  timeout_ms: 1000,
};

describe('toRemoteTarget', () => {
  it.each([
    ['https://images.test/a.png', 'https://images.test/a.png'],
    ['https://images.test:443/a.png', 'https://images.test/a.png'],
    ['https://images.test:8443/', 'https://images.test:8443/'],
    ['HTTPS://IMAGES.test/A', 'https://images.test/A'],
    ['https://other.test', 'https://other.test/'],
    ['https://bücher.test/', 'https://xn--bcher-kva.test/'],
    ['https://images.test/ä?ö#ü', 'https://images.test/%C3%A4?%C3%B6#%C3%BC'],
  ])('parses %s as %s', (text, href) => {
    const target = toRemoteTarget(text, policy);

    expect(target.ok && target.url.href).toBe(href);
  });

  it.each([
    ['https://2130706433/', '127.0.0.1'],
    ['https://0177.0.0.1/', '127.0.0.1'],
    ['https://0x7f000001/', '127.0.0.1'],
    ['https://127.1/', '127.0.0.1'],
    ['https://①②⑦.0.0.1/', '127.0.0.1'],
    ['https://[0:0:0:0:0:0:0:1]/', '[::1]'],
  ])('parses %s as the IP address %s', (text, hostname) => {
    const target = toRemoteTarget(text, policy);

    expect(target.ok && target.url.hostname).toBe(hostname);
  });

  it.each([
    ['', 'not_an_https_url'],
    ['images.test/a.png', 'not_an_https_url'],
    ['//images.test/a.png', 'not_an_https_url'],
    ['http://images.test/a.png', 'not_an_https_url'],
    ['file:///etc/passwd', 'not_an_https_url'],
    ['data:image/png;base64,AAAA', 'not_an_https_url'],
    ['https://', 'not_an_https_url'],
    ['https://images.test:65536/', 'not_an_https_url'],
    ['https://images%00.test/', 'not_an_https_url'],
    ['https://user@images.test/', 'user_info_in_url'],
    ['https://:secret@images.test/', 'user_info_in_url'],
    ['https://images.test@evil.test/', 'user_info_in_url'],
    ['https://evil.test/', 'host_not_allowed'],
    ['https://evil.test/?images.test', 'host_not_allowed'],
    ['https://images.test.evil.test/', 'host_not_allowed'],
    ['https://a.images.test/', 'host_not_allowed'],
    ['https://images.test./', 'host_not_allowed'],
    ['https://evil.test\\@images.test/', 'host_not_allowed'],
    ['https://127.0.0.2/', 'host_not_allowed'],
    ['https://[::ffff:127.0.0.1]/', 'host_not_allowed'],
    ['https://images.test:80/', 'port_not_allowed'],
    ['https://images.test:0/', 'port_not_allowed'],
  ])('rejects "%s": %s', (text, fault) => {
    expect(toRemoteTarget(text, policy)).toEqual({ ok: false, fault });
  });

  it.each([
    'https://images.test/a\tb',
    'https://ima\nges.test/',
    '\r\nhttps://images.test/',
    'https://images.test/\u0000',
    'https://images.test/\u007f',
    'https://images.test/\u0085',
  ])('rejects %j because of a control character, in a URL and in a redirect', (text) => {
    expect(toRemoteTarget(text, policy)).toEqual({ ok: false, fault: 'control_character' });
    expect(toRemoteTarget(text, policy, 'https://images.test/')).toMatchObject({ ok: false });
  });

  it.each([
    ['/b.png', 'https://images.test:8443/b.png'],
    ['b.png', 'https://images.test:8443/a/b.png'],
    ['//other.test/b.png', 'https://other.test/b.png'],
    ['https://other.test/b.png', 'https://other.test/b.png'],
    ['', 'https://images.test:8443/a/'],
  ])('resolves a redirect to "%s" against the base URL', (location, href) => {
    const target = toRemoteTarget(location, policy, 'https://images.test:8443/a/');

    expect(target.ok && target.url.href).toBe(href);
  });

  it.each([
    ['//evil.test/', 'host_not_allowed'],
    ['http://images.test/', 'not_an_https_url'],
    ['https://user@images.test/', 'user_info_in_url'],
    ['https://images.test:22/', 'port_not_allowed'],
  ])('checks a redirect to "%s" like any other URL', (location, fault) => {
    expect(toRemoteTarget(location, policy, 'https://images.test/')).toEqual({
      ok: false,
      fault,
    });
  });

  it('rejects every host if none is allowed', () => {
    const closed = { ...policy, allowed_hosts: [] };

    expect(toRemoteTarget('https://images.test/', closed)).toMatchObject({ ok: false });
  });
});

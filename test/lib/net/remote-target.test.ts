import { describe, expect, it } from 'vitest';
import { type RemotePolicy, toRemoteTarget } from '../../../lib/net/remote-target.ts';

const policy: RemotePolicy = {
  allowed_hosts: ['pictures.test', 'Other.TEST', '127.0.0.1', '[::1]', 'xn--bcher-kva.test'],
  allowed_ports: [443, 8443],
  allow_private_networks: false,
  max_redirects: 3,
  timeout_ms: 1000,
};

describe('toRemoteTarget', () => {
  it.each([
    ['https://pictures.test/a.png', 'https://pictures.test/a.png'],
    ['https://pictures.test:443/a.png', 'https://pictures.test/a.png'],
    ['https://pictures.test:8443/', 'https://pictures.test:8443/'],
    ['HTTPS://PICTURES.test/A', 'https://pictures.test/A'],
    ['https://other.test', 'https://other.test/'],
    ['https://bücher.test/', 'https://xn--bcher-kva.test/'],
    ['https://pictures.test/ä?ö#ü', 'https://pictures.test/%C3%A4?%C3%B6#%C3%BC'],
  ])('takes %s for %s', (text, href) => {
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
  ])('reads %s as the address %s', (text, hostname) => {
    const target = toRemoteTarget(text, policy);

    expect(target.ok && target.url.hostname).toBe(hostname);
  });

  it.each([
    ['', 'not_an_https_url'],
    ['pictures.test/a.png', 'not_an_https_url'],
    ['//pictures.test/a.png', 'not_an_https_url'],
    ['http://pictures.test/a.png', 'not_an_https_url'],
    ['file:///etc/passwd', 'not_an_https_url'],
    ['data:image/png;base64,AAAA', 'not_an_https_url'],
    ['https://', 'not_an_https_url'],
    ['https://pictures.test:65536/', 'not_an_https_url'],
    ['https://pictures%00.test/', 'not_an_https_url'],
    ['https://user@pictures.test/', 'user_info_in_url'],
    ['https://:secret@pictures.test/', 'user_info_in_url'],
    ['https://pictures.test@evil.test/', 'user_info_in_url'],
    ['https://evil.test/', 'host_not_allowed'],
    ['https://evil.test/?pictures.test', 'host_not_allowed'],
    ['https://pictures.test.evil.test/', 'host_not_allowed'],
    ['https://a.pictures.test/', 'host_not_allowed'],
    ['https://pictures.test./', 'host_not_allowed'],
    ['https://evil.test\\@pictures.test/', 'host_not_allowed'],
    ['https://127.0.0.2/', 'host_not_allowed'],
    ['https://[::ffff:127.0.0.1]/', 'host_not_allowed'],
    ['https://pictures.test:80/', 'port_not_allowed'],
    ['https://pictures.test:0/', 'port_not_allowed'],
  ])('refuses "%s": %s', (text, fault) => {
    expect(toRemoteTarget(text, policy)).toEqual({ ok: false, fault });
  });

  it.each([
    ['/b.png', 'https://pictures.test:8443/b.png'],
    ['b.png', 'https://pictures.test:8443/a/b.png'],
    ['//other.test/b.png', 'https://other.test/b.png'],
    ['https://other.test/b.png', 'https://other.test/b.png'],
    ['', 'https://pictures.test:8443/a/'],
  ])('follows a redirect to "%s" from where it stands', (location, href) => {
    const target = toRemoteTarget(location, policy, 'https://pictures.test:8443/a/');

    expect(target.ok && target.url.href).toBe(href);
  });

  it.each([
    ['//evil.test/', 'host_not_allowed'],
    ['http://pictures.test/', 'not_an_https_url'],
    ['https://user@pictures.test/', 'user_info_in_url'],
    ['https://pictures.test:22/', 'port_not_allowed'],
  ])('judges a redirect to "%s" like any other address', (location, fault) => {
    expect(toRemoteTarget(location, policy, 'https://pictures.test/')).toEqual({
      ok: false,
      fault,
    });
  });

  it('asks no host at all while none is allowed', () => {
    const closed = { ...policy, allowed_hosts: [] };

    expect(toRemoteTarget('https://pictures.test/', closed)).toMatchObject({ ok: false });
  });
});

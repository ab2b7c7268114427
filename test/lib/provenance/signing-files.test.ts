import { generateKeyPairSync } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS } from '../../../lib/platform/days.ts';
import { readSigningFiles, readTrustAnchors } from '../../../lib/provenance/signing-files.ts';
import {
  type KeyKind,
  type TrialCertificates,
  trialCertificates,
  writeCertificates,
} from '../../support/provenance/certificates.ts';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signing-files-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function read(certificates: Partial<TrialCertificates> = {}) {
  const paths = await writeCertificates(folder, { ...trialCertificates(), ...certificates });
  return () => readSigningFiles(paths, Date.now());
}

function pem(key: ReturnType<typeof generateKeyPairSync>['privateKey'], type: 'pkcs8' | 'sec1') {
  return key.export({ type, format: 'pem' }).toString();
}

describe('readSigningFiles', () => {
  test.each<KeyKind>(['es256', 'es384', 'ed25519'])('reads a key of the kind %s', async (kind) => {
    const identity = (await read(trialCertificates({ kind, days: 40.5 })))();

    expect(identity.algorithm).toBe(kind);
    expect(identity.certificates).toHaveLength(2);
    expect(Math.floor((identity.validUntilMs - Date.now()) / DAY_MS)).toBe(40);
  });

  const own = trialCertificates();
  const [first = '', second = ''] = own.chain.split(/(?<=-----END CERTIFICATE-----\n)/);
  const { privateKey: rsa } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { privateKey: curve } = generateKeyPairSync('ec', { namedCurve: 'P-521' });
  const { privateKey: plain } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  test.each<[string, Partial<TrialCertificates>, string]>([
    [
      'the key of another certificate',
      { key: trialCertificates().key },
      'key_file: must contain the key of the first certificate',
    ],
    [
      'an expired certificate',
      trialCertificates({ days: -0.5 }),
      'certificate_file: contains an expired certificate',
    ],
    [
      'a certificate of tomorrow',
      trialCertificates({ startsInDays: 1 }),
      'certificate_file: contains a certificate that is not valid yet',
    ],
    [
      'no certificate',
      { chain: 'nothing' },
      'certificate_file: must contain 1 to 8 certificates as PEM',
    ],
    [
      'nine certificates',
      { chain: first.repeat(9) },
      'certificate_file: must contain 1 to 8 certificates as PEM',
    ],
    [
      'a broken certificate',
      { chain: first.replace('MII', 'AAA') },
      'certificate_file: contains a certificate that cannot be read',
    ],
    [
      'the issuer first',
      { ...own, chain: second + first },
      'certificate_file: must contain the certificate of the signer first',
    ],
    ['a file of 300 KB', { chain: ' '.repeat(300_000) }, 'certificate_file: the file is too large'],
    [
      'an RSA key',
      { key: pem(rsa, 'pkcs8') },
      'key_file: must contain a key of P-256, P-384 or Ed25519',
    ],
    [
      'a key of P-521',
      { key: pem(curve, 'pkcs8') },
      'key_file: must contain a key of P-256, P-384 or Ed25519',
    ],
    [
      'a key in SEC1',
      { key: pem(plain, 'sec1') },
      'key_file: must contain a key in the form PKCS#8',
    ],
    [
      'a broken key',
      { key: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----' },
      'key_file: must contain a key in the form PKCS#8',
    ],
  ])('rejects %s and names the setting', async (_, certificates, message) => {
    expect(await read(certificates)).toThrow(`provenance.signing.${message}`);
  });

  test('rejects a key that others can read', async () => {
    const paths = await writeCertificates(folder, trialCertificates());
    await chmod(paths.key_file, 0o640);

    expect(() => readSigningFiles(paths, Date.now())).toThrow(
      'provenance.signing.key_file: must be accessible only by its owner: chmod 600',
    );
  });

  test('rejects a missing file without its path', async () => {
    const paths = await writeCertificates(folder, trialCertificates());
    await rm(paths.key_file);

    expect(() => readSigningFiles(paths, Date.now())).toThrow(
      /^provenance\.signing\.key_file: no such file$/,
    );
  });
});

describe('readTrustAnchors', () => {
  test('rejects more than a thousand certificates', async () => {
    const path = join(folder, 'anchors.pem');
    await writeFile(path, trialCertificates().anchor.repeat(1001));

    expect(() => readTrustAnchors(path)).toThrow(
      'provenance.trust_anchors_file: must contain 1 to 1000 certificates as PEM',
    );
  });
});

import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY_MS } from '../../../lib/platform/days.ts';

// Certificates for the tests, encoded as RFC 5280 describes, because node:crypto reads certificates but creates none.

export type KeyKind = 'es256' | 'es384' | 'ed25519';

export interface CertificateOptions {
  readonly kind?: KeyKind;
  readonly organisation?: string;
  /** Days from now to the end of the certificate of the signer. A negative number is an expired certificate. */
  readonly days?: number;
  /** Days from now to the start of the certificate of the signer. */
  readonly startsInDays?: number;
  /** True if the certificate of the signer lacks its extended key usage, without which no manifest may be signed. */
  readonly lacksUsage?: boolean;
}

/** A trial authority and a certificate that it issued, as PEM. */
export interface TrialCertificates {
  readonly kind: KeyKind;
  readonly chain: string;
  readonly anchor: string;
  readonly key: string;
}

/** Creates a new trial authority, and a certificate with a new key that this authority issued. */
export function trialCertificates(options: CertificateOptions = {}): TrialCertificates {
  const { kind = 'es256', organisation = 'Example Organisation' } = options;
  const { days = 90, startsInDays = -1, lacksUsage = false } = options;
  const [authority, signer] = [newKey(kind), newKey(kind)];
  const issuer = name('Trial Authority');
  const years = validity(-400, 4000);
  const anchor = certificate(
    { kind, issuer, subject: issuer, key: authority, years },
    [basicConstraints(true), keyUsage(0b0000_0110), subjectKeyId(authority)],
    authority,
  );
  const usage = extension([2, 5, 29, 37], true, der(0x30, oid([1, 3, 6, 1, 5, 5, 7, 3, 4])));
  const leaf = certificate(
    { kind, issuer, subject: name(organisation), key: signer, years: validity(startsInDays, days) },
    [
      basicConstraints(false),
      keyUsage(0b1000_0000),
      ...(lacksUsage ? [] : [usage]),
      subjectKeyId(signer),
      authorityKeyId(authority),
    ],
    authority,
  );
  const key = signer.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { kind, chain: toPem(leaf) + toPem(anchor), anchor: toPem(anchor), key };
}

/** Writes certificates and key into a folder. Resolves with the paths, as the settings of `provenance.signing` name them. */
export async function writeCertificates(
  folder: string,
  { chain, key, anchor }: TrialCertificates,
): Promise<{ certificate_file: string; key_file: string; trust_anchors_file: string }> {
  const paths = {
    certificate_file: join(folder, 'chain.pem'),
    key_file: join(folder, 'key.pem'),
    trust_anchors_file: join(folder, 'anchors.pem'),
  };
  await writeFile(paths.certificate_file, chain);
  await writeFile(paths.key_file, key, { mode: 0o600 });
  await writeFile(paths.trust_anchors_file, anchor);
  return paths;
}

function newKey(kind: KeyKind): KeyObject {
  if (kind === 'ed25519') return generateKeyPairSync('ed25519').privateKey;
  const namedCurve = kind === 'es256' ? 'P-256' : 'P-384';
  return generateKeyPairSync('ec', { namedCurve }).privateKey;
}

interface Subject {
  readonly kind: KeyKind;
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly key: KeyObject;
  readonly years: Buffer;
}

const SIGNATURES = {
  es256: { id: [1, 2, 840, 10_045, 4, 3, 2], digest: 'sha256' },
  es384: { id: [1, 2, 840, 10_045, 4, 3, 3], digest: 'sha384' },
  ed25519: { id: [1, 3, 101, 112], digest: null },
} as const;

let lastSerial = Date.now();

function certificate(
  { kind, issuer, subject, key, years }: Subject,
  extensions: readonly Buffer[],
  authority: KeyObject,
): Buffer {
  const { id, digest } = SIGNATURES[kind];
  const algorithm = der(0x30, oid(id));
  lastSerial += 1;
  const serial = Buffer.alloc(8);
  serial.writeBigUInt64BE(BigInt(lastSerial));
  // An integer of DER has no leading zeros.
  serial.writeUInt8(1);
  const content = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    algorithm,
    issuer,
    years,
    subject,
    publicKeyOf(key),
    der(0xa3, der(0x30, ...extensions)),
  );
  const signature = sign(digest, content, authority);
  return der(0x30, content, algorithm, der(0x03, Buffer.from([0]), signature));
}

function publicKeyOf(key: KeyObject): Buffer {
  return createPublicKey(key).export({ type: 'spki', format: 'der' });
}

function keyIdOf(key: KeyObject): Buffer {
  return createHash('sha1').update(publicKeyOf(key)).digest();
}

function name(organisation: string): Buffer {
  const part = (id: readonly number[], text: string) =>
    der(0x31, der(0x30, oid(id), der(0x0c, Buffer.from(text))));
  return der(0x30, part([2, 5, 4, 10], organisation), part([2, 5, 4, 3], 'Image Bridge'));
}

function validity(fromDays: number, toDays: number): Buffer {
  const time = (days: number) => {
    const iso = new Date(Date.now() + days * DAY_MS).toISOString();
    return der(0x18, Buffer.from(`${iso.slice(0, 19).replaceAll(/[-:T]/g, '')}Z`));
  };
  return der(0x30, time(fromDays), time(toDays));
}

function basicConstraints(isAuthority: boolean): Buffer {
  const content = isAuthority ? [der(0x01, Buffer.from([0xff]))] : [];
  return extension([2, 5, 29, 19], true, der(0x30, ...content));
}

function keyUsage(bits: number): Buffer {
  return extension(
    [2, 5, 29, 15],
    true,
    der(0x03, Buffer.from([Math.clz32(bits & -bits) ^ 31, bits])),
  );
}

function subjectKeyId(key: KeyObject): Buffer {
  return extension([2, 5, 29, 14], false, der(0x04, keyIdOf(key)));
}

function authorityKeyId(key: KeyObject): Buffer {
  return extension([2, 5, 29, 35], false, der(0x30, der(0x80, keyIdOf(key))));
}

function extension(id: readonly number[], isCritical: boolean, content: Buffer): Buffer {
  const critical = isCritical ? [der(0x01, Buffer.from([0xff]))] : [];
  return der(0x30, oid(id), ...critical, der(0x04, content));
}

function oid([first = 0, second = 0, ...rest]: readonly number[]): Buffer {
  const bytes = [first * 40 + second, ...rest].flatMap((arc) => {
    const groups = [arc & 0x7f];
    for (let left = arc >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    return groups;
  });
  return der(0x06, Buffer.from(bytes));
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

function toPem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { resolve } from 'node:path';
import { BridgeError } from '../errors/bridge-error.ts';
import { isOwnerOnly } from '../platform/owner-file.ts';
import { type FileProblem, readRegularFileNow } from '../platform/regular-file.ts';
import type { SigningAlgorithm, SigningKey } from './cose-signature.ts';

/** The settings of the files. Both paths are set, or neither. */
export interface SigningFileSettings {
  readonly certificate_file: string;
  readonly key_file: string;
}

/** The key and the certificates with which images are signed. */
export interface SigningIdentity extends SigningKey {
  /** End of the first certificate that ends, in milliseconds since the Unix epoch. */
  readonly validUntilMs: number;
}

export const CERTIFICATE_FILE = 'provenance.signing.certificate_file';
export const KEY_FILE = 'provenance.signing.key_file';
export const TRUST_ANCHORS_FILE = 'provenance.trust_anchors_file';

const MAX_KEY_BYTES = 64 * 1024;
const MAX_CHAIN = 8;
const MAX_CHAIN_BYTES = 256 * 1024;
const MAX_ANCHORS = 1000;
const MAX_ANCHORS_BYTES = 4 * 1024 * 1024;

/** The algorithms by the curve of an elliptic key (node:crypto, `asymmetricKeyDetails.namedCurve`). */
const CURVES: Readonly<Record<string, SigningAlgorithm>> = {
  prime256v1: 'es256',
  secp384r1: 'es384',
};

/**
 * Reads the certificates and the key of `provenance.signing`. Throws `configuration`, without a path or a part of a file, if a file
 * is unusable, if the key does not belong to the first certificate, or if a certificate is not valid at `nowMs`.
 */
export function readSigningFiles(
  { certificate_file, key_file }: SigningFileSettings,
  nowMs: number,
): SigningIdentity {
  const chain = readChain(certificate_file);
  const { key, algorithm } = readKey(key_file);
  if (!chain[0]?.checkPrivateKey(key)) {
    throw unusable(
      KEY_FILE,
      `must contain the key of the first certificate in ${CERTIFICATE_FILE}`,
    );
  }
  if (chain.some(({ validFromDate }) => validFromDate.getTime() > nowMs)) {
    throw unusable(CERTIFICATE_FILE, 'contains a certificate that is not valid yet');
  }
  const validUntilMs = Math.min(...chain.map(({ validToDate }) => validToDate.getTime()));
  if (validUntilMs <= nowMs) throw unusable(CERTIFICATE_FILE, 'contains an expired certificate');
  return { algorithm, key, certificates: chain.map(({ raw }) => raw), validUntilMs };
}

/**
 * Reads the certificates that make a signer trusted. Throws `configuration`, with a message that names the setting or the flag
 * `field`, if the file is unusable.
 */
export function readTrustAnchors(path: string, field = TRUST_ANCHORS_FILE): string {
  const text = readText(field, path, MAX_ANCHORS_BYTES);
  const anchors = parseCertificates(field, text, MAX_ANCHORS);
  return anchors.map((anchor) => anchor.toString()).join('');
}

function readChain(path: string): readonly X509Certificate[] {
  const text = readText(CERTIFICATE_FILE, path, MAX_CHAIN_BYTES);
  const chain = parseCertificates(CERTIFICATE_FILE, text, MAX_CHAIN);
  const isChain = chain.every((certificate, index) => {
    const issuer = chain[index + 1];
    return issuer === undefined || certificate.checkIssued(issuer);
  });
  if (isChain) return chain;
  const order =
    'the certificate of the signer first, each followed by the certificate of its issuer';
  throw unusable(CERTIFICATE_FILE, `must contain ${order}`);
}

function readKey(path: string): { readonly key: KeyObject; readonly algorithm: SigningAlgorithm } {
  const found = read(KEY_FILE, path, MAX_KEY_BYTES);
  if (!isOwnerOnly(found.status)) {
    throw unusable(KEY_FILE, 'must be accessible only by its owner: chmod 600');
  }
  const key = parseKey(found.bytes);
  const algorithm = algorithmOf(key);
  if (algorithm === undefined) {
    throw unusable(KEY_FILE, 'must contain a key of P-256, P-384 or Ed25519');
  }
  return { key, algorithm };
}

/** Parses a PKCS#8 key in PEM. The error of the library is not a cause, because it may describe the key. */
function parseKey(pem: Buffer): KeyObject {
  try {
    if (pem.includes('-----BEGIN PRIVATE KEY-----')) return createPrivateKey(pem);
  } catch {
    // Reported below.
  }
  throw unusable(KEY_FILE, 'must contain a key in the form PKCS#8, not encrypted, as PEM');
}

function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject) {
  if (type === 'ed25519') return 'ed25519';
  return type === 'ec' ? CURVES[details?.namedCurve ?? ''] : undefined;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

function parseCertificates(
  field: string,
  text: string,
  maxCount: number,
): readonly X509Certificate[] {
  const blocks = text.match(CERTIFICATE) ?? [];
  if (blocks.length === 0 || blocks.length > maxCount) {
    throw unusable(field, `must contain 1 to ${maxCount} certificates as PEM`);
  }
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch {
    throw unusable(field, 'contains a certificate that cannot be read');
  }
}

function readText(field: string, path: string, maxBytes: number): string {
  return read(field, path, maxBytes).bytes.toString('latin1');
}

function read(field: string, path: string, maxBytes: number) {
  const found = readRegularFileNow(resolve(path), { maxBytes });
  if ('problem' in found) throw unusable(field, PROBLEMS[found.problem], found.cause);
  return found;
}

const PROBLEMS: Readonly<Record<FileProblem['problem'], string>> = {
  absent: 'no such file',
  irregular: 'must be a regular file',
  too_large: 'the file is too large',
  unreadable: 'must be readable',
};

function unusable(field: string, problem: string, cause?: unknown): BridgeError {
  return new BridgeError('configuration', `${field}: ${problem}`, { cause });
}

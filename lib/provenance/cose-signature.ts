import { type KeyObject, sign } from 'node:crypto';

/** A key with its certificates, as a signature in a manifest needs them. */
export interface SigningKey {
  readonly algorithm: SigningAlgorithm;
  readonly key: KeyObject;
  /** DER of the certificates. The certificate of the signer is the first. */
  readonly certificates: readonly Uint8Array[];
}

export type SigningAlgorithm = keyof typeof ALGORITHMS;

/**
 * The algorithms of signatures. `id` is the number of the algorithm in COSE (RFC 9053, 2.1 and 2.2), `digest` the digest of
 * node:crypto, and `bytes` the length of a signature.
 */
const ALGORITHMS = {
  es256: { id: -7, digest: 'sha256', bytes: 64 },
  es384: { id: -35, digest: 'sha384', bytes: 96 },
  ed25519: { id: -8, digest: null, bytes: 64 },
} as const;

/** The labels of the protected header (RFC 9052, 3.1, and RFC 9360, 2). */
const ALGORITHM_LABEL = 1;
const CERTIFICATES_LABEL = 33;

/** The major types of CBOR (RFC 8949, 3.1). */
const UNSIGNED = 0;
const NEGATIVE = 1;
const BYTES = 2;
const TEXT = 3;
const ARRAY = 4;
const MAP = 5;

const NULL = Buffer.from([0xf6]);
/** The tag of a COSE_Sign1 (RFC 9052, 4.2). */
const SIGN1_TAG = Buffer.from([0xd2]);
const NO_BYTES = Buffer.alloc(0);

/** Returns the function that signs a claim, and the exact length of its results. */
export function createCoseSigner({ algorithm, key, certificates }: SigningKey) {
  const { id, digest, bytes } = ALGORITHMS[algorithm];
  const header = encodeProtectedHeader(id, certificates);
  return {
    /**
     * Returns a COSE_Sign1 over a claim that is not part of the structure, as section 13.2 of the C2PA specification 2.2
     * requires.
     */
    sign(claim: Uint8Array): Buffer {
      const signed = array([
        text('Signature1'),
        byteString(header),
        byteString(NO_BYTES),
        byteString(claim),
      ]);
      // `ieee-p1363` is the form of COSE: both numbers of the signature, each with the length of the curve (RFC 9053, 2.1).
      return encodeSign1(header, sign(digest, signed, { key, dsaEncoding: 'ieee-p1363' }));
    },
    length: encodeSign1(header, Buffer.alloc(bytes)).length,
  };
}

function encodeSign1(header: Buffer, signature: Buffer): Buffer {
  const noHeader = head(MAP, 0);
  return Buffer.concat([
    SIGN1_TAG,
    array([byteString(header), noHeader, NULL, byteString(signature)]),
  ]);
}

function encodeProtectedHeader(id: number, certificates: readonly Uint8Array[]): Buffer {
  return Buffer.concat([
    head(MAP, 2),
    head(UNSIGNED, ALGORITHM_LABEL),
    head(NEGATIVE, -1 - id),
    head(UNSIGNED, CERTIFICATES_LABEL),
    array(certificates.map(byteString)),
  ]);
}

function array(items: readonly Buffer[]): Buffer {
  return Buffer.concat([head(ARRAY, items.length), ...items]);
}

function byteString(bytes: Uint8Array): Buffer {
  return Buffer.concat([head(BYTES, bytes.length), bytes]);
}

function text(content: string): Buffer {
  return Buffer.concat([head(TEXT, Buffer.byteLength(content)), Buffer.from(content)]);
}

/** Encodes the head of a data item in its shortest form (RFC 8949, 3 and 4.2.1). */
function head(majorType: number, value: number): Buffer {
  const type = majorType << 5;
  if (value < 24) return Buffer.from([type | value]);
  if (value < 0x100) return Buffer.from([type | 24, value]);
  const head = Buffer.alloc(value < 0x10000 ? 3 : 5);
  head.writeUInt8(type | (head.length === 3 ? 25 : 26));
  head.writeUIntBE(value, 1, head.length - 1);
  return head;
}

import { splitHeader } from '../../platform/header-text.ts';
import { bytes, isKnown, type Reply } from './reply.ts';

/** The content codings of stored files, in order of preference. */
const CODINGS = ['br', 'gzip'] as const;

type Coding = (typeof CODINGS)[number];

/**
 * Returns the preferred coding that `Accept-Encoding` allows, or undefined if no coding is allowed (RFC 9110, section 12.5.3).
 * As in nginx, a weight of 0 forbids a coding, and all other weights are equal.
 */
export function acceptedCoding(
  header: string | undefined,
  offered: readonly Coding[],
): Coding | undefined {
  const allowed = new Map(
    splitHeader((header ?? '').toLowerCase(), ',').map((item) => {
      const [coding = '', ...parameters] = splitHeader(item, ';');
      return [coding, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))] as const;
    }),
  );
  return CODINGS.find(
    (coding) => offered.includes(coding) && (allowed.get(coding) ?? allowed.get('*') ?? false),
  );
}

/** One file of a page with its compressed forms. */
export interface PageFile {
  readonly bytes: Buffer;
  readonly encoded: Readonly<Partial<Record<Coding, Buffer>>>;
  readonly contentType: string;
  /** The etag of the uncompressed bytes, without quotes. */
  readonly tag: string;
  /** True if the name of the file changes with its content. */
  readonly isImmutable: boolean;
}

/** The features that `permissions-policy` denies. `document.execCommand('copy')` is not affected. */
const DENIED_FEATURES = [
  'accelerometer',
  'autoplay',
  'camera',
  'captured-surface-control',
  'clipboard-read',
  'clipboard-write',
  'compute-pressure',
  'cross-origin-isolated',
  'deferred-fetch',
  'digital-credentials-get',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'gamepad',
  'geolocation',
  'gyroscope',
  'hid',
  'identity-credentials-get',
  'idle-detection',
  'keyboard-map',
  'language-detector',
  'language-model',
  'local-fonts',
  'local-network-access',
  'magnetometer',
  'microphone',
  'midi',
  'on-device-speech-recognition',
  'otp-credentials',
  'payment',
  'picture-in-picture',
  'publickey-credentials-create',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'speaker-selection',
  'storage-access',
  'summarizer',
  'sync-xhr',
  'translator',
  'usb',
  'window-management',
  'xr-spatial-tracking',
];

/** The security headers of every file of a page. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; " +
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': DENIED_FEATURES.map((feature) => `${feature}=()`).join(', '),
} as const;

/** The replies of an operation that returns a file of a page, except their description and media types. */
export const PAGE_FILE = {
  status: 200,
  headers: { etag: 'An identifier of the bytes.' },
  also: [{ status: 304, description: 'The cached copy of the client is current.' }],
};

/** Returns a reply with a file of a page in the preferred coding, or 304. */
export function pageReply(
  requestHeaders: Readonly<Record<string, string | undefined>>,
  file: PageFile,
): Reply<never> {
  const offered = Object.keys(file.encoded) as Coding[];
  const coding = acceptedCoding(requestHeaders['accept-encoding'], offered);
  const body = (coding && file.encoded[coding]) ?? file.bytes;
  const etag = coding ? `"${file.tag}-${coding}"` : `"${file.tag}"`;
  const headers = {
    ...PAGE_HEADERS,
    etag,
    vary: 'accept-encoding',
    'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
  if (isKnown(requestHeaders['if-none-match'], etag)) return bytes(undefined, headers, 304);
  return bytes(body, {
    ...headers,
    'content-type': file.contentType,
    'content-length': String(body.byteLength),
    ...(coding ? { 'content-encoding': coding } : {}),
  });
}

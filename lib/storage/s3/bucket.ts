import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import type { LinkedHeaders } from '../../artifacts/artifact-files-port.ts';
import type { Clock } from '../../platform/clock.ts';
import {
  isConditionFailure,
  isMissingObject,
  isRejection,
  toBucketError,
} from './bucket-errors.ts';

/** The settings of `artifacts.s3`. */
export interface BucketSettings {
  readonly bucket: string;
  /** Beginning of every key, without a slash at its end. With `''`, keys begin with the name of the object. */
  readonly prefix: string;
  /** Address of the server. Undefined for Amazon S3. */
  readonly endpoint?: string | undefined;
  /** If undefined, the AWS SDK takes the region from the environment. */
  readonly region?: string | undefined;
  /** True if the bucket is named in the path instead of the host name. */
  readonly path_style: boolean;
  /** Maximum time until a request is answered, and maximum time between two pieces of the answer. */
  readonly request_timeout_ms: number;
  /** Number of tries of a request that fails because of the network or the server. */
  readonly max_attempts: number;
}

/** The state of an object. */
export interface FoundObject {
  /** Id that `create` stored with the object. Undefined for the object of another program. */
  readonly bridgeId: string | undefined;
  /** SHA-256 that the server compared with the bytes, in hexadecimal. Undefined for the object of another program. */
  readonly sha256: string | undefined;
  readonly etag: string | undefined;
  readonly bytes: number;
  /** The time of the server when the object was written. */
  readonly writtenMs: number;
  /** Text that changes whenever the object is replaced by an object with other content. */
  readonly stamp: string;
}

export interface ReadObject extends Pick<FoundObject, 'stamp'> {
  readonly content: Buffer;
}

/** An object to create. */
interface NewObject {
  readonly name: string;
  readonly bytes: Buffer;
  readonly bridgeId: string;
  /** SHA-256 in hexadecimal that the server compares with the bytes. */
  readonly sha256: string;
}

export type Bucket = Awaited<ReturnType<typeof openBucket>>;

// The metadata field of the id, `x-amz-meta-bridge-id` on the wire.
const BRIDGE_ID = 'bridge-id';
// A conflict with a request of another client ends within fewer tries.
const MAX_TRIES = 5;
const MAX_CONNECT_MS = 5000;
// Long enough to follow a redirect, and short enough for an address that is passed on by mistake.
const LINK_SECS = 60;
// A whole object may take this many time-outs.
const MAX_BODY_TIMEOUTS = 6;

/**
 * Opens a bucket: the requests that the stores send. Methods throw `overloaded` if the bucket is not available. Loads the AWS
 * SDK, which takes a quarter of a second. The SDK looks for credentials in the environment, in the files of AWS and at the
 * machine.
 */
export async function openBucket(settings: BucketSettings, clock: Pick<Clock, 'monotonicMs'>) {
  const sdk = await import('@aws-sdk/client-s3');
  const client = new sdk.S3Client(toClientConfig(settings));
  const prefix = settings.prefix === '' ? '' : `${settings.prefix}/`;
  const place = (name: string) => ({ Bucket: settings.bucket, Key: `${prefix}${name}` });

  function head(name: string): Promise<FoundObject | undefined> {
    return unlessMissing(async () =>
      toFound(
        await client.send(new sdk.HeadObjectCommand({ ...place(name), ChecksumMode: 'ENABLED' })),
      ),
    );
  }

  const put = (object: NewObject) =>
    client.send(new sdk.PutObjectCommand({ ...place(object.name), ...toPut(object) }));

  return {
    /** Resolves with the state of an object, or with undefined if there is no object. */
    head,

    ...createWriters({ put, head }),

    /**
     * Resolves with the content of an object of exactly `bytes` bytes, which is not compared with its checksum. Resolves with
     * undefined if the object is missing or has another length.
     */
    read(name: string, bytes: number): Promise<ReadObject | undefined> {
      return unlessMissing(async () => {
        const reply = await client.send(new sdk.GetObjectCommand(place(name)));
        const { Body: body, ContentLength: length } = reply;
        if (!(body instanceof Readable)) throw new Error('the AWS SDK returned no stream');
        if (length === bytes) {
          const maxMs = MAX_BODY_TIMEOUTS * settings.request_timeout_ms;
          const content = await readBody(body, bytes, clock, maxMs);
          return { content, stamp: toFound(reply).stamp };
        }
        body.destroy();
        return undefined;
      });
    },

    /** Resolves with a URL from which anybody can read the object for `LINK_SECS`, with these headers in the answer. */
    async presign(name: string, headers: LinkedHeaders): Promise<string> {
      const command = new sdk.GetObjectCommand({
        ...place(name),
        ResponseContentType: headers['content-type'],
        ResponseContentDisposition: headers['content-disposition'],
        ResponseCacheControl: 'private, max-age=31536000, immutable',
      });
      try {
        const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
        return await getSignedUrl(client, command, { expiresIn: LINK_SECS });
      } catch (error) {
        throw toBucketError(error);
      }
    },

    /**
     * Removes the object that has this name, if `accepts` returns true. Changes nothing if another object takes the name in the
     * meantime. Resolves with false if there was no object.
     */
    async remove(name: string, accepts: (found: FoundObject) => boolean): Promise<boolean> {
      const found = await head(name);
      if (found === undefined || !accepts(found)) return found !== undefined;
      try {
        await client.send(new sdk.DeleteObjectCommand({ ...place(name), IfMatch: found.etag }));
      } catch (error) {
        if (!isConditionFailure(error) && !isMissingObject(error)) throw toBucketError(error);
      }
      return true;
    },

    /** Lists the names that begin with `start`, in batches. Skips the objects that were written at `beforeMs` or later. */
    async *list(
      start: string,
      beforeMs = Number.POSITIVE_INFINITY,
    ): AsyncGenerator<readonly string[]> {
      const range = { Bucket: settings.bucket, Prefix: `${prefix}${start}` };
      let token: string | undefined;
      do {
        const command = new sdk.ListObjectsV2Command({ ...range, ContinuationToken: token });
        const page = await client.send(command).catch((error) => {
          throw toBucketError(error);
        });
        const names = (page.Contents ?? [])
          .filter(({ LastModified: written }) => (written?.getTime() ?? 0) < beforeMs)
          .map(({ Key: key = '' }) => key.slice(prefix.length));
        if (names.length > 0) yield names;
        token = page.NextContinuationToken;
      } while (token !== undefined);
    },

    /** Closes the connections. */
    close: (): void => client.destroy(),
  };
}

interface Requests {
  /** Sends the request to create an object. Throws the error of the SDK. */
  put(object: NewObject): Promise<unknown>;
  head(name: string): Promise<FoundObject | undefined>;
}

function createWriters({ put, head }: Requests) {
  return {
    /** Sends the request to create an object. Resolves with true, or with false if the bucket rejects the object. */
    async tryPut(object: NewObject): Promise<boolean> {
      try {
        await put(object);
        return true;
      } catch (error) {
        if (isRejection(error)) return false;
        throw toBucketError(error);
      }
    },

    /**
     * Creates an object, and never replaces an object. Resolves with true if the object was created by this call or by an
     * earlier call with the same id, and with false if another object has the name. If the request fails, the outcome is looked
     * up, because the request may have been executed, and because the SDK may have sent the request twice.
     */
    async create(object: NewObject): Promise<boolean> {
      for (let tries = 1; ; tries += 1) {
        try {
          await put(object);
          return true;
        } catch (error) {
          const found = await head(object.name);
          if (found !== undefined) return isSame(found, object);
          // The conflicting object was removed in the meantime, or its creation failed.
          if (!isConditionFailure(error) || tries === MAX_TRIES) throw toBucketError(error);
        }
      }
    },
  };
}

/**
 * Returns true if the bridge created the object with this id and these bytes. The id alone does not prove this, because some
 * servers keep the metadata when another program replaces the object.
 */
export function isSame(
  found: Pick<FoundObject, 'bridgeId' | 'sha256'>,
  { bridgeId, sha256 }: { readonly bridgeId: string; readonly sha256: string },
): boolean {
  return found.bridgeId === bridgeId && found.sha256 === sha256;
}

function toPut({ name, bytes, bridgeId, sha256 }: NewObject) {
  return {
    Body: bytes,
    ContentLength: bytes.byteLength,
    ContentType: mediaTypeOf(name),
    ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64'),
    IfNoneMatch: '*',
    Metadata: { [BRIDGE_ID]: bridgeId },
  };
}

async function readBody(
  body: AsyncIterable<Buffer>,
  bytes: number,
  clock: Pick<Clock, 'monotonicMs'>,
  maxMs: number,
): Promise<Buffer> {
  const untilMs = clock.monotonicMs() + maxMs;
  const content = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  for await (const chunk of body) {
    if (clock.monotonicMs() > untilMs) throw new Error('the object was not received in time');
    at += chunk.copy(content, at);
  }
  if (at < bytes) throw new Error('the object was not received completely');
  return content;
}

function toClientConfig(settings: BucketSettings): S3ClientConfig {
  const { endpoint, region, request_timeout_ms: timeoutMs } = settings;
  return {
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    forcePathStyle: settings.path_style,
    maxAttempts: settings.max_attempts,
    requestHandler: {
      connectionTimeout: Math.min(timeoutMs, MAX_CONNECT_MS),
      requestTimeout: timeoutMs,
      // Without this option, a time-out only writes a warning.
      throwOnRequestTimeout: true,
      socketTimeout: timeoutMs,
    },
    // Every object is sent and compared with its SHA-256, so a second checksum would only cost time.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  };
}

/** Settles like `work`. Resolves with undefined if the object is missing, and throws `overloaded` for other errors of the SDK. */
async function unlessMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isMissingObject(error)) return undefined;
    throw toBucketError(error);
  }
}

interface ObjectHead {
  readonly ETag?: string | undefined;
  readonly VersionId?: string | undefined;
  readonly ContentLength?: number | undefined;
  readonly LastModified?: Date | undefined;
  readonly ChecksumSHA256?: string | undefined;
  readonly Metadata?: Record<string, string> | undefined;
}

function toFound(head: ObjectHead): FoundObject {
  const { ETag: etag, VersionId: version = '', ContentLength: bytes, ChecksumSHA256 } = head;
  return {
    bridgeId: head.Metadata?.[BRIDGE_ID],
    sha256: ChecksumSHA256 && Buffer.from(ChecksumSHA256, 'base64').toString('hex'),
    etag,
    bytes: bytes ?? 0,
    writtenMs: head.LastModified?.getTime() ?? 0,
    stamp: `${etag} ${version} ${bytes}`,
  };
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  json: 'application/json',
};

function mediaTypeOf(name: string): string {
  const extension = name.slice(name.lastIndexOf('.') + 1);
  return MEDIA_TYPES[extension] ?? 'application/octet-stream';
}

/** Returns the SHA-256 of an object in hexadecimal. */
export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

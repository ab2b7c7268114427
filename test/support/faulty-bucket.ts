import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { S3Settings } from '../../lib/storage/s3/open-s3-files.ts';
import { createBucket } from './s3-server.ts';

/** A wrong behaviour of a bucket. */
export type BucketFault =
  /** Answers 503 without executing the request. */
  | 'unavailable'
  /** Answers 403 without executing the request. */
  | 'denied'
  /** Closes the connection without executing the request. */
  | 'cut'
  /** Never answers. */
  | 'silent'
  /** Answers after two seconds. */
  | 'slow'
  /** Executes the request and closes the connection instead of answering. */
  | 'lost answer'
  /** Closes the connection after half of the body. */
  | 'half body'
  /** Answers with half of the body, as if it were whole. */
  | 'short body'
  /** Answers with the first content that the object had. */
  | 'old content'
  /** Replaces the object in spite of `If-None-Match`. */
  | 'overwrite'
  /** Another program takes the name immediately before the request. */
  | 'taken'
  /** Stores the bytes without comparing their checksum. */
  | 'unchecked';

/** Returns the fault of a request, if it has one. `key` begins with the prefix of the artifacts. */
export type FaultRule = (call: {
  readonly method: string;
  readonly key: string;
}) => BucketFault | undefined;

export type FaultyBucket = Awaited<ReturnType<typeof startFaultyBucket>>;

/** The settings of a bucket in tests, without its address. */
const SETTINGS = {
  prefix: 'our images',
  path_style: true,
  request_timeout_ms: 10_000,
  max_attempts: 1,
  recheck_ms: 0,
};

/** Starts a proxy before an empty bucket of the real server. The proxy behaves as `setFault` determines. */
export async function startFaultyBucket({ prefix = SETTINGS.prefix } = {}) {
  const target = await createBucket();
  const { bucket, accessKeyId, secretAccessKey, region } = target;
  const credentials = { accessKeyId, secretAccessKey };
  // The stores find the credentials where the AWS SDK looks first.
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  });
  const client = new S3Client({
    ...{ credentials, region, endpoint: target.endpoint, forcePathStyle: true },
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  let rule: FaultRule = () => undefined;
  const calls: string[] = [];
  const firstContents = new Map<string, Buffer>();

  const at = (name: string) => ({ Bucket: bucket, Key: `${prefix}/${name}` });

  async function putForeign(name: string, content: string | Buffer): Promise<void> {
    await client.send(new PutObjectCommand({ ...at(name), Body: content }));
  }

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', url = '' } = incoming;
    const path = decodeURIComponent(new URL(url, target.endpoint).pathname);
    const key = path.slice(`/${bucket}/${prefix}/`.length);
    calls.push(`${method} ${key}`);
    const fault = rule({ method, key });
    const body = await readAll(incoming);
    if (fault === 'unavailable' || fault === 'denied') {
      outgoing.writeHead(fault === 'denied' ? 403 : 503, { 'content-length': 0 }).end();
      return;
    }
    if (fault === 'cut') return void outgoing.destroy();
    if (fault === 'silent') return;
    if (fault === 'slow') await delay(2000);
    if (fault === 'taken') await putForeign(key, 'foreign');
    if (fault === 'overwrite') await client.send(new DeleteObjectCommand(at(key)));
    if (fault === 'unchecked') {
      await client.send(new PutObjectCommand({ ...at(key), Body: body }));
      outgoing.writeHead(200, { 'content-length': 0 }).end();
      return;
    }
    const reply = await forward(target.endpoint, incoming, body);
    if (fault === 'lost answer') return void outgoing.destroy();
    if (method === 'GET' && !firstContents.has(key)) firstContents.set(key, reply.body);
    const whole = (fault === 'old content' && firstContents.get(key)) || reply.body;
    const half = whole.subarray(0, whole.length / 2);
    const sent = fault === 'short body' ? half : whole;
    // The length of an answer to `HEAD` is that of the object.
    const length = method === 'HEAD' ? {} : { 'content-length': sent.length };
    outgoing.writeHead(reply.status, { ...reply.headers, ...length });
    if (fault !== 'half body') return void outgoing.end(sent);
    outgoing.write(half, () => outgoing.destroy());
  }

  const proxy = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const settings: S3Settings = {
    ...{ ...SETTINGS, bucket, prefix, region },
    endpoint: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
  };

  return {
    settings,
    /** The requests so far, as method and name. */
    calls,
    /** Sets the faults of all later requests. Without a rule, the bucket has no fault. */
    setFault(next: FaultRule = () => undefined): void {
      rule = next;
    },
    /** Stores an object as another program does. */
    putForeign,
    async remove(name: string): Promise<void> {
      await client.send(new DeleteObjectCommand(at(name)));
    },
    async exists(name: string): Promise<boolean> {
      return client.send(new HeadObjectCommand(at(name))).then(
        () => true,
        () => false,
      );
    },
    async contentOf(name: string): Promise<string | undefined> {
      const { Body: body } = await client.send(new GetObjectCommand(at(name)));
      return body?.transformToString();
    },
    /** Removes the bucket with all its objects. */
    removeBucket: target.remove,
    async close(): Promise<void> {
      client.destroy();
      proxy.closeAllConnections();
      proxy.close();
      await target.remove().catch(() => undefined);
    },
  };
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function forward(endpoint: string, incoming: IncomingMessage, body: Buffer) {
  const { method, url, headers } = incoming;
  // The host name stays that of the proxy, because it is part of the signature.
  const { expect: _, ...others } = headers;
  const outgoing = request(new URL(url ?? '', endpoint), { method, headers: others });
  outgoing.end(body);
  const [reply] = (await once(outgoing, 'response')) as [IncomingMessage];
  const { 'transfer-encoding': __, ...kept } = reply.headers;
  return { status: reply.statusCode ?? 0, headers: kept, body: await readAll(reply) };
}
